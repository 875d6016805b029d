// fill writes a heap profile of itself, in which two methods with type arguments of their own (go
// 1.27) have the same name but for their receivers, and a function has a function type for its type
// argument:
//
//	(*A).Fill[int64]                1 MiB
//	(*B).Fill[int64]                2 MiB
//	Keep[func(int) string]          4 MiB
//	callee.func1, of the inlined    8 MiB
//	callee in caller
package main

import (
	"flag"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
)

type (
	A struct{}
	B struct{}
)

var kept []any

//go:noinline
func (*A) Fill[T any](n int) { kept = append(kept, make([]T, n)) }

//go:noinline
func (*B) Fill[T any](n int) { kept = append(kept, make([]T, n)) }

//go:noinline
func Keep[T any](n int) { kept = append(kept, make([]T, n)) }

func callee(n int) func() {
	return func() { kept = append(kept, make([]byte, n)) }
}

//go:noinline
func caller(n int) func() { return callee(n) }

func main() {
	out := flag.String("o", "fill.heap", "file to write")
	flag.Parse()
	runtime.MemProfileRate = 1
	new(A).Fill[int64](1 << 17)
	new(B).Fill[int64](1 << 18)
	Keep[func(int) string](1 << 19)
	caller(1 << 23)()
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	runtime.GC()
	if err := pprof.WriteHeapProfile(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
