//! How a search begins and when it says that it is over.

use super::*;

#[test]
fn absurd_starts_are_refused_by_name() {
    fn check<O: Subject>() {
        let sigma = |sigma| O::start(vec![0.0], sigma, None).unwrap_err();
        for bad in [0.0, -1.0, f64::INFINITY, 1e200] {
            let said = format!("sigma must lie between 1e-100 and 1e100, got {bad}");
            assert_eq!(sigma(bad).to_string(), said);
        }
        assert!(sigma(f64::NAN).to_string().contains("sigma must lie between"));
        let empty = O::start(vec![], 1.0, None).unwrap_err().to_string();
        assert_eq!(empty, "theta must have at least one coordinate, got none");
        let error = O::start(vec![0.0, f64::INFINITY], 1.0, None).unwrap_err();
        assert_eq!(error.to_string(), "theta must start finite, got inf at coordinate 1");
        let bounds = || Some(Bounds::new(vec![-1.0, -1.0], vec![1.0, 1.0], 2).unwrap());
        let error = O::start(vec![0.0, 3.0], 1.0, bounds()).unwrap_err();
        assert_eq!(error.to_string(), "theta must start within [-1, 1], got 3 at coordinate 1");
        let error = O::start(vec![0.0; 3], 1.0, bounds()).unwrap_err();
        assert!(error.to_string().contains("bounds must have 1 or 3 entries"), "{error}");
    }
    for_each!(check());
    let config = CmaEsConfig { population: Some(1), ..Default::default() };
    let few = CmaEs::new(config, vec![0.0], None).unwrap_err().to_string();
    assert_eq!(few, "population must be at least 2, got 1");
    let config = SnesConfig { sigma_rate: Some(-0.1), ..Default::default() };
    let error = Snes::new(config, vec![0.0], None).unwrap_err();
    assert_eq!(error.to_string(), "sigma_rate must be above 0 and at most 2, got -0.1");
    let config = LmMaEsConfig { vectors: Some(0), ..Default::default() };
    let error = LmMaEs::new(config, vec![0.0], None).unwrap_err();
    assert_eq!(error.to_string(), "vectors must lie between 1 and 1000, got 0");
}

/// Red when an optimizer made of others holds what its inner one refuses.
#[test]
fn matrices_that_would_not_fit_are_refused_wherever_they_are() {
    let alone = WeightsConfig::CmaEs(CmaEsConfig::default());
    let weights = alone.clone().into();
    let again = WeightsConfig::Restarts(RestartsConfig { weights, ..Default::default() });
    for (config, key) in [(alone, "kind"), (again, "weights.kind")] {
        let error = config.build(vec![0.0; 10_001], None).unwrap_err();
        assert_eq!(error.key, key);
        assert!(error.what.contains("d must be at most 10000, got 10001"), "{error}");
    }
}

#[test]
fn settings_are_data() {
    let config: CmaEsConfig = toml::from_str("sigma = 0.3\n[stop]\ntolx = 1e-9").unwrap();
    assert_eq!((config.sigma, config.active, config.stop.tolx), (0.3, true, 1e-9));
    assert_eq!(toml::from_str::<SepCmaEsConfig>("").unwrap(), SepCmaEsConfig::default());
    assert!(toml::from_str::<SnesConfig>("sigmas = 1.0").is_err());
    assert_eq!(toml::from_str::<LmMaEsConfig>("vectors = 9").unwrap().vectors, Some(9));
}

#[test]
fn stopping_conditions_speak_when_it_is_time() {
    let run = |config: CmaEsConfig, start: f64, f: &dyn Fn(&[f64]) -> f64| {
        let mut o = CmaEs::new(config, vec![start; 3], None).unwrap();
        assert_eq!(o.stop(), None);
        (0..4000).find_map(|t| {
            iterate(&mut o, t, f);
            o.stop()
        })
    };
    let sphere = |x: &[f64]| valley(x, &[0.0; 3]);
    let only = |tolx, tolfun, tolfunhist| CmaEsConfig {
        stop: Tolerances { tolx, tolfun, tolfunhist, ..Default::default() },
        ..Default::default()
    };
    assert_eq!(run(only(0.0, 1e-11, 0.0), 1.0, &sphere), Some(Stop::TolFun));
    assert_eq!(run(only(0.0, 0.0, 1e-12), 1.0, &sphere), Some(Stop::TolFunHist));
    assert_eq!(run(only(1e-11, 0.0, 0.0), 1.0, &sphere), Some(Stop::TolX));
    assert_eq!(run(CmaEsConfig::default(), 1.0, &|_| 1.0), Some(Stop::TolFun));
    assert_eq!(run(only(0.0, 0.0, 0.0), 1.0, &|_| 1.0), Some(Stop::TolFlatFitness));
    assert_eq!(run(CmaEsConfig::default(), 1.0, &|x| x[0]), Some(Stop::TolFacUpX));
    let shifted = |x: &[f64]| -x.iter().map(|x| (x - 1e6).abs()).sum::<f64>();
    let stop = run(only(0.0, 0.0, 0.0), 1e6, &shifted);
    assert!(matches!(stop, Some(Stop::NoEffectCoord | Stop::NoEffectAxis)), "{stop:?}");
    // 0.5 x₀ + noise that selection cannot follow: nothing gets better.
    let hash = |x: &[f64]| (x.iter().sum::<f64>() * 1e9).sin();
    let stop = run(only(0.0, 0.0, 0.0), 1.0, &hash);
    assert!(matches!(stop, Some(Stop::TolStagnation)), "{stop:?}");
    let needle = |x: &[f64]| -x[0].powi(2) - 1e16 * x[1].powi(2) - x[2].powi(2);
    assert_eq!(run(only(0.0, 0.0, 0.0), 1.0, &needle), Some(Stop::ConditionCov));
}
