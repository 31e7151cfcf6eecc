//! The pairs of geoms that may touch, listed once instead of being looked for in every step.
//!
//! MuJoCo 2.3.7 sorts the bodies along an axis in every step to find pairs that are near each
//! other: a fifth of the time of these models, which have a dozen geoms and few pairs that may
//! touch at all. It also takes a list of pairs (`mjCOL_PAIR`), each with what its contacts are made
//! of. The list that is made here has every pair that MuJoCo's own search would look at, in the
//! order in which it looks at them, with what it makes of the two geoms: contacts are the same to
//! the last bit. Tests compare trajectories with engines that search.

use std::array::from_fn;
use std::ffi::{c_int, c_void};

use super::{Model, layout};

/// A list of pairs, in the arrays of `mjModel` and in their order: dimension of the contact, first
/// and second geom, signature; then reference, reference of friction, impedance, margin, gap,
/// friction.
pub(super) struct Pairs {
    integers: [Vec<c_int>; 4],
    reals: [Vec<f64>; 6],
}

/// What a geom brings to its contacts.
struct Geom {
    body: usize,
    contype: c_int,
    conaffinity: c_int,
    dimension: c_int,
    priority: c_int,
    mix: f64,
    reference: [f64; 2],
    impedance: [f64; 5],
    friction: [f64; 3],
    margin: f64,
    gap: f64,
}

impl Pairs {
    /// The pairs that may touch; `None` if the model has rules of its own about them, or mixes what
    /// is not mixed here.
    pub(super) fn of(model: &Model) -> Option<Self> {
        use layout::model as at;
        let own = [at::NPAIR, at::NEXCLUDE, at::COLLISION].iter().any(|n| model.integer(*n) != 0);
        let filter = model.integer(at::DISABLE_FLAGS) & layout::DISABLE_FILTERPARENT as usize == 0;
        let geoms = geoms(model);
        let alike = |geom: &Geom| {
            geom.priority == geoms[0].priority && geom.mix > 1e-9 && geom.reference[0] > 0.0
        };
        if own || !filter || !geoms.iter().all(alike) {
            return None;
        }
        // SAFETY: int[nbody], both.
        let (parents, welds): (&[c_int], &[c_int]) = unsafe {
            (
                model.array(at::BODY_PARENTID, model.nbody()),
                model.array(at::BODY_WELDID, model.nbody()),
            )
        };
        let weld = |body: usize| welds[body] as usize;
        let above = |body: usize| weld(parents[weld(body)] as usize);
        let may_touch = |a: &Geom, b: &Geom| {
            let (one, other) = (weld(a.body), weld(b.body));
            let kin = one != 0 && other != 0 && (one == above(b.body) || other == above(a.body));
            let meant = a.contype & b.conaffinity != 0 || b.contype & a.conaffinity != 0;
            one != other && !kin && meant
        };
        let mut found: Vec<(usize, usize)> = Vec::new();
        for i in 0..geoms.len() {
            found.extend(
                (i + 1..geoms.len()).filter(|j| may_touch(&geoms[i], &geoms[*j])).map(|j| (i, j)),
            );
        }
        // Body by body; geoms are numbered that way already.
        found.sort_by_key(|(i, j)| (geoms[*i].body, geoms[*j].body));
        let mut pairs = Self { integers: Default::default(), reals: Default::default() };
        found.into_iter().for_each(|(i, j)| pairs.add([i, j], &geoms[i], &geoms[j]));
        Some(pairs)
    }

    /// What the engine's `mj_contactParam` makes of two geoms.
    fn add(&mut self, ids: [usize; 2], a: &Geom, b: &Geom) {
        let share = a.mix / (a.mix + b.mix);
        let mixed = |a: f64, b: f64| share * a + (1.0 - share) * b;
        let [slide, spin, roll]: [f64; 3] = from_fn(|i| a.friction[i].max(b.friction[i]));
        let signature = ((a.body + 1) << 16) + b.body + 1;
        let [first, second, signature] = [ids[0], ids[1], signature].map(|n| n as c_int);
        let integers = [a.dimension.max(b.dimension), first, second, signature];
        self.integers.iter_mut().zip(integers).for_each(|(list, n)| list.push(n));
        let reference: [f64; 2] = from_fn(|i| mixed(a.reference[i], b.reference[i]));
        let impedance: [f64; 5] = from_fn(|i| mixed(a.impedance[i], b.impedance[i]));
        let reals: [&[f64]; 6] = [
            &reference,
            &[0.0; 2],
            &impedance,
            &[a.margin.max(b.margin)],
            &[a.gap.max(b.gap)],
            &[slide, slide, spin, roll, roll],
        ];
        self.reals.iter_mut().zip(reals).for_each(|(list, numbers)| list.extend(numbers));
    }

