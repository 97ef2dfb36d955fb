// SPDX-License-Identifier: GPL-3.0-or-later
// The same as assigned_first.c: the first act gives a parameter another one's value.
#![allow(unused_assignments)]
use std::hint::black_box;

#[inline(never)]
#[no_mangle]
pub fn other(mut a: i64, b: i64, c: i64) -> i64 {
    a = b;
    black_box(c);
    black_box(a);
    a + c
}

fn main() {
    let n = std::env::args().count() as i64;
    black_box(other(301 * n, 302 * n, n));
}
