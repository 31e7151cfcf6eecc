//! The data: the state of a simulation.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use super::library::{Raw, guarded};
use super::{Fault, Model, layout, slice_at};

/// The state of one simulation, owned by one worker.
pub(crate) struct Data {
    raw: NonNull<c_void>,
    model: Arc<Model>,
    /// An engine error left it half done (invariant 5).
    broken: bool,
}

// SAFETY: invariant 4; MuJoCo keeps nothing about a data in the thread that made it.
unsafe impl Send for Data {}

impl Data {
    /// A data in the model's default state.
    pub(crate) fn new(model: &Arc<Model>) -> Result<Self, Fault> {
        // SAFETY: the model is one (invariant 3).
        let raw = guarded(|| unsafe { (model.library.make_data)(model.raw.as_ptr()) })?;
        let raw = NonNull::new(raw).ok_or_else(|| Fault("out of memory".to_owned()))?;
        Ok(Self { raw, model: model.clone(), broken: false })
    }

    /// What it is a state of.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    fn call(&mut self, call: unsafe extern "C-unwind" fn(Raw, Raw)) -> Result<(), Fault> {
        let (model, data) = (self.model.raw.as_ptr(), self.raw.as_ptr());
        // SAFETY: the data is of this model, and ours alone (invariant 4).
        let done = guarded(|| unsafe { call(model, data) });
        self.broken |= done.is_err();
        done
    }

    /// Back to the default state, from any state.
    pub(crate) fn reset(&mut self) -> Result<(), Fault> {
        self.broken = false;
        self.call(self.model.library.reset_data)
    }

    /// Computes everything that follows from positions, velocities and controls.
    pub(crate) fn forward(&mut self) -> Result<(), Fault> {
        self.call(self.model.library.forward)
    }

    /// `n` time steps.
    pub(crate) fn step(&mut self, n: usize) -> Result<(), Fault> {
        if self.broken {
            return Err(Fault("an earlier error left the simulation unusable".to_owned()));
        }
        let (step, model, data) =
            (self.model.library.step, self.model.raw.as_ptr(), self.raw.as_ptr());
        // SAFETY: the data is of this model, and ours alone (invariant 4).
        let done = guarded(|| (0..n).for_each(|_| unsafe { step(model, data) }));
        self.broken |= done.is_err();
        done
    }

    /// Whether the state blew up since the last reset, so that MuJoCo began again by itself.
    pub(crate) fn gave_up(&self) -> bool {
        layout::BAD_STATE.into_iter().any(|warning| {
            let offset = layout::data::WARNING + warning * layout::WARNING_STAT + 4;
            // SAFETY: an integer of the array `warning`, which is part of the struct.
            unsafe { self.raw.byte_add(offset).cast::<c_int>().read() != 0 }
        })
    }

    /// The array whose pointer lies at `offset`.
    ///
    /// SAFETY: it must be one of `T`, of at least `length` items.
    unsafe fn array<T>(&self, offset: usize, length: usize) -> &[T] {
        // SAFETY: the caller's promise and invariant 4.
        unsafe { slice_at(self.raw, offset, length) }
    }

    fn array_mut(&mut self, offset: usize, length: usize) -> &mut [f64] {
        // SAFETY: only called below, with arrays of mjtNum of that length; the borrow is unique, as
        // is the data (invariant 4). An empty array may have no address.
        unsafe {
            match self.raw.byte_add(offset).cast::<*mut f64>().read() {
                address if length > 0 => slice::from_raw_parts_mut(address, length),
                _ => &mut [],
            }
        }
    }

    /// Generalized positions.
    pub(crate) fn qpos(&self) -> &[f64] {
        // SAFETY: mjtNum[nq].
        unsafe { self.array(layout::data::QPOS, self.model.nq()) }
    }

    /// Generalized velocities.
    pub(crate) fn qvel(&self) -> &[f64] {
        // SAFETY: mjtNum[nv].
        unsafe { self.array(layout::data::QVEL, self.model.nv()) }
    }

    /// Positions, to be written.
    pub(crate) fn qpos_mut(&mut self) -> &mut [f64] {
        self.array_mut(layout::data::QPOS, self.model.nq())
    }

    /// Velocities, to be written.
    pub(crate) fn qvel_mut(&mut self) -> &mut [f64] {
        self.array_mut(layout::data::QVEL, self.model.nv())
    }

    /// Controls, to be written.
    pub(crate) fn ctrl_mut(&mut self) -> &mut [f64] {
        self.array_mut(layout::data::CTRL, self.model.nu())
    }

    /// Where body `id` was when positions were last computed.
    pub(crate) fn body_position(&self, id: usize) -> [f64; 3] {
        // SAFETY: mjtNum[nbody × 3].
        let positions: &[[f64; 3]] = unsafe { self.array(layout::data::XPOS, self.model.nbody()) };
        positions[id]
    }

    /// Position and orientation (rows) of geom `i` when they were last computed.
    pub(crate) fn geom_pose(&self, i: usize) -> ([f64; 3], [f64; 9]) {
        let n = self.model.ngeom();
        // SAFETY: mjtNum[ngeom × 3], mjtNum[ngeom × 9].
        let (positions, rotations): (&[_], &[_]) = unsafe {
            (self.array(layout::data::GEOM_XPOS, n), self.array(layout::data::GEOM_XMAT, n))
        };
        (positions[i], rotations[i])
    }

    /// Writes numbers through our offsets and reads them through MuJoCo (invariant 1).
    pub(super) fn agrees_with_the_engine(mut self) -> Result<(), Fault> {
        let layout =
            |what| Fault(format!("the library's memory is not laid out as expected ({what})"));
        let (nq, nv, nu) = (self.model.nq(), self.model.nv(), self.model.nu());
        // SAFETY: the model is one (invariant 3).
        let size = guarded(|| unsafe {
            (self.model.library.state_size)(self.model.raw.as_ptr(), layout::STATE)
        })?;
        if usize::try_from(size) != Ok(nq + nv + nu) {
            return Err(layout("sizes"));
        }
        if self.qpos() != self.model.qpos0() {
            return Err(layout("default positions"));
        }
        let written: Vec<f64> = (0..nq + nv + nu).map(|i| 0.5 + i as f64).collect();
        self.qpos_mut().copy_from_slice(&written[..nq]);
        self.qvel_mut().copy_from_slice(&written[nq..nq + nv]);
        self.ctrl_mut().copy_from_slice(&written[nq + nv..]);
        let mut read = vec![0.0; written.len()];
        // SAFETY: `read` has the length that `mj_stateSize` named.
        guarded(|| unsafe {
            let (model, data) = (self.model.raw.as_ptr(), self.raw.as_ptr());
            (self.model.library.get_state)(model, data, read.as_mut_ptr(), layout::STATE)
        })?;
        if read == written { Ok(()) } else { Err(layout("state")) }
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        // SAFETY: made by `mj_makeData`, and nobody else has it.
        let _ = guarded(|| unsafe { (self.model.library.delete_data)(self.raw.as_ptr()) });
    }
}