    /// Has a model use this list.
    ///
    /// SAFETY: nobody else has the model yet, and the list must live as long as it.
    pub(super) unsafe fn install(&self, model: &Model) {
        let integers = self.integers.iter().map(|list| list.as_ptr().cast::<c_void>());
        let reals = self.reals.iter().map(|list| list.as_ptr().cast::<c_void>());
        // SAFETY: `pair_dim` and the nine arrays behind it are pointers one after the other, which
        // MuJoCo reads and does not free by themselves; `npair` and `opt.collision` are integers
        // (invariant 1).
        unsafe {
            let arrays = model.raw.byte_add(layout::model::PAIR_DIM).cast::<*const c_void>();
            integers.chain(reals).enumerate().for_each(|(i, list)| arrays.add(i).write(list));
            let integer = |at| model.raw.byte_add(at).cast::<c_int>();
            integer(layout::model::NPAIR).write(self.integers[0].len() as c_int);
            integer(layout::model::COLLISION).write(layout::PAIRS_ONLY);
        }
    }
}

fn geoms(model: &Model) -> Vec<Geom> {
    use layout::model as at;
    /// One of an array of MuJoCo's for geoms. SAFETY: it must be one of `T` for each.
    unsafe fn of<T: Copy>(model: &Model, offset: usize, geom: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { model.array(offset, model.ngeom())[geom] }
    }
    // SAFETY: int[ngeom] or mjtNum[ngeom × k], as the fields say.
    let geom = |i| unsafe {
        Geom {
            body: of::<c_int>(model, at::GEOM_BODYID, i) as usize,
            contype: of(model, at::GEOM_CONTYPE, i),
            conaffinity: of(model, at::GEOM_CONAFFINITY, i),
            dimension: of(model, at::GEOM_CONDIM, i),
            priority: of(model, at::GEOM_PRIORITY, i),
            mix: of(model, at::GEOM_SOLMIX, i),
            reference: of(model, at::GEOM_SOLREF, i),
            impedance: of(model, at::GEOM_SOLIMP, i),
            friction: of(model, at::GEOM_FRICTION, i),
            margin: of(model, at::GEOM_MARGIN, i),
            gap: of(model, at::GEOM_GAP, i),
        }
    };
    (0..model.ngeom()).map(geom).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::Library;
    use crate::{Engine, Places};

    #[test]
    fn parents_and_those_not_meant_do_not_touch_and_other_rules_are_left_to_the_engine() {
        let engine = Engine::find(Places::from_env(), &mut |_| {}).unwrap();
        let library = Library::open(engine.path()).unwrap_or_else(|_| panic!("the library"));
        let folder = tempfile::tempdir().unwrap();
        let pairs = |rules: &str, last: &str| {
            let body = |name: &str, of: &str, inside: &str| {
                format!("<body name='{name}'><joint/><geom size='0.1' {of}/>{inside}</body>")
            };
            let chain = body("a", "", &body("b", "", &body("c", last, "")));
            let file = folder.path().join("model.xml");
            let floor = "<geom type='plane' size='1 1 1'/>";
            let text = format!("<mujoco><worldbody>{floor}{chain}</worldbody>{rules}</mujoco>");
            std::fs::write(&file, text).unwrap();
            let model = Model::load(library, &file).unwrap();
            model.pairs.as_ref().map(|Pairs { integers: [_, first, second, _], .. }| {
                first.iter().copied().zip(second.iter().copied()).collect::<Vec<_>>()
            })
        };
        assert_eq!(pairs("", ""), Some(vec![(0, 1), (0, 2), (0, 3), (1, 3)]));
        assert_eq!(pairs("", "contype='2' conaffinity='2'"), Some(vec![(0, 1), (0, 2)]));
        assert_eq!(pairs("", "priority='1'"), None);
        assert_eq!(pairs("", "solref='-100 -1'"), None);
        assert_eq!(pairs("<contact><exclude body1='a' body2='c'/></contact>", ""), None);
        assert_eq!(pairs("<option><flag filterparent='disable'/></option>", ""), None);
    }
}
