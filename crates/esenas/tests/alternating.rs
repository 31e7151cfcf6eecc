//! Line-ES and sweeps by turns: models are held while θ moves, and θ while models change.

use std::sync::Arc;

use esenas::controllers::{AsngConfig, ControllerConfig, Sweep, SweepConfig};
use esenas::shaping::{Constraint, View};
use esenas::space::Cost;
use esenas::weights::{LineEs, LineEsConfig, RestartsConfig, WeightsConfig};
use esenas::{
    Alternating, AlternatingConfig, Candidate, Dna, ModelOptimizer, NextConfig, Optimizer, Purpose,
    Role, Search, SearchConfig, Seed, SettingError, Space, Start, WeightOptimizer,
};

const DIM: usize = 6;

fn digits(count: usize) -> Arc<Space> {
    Arc::new(Space::list((0..count).map(|_| Space::int(0..=4).unwrap())).unwrap())
}

fn sum(dna: &Dna) -> f64 {
    dna.genes().iter().map(|g| f64::from(*g)).sum()
}

fn value(candidate: &Candidate) -> f64 {
    let theta = candidate.theta.to_vec();
    sum(&candidate.dna) - theta.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>()
}

fn begin(centre: u32, view: View) -> Result<Alternating, SettingError> {
    let space = digits(8);
    let weights = LineEs::new(LineEsConfig::default(), vec![0.0; DIM], None)?;
    let controller = Sweep::new(SweepConfig {}, space.clone());
    let config = AlternatingConfig { centre, view, next: None };
    Alternating::new(config, space, weights, controller)
}

fn ask(search: &mut Alternating, iteration: u32) -> Vec<Candidate> {
    search.ask(17, &mut Seed(4).stream(Purpose::Ask, iteration, 0))
}

fn returns(search: &Alternating) -> f64 {
    let statistics = search.weights().statistics();
    statistics.iter().find(|(name, _)| *name == "returns").unwrap().1
}

/// Red when a probe has another model, a proposal another θ than the centre, or the sweep learns
/// from a probe; of the one at the centre, which is an evaluation of the held model like any other,
/// it may.
#[test]
fn held_models_and_weights_are_compared_apart() {
    let mut search = begin(5, View::default()).unwrap();
    for iteration in 0..30 {
        let theta = search.weights().centre().to_vec();
        let points = ask(&mut search, iteration);
        let (probes, others) = points.split_at(12);
        assert!(probes.iter().all(|p| p.dna == probes[0].dna));
        assert!(probes[..11].iter().all(|p| p.role == Role::Probe));
        assert_eq!(probes[11].role, Role::Centre);
        assert!(others.iter().all(|p| p.role == Role::Centre && p.theta.to_vec() == theta));
        // What probes are worth says nothing of models.
        let mut values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
        let mut twin = search.clone();
        search.tell(&values);
        values[..11].iter_mut().for_each(|v| *v = v.map(|v| v - 1e3));
        twin.tell(&values);
        if returns(&twin) == returns(&search) {
            assert_eq!(twin.controller(), search.controller());
        }
        assert_eq!(twin.best(), search.best());
    }
    assert!(search.best().is_some());
}

/// Sweeps compare with the model they stand at, and so does a line: one evaluation serves both. Red
/// when a point is evaluated twice, a batch has fewer points than were asked for, or the sweep
/// takes another value for that of its model.
#[test]
fn the_held_model_is_evaluated_once() {
    let mut search = begin(5, View::default()).unwrap();
    for iteration in 0..20 {
        let points = ask(&mut search, iteration);
        assert_eq!(points.len(), 17);
        let stand = search.controller().likeliest().unwrap();
        let own = |p: &&Candidate| p.dna == stand && p.theta == points[11].theta;
        assert_eq!(points.iter().filter(own).count(), 1, "iteration {iteration}");
        assert!(points[11..].iter().all(|p| p.role == Role::Centre));
        // Neighbours are better than all probes but for the one at the centre.
        let worth = |at| match at {
            ..11 => 0.0,
            11 => 2.0,
            _ => 1.0,
        };
        search.tell(&(0..17).map(|at| Some(worth(at))).collect::<Vec<_>>());
        assert_eq!(search.controller().likeliest(), Some(stand), "iteration {iteration}");
    }
}

