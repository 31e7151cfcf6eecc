//! How a point is written never shows in the point: from directions that are kept or while they are
//! drawn, alone or after its mirror image.

use std::sync::Arc;

use esenas::{BLOCK, Base, Bounds, Noise, Probe, Scratch, Theta};

/// A whole block, and one that ends within a step of the generator.
const DIM: usize = BLOCK + 37;

fn base(noise: &Noise, announced: usize, bounds: Option<Bounds>) -> Arc<Base> {
    let centre = (0..DIM).map(|i| i as f64 / DIM as f64 - 0.5).collect();
    let mut base = Base::new(centre, None, bounds);
    base.redirect(noise.clone(), announced);
    Arc::new(base)
}

#[test]
fn kept_drawn_and_mirrored_points_are_the_same() {
    let noises = [Noise::Gaussian(7), Noise::hadamard(7, DIM), Noise::orthogonal(7, 3, DIM)];
    let boxes = [None, Bounds::new(vec![-1.0], vec![1.0], DIM).ok()];
    for (noise, bounds) in noises.iter().zip(boxes.iter().cycle()) {
        // So many rows that none is kept.
        let (kept, drawn) =
            (base(noise, 3, bounds.clone()), base(noise, usize::MAX, bounds.clone()));
        let (mut out, mut scratch) = (Vec::new(), Scratch::default());
        for (row, scale) in [(0, 0.3), (0, -0.3), (2, -0.7), (2, 0.7), (1, 0.1)] {
            let probe = Probe { row, scale };
            let direction = noise.row(row, DIM);
            let exact: Vec<f64> = kept
                .centre
                .iter()
                .zip(direction)
                .map(|(c, g)| c + scale * f64::from(g))
                .map(|x| bounds.as_ref().map_or(x, |_| x.clamp(-1.0, 1.0)))
                .collect();
            assert_eq!(Theta::probe(kept.clone(), probe).to_vec(), exact, "{row}, {scale}");
            Theta::probe(drawn.clone(), probe).write(&mut out, &mut scratch);
            assert_eq!(out, exact, "{row}, {scale}, drawn");
        }
    }
}
