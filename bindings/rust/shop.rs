// SPDX-License-Identifier: BSD-2-Clause

//! A program with a probe: tbufctl -n 'shop:::order-done' -c ./shop

mod tbuf;

use std::io;
use tbuf::{Probe, Type, Value};

fn finish(done: &Probe, id: u32, item: &str, cents: i64) -> io::Result<()> {
    done.fire(|| [Value::U32(id), Value::Str(item), Value::I64(cents)])
}

fn main() -> io::Result<()> {
    let done = Probe::new(
        "shop",
        module_path!(),
        "finish",
        "order-done",
        &[("id", Type::U32), ("item", Type::Str), ("cents", Type::I64)],
    )?;

    for id in 1..=3 {
        finish(&done, id, "tea", 250 * i64::from(id))?;
    }
    Ok(())
}
