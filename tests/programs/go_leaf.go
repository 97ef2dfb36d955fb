// SPDX-License-Identifier: GPL-3.0-or-later
// Most of its time is in a function without a frame.
package main

//go:noinline
func leaf(p *[64]uint64, n int) uint64 {
	var s uint64
	for i := 0; i < n; i++ {
		s += p[i&63] * 7
	}
	return s
}

//go:noinline
func middle(n int) uint64 {
	var a [64]uint64
	for i := range a {
		a[i] = uint64(i + n)
	}
	return leaf(&a, 2000000)
}

//go:noinline
func outer() uint64 {
	var s uint64
	for i := 0; i < 600; i++ {
		s += middle(i)
	}
	return s
}

func main() { println(outer()) }
