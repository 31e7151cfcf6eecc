//! A closure over a hybrid space: which activation and how many units, and the weights with them.
//!
//! `cargo run --release -p esenas-run --example closure`

use std::error::Error;
use std::sync::atomic::AtomicBool;

use esenas::controllers::ControllerConfig;
use esenas::weights::{EsConfig, WeightsConfig};
use esenas::{JointConfig, SearchConfig, Space};
use esenas_run::spec::{CallableProblem, ProblemConfig};
use esenas_run::{Control, Point, Spec, Study};

/// f(m, θ): how well θ fits a target that the model chooses, less what the model costs.
fn objective(point: &Point<'_>) -> f64 {
    let model = point.model.value();
    let units = model["units"].as_f64().unwrap_or_default();
    let (target, cost) = if model["activation"] == "relu" { (1.0, 0.0) } else { (0.5, 1.0) };
    let miss: f64 = point.theta.iter().map(|x| (x - target).powi(2)).sum();
    -miss - cost - (units - 32.0).abs() / 16.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let space = Space::dict([
        ("activation", Space::oneof(["relu", "tanh"])?),
        ("units", Space::oneof([16, 32, 64])?),
    ])?;
    let problem = ProblemConfig::Callable(CallableProblem::new(space, 10));
    // ES-ENAS with the paper's settings, but for smaller steps.
    let weights = EsConfig { sigma: 0.1.into(), step_size: 0.1.into(), ..EsConfig::default() };
    let search = SearchConfig::EsEnas {
        weights: WeightsConfig::Es(weights),
        controller: ControllerConfig::default(),
        joint: JointConfig::default(),
    };
    let spec = Spec { seed: 1, search, ..Spec::new(problem, 200) };

    let report = Study::new(spec, objective)?.run(&AtomicBool::new(false), |report| {
        let record = report.record;
        if record.iteration % 50 == 0 {
            println!("iteration {}: best {:.4}", record.iteration, record.best.unwrap_or_default());
        }
        Control::Continue
    })?;

    let best = report.best.ok_or("nothing was evaluated")?;
    println!("{}: {:.4} with {}", report.end, best.record.value, best.record.model);
    // What was found is what there is to find: this model, and θ near its target.
    assert!(best.record.value > -0.5);
    assert_eq!(best.record.model, r#"{"activation":"relu","units":32}"#);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::main().unwrap();
    }
}
