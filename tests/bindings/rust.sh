#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The binding of Rust: types, values, errors, threads, and the example.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/lib/scratch.sh"
command -v rustc >/dev/null || { echo 'no rustc'; exit 77; }
[ -z "$SANITIZER" ] || { echo 'rustc has no such sanitizer'; exit 77; }
[ -e "$top_builddir/.libs/libtbuf.so.1" ] || { echo 'no library'; exit 77; }
export TBUF_DIR="$SCRATCH/run"
export LD_LIBRARY_PATH="$top_builddir/.libs"
passed=0 failed=0
cd "$SCRATCH" || exit 1

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

# build SOURCE: compiles a program without warnings.
build() {
	rustc --edition 2021 -D warnings -L "native=$top_builddir/.libs" \
	    "$1" 2>log || {
		cat log
		echo "FAIL $1 does not compile"
		exit 1
	}
}

cp "$top_srcdir/bindings/rust/tbuf.rs" "$top_srcdir/bindings/rust/shop.rs" .

cat >types.rs <<'END'
mod tbuf;

use std::sync::Arc;
use std::thread;
use tbuf::{Probe, Type, Value};

fn main() {
    let ints = Probe::new("rs", "m", "f", "ints", &[
        ("a", Type::I8), ("b", Type::I16), ("c", Type::I32), ("d", Type::I64),
        ("e", Type::U8), ("f", Type::U16), ("g", Type::U32), ("h", Type::U64),
    ]).unwrap();
    ints.emit(&[
        Value::I8(i8::MIN), Value::I16(i16::MIN), Value::I32(i32::MIN),
        Value::I64(i64::MIN), Value::U8(u8::MAX), Value::U16(u16::MAX),
        Value::U32(u32::MAX), Value::U64(u64::MAX),
    ]).unwrap();
    let rest = Probe::selected("rs", "a::b", "f", "rest", tbuf::SEL_SUCCESS, &[
        ("t", Type::Bool), ("x", Type::F32), ("y", Type::F64),
        ("p", Type::Pointer), ("s", Type::Str), ("b", Type::Bytes),
    ]).unwrap();
    rest.fire(|| [
        Value::Bool(true), Value::F32(0.5), Value::F64(-1.5),
        Value::Pointer(16 as *const _), Value::Str("ä\0x"),
        Value::Bytes(&[1, 0, 2]),
    ]).unwrap();
    let off = Probe::new("rs", "m", "f", "off", &[]).unwrap();
    off.fire(|| -> [Value; 0] { panic!("the probe is off") }).unwrap();
    println!("{} {}", off.wanted(), ints.emit(&[]).unwrap_err());
    println!("{}", rest.emit(&[Value::U8(1); 6]).unwrap_err());
    println!("{}", rest.emit(&[Value::U8(1); 11]).unwrap_err());
    for name in ["a name", "a\0name"] {
        let error = Probe::new("rs", "m", "f", name, &[]).err().unwrap();
        println!("{}", error.raw_os_error().unwrap());
    }
    println!("{}", Probe::new("rs", "m", "f", "many", &[("a", Type::U8); 11])
        .err().unwrap().raw_os_error().unwrap());
    let hit = Arc::new(Probe::new("rs", "m", "f", "hit", &[("n", Type::U64)])
        .unwrap());
    let threads: Vec<_> = (0..4u64).map(|n| {
        let hit = Arc::clone(&hit);
        thread::spawn(move || for _ in 0..1000 {
            hit.fire(|| [Value::U64(n)]).unwrap();
            drop(Probe::new("rs", "m", "f", "hit", &[("n", Type::U64)]));
        })
    }).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
END
build types.rs
"$TBUFCTL" -q -n rs:::ints -n rs:a.b::rest -c ./types 2>err >got
cat >expected <<'END'
false invalid input parameter
invalid input parameter
invalid input parameter
22
22
22
a=-128 b=-32768 c=-2147483648 d=-9223372036854775808 e=255 f=65535 g=4294967295 h=18446744073709551615
t=true x=0.5 y=-1.5 p=0x10 s="ä\x00x" b=hex:010002
END
same 'types, values and errors'

printf '%s\n' n=0:1000 n=1:1000 n=2:1000 n=3:1000 >expected
"$TBUFCTL" -q -b 4m -n 'rs:::hit' -c ./types 2>err |
    awk '/^n=/ { n[$1]++ } END { for (t in n) print t ":" n[t] }' |
    sort >got
same 'threads'

cat >interned.rs <<'END'
mod tbuf;

use tbuf::{intern, label, Probe, Type, Value};

fn main() {
    let (get, put) = (intern("GET").unwrap(), intern("PUT ä").unwrap());
    assert!(get != put && get == intern("GET").unwrap());
    let op = Probe::new("rs", "m", "f", "op", &[("op", Type::Interned)])
        .unwrap();
    for number in [get, put, get, 0] {
        op.fire(|| [Value::Interned(number)]).unwrap();
    }
    assert!(op.emit(&[Value::U32(get)]).is_err());
    for address in [16, 32] {
        label(address as *const _, "an address").unwrap();
    }
    for bad in ["x".repeat(256), "a\0b".to_string()] {
        println!("{}", intern(&bad).unwrap_err().raw_os_error().unwrap());
    }
}
END
build interned.rs
cat >expected <<'END'
22
22
op="GET"
op="PUT ä"
op="GET"
op=NULL
pointer=0x10 text="an address"
pointer=0x20 text="an address"
END
"$TBUFCTL" -q -n rs:::op,tbuf:::label -c ./interned 2>err >got
same 'interned texts'

build shop.rs
for n in 1 2 3; do
	echo "id=$n item=\"tea\" cents=$((250 * n))"
done >expected
"$TBUFCTL" -q -n 'shop:shop:finish:order-done' -c ./shop 2>err >got
same 'the example'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
