//! Paths: stable names of decisions.
//!
//! A path is written from the root: `.name` into a map, `[i]` into a list, `[s]` to slot s of a
//! `manyof`, `.oneof[c]` into candidate c of a choice. The leading dot is left off, names that are
//! not plain words are quoted (`["my name"]`), and the root itself is `$`. A `oneof` is decided at
//! its own path: `block` is the choice, `block.oneof[1].size` a decision of its candidate 1,
//! `edges[3]` the fourth slot of a manyof.

use super::{Choice, Kind, Product, Space};

impl Space {
    /// The path of the decision at `locus`; the root's for a locus that does not exist.
    pub fn path(&self, locus: u32) -> String {
        let mut path = String::new();
        if locus < self.loci() {
            self.describe(locus, &mut path);
        }
        whole(&path)
    }

    /// How many candidates each locus chooses among, in order.
    pub fn arities(&self) -> Vec<u32> {
        let mut arities = Vec::with_capacity(self.loci() as usize);
        self.push_arities(&mut arities);
        arities
    }

    /// The loci that `path` names, ascending: one, or all those that a path without slot numbers
    /// leaves open (`edges` for `edges[0]`, `edges[1]`, …). None if it names no decision.
    pub fn find(&self, path: &str) -> Option<Vec<u32>> {
        let path = match path.strip_prefix('$') {
            Some(below) => below.to_owned(),
            None if path.starts_with('[') => path.to_owned(),
            None => format!(".{path}"),
        };
        let mut loci = Vec::new();
        self.seek(&path, 0, &mut loci).then_some(loci)
    }

    fn describe(&self, mut locus: u32, path: &mut String) {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                for (index, part) in product.parts.iter().enumerate() {
                    if locus < part.loci() {
                        path.push_str(&product.segment(index));
                        return part.describe(locus, path);
                    }
                    locus -= part.loci();
                }
            }
            Kind::Choice(choice) => {
                if !choice.bare {
                    path.push_str(&bracket(locus / choice.width));
                }
                if let Some(below) = (locus % choice.width).checked_sub(1) {
                    // The last candidate that begins here or before: those without decisions
                    // begin where the next one does.
                    let value = choice.offsets.partition_point(|&offset| offset <= below) - 1;
                    path.push_str(&branch(value));
                    if let Some(space) = choice.branch(value as u32) {
                        space.describe(below - choice.offsets[value], path);
                    }
                }
            }
        }
    }

    fn push_arities(&self, arities: &mut Vec<u32>) {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => {}
            Kind::Product(product) => {
                product.parts.iter().for_each(|part| part.push_arities(arities))
            }
            Kind::Choice(choice) => {
                for _ in 0..choice.slots {
                    arities.push(choice.arity);
                    choice.candidates.listed().iter().for_each(|c| c.push_arities(arities));
                }
            }
        }
    }

    /// Collects what the rest of a path names below this node, which begins at `locus`.
    fn seek(&self, path: &str, locus: u32, loci: &mut Vec<u32>) -> bool {
        match &self.kind {
            Kind::Constant(_) | Kind::Numbers(_) => false,
            Kind::Product(product) => {
                let mut locus = locus;
                for (index, part) in product.parts.iter().enumerate() {
                    if let Some(rest) = after(path, &product.segment(index)) {
                        return part.seek(rest, locus, loci);
                    }
                    locus += part.loci();
                }
                false
            }
            Kind::Choice(choice) => choice.seek(path, locus, loci),
        }
    }
}

impl Choice {
    fn seek(&self, path: &str, locus: u32, loci: &mut Vec<u32>) -> bool {
        let given = (0..self.slots).filter(|_| !self.bare && path.starts_with('['));
        let given = given.map(|slot| (slot, after(path, &bracket(slot))));
        let (slots, path) = match given.into_iter().find_map(|(slot, rest)| Some((slot, rest?))) {
            Some((slot, rest)) => (slot..slot + 1, rest),
            None => (0..self.slots, path),
        };
        let mut found = false;
        for slot in slots {
            let locus = locus + slot * self.width;
            if path.is_empty() {
                loci.push(locus);
                found = true;
                continue;
            }
            let below = self.candidates.listed().iter().enumerate().find_map(|(value, space)| {
                Some((value as u32, space, after(path, &branch(value))?))
            });
            let Some((value, space, rest)) = below else { return false };
            found = self.nested() && space.seek(rest, self.branch_locus(locus, value), loci);
            if !found {
                return false;
            }
        }
        found
    }
}

impl Product {
    /// How a path goes into a part.
    pub(super) fn segment(&self, index: usize) -> String {
        match &self.names {
            Some(names) => name(&names[index]),
            None => bracket(index as u32),
        }
    }
}

/// A path as it is shown, of one that is written from the root.
pub(super) fn whole(path: &str) -> String {
    match path.strip_prefix('.') {
        Some(path) => path.to_owned(),
        None if path.is_empty() => "$".to_owned(),
        None => path.to_owned(),
    }
}

/// How a path goes into the part of this name.
pub(super) fn name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) {
        format!(".{name}")
    } else {
        format!("[{name:?}]")
    }
}

/// How a path goes to a slot, or into an item of a list.
pub(super) fn bracket(index: u32) -> String {
    format!("[{index}]")
}

/// How a path goes into a candidate.
pub(super) fn branch(value: usize) -> String {
    format!(".oneof[{value}]")
}

/// What follows `segment` at the beginning of `path`, if it ends there.
fn after<'a>(path: &'a str, segment: &str) -> Option<&'a str> {
    path.strip_prefix(segment).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
