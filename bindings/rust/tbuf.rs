// SPDX-License-Identifier: BSD-2-Clause

//! Probes of tbuf for Rust programs; see tbuf_bindings(7).
//!
//! Copy this file into a program, or name it in a #[path]; link with libtbuf:
//!
//! ```text
//! mod tbuf;
//! use tbuf::{Probe, Type, Value};
//!
//! let done = Probe::new("shop", module_path!(), "main", "order-done",
//!     &[("id", Type::U32), ("item", Type::Str)])?;
//! done.fire(|| [Value::U32(7), Value::Str("tea")])?;
//! ```

#![allow(dead_code)]

use std::ffi::CString;
use std::io;
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The type of an argument: enum tbuf_type of <tbuf.h>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Type {
    I8 = 1,
    I16 = 2,
    I32 = 3,
    I64 = 4,
    U8 = 5,
    U16 = 6,
    U32 = 7,
    U64 = 8,
    Bool = 10,
    F32 = 11,
    F64 = 12,
    Pointer = 13,
    Str = 15,
    Bytes = 16,
    Interned = 17,
}

/// The value of an argument.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    Bool(bool),
    F32(f32),
    F64(f64),
    Pointer(*const c_void),
    Str(&'a str),
    Bytes(&'a [u8]),
    /// A number of [`intern`].
    Interned(u32),
}

/// TBUF_SEL_FAILURE and TBUF_SEL_SUCCESS of <tbuf.h>.
pub const SEL_FAILURE: u32 = 1;
pub const SEL_SUCCESS: u32 = 2;

/// TBUF_ARGS_MAX of <tbuf.h>.
const ARGS_MAX: usize = 10;

/// struct tbuf_bytes of <tbuf.h>
#[derive(Clone, Copy)]
#[repr(C)]
struct Span {
    data: *const c_void,
    size: usize,
}

#[link(name = "tbuf")]
extern "C" {
    fn tbuf_probe_new(
        provider: *const c_char,
        module: *const c_char,
        function: *const c_char,
        name: *const c_char,
        selection: u32,
        nargs: c_uint,
        types: *const c_int,
        names: *const *const c_char,
    ) -> *mut c_void;
    fn tbuf_probe_free(probe: *mut c_void);
    fn tbuf_probe_wanted(probe: *const c_void) -> c_int;
    fn tbuf_probe_emit(probe: *mut c_void, nvalues: c_uint, values: *const u64) -> c_int;
    fn tbuf_intern(text: *const c_char) -> u32;
}

/// A probe; it ends when it is dropped.
pub struct Probe {
    handle: *mut c_void,
    types: Vec<Type>,
}

// Any number of threads may test and fire a probe.
unsafe impl Send for Probe {}
unsafe impl Sync for Probe {}

fn text(field: &str) -> io::Result<CString> {
    CString::new(field).map_err(|_| io::Error::from_raw_os_error(22))
}

impl Probe {
    /// Creates a probe.  In a module's path, `::` becomes `.`, as a module has
    /// no colons.
    pub fn new(
        provider: &str,
        module: &str,
        function: &str,
        name: &str,
        arguments: &[(&str, Type)],
    ) -> io::Result<Probe> {
        Probe::selected(provider, module, function, name, 0, arguments)
    }

    /// Likewise, with a selection: see tbuf_unit_begin(3).
    pub fn selected(
        provider: &str,
        module: &str,
        function: &str,
        name: &str,
        selection: u32,
        arguments: &[(&str, Type)],
    ) -> io::Result<Probe> {
        let fields = [
            text(provider)?,
            text(&module.replace("::", "."))?,
            text(function)?,
            text(name)?,
        ];
        let names = arguments
            .iter()
            .map(|a| text(a.0))
            .collect::<io::Result<Vec<CString>>>()?;
        let pointers: Vec<*const c_char> = names.iter().map(|n| n.as_ptr()).collect();
        let types: Vec<c_int> = arguments.iter().map(|a| a.1 as c_int).collect();
        // The library copies the strings and arrays.
        let handle = unsafe {
            tbuf_probe_new(
                fields[0].as_ptr(),
                fields[1].as_ptr(),
                fields[2].as_ptr(),
                fields[3].as_ptr(),
                selection,
                arguments.len() as c_uint,
                types.as_ptr(),
                pointers.as_ptr(),
            )
        };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        Ok(Probe {
            handle,
            types: arguments.iter().map(|a| a.1).collect(),
        })
    }

    /// Returns true while a session has enabled the probe.
    pub fn wanted(&self) -> bool {
        unsafe { tbuf_probe_wanted(self.handle) != 0 }
    }

    /// Fires the probe if it is enabled.  The closure, which computes the
    /// arguments, is called only then.
    pub fn fire<'a, F, V>(&self, arguments: F) -> io::Result<()>
    where
        F: FnOnce() -> V,
        V: AsRef<[Value<'a>]>,
    {
        if !self.wanted() {
            return Ok(());
        }
        self.emit(arguments().as_ref())
    }

    /// Fires the probe if it is enabled.  Fails with InvalidInput if the values
    /// are not as many, or not of the types, as the probe has arguments.
    pub fn emit(&self, values: &[Value]) -> io::Result<()> {
        if values.len() != self.types.len() || values.len() > ARGS_MAX {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let mut words = [0u64; ARGS_MAX];
        let mut spans = [Span {
            data: ptr::null(),
            size: 0,
        }; ARGS_MAX];
        for (i, value) in values.iter().enumerate() {
            let (found, word) = match *value {
                Value::I8(v) => (Type::I8, v as u64),
                Value::I16(v) => (Type::I16, v as u64),
                Value::I32(v) => (Type::I32, v as u64),
                Value::I64(v) => (Type::I64, v as u64),
                Value::U8(v) => (Type::U8, v as u64),
                Value::U16(v) => (Type::U16, v as u64),
                Value::U32(v) => (Type::U32, v as u64),
                Value::U64(v) => (Type::U64, v),
                Value::Bool(v) => (Type::Bool, v as u64),
                Value::F32(v) => (Type::F32, v.to_bits() as u64),
                Value::F64(v) => (Type::F64, v.to_bits()),
                Value::Pointer(v) => (Type::Pointer, v as usize as u64),
                Value::Str(v) => (Type::Str, Probe::span(&mut spans[i], v.as_bytes())),
                Value::Bytes(v) => (Type::Bytes, Probe::span(&mut spans[i], v)),
                Value::Interned(v) => (Type::Interned, v as u64),
            };
            if found != self.types[i] {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            }
            words[i] = word;
        }
        unsafe { tbuf_probe_emit(self.handle, values.len() as c_uint, words.as_ptr()) };
        Ok(())
    }

    fn span(span: &mut Span, bytes: &[u8]) -> u64 {
        *span = Span {
            data: bytes.as_ptr() as *const c_void,
            size: bytes.len(),
        };
        span as *const Span as usize as u64
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        unsafe { tbuf_probe_free(self.handle) }
    }
}

/// Returns the number of a text, for values of [`Value::Interned`].  The number
/// is 0, which is recorded as NULL, while tracing is off and if there is no room
/// for more texts.  Fails if the text has a NUL or more than 255 bytes.
pub fn intern(value: &str) -> io::Result<u32> {
    let value = text(value)?;
    let number = unsafe { tbuf_intern(value.as_ptr()) };
    if number == 0 {
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::InvalidInput {
            return Err(error);
        }
    }
    Ok(number)
}

static LABEL: AtomicPtr<Probe> = AtomicPtr::new(ptr::null_mut());

/// Fires tbuf:::label, which names an address, if it is enabled.
pub fn label(pointer: *const c_void, text: &str) -> io::Result<()> {
    let mut probe = LABEL.load(Ordering::Acquire);
    if probe.is_null() {
        let arguments = [("pointer", Type::Pointer), ("text", Type::Str)];
        let new = Probe::new("tbuf", "tbuf", "label", "label", &arguments)?;
        let new = Box::into_raw(Box::new(new));
        let old = LABEL.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        probe = match old {
            Ok(_) => new,
            Err(first) => {
                drop(unsafe { Box::from_raw(new) });
                first
            }
        };
    }
    unsafe { &*probe }.fire(|| [Value::Pointer(pointer), Value::Str(text)])
}
