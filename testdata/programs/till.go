// Till is a shop that makes six orders and keeps two of them: a program whose allocations are known,
// for the text trace of go 1.20 and before (GODEBUG=allocfreetrace=1). Each order is 48 bytes and 48
// of lines; after three of them the collector frees what is not kept.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

type order struct{ id, total int; lines []string }

var kept []*order

//go:noinline
func makeOrder(i int) *order { return &order{id: i, lines: strings.Split("a,b,c", ",")} }

//go:noinline
func receipt(o *order) string { return fmt.Sprintf("order %d: %d", o.id, o.total) }

func main() {
	n := 0
	for i := 0; i < 6; i++ {
		o := makeOrder(i)
		if i%3 == 0 {
			kept = append(kept, o)
		}
		n += len(receipt(o))
		if i%3 == 2 {
			runtime.GC()
		}
	}
	fmt.Fprintln(os.Stdout, n, len(kept))
}
