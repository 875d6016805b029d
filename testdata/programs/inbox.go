// Inbox looks letters up and forgets about some of the goroutines that do it. Each of three rounds
// starts 20 look-ups; 3 of them are given up by their caller and then can never hand over what they
// found. Two watchers wait for news that nobody sends, one stamp waits for a lock that is kept, and
// one archive ends well; in the last round one more waits on a channel that was never made.
//
// What a tool should find after round N: 3*N goroutines of main.lookup.func1 (chan send) created by
// main.lookup, 2 of main.(*watcher).run (select) created by main.watch, 1 of main.stamp
// (sync.Mutex.Lock) created by main.main, and after round 3 main.never (chan receive on nil): 6, 9 and
// 13 in all. The trace is begun after round 1, so that it holds the creation of 7 of them.
//
//	inbox DIR
//
// writes inbox.trace, and inbox-1.d0, inbox-2.d1, inbox-3.d2 (its goroutines after each round, as a
// profile, a text with counts, and stacks), and with go 1.26 and later inbox-3.leak (goroutineleak).
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

type watcher struct{ news, stop chan string }

func (w *watcher) run() {
	for {
		select {
		case <-w.news:
		case <-w.stop:
			return
		}
	}
}

//go:noinline
func watch() {
	go (&watcher{make(chan string), make(chan string)}).run()
}

var lock sync.Mutex

//go:noinline
func stamp() {
	lock.Lock()
	lock.Unlock()
}

//go:noinline
func never(c chan string) { <-c }

//go:noinline
func find(n int) string {
	time.Sleep(time.Duration(n%3) * time.Millisecond)
	return fmt.Sprint("letter ", n)
}

// Gives up without waiting where n is a multiple of seven: nobody receives then.
//
//go:noinline
func lookup(n int) string {
	found := make(chan string)
	go func() { found <- find(n) }()
	if n%7 == 0 {
		return ""
	}
	return <-found
}

func round() {
	for n := 1; n <= 20; n++ {
		if n%7 == 0 || n == 20 {
			continue
		}
		lookup(n)
	}
	for n := 7; n <= 21; n += 7 {
		lookup(n)
	}
	time.Sleep(20 * time.Millisecond)
}

func create(dir, name string) *os.File {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		panic(err)
	}
	return f
}

func write(dir, name, profile string, debug int) {
	p := pprof.Lookup(profile)
	if p == nil {
		return
	}
	f := create(dir, name)
	defer f.Close()
	if err := p.WriteTo(f, debug); err != nil {
		panic(err)
	}
}

func main() {
	dir := os.Args[1]
	lock.Lock()
	go stamp()
	watch()
	watch()
	round()
	write(dir, "inbox-1.d0", "goroutine", 0)
	f := create(dir, "inbox.trace")
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	round()
	write(dir, "inbox-2.d1", "goroutine", 1)
	done := make(chan bool)
	go func() { runtime.Gosched(); close(done) }() // the archive
	<-done
	go never(nil)
	round()
	trace.Stop()
	f.Close()
	write(dir, "inbox-3.d2", "goroutine", 2)
	write(dir, "inbox-3.leak", "goroutineleak", 0)
	runtime.KeepAlive(&lock)
	lock.Unlock()
}
