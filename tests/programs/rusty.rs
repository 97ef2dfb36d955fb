// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of Rust: each is called as often as its comment says.
mod app {
    #[inline(never)]
    pub fn fib(n: u32) -> u32 {
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) } // 25
    }
    pub trait Shape {
        fn area(&self) -> u32;
    }
    pub struct Square(pub u32);
    impl Shape for Square {
        #[inline(never)]
        fn area(&self) -> u32 { self.0 * self.0 } // 3
    }
}

use app::Shape;

fn main() {
    let shapes: Vec<Box<dyn Shape>> = (1..4).map(|n| Box::new(app::Square(n)) as Box<dyn Shape>).collect();
    let sum: u32 = shapes.iter().map(|shape| shape.area()).sum();
    std::process::exit((app::fib(6) + sum) as i32 - 22);
}
