//! The library: its functions, and how its errors come back.

use std::any::Any;
use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use super::layout;

/// An engine error: what MuJoCo said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) String);

/// Why a file is no library to use.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The system's loader says so, or a symbol is not there.
    Load(String),
    /// It is MuJoCo, of this version.
    Version(String),
}

pub(super) type Raw = *mut c_void;
pub(super) type Message = *const c_char;

/// MuJoCo 2.3.7, loaded.
pub(crate) struct Library {
    pub(super) load_xml:
        unsafe extern "C-unwind" fn(Message, *const c_void, *mut c_char, c_int) -> Raw,
    pub(super) delete_model: unsafe extern "C-unwind" fn(Raw),
    pub(super) make_data: unsafe extern "C-unwind" fn(Raw) -> Raw,
    pub(super) delete_data: unsafe extern "C-unwind" fn(Raw),
    pub(super) reset_data: unsafe extern "C-unwind" fn(Raw, Raw),
    pub(super) step: unsafe extern "C-unwind" fn(Raw, Raw),
    pub(super) forward: unsafe extern "C-unwind" fn(Raw, Raw),
    pub(super) state_size: unsafe extern "C-unwind" fn(Raw, c_uint) -> c_int,
    pub(super) get_state: unsafe extern "C-unwind" fn(Raw, Raw, *mut f64, c_uint),
    error: unsafe extern "C-unwind" fn(Message, ...),
}

extern "C-unwind" fn on_error(message: Message) {
    // SAFETY: MuJoCo passes a string that ends with a zero byte and lives during the call.
    let said = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    resume_unwind(Box::new(Fault(said)));
}

/// Warnings are counted in the data ([`Data::gave_up`]); nobody needs a file of them.
extern "C-unwind" fn on_warning(_: Message) {}

/// Calls into MuJoCo; an engine error comes back as a value (invariant 5).
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|thrown: Box<dyn Any + Send>| {
        thrown.downcast::<Fault>().map_or_else(|other| resume_unwind(other), |fault| *fault)
    })
}

impl Library {
    /// Loads a library and makes sure that it is the right one.
    ///
    /// The caller vouches that the file is what it says it is: loading one runs its initializers.
    pub(crate) fn open(path: &Path) -> Result<&'static Self, Refused> {
        let refused = |e: libloading::Error| {
            let cause = e.source().map_or_else(String::new, |cause| format!(": {cause}"));
            Refused::Load(format!("{e}{cause}"))
        };
        // SAFETY: MuJoCo's initializers only set up its own globals.
        let library = unsafe { libloading::Library::new(path) }.map_err(refused)?;
        // Invariant 2: from here on it stays, even if it is refused.
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        // SAFETY: `int mj_version(void)` in every release that has it.
        let version = unsafe {
            let version = library.get::<unsafe extern "C-unwind" fn() -> c_int>(b"mj_version\0");
            version.map_err(refused)?()
        };
        if version != layout::VERSION {
            return Err(Refused::Version(named(library, version)));
        }
        macro_rules! get {
            ($name:literal) => {
                // SAFETY: invariant 1; the field's type is the declaration in mujoco.h.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }.map_err(refused)?
            };
        }
        let loaded = Self {
            load_xml: get!("mj_loadXML"),
            delete_model: get!("mj_deleteModel"),
            make_data: get!("mj_makeData"),
            delete_data: get!("mj_deleteData"),
            reset_data: get!("mj_resetData"),
            step: get!("mj_step"),
            forward: get!("mj_forward"),
            state_size: get!("mj_stateSize"),
            get_state: get!("mj_getState"),
            error: get!("mju_error"),
        };
        type Hook = *mut extern "C-unwind" fn(Message);
        let (error, warning): (Hook, Hook) = (get!("mju_user_error"), get!("mju_user_warning"));
        // SAFETY: both are variables of the library that hold a function pointer of this type;
        // they are read by MuJoCo only, and no call that might do so has been made yet.
        unsafe {
            error.write(on_error);
            warning.write(on_warning);
        }
        Ok(Box::leak(Box::new(loaded)))
    }

    /// Raises an engine error, as MuJoCo would: tests see that it comes back.
    pub(crate) fn raise(&self, message: &CStr) -> Fault {
        // SAFETY: invariant 1; the format has one string to print, and that is given.
        let raised = guarded(|| unsafe { (self.error)(c"%s".as_ptr(), message.as_ptr()) });
        raised.expect_err("on_error does not return")
    }
}

/// What another release calls itself.
fn named(library: &libloading::Library, version: c_int) -> String {
    type VersionString = unsafe extern "C-unwind" fn() -> Message;
    // SAFETY: `const char* mj_versionString(void)` in every release that has it; a constant.
    let text = unsafe {
        let text = library.get::<VersionString>(b"mj_versionString\0").ok();
        text.map(|text| CStr::from_ptr(text()).to_string_lossy().into_owned())
    };
    text.unwrap_or_else(|| format!("number {version}"))
}
