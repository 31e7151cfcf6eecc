//! The model: what is simulated.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::{NonNull, null};
use std::sync::{Arc, Mutex, PoisonError};

use super::library::guarded;
use super::pairs::Pairs;
use super::{Data, Fault, Library, layout, slice_at};

/// A compiled model, shared by all threads.
pub(crate) struct Model {
    pub(super) raw: NonNull<c_void>,
    pub(super) library: &'static Library,
    /// Arrays that MuJoCo reads (invariant 3).
    pub(super) pairs: Option<Pairs>,
}

// SAFETY: invariant 3.
unsafe impl Send for Model {}
// SAFETY: invariant 3.
unsafe impl Sync for Model {}

impl Model {
    /// Reads and compiles a model file, and checks that its memory is laid out as expected.
    pub(crate) fn load(library: &'static Library, path: &Path) -> Result<Arc<Self>, Fault> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let text = path.to_str().and_then(|path| CString::new(path).ok());
        let file = text.ok_or_else(|| Fault("the path is not text".to_owned()))?;
        let mut said: [c_char; 1000] = [0; 1000];
        // SAFETY: `file` ends with a zero byte; `said` has the length that is told, and MuJoCo ends
        // what it writes there with a zero byte; the turn is ours (invariant 6).
        let raw = guarded(|| unsafe {
            (library.load_xml)(file.as_ptr(), null(), said.as_mut_ptr(), said.len() as c_int)
        })?;
        let Some(raw) = NonNull::new(raw) else {
            // SAFETY: see above; it began as zeros.
            let said = unsafe { CStr::from_ptr(said.as_ptr()) };
            return Err(Fault(said.to_string_lossy().trim().to_owned()));
        };
        let mut model = Self { raw, library, pairs: None };
        // SAFETY: `opt.disableflags` is an integer at this offset (invariant 1), and nobody else
        // has the model yet. The flag changes which pairs are looked at, not what comes out:
        // tests compare trajectories with an engine that does not set it.
        unsafe {
            let flags = raw.byte_add(layout::model::DISABLE_FLAGS).cast::<c_int>();
            flags.write(flags.read() | layout::DISABLE_MIDPHASE);
        }
        model.pairs = Pairs::of(&model);
        if let Some(pairs) = &model.pairs {
            // SAFETY: nobody else has the model yet; both are dropped together, and vectors do not
            // move what they hold when they are moved.
            unsafe { pairs.install(&model) };
        }
        let model = Arc::new(model);
        Data::new(&model)?.agrees_with_the_engine()?;
        Ok(model)
    }

    pub(super) fn integer(&self, offset: usize) -> usize {
        // SAFETY: the offsets of sizes are those of integers (invariant 1); they never change.
        unsafe { self.raw.byte_add(offset).cast::<c_int>().read() as usize }
    }

    /// The array whose pointer lies at `offset`.
    ///
    /// SAFETY: it must be one of `T`, of at least `length` items.
    pub(super) unsafe fn array<T>(&self, offset: usize, length: usize) -> &[T] {
        // SAFETY: the caller's promise and invariant 3.
        unsafe { slice_at(self.raw, offset, length) }
    }

    /// Generalized positions.
    pub(crate) fn nq(&self) -> usize {
        self.integer(layout::model::NQ)
    }

    /// Degrees of freedom.
    pub(crate) fn nv(&self) -> usize {
        self.integer(layout::model::NV)
    }

    /// Actuators.
    pub(crate) fn nu(&self) -> usize {
        self.integer(layout::model::NU)
    }

    pub(super) fn nbody(&self) -> usize {
        self.integer(layout::model::NBODY)
    }

    pub(super) fn ngeom(&self) -> usize {
        self.integer(layout::model::NGEOM)
    }

    /// Seconds per `mj_step`.
    pub(crate) fn timestep(&self) -> f64 {
        // SAFETY: `opt.timestep` is a double at this offset (invariant 1).
        unsafe { self.raw.byte_add(layout::model::TIMESTEP).cast::<f64>().read() }
    }

    /// The positions of a data that was just reset.
    pub(crate) fn qpos0(&self) -> &[f64] {
        // SAFETY: mjtNum[nq].
        unsafe { self.array(layout::model::QPOS0, self.nq()) }
    }

    /// The least and the greatest control of each actuator.
    pub(crate) fn control_range(&self) -> &[[f64; 2]] {
        // SAFETY: mjtNum[nu × 2].
        unsafe { self.array(layout::model::ACTUATOR_CTRLRANGE, self.nu()) }
    }

    /// The number of the body with this name. (`mj_name2id` counts the model's pairs to find its
    /// way, and must not be called once they are ours.)
    pub(crate) fn body(&self, name: &str) -> Option<usize> {
        // SAFETY: int[nbody], places in char[nnames], where strings end with a zero byte.
        let is = |place: &c_int| unsafe {
            let names = self.raw.byte_add(layout::model::NAMES).cast::<*const c_char>().read();
            CStr::from_ptr(names.add(*place as usize)).to_bytes() == name.as_bytes()
        };
        // SAFETY: see above.
        let places = unsafe { self.array(layout::model::NAME_BODYADR, self.nbody()) };
        places.iter().position(is)
    }

    /// Type, size and colour of geom `i`, if there is one.
    pub(crate) fn geom(&self, i: usize) -> Option<(i32, [f64; 3], [f32; 4])> {
        let n = self.ngeom();
        // SAFETY: int[ngeom], mjtNum[ngeom × 3], float[ngeom × 4], int[ngeom], float[nmat × 4].
        let (kinds, sizes, colours, materials, of_materials): (&[i32], &[_], &[_], &[i32], &[_]) = unsafe {
            (
                self.array(layout::model::GEOM_TYPE, n),
                self.array(layout::model::GEOM_SIZE, n),
                self.array(layout::model::GEOM_RGBA, n),
                self.array(layout::model::GEOM_MATID, n),
                self.array(layout::model::MAT_RGBA, self.integer(layout::model::NMAT)),
            )
        };
        let material = usize::try_from(*materials.get(i)?).ok().and_then(|m| of_materials.get(m));
        Some((kinds[i], sizes[i], *material.unwrap_or(&colours[i])))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `mj_loadXML`; every data that used it is gone, since it held the `Arc`.
        let _ = guarded(|| unsafe { (self.library.delete_model)(self.raw.as_ptr()) });
    }
}
