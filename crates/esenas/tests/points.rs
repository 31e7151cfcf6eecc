//! How a point is written never shows in the point: from directions that are kept or while they are
//! drawn, alone or after its mirror image.

use std::sync::Arc;

use esenas::{BLOCK, Base, Bounds, Noise, Probe, Scratch, Theta};

/// A whole block, and one that ends within a step of the generator.
const DIM: usize = BLOCK + 37;

fn base(
    noise: &Noise,
    announced: usize,
    spread: Option<Vec<f64>>,
    bounds: Option<Bounds>,
) -> Arc<Base> {
    let centre = (0..DIM).map(|i| i as f64 / DIM as f64 - 0.5).collect();
    let mut base = Base::new(centre, spread, bounds).in_pairs();
    base.redirect(noise.clone(), announced);
    Arc::new(base)
}

#[test]
fn kept_drawn_and_mirrored_points_are_the_same() {
    let cosine = Noise::Cosine { key: 7, dim: DIM as u32, first: 2 };
    let orthogonal = Noise::orthogonal(7, 3, DIM);
    let noises = [Noise::Gaussian(7), Noise::hadamard(7, DIM), cosine, orthogonal];
    let boxes = [None, Bounds::new(vec![-1.0], vec![1.0], DIM).ok()];
    let spreads = [None, Some((0..DIM).map(|i| 0.5 + (i % 5) as f64).collect::<Vec<_>>())];
    let kinds = noises.iter().flat_map(|noise| spreads.iter().map(move |spread| (noise, spread)));
    for ((noise, spread), bounds) in kinds.zip(boxes.iter().cycle()) {
        // So many rows that none is kept.
        let [kept, drawn] =
            [3, usize::MAX].map(|announced| base(noise, announced, spread.clone(), bounds.clone()));
        let stretch = |at: usize| spread.as_ref().map_or(1.0, |spread| spread[at]);
        let (mut out, mut scratch) = (Vec::new(), Scratch::default());
        for (row, scale) in [(0, 0.3), (0, -0.3), (2, -0.7), (2, 0.7), (1, 0.1)] {
            let probe = Probe { row, scale };
            let direction = noise.row(row, DIM);
            let exact: Vec<f64> = kept
                .centre
                .iter()
                .zip(direction)
                .enumerate()
                .map(|(at, (c, g))| c + scale * (stretch(at) * f64::from(g)))
                .map(|x| bounds.as_ref().map_or(x, |_| x.clamp(-1.0, 1.0)))
                .collect();
            assert_eq!(Theta::probe(kept.clone(), probe).to_vec(), exact, "{row}, {scale}");
            Theta::probe(drawn.clone(), probe).write(&mut out, &mut scratch);
            assert_eq!(out, exact, "{row}, {scale}, drawn");
        }
    }
}
