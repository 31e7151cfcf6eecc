//! A survey: every choice of a space with the names of its candidates, for those who draw or print
//! it.

use serde_json::Value;

use super::candidates::nth;
use super::{Candidates, Choice, Kind, Space};

/// A choice of a space, as it stands there for any DNA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// The locus of its first slot: what [`Decision::group`](super::Decision::group) says.
    pub group: u32,
    /// How many slots it has.
    pub slots: u32,
    /// From the locus of a slot to that of the next.
    pub width: u32,
    /// How many candidates there are.
    pub arity: u32,
    /// Whether no candidate may be selected twice.
    pub distinct: bool,
    /// Whether selections ascend.
    pub sorted: bool,
    /// The slot it is found below, and what that must have selected; none where every DNA has it.
    pub parent: Option<(u32, u32)>,
    /// What the candidates are called; of very many the first.
    pub names: Vec<String>,
}

/// What is found so far.
struct Survey {
    most: usize,
    named: bool,
    found: Vec<Surveyed>,
}

/// As many candidates are named.
const NAMED: u64 = 4096;

impl Space {
    /// The choices of the space in the order of their loci, about `most` of them.
    pub fn survey(&self, most: usize) -> Vec<Surveyed> {
        let mut survey = Survey { most, named: true, found: Vec::new() };
        self.survey_from(0, None, &mut survey);
        survey.found
    }

    /// The same without names, which take most of the time.
    pub(crate) fn choices(&self, most: usize) -> Vec<Surveyed> {
        let mut survey = Survey { most, named: false, found: Vec::new() };
        self.survey_from(0, None, &mut survey);
        survey.found
    }

    fn survey_from(&self, mut locus: u32, parent: Option<(u32, u32)>, survey: &mut Survey) {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                for part in &product.parts {
                    part.survey_from(locus, parent, survey);
                    locus += part.loci();
                }
            }
            Kind::Choice(choice) => choice.survey_from(locus, parent, survey),
        }
    }

    /// In a word: a constant itself, else the first word that is part of it.
    fn word(&self) -> Option<String> {
        match &self.kind {
            Kind::Constant(Value::String(text)) => Some(text.clone()),
            Kind::Constant(Value::Object(map)) => {
                let word = map.values().find_map(Value::as_str);
                Some(word.map_or_else(|| Value::Object(map.clone()).to_string(), str::to_owned))
            }
            Kind::Constant(value) => Some(value.to_string()),
            Kind::Product(product) => {
                let constant =
                    |part: &&Space| matches!(&part.kind, Kind::Constant(Value::String(_)));
                product.parts.iter().find(constant).and_then(Self::word)
            }
            Kind::Numbers(numbers) => Some(numbers.word()),
            Kind::Choice(_) => None,
        }
    }
}

impl Choice {
    fn survey_from(&self, group: u32, parent: Option<(u32, u32)>, survey: &mut Survey) {
        if survey.found.len() >= survey.most {
            return;
        }
        let (slots, width, arity) = (self.slots, self.width, self.arity);
        let (distinct, sorted) = (self.distinct, self.sorted);
        let names = if survey.named { self.names() } else { Vec::new() };
        let found = Surveyed { group, slots, width, arity, distinct, sorted, parent, names };
        survey.found.push(found);
        if !self.nested() {
            return;
        }
        for slot in 0..slots {
            let locus = group + slot * width;
            for (value, space) in (0..).zip(self.candidates.listed()) {
                let below = self.branch_locus(locus, value);
                space.survey_from(below, Some((locus, value)), survey);
            }
        }
    }

    fn names(&self) -> Vec<String> {
        match &self.candidates {
            Candidates::List(list) => {
                let name = |(at, space): (usize, &Space)| space.word().unwrap_or(format!("#{at}"));
                list.iter().take(NAMED as usize).enumerate().map(name).collect()
            }
            Candidates::Range { low, step, count } => {
                (0..NAMED.min(*count)).map(|at| nth(*low, *step, at).to_string()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Many;
    use super::*;

    #[test]
    fn every_choice_is_found_where_a_walk_finds_it() {
        let wave = Space::dict([
            ("period", Space::oneof([8, 16]).unwrap()),
            ("shape", Space::from(json!("wave"))),
        ]);
        let shape = Space::oneof([Space::from(json!("flat")), wave.unwrap()]).unwrap();
        let many = Space::manyof(Many { k: 2, distinct: false, sorted: false }, [shape]).unwrap();
        let nested = Space::list([many, Space::subset(2, 0..=3).unwrap()]).unwrap();
        let found = nested.survey(100);
        let names: Vec<_> = found.iter().map(|it| it.names.join(" ")).collect();
        assert_eq!(names, ["#0", "flat wave", "8 16", "flat wave", "8 16", "0 1 2 3"]);
        let mut met = std::collections::BTreeMap::new();
        for dna in [[0, 1, 0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 0, 2, 3]] {
            nested.visit(&dna.to_vec().into(), |decision, _| {
                met.insert(decision.group, (decision.arity, decision.slots));
            });
        }
        let surveyed: Vec<_> = found.iter().map(|it| (it.group, (it.arity, it.slots))).collect();
        assert_eq!(met.into_iter().collect::<Vec<_>>(), surveyed);
        assert_eq!(nested.survey(2).len(), 2);
        let loci: Vec<_> = found.iter().map(|it| it.group).collect();
        let below = |at: usize, value| Some((loci[at], value));
        let second = Some((loci[0] + found[0].width, 0));
        let parents: Vec<_> = found.iter().map(|it| it.parent).collect();
        assert_eq!(parents, [None, below(0, 0), below(1, 1), second, below(3, 1), None]);
    }
}
