// SPDX-License-Identifier: GPL-3.0-or-later

// Goroutines on stacks that grow and move, preempted by the signals of Go's run time. Prints 166190.
package main

import (
	"fmt"
	"sync"
)

//go:noinline
func add(a, b int) int { return a + b }

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func grow(n int) int {
	var room [1024]byte
	room[n%1024] = byte(n)
	if n == 0 {
		return int(room[0])
	}
	return grow(n-1) + int(room[n%1024])
}

func main() {
	sum := 0
	for i := 0; i < 100; i++ {
		sum = add(sum, i)
	}
	results := make(chan int)
	var all sync.WaitGroup
	for g := 0; g < 8; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			results <- fib(10) + grow(200)
		}()
	}
	go func() { all.Wait(); close(results) }()
	for r := range results {
		sum += r
	}
	fmt.Println(sum)
}
