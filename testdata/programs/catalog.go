// catalog indexes a bookshop's titles and writes profiles of itself: of the CPU, of the heap, of
// locks and of what blocks.
//
// What a good tool should find in it:
//   - (*index).add holds most of what is in use, fill allocates the most in all;
//   - sortTitles calls itself, so it is its own caller in a call graph;
//   - less and swap are inlined into partition;
//   - samples are labelled with the shelf that was worked on;
//   - shelves meet at the lock in (*index).add.
//
// Builds with Go 1.18 and later: go build -trimpath catalog.go
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"
)

type index struct {
	mu    sync.Mutex
	words map[string][]string
}

// add files a title under each of its words.
func (x *index) add(title string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range strings.Fields(title) {
		x.words[w] = append(x.words[w], strings.ToUpper(title))
	}
}

func less(a, b string) bool { return a < b }

func swap[T any](s []T, i, j int) { s[i], s[j] = s[j], s[i] }

func partition(titles []string) int {
	pivot, at := titles[len(titles)-1], 0
	for i := range titles {
		if less(titles[i], pivot) {
			swap(titles, i, at)
			at++
		}
	}
	swap(titles, at, len(titles)-1)
	return at
}

func sortTitles(titles []string) {
	if len(titles) < 2 {
		return
	}
	at := partition(titles)
	sortTitles(titles[:at])
	sortTitles(titles[at+1:])
}

// fill makes up a shelf of titles.
func fill(shelf string, n int) (titles []string) {
	for i := 0; i < n; i++ {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s no. %d of %d", shelf, i*7919%n, n)
		titles = append(titles, b.String())
	}
	return titles
}

func work(x *index, shelf string, n int, until time.Time) {
	for time.Now().Before(until) {
		titles := fill(shelf, n)
		sortTitles(titles)
		for _, t := range titles[:n/10] {
			x.add(t)
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir, name, profile string) {
	f, err := os.Create(filepath.Join(dir, name))
	must(err)
	must(pprof.Lookup(profile).WriteTo(f, 0))
	must(f.Close())
}

func main() {
	dir := flag.String("o", ".", "write the profiles into this folder")
	span := flag.Duration("for", time.Second, "work as long as this")
	flag.Parse()
	runtime.MemProfileRate = 64 << 10
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(10000)

	f, err := os.Create(filepath.Join(*dir, "catalog.cpu"))
	must(err)
	must(pprof.StartCPUProfile(f))
	x := &index{words: map[string][]string{}}
	until := time.Now().Add(*span)
	var shelves sync.WaitGroup
	for i, shelf := range []string{"poetry", "novels", "travel"} {
		shelves.Add(1)
		go func(shelf string, n int) {
			defer shelves.Done()
			pprof.Do(context.Background(), pprof.Labels("shelf", shelf), func(context.Context) {
				work(x, shelf, n, until)
			})
		}(shelf, 9000/(i+1))
	}
	shelves.Wait()
	pprof.StopCPUProfile()
	must(f.Close())
	runtime.GC()
	write(*dir, "catalog.heap", "heap")
	write(*dir, "catalog.mutex", "mutex")
	write(*dir, "catalog.block", "block")
	runtime.KeepAlive(x)
}
