//! The file system that SQLite sees: the system's own, with an ear at the door. The only module
//! with `unsafe`.
//!
//! Invariants, on which every `unsafe` block relies:
//!
//! 1. **SQLite keeps its side of the contract** of `sqlite3_vfs` and `sqlite3_io_methods`: a file
//!    is memory of `szOsFile` bytes, aligned to eight, that it opened with `xOpen` and does not use
//!    after `xClose`.
//! 2. **The system's file stands behind ours** in that memory ([`File`]), and only the system's
//!    methods touch it.
//! 3. **[`REAL`] lives as long as the process**, as does what [`install`] registers.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use crate::disk::{Disk, Failure, Op, Verdict};

/// The system's own. Nothing writes to it.
struct Real(*mut sqlite3_vfs);

// SAFETY: SQLite's own file systems may be used by any thread.
unsafe impl Send for Real {}
// SAFETY: as above.
unsafe impl Sync for Real {}

static REAL: OnceLock<Real> = OnceLock::new();

/// What we know of an open file. The system's own stands behind it.
#[repr(C)]
struct File {
    base: sqlite3_file,
    /// From `Box::into_raw`, if its directory is watched.
    watched: *mut (Disk, String),
}

/// Puts us in front of the system, once.
pub(crate) fn install() {
    REAL.get_or_init(|| {
        // SAFETY: a null name asks for the default; SQLite gives a file system that lives as long
        // as the process, and the struct is plain data with function pointers.
        unsafe {
            let real = ffi::sqlite3_vfs_find(std::ptr::null());
            assert!(!real.is_null(), "SQLite has a file system");
            let mut ours = *real;
            ours.zName = c"esenas-faults".as_ptr();
            ours.szOsFile += size_of::<File>() as c_int;
            ours.pNext = std::ptr::null_mut();
            ours.xOpen = Some(open);
            ours.xDelete = Some(delete);
            assert_eq!(ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 1), ffi::SQLITE_OK);
            Real(real)
        }
    });
}

fn system() -> *mut sqlite3_vfs {
    REAL.get().expect("installed before it is called").0
}

/// The system's part of a file.
///
/// SAFETY: `file` is one that SQLite gave us.
unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: invariant 2.
    unsafe { file.cast::<File>().add(1).cast() }
}

/// The system's methods of a file.
///
/// SAFETY: `file` is one that is open.
unsafe fn methods(file: *mut sqlite3_file) -> &'static sqlite3_io_methods {
    // SAFETY: the system set its pointer when it opened the file; its tables are static.
    unsafe { &*(*real(file)).pMethods }
}

/// Who watches a file.
///
/// SAFETY: `file` is one that is open.
unsafe fn watched<'a>(file: *mut sqlite3_file) -> Option<&'a (Disk, String)> {
    // SAFETY: null or from a box that lives until the file is closed.
    unsafe { (*file.cast::<File>()).watched.as_ref() }
}

/// SAFETY: `name` is null or a text that ends with zero.
unsafe fn disk_of(name: *const c_char) -> Option<(Disk, String)> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    Disk::of(Path::new(name.to_str().ok()?))
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: invariants 1 and 2; the system gets its own struct and its own memory.
    unsafe {
        let ours = file.cast::<File>();
        (*ours).base.pMethods = std::ptr::null();
        (*ours).watched = std::ptr::null_mut();
        let system = system();
        let open = (*system).xOpen.expect("every file system opens");
        let done = open(system, name, real(file), flags, out);
        if !(*real(file)).pMethods.is_null() {
            (*ours).base.pMethods = &METHODS;
            if let Some(watched) = disk_of(name) {
                (*ours).watched = Box::into_raw(Box::new(watched));
            }
        }
        done
    }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: as in `open`.
    unsafe {
        let system = system();
        let delete = (*system).xDelete.expect("every file system deletes");
        let done = delete(system, name, sync);
        if let (ffi::SQLITE_OK, Some((disk, file))) = (done, disk_of(name)) {
            disk.push(Op::Delete { file });
        }
        done
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    // SAFETY: the box is taken back once, since SQLite closes once.
    unsafe {
        let done = methods(file).xClose.expect("files close")(real(file));
        let ours = file.cast::<File>();
        if !(*ours).watched.is_null() {
            drop(Box::from_raw((*ours).watched));
            (*ours).watched = std::ptr::null_mut();
        }
        done
    }
}

