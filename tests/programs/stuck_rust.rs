// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads that lock two mutexes in opposite order
use std::io::Write;
use std::sync::{Arc, Barrier, Mutex};

fn main() {
    let (first, second, both) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)), Arc::new(Barrier::new(2)));
    let (their_first, their_second, their_both) = (first.clone(), second.clone(), both.clone());
    std::thread::spawn(move || {
        let _held = their_second.lock().unwrap();
        their_both.wait();
        let _never = their_first.lock().unwrap();
    });
    let _held = first.lock().unwrap();
    both.wait();
    println!("ready");
    std::io::stdout().flush().unwrap();
    let _never = second.lock().unwrap();
}
