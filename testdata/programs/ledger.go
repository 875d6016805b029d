// Ledger books orders and forgets to take what it keeps of them away again. It writes a heap profile
// after each of eight days, a second apart.
//
// What a tool should find in inuse_space: main.remember grows by 64 blocks of 1 KiB every day, from
// 64 KiB to 512 KiB, and never falls; main.open keeps 256 KiB throughout; main.scratch keeps between
// 16 and 48 KiB, up and down.
//
//	ledger DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"
)

var (
	orders [][]byte
	shelf  []byte
	sheet  []byte
)

//go:noinline
func remember() { orders = append(orders, make([]byte, 1024)) }

//go:noinline
func open() { shelf = make([]byte, 256<<10) }

//go:noinline
func scratch(n int) { sheet = make([]byte, n) }

func write(dir string, day, debug int) {
	runtime.GC()
	runtime.GC()
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("ledger-%d.heap", day)))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup("heap").WriteTo(f, debug); err != nil {
		panic(err)
	}
}

func main() {
	runtime.MemProfileRate = 1
	orders = make([][]byte, 0, 1024)
	open()
	for day := 1; day <= 8; day++ {
		for i := 0; i < 64; i++ {
			remember()
		}
		scratch([]int{16, 48, 32, 16, 48, 16, 32, 16}[day-1] << 10)
		write(os.Args[1], day, 0)
		time.Sleep(time.Second)
	}
	runtime.KeepAlive(shelf)
}
