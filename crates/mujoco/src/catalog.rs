//! The environments by name and version.
//!
//! A name is `HalfCheetah` or `HalfCheetah-v4`. Without a version it is the paper's: the v2 of gym,
//! which for the six environments that Gymnasium kept is the same as its v4.

use crate::error::Error;
use crate::rules::{Rules, arm::Arm, planar::Planar, reacher::Reacher};
use crate::rules::{arm, planar, reacher};

/// One of the eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Swimmer,
    Reacher,
    Hopper,
    HalfCheetah,
    Walker2d,
    Pusher,
    Striker,
    Thrower,
}

/// Whose semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// gym 0.17.3, the paper's.
    V2,
    /// Gymnasium, unchanged from v2.
    V4,
    /// Gymnasium, revised.
    V5,
}

/// What `esenas env list` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The name without a version.
    pub name: &'static str,
    /// The versions it has, the default first.
    pub versions: &'static [&'static str],
    /// |S|
    pub observation: usize,
    /// |A|
    pub action: usize,
    /// Seconds between two actions, in milliseconds.
    pub milliseconds: u32,
    /// What it is about, and where v5 differs.
    pub about: &'static str,
}

/// All environments, in the paper's order.
pub fn list() -> Vec<Listed> {
    Family::ALL.into_iter().map(Family::listed).collect()
}

/// |S| and |A| of an environment by its name, known without MuJoCo.
pub fn sizes(name: &str) -> Result<(usize, usize), Error> {
    let definition = Definition::parse(name)?;
    Ok((definition.observation(), definition.sizes().nu))
}

impl Family {
    pub(crate) const ALL: [Self; 8] = [
        Self::Swimmer,
        Self::Reacher,
        Self::Hopper,
        Self::HalfCheetah,
        Self::Walker2d,
        Self::Pusher,
        Self::Striker,
        Self::Thrower,
    ];

    pub(crate) fn name(self) -> &'static str {
        self.listed().name
    }

    fn listed(self) -> Listed {
        const KEPT: &[&str] = &["v2", "v4", "v5"];
        const DROPPED: &[&str] = &["v2"];
        let of = |name, versions, observation, action, milliseconds, about| Listed {
            name,
            versions,
            observation,
            action,
            milliseconds,
            about,
        };
        match self {
            Self::Swimmer => of("Swimmer", KEPT, 8, 2, 40, "swim forward"),
            Self::Reacher => of(
                "Reacher",
                KEPT,
                11,
                2,
                20,
                "reach a point (v5: 10 observations, paid after the step)",
            ),
            Self::Hopper => {
                of("Hopper", KEPT, 11, 3, 8, "hop forward (v5: alive bonus only if healthy)")
            }
            Self::HalfCheetah => of("HalfCheetah", KEPT, 17, 6, 50, "run forward"),
            Self::Walker2d => of(
                "Walker2d",
                KEPT,
                17,
                6,
                8,
                "walk forward (v5: equal feet, alive bonus only if healthy)",
            ),
            Self::Pusher => of(
                "Pusher",
                KEPT,
                23,
                7,
                50,
                "push a cylinder to a place (v5: heavier, paid after the step)",
            ),
            Self::Striker => of("Striker", DROPPED, 23, 7, 50, "hit a ball into a goal"),
            Self::Thrower => of("Thrower", DROPPED, 23, 7, 50, "throw a ball onto a goal"),
        }
    }
}

/// An environment and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) family: Family,
    pub(crate) version: Version,
}

/// What a model must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) nq: usize,
    pub(crate) nv: usize,
    pub(crate) nu: usize,
}

impl Definition {
    /// Reads a name.
    pub(crate) fn parse(name: &str) -> Result<Self, Error> {
        let (base, version) = match name.rsplit_once("-v") {
            Some((base, version)) => (base, format!("v{version}")),
            None => (name, "v2".to_owned()),
        };
        let found = Family::ALL.into_iter().find(|family| family.name() == base);
        let family = found.ok_or_else(|| Error::UnknownEnv {
            name: name.to_owned(),
            nearest: nearest(base).to_owned(),
        })?;
        let versions = family.listed().versions;
        let version = match version.as_str() {
            known if !versions.contains(&known) => None,
            "v2" => Some(Version::V2),
            "v4" => Some(Version::V4),
            _ => Some(Version::V5),
        };
        let version = version.ok_or_else(|| Error::UnknownVersion {
            name: name.to_owned(),
            env: family.name(),
            versions: versions.join(", "),
        })?;
        Ok(Self { family, version })
    }

