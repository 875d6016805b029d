// prices: a bookshop reckons the prices of its orders, again and again. Two builds of it are compared:
//
//	go build -trimpath -o prices-old prices.go prices_old.go
//	go build -trimpath -o prices-new prices.go prices_new.go
//	./prices-old -allocs old.heap -cpu old.cpu -for 2s
//
// What a tool should find: discount allocates a fifth more in the new build; its closures have other
// numbers, as one came before them; legacyVAT is gone and vat is there in its place; total, sorted
// and Map (a generic function) are the same but for noise.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"time"
)

type line struct {
	title string
	cents int
}

// Map is inlined nowhere, so that its type arguments show in profiles.
//
//go:noinline
func Map[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}

//go:noinline
func order(r *rand.Rand) []line {
	lines := make([]line, 20+r.Intn(60))
	for i := range lines {
		lines[i] = line{fmt.Sprintf("book %d", r.Intn(1000)), 500 + r.Intn(4000)}
	}
	return lines
}

//go:noinline
func sorted(lines []line) []line {
	out := append([]line(nil), lines...)
	sort.Slice(out, func(i, j int) bool { return out[i].cents < out[j].cents })
	return out
}

//go:noinline
func total(lines []line) int {
	cents := Map(lines, func(l line) int { return l.cents })
	sum := 0
	for _, c := range cents {
		sum += c
	}
	return sum
}

func write(profile, path string) {
	if path == "" {
		return
	}
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup(profile).WriteTo(f, 0); err != nil {
		panic(err)
	}
}

func main() {
	allocs := flag.String("allocs", "", "write a profile of allocations")
	cpu := flag.String("cpu", "", "write a CPU profile")
	orders := flag.Int("orders", 2000, "so many orders")
	seed := flag.Int64("seed", 1, "of the orders")
	limit := flag.Duration("for", 0, "go on for so long, whatever the orders")
	runtime.MemProfileRate = 8 << 10
	flag.Parse()
	if *cpu != "" {
		f, err := os.Create(*cpu)
		if err != nil {
			panic(err)
		}
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	r := rand.New(rand.NewSource(*seed))
	start, sum := time.Now(), 0
	for n := 0; n < *orders || time.Since(start) < *limit; n++ {
		lines := sorted(order(r))
		sum += total(discount(lines)) + tax(lines)
	}
	write("allocs", *allocs)
	fmt.Println(sum > 0)
}
