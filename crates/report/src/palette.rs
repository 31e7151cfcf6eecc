//! Colours that colour-blind readers can tell apart (Okabe and Ito, "Color Universal Design", 2008),
//! without its yellow, which is too light for a line on white.

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
