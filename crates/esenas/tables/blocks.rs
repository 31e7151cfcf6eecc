//! What named blocks cost: iterations of ES with 64 pairs at d = 10⁶, all points written out.
//!
//! `blocks N` does some with N blocks of weights, `blocks 0` with a flat θ; `bench/blocks.sh`
//! compares their processor time.

#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::sync::Arc;

use esenas::space::{Space, Tensor};
use esenas::weights::{Es, EsConfig};
use esenas::{Layout, Optimizer, Purpose, Scratch, Seed};

const DIM: usize = 1_000_000;
const ITERATIONS: u32 = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let blocks: usize = std::env::args().nth(1).ok_or("how many blocks?")?.parse()?;
    let layout = match blocks {
        0 => Layout::flat(Arc::new(Space::constant("one")), DIM, None),
        _ => {
            let tensor = Tensor { scale: Some(0.1), ..Tensor::from([DIM / blocks]) };
            let parts = (0..blocks).map(|_| Space::weights(tensor.clone()));
            Layout::new(Arc::new(Space::list(parts.collect::<Result<Vec<_>, _>>()?)?))?
        }
    };
    let theta = layout.start(&mut Seed(1).stream(Purpose::Start, 0, 0));
    let mut es = Es::new(EsConfig::default(), theta, None)?;
    let (mut out, mut scratch, mut sum) = (Vec::new(), Scratch::default(), 0.0);
    for iteration in 0..ITERATIONS {
        let points = es.ask(128, &mut Seed(1).stream(Purpose::Ask, iteration, 0));
        let mut values = Vec::new();
        for point in &points {
            layout.write(point, &mut out, &mut scratch);
            // A design is looked at, not only made.
            let design = layout.design(&Vec::new().into(), &out);
            sum += f64::from(design.item(0).is_some());
            values.push(Some(-out[0] * out[0]));
        }
        es.tell(&values);
    }
    println!("{blocks} blocks: d = {}, {sum} designs", layout.dim());
    Ok(())
}