/// One point is better than all that follow, while sweeps go on from model to model. Red when the
/// weights go back alone, or to another point, or the model that comes back is not the one that
/// point had.
#[test]
fn a_held_model_goes_back_with_the_weights() {
    let mut search = begin(5, View::default()).unwrap();
    let mut best = None;
    for iteration in 0..6 {
        assert_eq!(returns(&search), 0.0);
        let points = ask(&mut search, iteration);
        let best: &Candidate = best.get_or_insert_with(|| points[3].clone());
        // Models are worth more the later they are asked for, so that the sweep never stays.
        let worth = |(at, point): (usize, &Candidate)| match point {
            point if point == best => 1e3,
            _ => at as f64,
        };
        search.tell(&points.iter().enumerate().map(worth).map(Some).collect::<Vec<_>>());
        let moved = search.controller().likeliest() != Some(best.dna.clone());
        assert_eq!(moved, iteration < 5, "iteration {iteration}");
    }
    let best = best.unwrap();
    assert_eq!(returns(&search), 1.0);
    assert_eq!(search.weights().centre().to_vec(), best.theta.to_vec());
}

/// The same constraint for the model that is held as for its neighbours. Red when the weights are
/// told what the sweep is not: they would go back to a model that costs too much.
#[test]
fn what_a_held_model_costs_counts_for_the_weights_too() {
    let constraint = Constraint { cost: Cost::Active, target: 2.0, exponent: -1.0, offset: 0.0 };
    let mut plain = begin(5, View::default()).unwrap();
    let view = View { constraint: Some(constraint.clone()), ..View::default() };
    let mut penalized = begin(5, view).unwrap();
    let points = ask(&mut plain, 0);
    assert_eq!(ask(&mut penalized, 0), points);
    let values: Vec<f64> = (1..=17).map(f64::from).collect();
    let active = points[0].dna.genes().iter().filter(|g| **g != 0).count() as f64;
    assert!(active > 2.0);
    penalized.tell(&values.iter().map(|v| Some(*v)).collect::<Vec<_>>());
    plain.tell(&values.iter().map(|v| Some(constraint.apply(*v, active))).collect::<Vec<_>>());
    assert_eq!(penalized.weights(), plain.weights());
}

fn by_turns(weights: WeightsConfig, controller: ControllerConfig) -> Result<Search, SettingError> {
    let space = digits(8);
    let start = Start { space, theta: vec![0.0; DIM], bounds: None };
    let alternating = AlternatingConfig { centre: 7, ..AlternatingConfig::default() };
    Search::new(SearchConfig::Alternating { weights, controller, alternating }, start)
}

/// The two halves find their optima apart: 4 in every digit, 1 in every weight.
#[test]
fn line_es_and_sweeps_arrive() {
    let weights = WeightsConfig::LineEs(LineEsConfig::default());
    let mut search = by_turns(weights, ControllerConfig::Sweep(SweepConfig {})).unwrap();
    let mut best = f64::NEG_INFINITY;
    for iteration in 0..60 {
        let stream = &mut Seed(3).stream(Purpose::Ask, iteration, 0);
        let points = search.ask(search.population(), stream);
        let values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
        best = values.iter().flatten().copied().fold(best, f64::max);
        search.tell(&values);
    }
    assert!(best > 32.0 - 1e-3, "{best}");
    assert_eq!(search.likeliest(), Some(Dna::from([4; 8])));
}

/// Red when another half is taken, or refused under another key than its own.
#[test]
fn no_other_halves_alternate() {
    let (line, sweep) = (WeightsConfig::LineEs(Default::default()), SweepConfig {});
    let refused = by_turns(line, ControllerConfig::default()).unwrap_err();
    assert_eq!(refused.key, "controller.kind");
    let refused = by_turns(WeightsConfig::default(), ControllerConfig::Sweep(sweep)).unwrap_err();
    assert_eq!(refused.key, "weights.kind");
    assert!(refused.what.starts_with("must be \"line-es\""), "{refused}");
    assert_eq!(begin(1, View::default()).unwrap_err().key, "centre.evaluations");
}

/// Stopped after each ask and tell and read back. Red when a part of the state is left out.
#[test]
fn resuming_equals_never_having_stopped() {
    let read_back = |it: &Alternating| -> Alternating {
        postcard::from_bytes(&postcard::to_stdvec(it).unwrap()).unwrap()
    };
    let mut whole = begin(5, View { subsample: Some(4), constraint: None }).unwrap();
    let mut parts = whole.clone();
    for iteration in 0..20 {
        let points = ask(&mut whole, iteration);
        assert_eq!(ask(&mut parts, iteration), points);
        parts = read_back(&parts);
        let mut values: Vec<_> = points.iter().map(|p| Some(value(p))).collect();
        values[2] = None;
        whole.tell(&values);
        parts.tell(&values);
        parts = read_back(&parts);
    }
    assert_eq!(postcard::to_stdvec(&whole).unwrap(), postcard::to_stdvec(&parts).unwrap());
}

fn next(after: u64) -> NextConfig {
    let weights = WeightsConfig::Restarts(RestartsConfig::default());
    NextConfig { after, weights, controller: ControllerConfig::Asng(AsngConfig::default()) }
}

