//! The decisions of a space as they are drawn.
//!
//! A subset is drawn as a mask, one decision for each candidate, because the order of its slots
//! means nothing; so is a choice between false and true. Candidates that are many integers are
//! drawn in bins.

use std::collections::BTreeMap;

use esenas::controllers::Marginals;
use esenas::space::Surveyed;
use esenas::{Dna, Space};
use esenas_report::choices::Decision;
use esenas_run::spec::ProblemConfig;

use super::portraits::edge_names;

/// At most this many decisions are looked at.
const MOST: usize = 1024;

/// At most this many options of one decision are looked at.
const OPTIONS: u32 = 16;

pub(super) struct Decisions {
    all: Vec<Decision>,
    /// By the group that a walk meets: where its decisions begin, and what it is.
    groups: BTreeMap<u32, (usize, Surveyed)>,
}

impl Decisions {
    pub(super) fn new(space: &Space, problem: &ProblemConfig) -> Self {
        let (mut all, mut groups) = (Vec::<Decision>::new(), BTreeMap::new());
        let edges = edge_names(problem);
        for choice in space.survey(MOST) {
            let more = if is_subset(&choice) { choice.arity } else { choice.slots } as usize;
            // Nothing is decided among one; and of an enormous choice nothing could be seen.
            if choice.arity < 2 || all.len() + more > MOST {
                continue;
            }
            groups.insert(choice.group, (all.len(), choice.clone()));
            let path = |slot: u32| space.path(choice.group + slot * choice.width);
            let is_mask = is_subset(&choice) || choice.names == ["false", "true"];
            for at in 0..more {
                let known = edges.as_ref().filter(|names| is_mask && names.len() == more);
                let name = match known {
                    Some(names) => names[at].clone(),
                    None if is_subset(&choice) => {
                        let within = path(0).trim_end_matches("[0]").to_owned();
                        format!("{within} {}", choice.names.get(at).map_or("", String::as_str))
                    }
                    None => path(at as u32),
                };
                let options = match is_mask {
                    true => vec!["out".to_owned(), "in".to_owned()],
                    false => options(&choice),
                };
                all.push(Decision { name: name.trim().to_owned(), options, mask: is_mask });
            }
        }
        let mut names: Vec<String> = all.iter().map(|it| it.name.clone()).collect();
        shorten(&mut names);
        all.iter_mut().zip(names).for_each(|(decision, name)| decision.name = name);
        Self { all, groups }
    }

    pub(super) fn all(&self) -> &[Decision] {
        &self.all
    }

    /// What `dna` decided: decision and option.
    pub(super) fn chosen(&self, space: &Space, dna: &Dna) -> Vec<(usize, usize)> {
        let mut chosen = Vec::new();
        space.visit(dna, |decision, value| {
            let Some((first, choice)) = self.groups.get(&decision.group) else { return };
            if !is_subset(choice) {
                let at = first + decision.slot as usize;
                chosen.push((at, bin(choice, self.all[at].options.len(), value.into())));
                return;
            }
            if decision.slot == 0 {
                chosen.extend((0..choice.arity as usize).map(|at| (first + at, 0)));
            }
            let last = chosen.len() - choice.arity as usize;
            chosen[last + value as usize].1 = 1;
        });
        chosen
    }
}

impl Decisions {
    /// How probable each option is. Not known of the slots of a sorted choice that may repeat
    /// itself, whose marginals are those of all slots together.
    pub(super) fn probabilities(&self, marginals: &Marginals) -> Vec<Option<Vec<f64>>> {
        let mut all: Vec<Option<Vec<f64>>> = vec![None; self.all.len()];
        for (first, choice) in self.groups.values() {
            if is_subset(choice) {
                let Some(of) = marginals.get(choice.group) else { continue };
                let met = of.iter().sum::<f64>() / f64::from(choice.slots);
                for (at, p) in of.iter().enumerate() {
                    all[first + at] = Some(vec![(met - p).max(0.0), *p]);
                }
            } else if !choice.sorted || choice.slots == 1 {
                for slot in 0..choice.slots {
                    let of = marginals.get(choice.group + slot * choice.width);
                    let at = first + slot as usize;
                    let bins = self.all[at].options.len();
                    all[at] = of.map(|of| {
                        let mut shares = vec![0.0; bins];
                        let bin = |value: usize| bin(choice, bins, value as u64);
                        of.iter().enumerate().for_each(|(value, p)| shares[bin(value)] += p);
                        shares
                    });
                }
            }
        }
        all
    }
}

