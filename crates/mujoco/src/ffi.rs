//! The binding: the only module with `unsafe`. Everything it exports is safe.
//!
//! Invariants, on which every `unsafe` block below relies:
//!
//! 1. **The library is MuJoCo 2.3.7.** [`Library::open`] asks `mj_version` before anything else is
//!    called, so signatures are those of that release's `mujoco.h` and offsets ([`layout`]) those
//!    of its structs. [`Model::load`] checks the offsets against `mj_getState` all the same.
//! 2. **It is never unloaded.** A [`Library`] lives as long as the process.
//! 3. **A model is immutable once [`Model::load`] returns.** Nothing here writes to it afterwards,
//!    and MuJoCo takes it as `const`, so it is `Sync`. Its arrays are allocated once and never
//!    move; those of the pairs of geoms may be ours ([`pairs`]) and live as long as it does.
//! 4. **A data has one owner.** [`Data`] is `Send`, not `Sync`, and every call that writes to it
//!    takes `&mut self`. Its arrays are allocated by `mj_makeData`, and never move or change their
//!    length. It keeps its model alive.
//! 5. **An engine error unwinds.** MuJoCo ends the process on an error unless `mju_user_error` is
//!    set; ours does not return but unwinds, with the ABI `C-unwind`, into
//!    [`guarded`](library::guarded). The C frames in between hold nothing but MuJoCo's own stack
//!    allocator, which `mj_resetData` sets back: after an error a data refuses to step until it is
//!    reset.
//! 6. **MuJoCo's XML reader has global state**, so models are loaded one at a time.

#![allow(unsafe_code)]

mod data;
pub(crate) mod layout;
mod library;
mod model;
mod pairs;

use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;

pub(crate) use data::Data;
pub(crate) use library::{Fault, Library, Refused};
pub(crate) use model::Model;

/// The array whose pointer lies `offset` bytes into a struct of MuJoCo's.
///
/// SAFETY: that pointer must be one to at least `length` items of `T` that live and are not written
/// to for `'a`, or `length` zero.
unsafe fn slice_at<'a, T>(raw: NonNull<c_void>, offset: usize, length: usize) -> &'a [T] {
    // SAFETY: the caller's promise; MuJoCo aligns its arrays to 64 bytes.
    unsafe {
        match raw.byte_add(offset).cast::<*const T>().read() {
            address if length > 0 => slice::from_raw_parts(address, length),
            _ => &[],
        }
    }
}
