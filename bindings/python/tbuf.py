# SPDX-License-Identifier: BSD-2-Clause
"""Probes of tbuf for Python programs; see tbuf_bindings(7).

    import tbuf

    done = tbuf.Probe("shop", "order-done", id=int, item=str, cents=int)
    done(7, "tea", 250)
    if done:
        done(8, costly(), 100)

    tea = tbuf.intern("tea")
    tbuf.Probe("shop", "tea-done", item=tbuf.INTERNED)(tea)
"""

import ctypes
import errno
import operator
import os
import struct
import sys

# enum tbuf_type of <tbuf.h>
INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64 = range(1, 9)
BOOL, FLOAT, DOUBLE, POINTER = range(10, 14)
STRING, BYTES, INTERNED = 15, 16, 17

SEL_FAILURE = 1
SEL_SUCCESS = 2

_TYPES = {int: INT64, float: DOUBLE, str: STRING, bytes: BYTES, bool: BOOL}
_KNOWN = {INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, BOOL,
          FLOAT, DOUBLE, POINTER, STRING, BYTES, INTERNED}
_SONAME = "libtbuf.so.1"


class _Bytes(ctypes.Structure):
    """struct tbuf_bytes of <tbuf.h>"""
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


# new(), free() and intern() may wait for another thread that registers probes,
# so they release the interpreter's lock; the other two never wait.
_library = ctypes.CDLL(_SONAME, use_errno=True)
_fast = ctypes.PyDLL(_SONAME)

_new = _library.tbuf_probe_new
_new.restype = ctypes.c_void_p
_new.argtypes = [ctypes.c_char_p] * 4 + [
    ctypes.c_uint32, ctypes.c_uint, ctypes.POINTER(ctypes.c_int),
    ctypes.POINTER(ctypes.c_char_p)]
_free = _library.tbuf_probe_free
_free.restype = None
_free.argtypes = [ctypes.c_void_p]
_intern = _library.tbuf_intern
_intern.restype = ctypes.c_uint32
_intern.argtypes = [ctypes.c_char_p]
_wanted = _fast.tbuf_probe_wanted
_wanted.restype = ctypes.c_int
_wanted.argtypes = [ctypes.c_void_p]
_emit = _fast.tbuf_probe_emit
_emit.restype = ctypes.c_int
_emit.argtypes = [ctypes.c_void_p, ctypes.c_uint,
                  ctypes.POINTER(ctypes.c_uint64)]


def _integer(value, kept):
    return operator.index(value) & 0xffffffffffffffff


def _boolean(value, kept):
    return 1 if value else 0


def _float(value, kept):
    try:
        return struct.unpack("=I", struct.pack("=f", value))[0]
    except OverflowError:       # the nearest float, as C has it
        infinity = float("inf") if value > 0 else float("-inf")
        return struct.unpack("=I", struct.pack("=f", infinity))[0]


def _double(value, kept):
    return struct.unpack("=Q", struct.pack("=d", value))[0]


def _bytes(value, kept):
    if value is not None:
        value = bytes(memoryview(value))
    piece = _Bytes(value, len(value) if value is not None else 0)
    kept.append((piece, value))
    return ctypes.addressof(piece)


def _string(value, kept):
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    return _bytes(value, kept)


_CONVERTERS = {BOOL: _boolean, FLOAT: _float, DOUBLE: _double,
               STRING: _string, BYTES: _bytes}


class Probe:
    """A probe, which is called with its arguments.

    The keywords are the names and types of the arguments, in order: int, float,
    str, bytes or bool, or a constant of this module, such as tbuf.UINT32.
    """

    # The probe's arguments may have the names of these parameters.
    def __init__(self, provider, name, module=None, function=None,
                 selection=0, /, **arguments):
        self._handle = None
        caller = sys._getframe(1)
        if module is None:
            module = caller.f_globals.get("__name__", "")
        if function is None:
            function = caller.f_code.co_name
        types = [_TYPES.get(t, t) for t in arguments.values()]
        for given, found in zip(arguments, types):
            if isinstance(found, bool) or found not in _KNOWN:
                raise TypeError(f"{given}: {found!r} is not a type; use int, "
                                "float, str, bytes, bool or tbuf.INT8, ...")
        count = len(types)
        fields = [os.fsencode(f) for f in (provider, module, function, name)]
        for field in fields:
            if b"\0" in field:
                raise ValueError(f"{field!r} has a NUL")
        handle = _new(*fields, selection, count,
                      (ctypes.c_int * count)(*types),
                      (ctypes.c_char_p * count)(
                          *[os.fsencode(a) for a in arguments]))
        if not handle:
            error = ctypes.get_errno()
            raise OSError(error, "cannot make the probe "
                          f"{provider}:{module}:{function}:{name}: "
                          f"{os.strerror(error)}")
        self._converters = [_CONVERTERS.get(t, _integer) for t in types]
        self._values = ctypes.c_uint64 * count
        self._handle = handle

    def __del__(self, free=_free):
        handle, self._handle = self._handle, None
        if handle is not None:
            free(handle)

    def __bool__(self):
        """True while a session has enabled the probe."""
        return _wanted(self._handle) != 0

    def __call__(self, *values):
        """Fires the probe, if it is enabled."""
        if len(values) != len(self._converters):
            raise TypeError(f"the probe has {len(self._converters)} "
                            f"arguments, not {len(values)}")
        if not _wanted(self._handle):
            return
        kept = []       # memory that has to stay until the probe has fired
        words = self._values(*[convert(value, kept) for convert, value
                               in zip(self._converters, values)])
        _emit(self._handle, len(values), words)


def intern(text):
    """Returns the number of a text, for arguments of the type tbuf.INTERNED.

    The number is 0, which is recorded as NULL, while tracing is off and if
    there is no room for more texts.
    """
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise ValueError(f"{text!r} has a NUL")
    number = _intern(text)
    if number == 0 and ctypes.get_errno() == errno.EINVAL:
        raise ValueError("the text is longer than 255 bytes")
    return number


_label = None


def label(pointer, text):
    """Fires tbuf:::label, which names an address, if it is enabled."""
    global _label
    if _label is None:
        _label = Probe("tbuf", "label", "tbuf", "label",
                       pointer=POINTER, text=str)
    _label(pointer, text)
