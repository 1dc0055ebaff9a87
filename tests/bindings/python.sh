#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The binding of Python: types, strings, NULL, numbers out of range, errors,
# threads, forked children, and the example.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/lib/scratch.sh"
command -v python3 >/dev/null || { echo 'no python3'; exit 77; }
python3 -c 'import ctypes' 2>/dev/null || { echo 'no ctypes'; exit 77; }
[ -z "$SANITIZER" ] || { echo 'python3 has no sanitizer'; exit 77; }
[ -e "$top_builddir/.libs/libtbuf.so.1" ] || { echo 'no library'; exit 77; }
export TBUF_DIR="$SCRATCH/run"
export LD_LIBRARY_PATH="$top_builddir/.libs"
export PYTHONPATH="$top_srcdir/bindings/python"
export PYTHONDONTWRITEBYTECODE=1
passed=0 failed=0
cd "$SCRATCH" || exit 1
: >err

# same WHAT: expects that the files `expected` and `got` are equal, not empty.
same() {
	if [ -s expected ] && diff -u expected got; then
		passed=$((passed + 1))
	else
		cat err
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}

cat >values.py <<'END'
import tbuf

ints = tbuf.Probe("py", "ints", "m", "f", a=tbuf.INT8, b=tbuf.INT16,
                  c=tbuf.INT32, d=int, e=tbuf.UINT8, f=tbuf.UINT16,
                  g=tbuf.UINT32, h=tbuf.UINT64)
ints(-1, -2, -3, -4, 1, 2, 3, 4)
ints(128, 32768, 1 << 31, 1 << 63, 256, 65536, 1 << 32, -1)
rest = tbuf.Probe("py", "rest", "m", "f", self=bool, name=tbuf.FLOAT,
                  provider=float, p=tbuf.POINTER, s=str, b=bytes)
rest(True, 0.5, -1.5, 0xffff, "\u00e4\n\"\0x", b"\x01\x00\x02")
rest(0, 1e300, float("inf"), 0, None, None)
rest(0, 0, 0, 0, "", bytearray(b""))
tbuf.Probe("py", "none", "m", "f")()
END
cat >expected <<'END'
a=-1 b=-2 c=-3 d=-4 e=1 f=2 g=3 h=4
a=-128 b=-32768 c=-2147483648 d=-9223372036854775808 e=0 f=0 g=0 h=18446744073709551615
self=true name=0.5 provider=-1.5 p=0xffff s="ä\n\"\x00x" b=hex:010002
self=false name=inf provider=inf p=0x0 s=NULL b=NULL
self=false name=0 provider=0 p=0x0 s="" b=hex:

END
"$TBUFCTL" -q -n py::: -c 'python3 values.py' 2>err >got
same 'types and values'

cat >errors.py <<'END'
import tbuf


def expect(what, call, *args, **named):
    try:
        call(*args, **named)
    except what as error:
        print(f"{what.__name__}: {error}")
    else:
        print(f"no {what.__name__}")


two = tbuf.Probe("py", "two", "m", "f", a=int, b=str)
expect(TypeError, two, 1)
expect(TypeError, tbuf.Probe, "py", "x", a=list)
expect(TypeError, tbuf.Probe, "py", "x", a=True)
expect(ValueError, tbuf.Probe, "py", "x\0y")
expect(OSError, tbuf.Probe, "py", "a name", "m", "f")
expect(OSError, tbuf.Probe, "py", "x", **{f"a{i}": int for i in range(11)})
print(bool(two))
two("no number", 3)
END
cat >expected <<'END'
TypeError: the probe has 2 arguments, not 1
TypeError: a: <class 'list'> is not a type; use int, float, str, bytes, bool or tbuf.INT8, ...
TypeError: a: True is not a type; use int, float, str, bytes, bool or tbuf.INT8, ...
ValueError: b'x\x00y' has a NUL
OSError: [Errno 22] cannot make the probe py:m:f:a name: Invalid argument
OSError: [Errno 22] cannot make the probe py:__main__:expect:x: Invalid argument
False
END
python3 errors.py >got 2>&1
same 'errors'

cat >enabled.py <<'END'
import os
import tbuf

two = tbuf.Probe("py", "two", "m", "f", a=int, b=str)
one = tbuf.Probe("py", "two", "m", "f", a=int, b=str)
del one
assert two
for bad in ("no number", ""), (1.5, ""), (1, 3):
    try:
        two(*bad)
    except TypeError:
        two(1, "TypeError")
END
printf 'a=1 b="TypeError"\n%.0s' 1 2 3 >expected
"$TBUFCTL" -q -n py::: -c 'python3 enabled.py' 2>err >got
same 'errors while a session traces'

# Interned texts: each stands once in the file, and readers see it.
cat >interned.py <<'END'
import ctypes
import tbuf

get, put = tbuf.intern("GET"), tbuf.intern("PUT ä")
assert get != put and get == tbuf.intern(b"GET")
op = tbuf.Probe("py", "op", "m", "f", op=tbuf.INTERNED, n=int)
for number in get, put, get, 0:
    op(number, 1)
tbuf.label(0x10, "an address")
tbuf.label(0x20, None)
for bad in "x" * 256, "a\0b":
    try:
        tbuf.intern(bad)
    except ValueError:
        op(get, 2)
END
cat >expected <<'END'
op="GET" n=1
op="PUT ä" n=1
op="GET" n=1
op=NULL n=1
pointer=0x10 text="an address"
pointer=0x20 text=NULL
op="GET" n=2
op="GET" n=2
END
"$TBUFCTL" -q -n py:::op,tbuf:::label -c 'python3 interned.py' 2>err >got
same 'interned texts'
cat >expected <<'END'

  GET                                                               2
END
"$TBUFCTL" -q -n 'py:::op /op == "GET" && n == 1/ { @[op] = count(); }' \
    -c 'python3 interned.py' 2>err | sed '/^$/{N;/^\n$/D;}' >got
same 'interned texts in D'
echo '0 False' >expected
TBUF_DISABLE=1 python3 -c 'import tbuf
print(tbuf.intern("x"), bool(tbuf.Probe("py", "op", a=tbuf.INTERNED)))
tbuf.label(1, "x")' >got 2>err
same 'interned texts while tracing is off'

cat >threads.py <<'END'
import os
import threading
import tbuf

hit = tbuf.Probe("py", "hit", "m", "f", thread=int, text=str)


def work(number):
    for i in range(1000):
        hit(number, f"{number}:{i}")
        tbuf.Probe("py", "hit", "m", "f", thread=int, text=str)


threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if os.fork() == 0:
    hit(9, "child")
    del hit
    os._exit(0)
os.wait()
END
printf '%s\n' 0:1000 1:1000 2:1000 3:1000 9:1 >expected
"$TBUFCTL" -q --follow -b 4m -n 'py:::hit' -c 'python3 threads.py' 2>err |
    awk -F'[= "]*' '{ n[$2]++ } END { for (t in n) print t ":" n[t] }' |
    sort >got
same 'threads and a child'

for n in 1 2 3; do
	echo "probemod=__main__ probefunc=<module> id=$n"
done >expected
echo >>expected
"$TBUFCTL" -q -n 'shop:::order-done
    /item == "tea" && cents == 250 * arg0/
    { printf("probemod=%s probefunc=%s id=%d\n", probemod, probefunc, arg0); }' \
    -c "python3 $top_srcdir/bindings/python/shop.py" 2>err >got
same 'the example'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
