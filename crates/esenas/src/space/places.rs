//! Places: where numbers stand in a space, and which of them a model has.
//!
//! A place is to numbers what a locus is to decisions: slot s of a choice and everything below each
//! of its candidates have places of their own, numbered depth first.

use super::members::split;
use super::path::{bracket, branch, whole};
use super::{Choice, Kind, Numbers, Space};

/// Numbers, as they stand in a space.
pub(crate) struct Place<'a> {
    /// Its path.
    pub(crate) path: String,
    /// What stands there.
    pub(crate) numbers: &'a Numbers,
    /// The slot it hangs on, by locus, and what that must have selected; none where every model has
    /// it.
    pub(crate) parent: Option<(u32, u32)>,
}

impl Space {
    /// All places, in order.
    pub(crate) fn survey_places<'a>(&'a self, each: &mut impl FnMut(Place<'a>)) {
        self.survey_places_from(0, None, &mut String::new(), each);
    }

    fn survey_places_from<'a>(
        &'a self,
        mut locus: u32,
        parent: Option<(u32, u32)>,
        path: &mut String,
        each: &mut impl FnMut(Place<'a>),
    ) {
        if self.places() == 0 {
            return;
        }
        match &self.kind {
            Kind::Constant(_) => {}
            Kind::Numbers(numbers) => each(Place { path: whole(path), numbers, parent }),
            Kind::Product(product) => {
                for (index, part) in product.parts.iter().enumerate() {
                    within(path, &product.segment(index), |path| {
                        part.survey_places_from(locus, parent, path, each);
                    });
                    locus += part.loci();
                }
            }
            Kind::Choice(choice) => choice.survey_places_from(locus, path, each),
        }
    }

    /// The places that the model of `genes` has, of a node whose first place is `place`, in order.
    pub(crate) fn visit_places(&self, genes: &[u32], place: u32, each: &mut impl FnMut(u32)) {
        if self.places() == 0 {
            return;
        }
        match &self.kind {
            Kind::Constant(_) => {}
            Kind::Numbers(_) => each(place),
            Kind::Product(product) => {
                let (mut place, mut rest) = (place, genes);
                for part in &product.parts {
                    let (own, next) = split(rest, part.extent(rest).genes);
                    part.visit_places(own, place, each);
                    place += part.places();
                    rest = next;
                }
            }
            Kind::Choice(choice) => {
                for (slot, member) in (0..).zip(choice.members(genes)) {
                    if let Some(space) = choice.candidates.listed().get(member.value as usize) {
                        let place = choice.branch_place(place, slot, member.value);
                        space.visit_places(member.part, place, each);
                    }
                }
            }
        }
    }
}

impl Choice {
    /// The first place below candidate `value` in slot `slot`, where the choice's own first is
    /// `place`.
    pub(super) fn branch_place(&self, place: u32, slot: u32, value: u32) -> u32 {
        let below = self.places.get(value as usize).copied().unwrap_or(0);
        place + slot * self.place_width + below
    }

    fn survey_places_from<'a>(
        &'a self,
        group: u32,
        path: &mut String,
        each: &mut impl FnMut(Place<'a>),
    ) {
        let listed = (0..).zip(self.candidates.listed());
        let found: Vec<(u32, &Space)> = listed.filter(|(_, space)| space.places() > 0).collect();
        for slot in 0..self.slots {
            let locus = group + slot * self.width;
            let taken = if self.bare { String::new() } else { bracket(slot) };
            within(path, &taken, |path| {
                for &(value, space) in &found {
                    let below = self.branch_locus(locus, value);
                    within(path, &branch(value as usize), |path| {
                        space.survey_places_from(below, Some((locus, value)), path, each);
                    });
                }
            });
        }
    }
}

/// Goes into `segment`, and comes back.
fn within(path: &mut String, segment: &str, enter: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push_str(segment);
    enter(path);
    path.truncate(length);
}