    fn v5(self) -> bool {
        self.version == Version::V5
    }

    /// |S|
    pub(crate) fn observation(self) -> usize {
        let shorter = self.family == Family::Reacher && self.v5();
        self.family.listed().observation - usize::from(shorter)
    }

    /// The model's file.
    pub(crate) fn model(self) -> &'static str {
        match self.family {
            Family::Swimmer => "swimmer.xml",
            Family::Reacher => "reacher.xml",
            Family::Hopper => "hopper.xml",
            Family::HalfCheetah => "half_cheetah.xml",
            Family::Walker2d if self.v5() => "walker2d_v5.xml",
            Family::Walker2d => "walker2d.xml",
            Family::Pusher if self.v5() => "pusher_v5.xml",
            Family::Pusher => "pusher.xml",
            Family::Striker => "striker.xml",
            Family::Thrower => "thrower.xml",
        }
    }

    /// The sizes of that model.
    pub(crate) fn sizes(self) -> Sizes {
        let (nq, nv) = match self.family {
            Family::Swimmer => (5, 5),
            Family::Reacher => (4, 4),
            Family::Hopper => (6, 6),
            Family::HalfCheetah | Family::Walker2d => (9, 9),
            Family::Pusher => (11, 11),
            Family::Striker | Family::Thrower => (16, 15),
        };
        Sizes { nq, nv, nu: self.family.listed().action }
    }

    /// Time steps of the engine per action.
    pub(crate) fn frame_skip(self) -> usize {
        match self.family {
            Family::Reacher => 2,
            Family::Swimmer | Family::Hopper | Family::Walker2d => 4,
            Family::HalfCheetah | Family::Pusher | Family::Striker | Family::Thrower => 5,
        }
    }

    /// What it observes, pays and ends on.
    pub(crate) fn rules(self) -> Box<dyn Rules> {
        match self.family {
            Family::Swimmer => Box::new(Planar::new(planar::SWIMMER, self.v5())),
            Family::HalfCheetah => Box::new(Planar::new(planar::HALF_CHEETAH, self.v5())),
            Family::Hopper => Box::new(Planar::new(planar::HOPPER, self.v5())),
            Family::Walker2d => Box::new(Planar::new(planar::WALKER2D, self.v5())),
            Family::Reacher => Box::new(Reacher::new(self.v5())),
            Family::Pusher => Box::new(Arm::new(arm::PUSHER, self.v5())),
            Family::Striker => Box::new(Arm::new(arm::STRIKER, false)),
            Family::Thrower => Box::new(Arm::new(arm::THROWER, false)),
        }
    }

    /// The bodies whose positions the rules read, in their order.
    pub(crate) fn bodies(self) -> &'static [&'static str] {
        match self.family {
            Family::Reacher => &reacher::BODIES,
            Family::Pusher | Family::Striker => &["tips_arm", "object", "goal"],
            Family::Thrower => &["r_wrist_roll_link", "ball", "goal"],
            Family::Swimmer | Family::Hopper | Family::HalfCheetah | Family::Walker2d => &[],
        }
    }
}

fn nearest(name: &str) -> &'static str {
    let plain = name.to_lowercase();
    let far = |family: &Family| strsim::levenshtein(&plain, &family.name().to_lowercase());
    Family::ALL.into_iter().min_by_key(far).map_or("", Family::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_and_without_a_version() {
        let definition = Definition::parse("HalfCheetah").unwrap();
        assert_eq!(definition, Definition { family: Family::HalfCheetah, version: Version::V2 });
        assert_eq!(Definition::parse("Hopper-v5").unwrap().version, Version::V5);
        for listed in list() {
            for version in listed.versions {
                assert!(Definition::parse(&format!("{}-{version}", listed.name)).is_ok());
            }
        }
    }

    #[test]
    fn a_slip_is_answered_with_what_was_meant() {
        let said = |name: &str| Definition::parse(name).unwrap_err().to_string();
        assert!(said("halfcheetah").contains("the nearest is `HalfCheetah`"));
        assert!(said("Swimer-v4").contains("the nearest is `Swimmer`"));
        assert!(said("Striker-v4").contains("it has v2"), "{}", said("Striker-v4"));
        assert!(said("Hopper-v3").contains("it has v2, v4, v5"), "{}", said("Hopper-v3"));
    }
}
