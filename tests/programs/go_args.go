// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of Go that are called with known values: registers, stack, a receiver, results, instances of a generic one.
package main

import "fmt"

type Point struct {
	X int32
	Y float64
	Name string
}

type Counter struct{ n int }

//go:noinline
func (c *Counter) Add(k int) int { c.n += k; return c.n }

//go:noinline
func (p Point) Moved(by float64) (Point, bool) { return Point{p.X + 1, p.Y + by, p.Name}, true }

//go:noinline
func Add(a int, b int, s string) int { return a + b + len(s) }

//go:noinline
func Mixed(a int8, p Point, list []int, any interface{}, pair [2]int, one [1]uint16, none struct{}, last bool) int {
	return int(a) + len(list) + pair[1] + int(one[0])
}

//go:noinline
func Unused(a int, b int, c string) int { return b }

//go:noinline
func Max[T int | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}

//go:noinline
func Deep(n int, s string) int {
	var room [4096]byte // the stack grows, and its arguments move
	room[n%4096] = byte(n)
	if n == 0 {
		return int(room[0])
	}
	return Deep(n-1, s) + int(room[n%4096]&1)
}

func main() {
	t := 0
	for i := 0; i < 3; i++ {
		t += Add(i, 40, "abc")
	}
	p := Point{7, 1.5, "here"}
	q, ok := p.Moved(2.25)
	t += Mixed(-3, p, []int{1, 2, 3}, "any", [2]int{8, 9}, [1]uint16{500}, struct{}{}, ok)
	t += Unused(11, 12, "unused") + Max(3, 14)
	c := &Counter{}
	for i := 0; i < 7; i++ {
		c.Add(i)
	}
	done := make(chan int)
	go func() { done <- Deep(40, "deep") }()
	fmt.Println(t, q.Name, Max("a", "z"), c.n, <-done)
}
