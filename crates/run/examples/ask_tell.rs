//! Ask and tell by hand: the algorithms without a study around them.
//!
//! `cargo run --release -p esenas-run --example ask_tell`

use std::error::Error;
use std::sync::Arc;

use esenas::controllers::{Controller, ControllerConfig};
use esenas::weights::{Es, EsConfig};
use esenas::{EsEnas, JointConfig, Optimizer, Purpose, Seed, Space, WeightOptimizer};

fn main() -> Result<(), Box<dyn Error>> {
    let space = Arc::new(Space::list((0..4).map(|_| Space::bool()))?);
    let weights = Es::new(EsConfig::default(), vec![0.0; 20], None)?;
    let controller = Controller::new(ControllerConfig::default(), space.clone())?;
    let mut search = EsEnas::new(JointConfig::default(), space.clone(), weights, controller)?;

    for iteration in 0..100 {
        // All randomness is addressed: there is no generator to keep.
        let mut stream = Seed(7).stream(Purpose::Ask, iteration, 0);
        let candidates = search.ask(search.population(), &mut stream);
        let value = |candidate: &esenas::Candidate| {
            let ones = candidate.dna.genes().iter().sum::<u32>();
            let theta = candidate.theta.to_vec();
            // `None` for a candidate that could not be evaluated.
            Some(f64::from(ones) - theta.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>())
        };
        let values: Vec<Option<f64>> = candidates.iter().map(value).collect();
        search.tell(&values);
    }

    let (dna, mean, count) = search.controller().best().ok_or("nothing was told")?;
    let theta = search.weights().centre().to_vec();
    println!("{} with a mean of {mean:.3} over {count} evaluations", space.decode(dna)?);
    println!("theta begins {:.2?}", &theta[..4]);
    assert_eq!(dna.genes(), [1, 1, 1, 1]);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::main().unwrap();
    }
}