fn followed(space: Arc<Space>, centre: u32, next: NextConfig) -> Result<Search, SettingError> {
    let weights = WeightsConfig::LineEs(LineEsConfig::default());
    let controller = ControllerConfig::Sweep(SweepConfig {});
    let alternating = AlternatingConfig { centre, next: Some(next), ..Default::default() };
    let start = Start { space, theta: vec![0.0; DIM], bounds: None };
    Search::new(SearchConfig::Alternating { weights, controller, alternating }, start)
}

/// Scales from 1 to 10⁶, which steps of one length in all directions do not learn.
fn stretched(candidate: &Candidate) -> f64 {
    let theta = candidate.theta.to_vec();
    let scale = |j: usize| 10f64.powf(6.0 * j as f64 / (DIM - 1) as f64);
    let square = |(j, x): (usize, &f64)| scale(j) * (x - 1.0).powi(2);
    sum(&candidate.dna) - theta.iter().enumerate().map(square).sum::<f64>()
}

/// The best value after each iteration, and the evaluations so far.
fn play(search: &mut Search, iterations: std::ops::Range<u32>, trace: &mut Vec<(u64, f64)>) {
    for iteration in iterations {
        let points =
            search.ask(search.population(), &mut Seed(5).stream(Purpose::Ask, iteration, 0));
        let values: Vec<_> = points.iter().map(|p| Some(stretched(p))).collect();
        let before = trace.last().copied().unwrap_or((0, f64::NEG_INFINITY));
        let best = values.iter().flatten().copied().fold(before.1, f64::max);
        trace.push((before.0 + points.len() as u64, best));
        search.tell(&values);
    }
}

/// Red when it is over too early or too late, when what follows begins elsewhere than at the best
/// point, forgets which model was best, or does no better than going on would have done.
#[test]
fn what_follows_begins_at_the_best_point() {
    let (mut search, mut alone) = (
        followed(digits(8), 7, next(1500)).unwrap(),
        followed(digits(8), 7, next(1 << 60)).unwrap(),
    );
    let (mut trace, mut without) = (vec![], vec![]);
    let mut iteration = 0;
    while matches!(search, Search::Alternating(_)) {
        play(&mut search, iteration..iteration + 1, &mut trace);
        play(&mut alone, iteration..iteration + 1, &mut without);
        assert_eq!(trace, without);
        iteration += 1;
    }
    let (spent, best) = *trace.last().unwrap();
    assert!((1500..1500 + 30).contains(&spent), "{spent}");
    let begun = Candidate {
        dna: search.best_model().unwrap().0.clone(),
        theta: search.centre().unwrap(),
        role: Role::Probe,
    };
    assert_eq!(stretched(&begun), best);
    assert_eq!(search.best_model(), alone.best_model());
    play(&mut search, iteration..iteration + 500, &mut trace);
    play(&mut alone, iteration..iteration + 500, &mut without);
    let (found, stuck) = (32.0 - trace.last().unwrap().1, 32.0 - without.last().unwrap().1);
    assert!(found < 1e-6 && stuck > 1e-3, "{found} with, {stuck} without");
}

/// Stopped after each iteration and read back, before it is over and after. Red when a part of what
/// follows is left out.
#[test]
fn what_follows_is_resumed() {
    for (space, centre) in [(digits(8), 7), (Arc::new(Space::constant(0)), 0)] {
        let mut whole = followed(space, centre, next(200)).unwrap();
        let mut parts = whole.clone();
        let mut traces = (vec![], vec![]);
        for iteration in 0..40 {
            parts = postcard::from_bytes(&postcard::to_stdvec(&parts).unwrap()).unwrap();
            play(&mut whole, iteration..iteration + 1, &mut traces.0);
            play(&mut parts, iteration..iteration + 1, &mut traces.1);
        }
        assert!(matches!(whole, Search::EsEnas(_)));
        assert_eq!(traces.0, traces.1);
        assert_eq!(postcard::to_stdvec(&whole).unwrap(), postcard::to_stdvec(&parts).unwrap());
    }
}

/// Red when nothing follows where nothing had a value, or what cannot follow is taken.
#[test]
fn what_follows_needs_no_value_but_restarts() {
    let mut search = followed(digits(8), 7, next(40)).unwrap();
    for iteration in 0..4 {
        search.ask(20, &mut Seed(1).stream(Purpose::Ask, iteration, 0));
        search.tell(&[]);
    }
    assert!(matches!(search, Search::EsEnas(_)));
    let plain = NextConfig { weights: WeightsConfig::CmaEs(Default::default()), ..next(40) };
    assert_eq!(followed(digits(8), 7, plain).unwrap_err().key, "next.weights.kind");
    assert_eq!(followed(digits(8), 7, next(0)).unwrap_err().key, "next.after");
    assert_eq!(followed(digits(8), 0, next(1)).unwrap_err().key, "centre.evaluations");
}