unsafe extern "C" fn read(file: *mut sqlite3_file, to: *mut c_void, len: c_int, at: i64) -> c_int {
    // SAFETY: SQLite's arguments are handed on.
    unsafe { methods(file).xRead.expect("files are read")(real(file), to, len, at) }
}

fn code(how: Failure) -> c_int {
    match how {
        Failure::Full | Failure::Short => ffi::SQLITE_FULL,
        Failure::Broken => ffi::SQLITE_IOERR_WRITE,
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    len: c_int,
    at: i64,
) -> c_int {
    // SAFETY: `from` points to `len` bytes; SQLite's arguments are handed on.
    unsafe {
        let write = methods(file).xWrite.expect("files are written");
        let Some((disk, name)) = watched(file) else { return write(real(file), from, len, at) };
        let (len, failed) = match disk.before() {
            Verdict::Go => (len, None),
            Verdict::Fail(how @ Failure::Short) => (len / 2, Some(code(how))),
            Verdict::Fail(how) => return code(how),
        };
        let done = write(real(file), from, len, at);
        if done == ffi::SQLITE_OK {
            let bytes = std::slice::from_raw_parts(from.cast::<u8>(), len as usize).to_vec();
            disk.push(Op::Write { file: name.clone(), at: at as u64, bytes });
        }
        failed.unwrap_or(done)
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, len: i64) -> c_int {
    // SAFETY: SQLite's arguments are handed on.
    unsafe {
        let truncate = methods(file).xTruncate.expect("files are cut");
        let Some((disk, name)) = watched(file) else { return truncate(real(file), len) };
        if let Verdict::Fail(_) = disk.before() {
            return ffi::SQLITE_IOERR_TRUNCATE;
        }
        let done = truncate(real(file), len);
        if done == ffi::SQLITE_OK {
            disk.push(Op::Truncate { file: name.clone(), len: len as u64 });
        }
        done
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite's arguments are handed on.
    unsafe {
        let sync = methods(file).xSync.expect("files are waited for");
        let Some((disk, name)) = watched(file) else { return sync(real(file), flags) };
        if let Verdict::Fail(_) = disk.before() {
            return ffi::SQLITE_IOERR_FSYNC;
        }
        // Waiting for the true disk would take the time of the test and show nothing.
        disk.push(Op::Sync { file: name.clone() });
        ffi::SQLITE_OK
    }
}

/// Hands a call on as it is.
macro_rules! handed_on {
    ($($name:ident = $method:ident($($arg:ident: $kind:ty),*) $(-> $back:ty)?;)*) => {
        $(unsafe extern "C" fn $name(file: *mut sqlite3_file, $($arg: $kind),*) $(-> $back)? {
            // SAFETY: SQLite's arguments are handed on, to the file's own methods.
            unsafe { methods(file).$method.expect("SQLite's own files have all")(real(file), $($arg),*) }
        })*
    };
}

handed_on! {
    size = xFileSize(out: *mut i64) -> c_int;
    lock = xLock(how: c_int) -> c_int;
    unlock = xUnlock(how: c_int) -> c_int;
    reserved = xCheckReservedLock(out: *mut c_int) -> c_int;
    control = xFileControl(what: c_int, with: *mut c_void) -> c_int;
    sector = xSectorSize() -> c_int;
    traits = xDeviceCharacteristics() -> c_int;
    shm_map = xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int;
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int) -> c_int;
    shm_barrier = xShmBarrier();
    shm_unmap = xShmUnmap(delete: c_int) -> c_int;
}

/// Without mapped reading, which would go past us.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector),
    xDeviceCharacteristics: Some(traits),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};
