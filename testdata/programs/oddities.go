// oddities does, once or a few times each, what makes traces hard to read: names with tabs, quotes and
// bytes that are no UTF-8; coroutines that switch without the scheduler; goroutines that never run,
// never stop, block for ever, or end inside a system call; regions left open and ended twice; tasks
// without an end; locked threads; a GOMAXPROCS that changes; stops of the world of several kinds.
//
// With -for it goes on for that long at a low rate, so that its trace has several generations.
//
// Builds with Go 1.23 and later: go build -trimpath oddities.go
package main

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"runtime"
	"runtime/metrics"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

func numbers(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// coroutines switch back and forth; one is stopped before its end.
func coroutines() {
	next, stop := iter.Pull(numbers(8))
	for i := 0; i < 5; i++ {
		next()
	}
	stop()
	next, stop = iter.Pull(numbers(3))
	for {
		if _, ok := next(); !ok {
			break
		}
	}
	stop()
}

// names that have to be quoted.
func names() {
	ctx, task := trace.NewTask(context.Background(), "tab\there, \"quotes\", back\\slash")
	defer task.End()
	trace.Log(ctx, "category", "line\nbreak\r and \x00 and \x1b[31mred\x1b[0m")
	trace.Log(ctx, "bad utf-8: \xff\xfe", "good: žluťoučký 🐎, \u2028, \u00ad, \ufeff")
	trace.WithRegion(ctx, "", func() {})
	trace.WithRegion(ctx, "a\u0301 <b> & 'c' `d`", func() {
		trace.WithRegion(ctx, "inner", runtime.Gosched)
	})
}

// unbalanced regions and tasks.
func unbalanced() {
	ctx, task := trace.NewTask(context.Background(), "parent")
	child, _ := trace.NewTask(ctx, "never ends")
	trace.StartRegion(child, "left open when its goroutine ends")
	trace.Log(child, "", "in a task without an end")
	task.End()
	task.End()
	done := make(chan bool)
	trace.WithRegion(ctx, "inherited by a goroutine", func() {
		go func() {
			trace.Log(ctx, "", "from the child")
			done <- true
		}()
	})
	<-done
}

func lockedThread(wg *sync.WaitGroup) {
	defer wg.Done()
	runtime.LockOSThread() // never unlocked: the thread dies with the goroutine
	ts := syscall.NsecToTimespec(int64(300 * time.Microsecond))
	syscall.Nanosleep(&ts, nil)
}

func condition(wg *sync.WaitGroup, mu *sync.Mutex, c *sync.Cond, ready *bool) {
	defer wg.Done()
	mu.Lock()
	for !*ready {
		c.Wait()
	}
	mu.Unlock()
}

func blockForEver()   { select {} }
func receiveFromNil() { var c chan int; <-c }
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

func stopTheWorld() {
	n := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(n + 1)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	metrics.Read([]metrics.Sample{{Name: "/gc/heap/live:bytes"}})
	runtime.Stack(make([]byte, 1<<16), true)
	runtime.GOMAXPROCS(n)
}

func all() {
	var wg sync.WaitGroup
	names()
	unbalanced()
	coroutines()
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go lockedThread(&wg)
	}
	var mu sync.Mutex
	ready, c := false, sync.NewCond(&mu)
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go condition(&wg, &mu, c, &ready)
	}
	time.Sleep(200 * time.Microsecond)
	mu.Lock()
	ready = true
	c.Broadcast()
	mu.Unlock()
	deep(200, func() { time.Sleep(100 * time.Microsecond) })
	stopTheWorld()
	wg.Wait()
	go func() { runtime.Goexit() }()
	runtime.Gosched()
}

// slowly keeps a few goroutines waiting for each other until it is time.
func slowly(until time.Time) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for time.Now().Before(until) {
				mu.Lock()
				time.Sleep(100 * time.Microsecond)
				mu.Unlock()
				time.Sleep(time.Duration(12+3*i) * time.Millisecond)
			}
		}()
	}
	wg.Wait()
}

func main() {
	out := flag.String("o", "oddities.trace", "write the trace here")
	length := flag.Duration("for", 0, "go on for this long")
	flag.Parse()
	f, err := os.Create(*out)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	runtime.GOMAXPROCS(3)
	go blockForEver()
	before := make(chan bool)
	go func() { <-before }()
	time.Sleep(time.Millisecond)
	if err := trace.Start(f); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go receiveFromNil()
	close(before)
	all()
	slowly(time.Now().Add(*length))
	trace.Stop()
	f.Close()
}
