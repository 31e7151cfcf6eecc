//! Colours that colour-blind readers can tell apart (Okabe and Ito, "Color Universal Design",
//! 2008), without its yellow, which is too light for a line on white.

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// In the order in which lines should take them.
pub const COLOURS: [Rgb; 7] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (0, 0, 0),
];

/// The `index`-th colour, from the first again after the last.
pub fn colour(index: usize) -> Rgb {
    COLOURS[index % COLOURS.len()]
}

/// The colour of class `index`: those of the palette, then lighter and lighter ones of them.
pub fn class(index: usize) -> Rgb {
    let share = [0.0, 0.45, 0.7][index / COLOURS.len() % 3];
    mix(colour(index), (255, 255, 255), share)
}

/// The corners of *viridis* (van der Walt and Smith, 2015): equal steps look equal, in grey too.
const VIRIDIS: [Rgb; 9] = [
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
];

/// The colour of a number from 0 to 1.
pub fn heat(share: f64) -> Rgb {
    let last = VIRIDIS.len() - 1;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last - 1);
    mix(VIRIDIS[below], VIRIDIS[below + 1], at - below as f64)
}

fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    let part = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    (part(from.0, to.0), part(from.1, to.1), part(from.2, to.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_grows_lighter() {
        let light = |(r, g, b): Rgb| 0.2 * f64::from(r) + 0.7 * f64::from(g) + 0.1 * f64::from(b);
        let all: Vec<f64> = (0..=32).map(|i| light(heat(f64::from(i) / 32.0))).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert_eq!((heat(-1.0), heat(2.0)), (VIRIDIS[0], VIRIDIS[8]));
    }

    #[test]
    fn twenty_classes_have_colours_of_their_own() {
        let all: std::collections::BTreeSet<Rgb> = (0..20).map(class).collect();
        assert_eq!(all.len(), 20);
    }
}