/// The option that a value falls into.
fn bin(choice: &Surveyed, bins: usize, value: u64) -> usize {
    let option = match choice.arity > OPTIONS {
        true => value * bins as u64 / u64::from(choice.arity),
        false => value,
    };
    option as usize
}

/// Leaves out of paths which candidate a part belongs to, where they differ without it.
pub(super) fn shorten(names: &mut [String]) {
    let plain = |name: &str| {
        let mut parts = name.split(".oneof[");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |name, rest| name + rest.split_once(']').map_or(rest, |(_, rest)| rest))
    };
    let mut times = BTreeMap::<String, usize>::new();
    names.iter().for_each(|name| *times.entry(plain(name)).or_default() += 1);
    for name in names {
        let short = plain(name);
        if times[&short] == 1 {
            *name = short;
        }
    }
}

fn is_subset(choice: &Surveyed) -> bool {
    choice.slots > 1 && choice.distinct && choice.sorted
}

/// The names of the options; of many candidates, of bins of them.
fn options(choice: &Surveyed) -> Vec<String> {
    if choice.arity <= OPTIONS {
        return choice.names.clone();
    }
    let name =
        |at: u64| choice.names.get(at as usize).map_or_else(|| at.to_string(), String::clone);
    let (arity, bins) = (u64::from(choice.arity), u64::from(OPTIONS));
    let bin = |bin: u64| {
        let (first, last) = ((bin * arity).div_ceil(bins), ((bin + 1) * arity).div_ceil(bins) - 1);
        if first == last { name(first) } else { format!("{} … {}", name(first), name(last)) }
    };
    (0..bins).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use esenas::space::Many;
    use esenas_run::spec::CallableProblem;

    use super::*;

    fn of(space: &Space) -> Decisions {
        let problem = ProblemConfig::Callable(CallableProblem::new(space.clone(), 1));
        Decisions::new(space, &problem)
    }

    #[test]
    fn a_subset_is_a_mask_and_its_conditions_are_kept() {
        let inner = Space::subset(2, 0..=3).unwrap();
        let space = Space::oneof([Space::constant("none"), inner]).unwrap();
        let decisions = of(&space);
        let names: Vec<&str> = decisions.all().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names.len(), 5, "{names:?}");
        assert_eq!(decisions.all()[0].options, ["none", "#1"]);
        assert_eq!(decisions.chosen(&space, &vec![0].into()), [(0, 0)]);
        let chosen = decisions.chosen(&space, &vec![1, 0, 3].into());
        assert_eq!(chosen, [(0, 1), (1, 1), (2, 0), (3, 0), (4, 1)]);
    }

    /// A single model is certain of what it chose, and of nothing else.
    #[test]
    fn probabilities_are_those_of_the_options() {
        let inner = Space::subset(2, 0..=3).unwrap();
        let many = Many { k: 2, distinct: false, sorted: false };
        let wide = Space::manyof(many, 0..=99).unwrap();
        let space = Space::list([Space::oneof([Space::constant("none"), inner]).unwrap(), wide]);
        let space = space.unwrap();
        let decisions = of(&space);
        for genes in [vec![0, 7, 99], vec![1, 0, 3, 50, 0]] {
            let dna: Dna = genes.into();
            let marginals = Marginals::of(&space, std::slice::from_ref(&dna)).unwrap();
            let all = decisions.probabilities(&marginals);
            let mut expected: Vec<Vec<f64>> =
                decisions.all().iter().map(|it| vec![0.0; it.options.len()]).collect();
            for (at, option) in decisions.chosen(&space, &dna) {
                expected[at][option] = 1.0;
            }
            assert_eq!(all.into_iter().map(Option::unwrap).collect::<Vec<_>>(), expected);
        }
    }

    /// Red when a value falls into a bin that does not name it.
    #[test]
    fn many_integers_share_bins_that_hold_them() {
        let many = Many { k: 1, distinct: false, sorted: false };
        let space = Space::manyof(many, 0..=99).unwrap();
        let decisions = of(&space);
        for value in 0..100 {
            let [(0, option)] = decisions.chosen(&space, &vec![value].into())[..] else { panic!() };
            let name = &decisions.all()[0].options[option];
            let (low, high) = name.split_once(" … ").unwrap();
            let (low, high) = (low.parse::<u32>().unwrap(), high.parse::<u32>().unwrap());
            assert!((low..=high).contains(&value), "{value} in {name}");
        }
    }
}
