// Stuck is a small queue of letters in which goroutines get lost: receivers nobody sends to, lockers
// of a lock that is never given back, a sender without a receiver, sleepers, a goroutine that is
// locked to its thread, deep recursion, labels. It writes the text forms of its profiles
// (debug=1) and the stacks of its goroutines (debug=2), or ends in one of the ways programs end.
//
// What a tool should find: 4 goroutines in main.receive (started by main.open), 3 in
// sync.(*Mutex).Lock under main.stamp, 1 in main.send, 2 in main.rest, 1 locked to its thread, 1
// below 120 calls of main.down; the labels queue=letters and "sort code"="A, \"1\"".
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

var (
	lock  sync.Mutex
	store [][]byte
)

type queue[T any] struct{ letters chan T }

func (q *queue[T]) receive() { <-q.letters }

//go:noinline
func receive(c chan int) { <-c }

//go:noinline
func send(c chan int) { c <- 1 }

//go:noinline
func stamp() {
	lock.Lock()
	defer lock.Unlock()
}

//go:noinline
func rest() { time.Sleep(time.Hour) }

//go:noinline
func down(n int, c chan int) {
	if n == 0 {
		<-c
		return
	}
	down(n-1, c)
}

//go:noinline
func open() {
	c := make(chan int)
	for i := 0; i < 4; i++ {
		go receive(c)
	}
}

//go:noinline
func sortLetters(n int) {
	for i := 0; i < n; i++ {
		store = append(store, make([]byte, 1000+i%7*500))
	}
}

func contend() {
	var m sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 20; k++ {
				m.Lock()
				time.Sleep(100 * time.Microsecond)
				m.Unlock()
			}
		}()
	}
	wg.Wait()
}

func write(dir string) {
	for _, name := range []string{"heap", "allocs", "block", "mutex", "goroutine", "threadcreate", "letters"} {
		for debug := 0; debug < 3; debug++ {
			if debug == 2 && name != "goroutine" {
				continue
			}
			f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s.d%d", name, debug)))
			if err != nil {
				panic(err)
			}
			pprof.Lookup(name).WriteTo(f, debug)
			f.Close()
		}
	}
	f, err := os.Create(filepath.Join(dir, "stack.txt"))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(f, "2026/11/21 10:00:00 letters: panic serving the counter: out of stamps\n%s2026/11/21 10:00:01 letters: open again\n", debug.Stack())
	f.Close()
}

func main() {
	dir := flag.String("dir", ".", "where profiles go")
	end := flag.String("end", "", "how to end: panic, nil, deadlock, quit, map")
	flag.Parse()

	runtime.MemProfileRate = 512
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	letters := pprof.NewProfile("letters")
	for i := 0; i < 3; i++ {
		letters.Add(new(int), 1)
	}
	if *end == "deadlock" {
		c := make(chan int)
		open()
		go send(c)
		lock.Lock()
		go stamp()
		var nobody chan int
		<-nobody
	}

	contend()
	sortLetters(300)
	lock.Lock()
	open()
	for i := 0; i < 3; i++ {
		go stamp()
	}
	c := make(chan int)
	go send(c)
	go rest()
	go rest()
	go func() {
		runtime.LockOSThread()
		receive(make(chan int))
	}()
	go down(120, make(chan int))
	q := queue[string]{make(chan string)}
	pprof.Do(context.Background(), pprof.Labels("queue", "letters", "sort code", `A, "1"`), func(context.Context) {
		go q.receive()
	})
	time.Sleep(20 * time.Millisecond)

	switch *end {
	case "panic":
		defer func() { panic(fmt.Sprint(recover(), " again")) }()
		panic("no stamps left")
	case "nil":
		var p *[10]int
		p[3] = 1
	case "quit":
		syscall.Kill(syscall.Getpid(), syscall.SIGQUIT)
		time.Sleep(time.Minute)
	case "map":
		m := map[int]int{}
		for i := 0; i < 4; i++ {
			go func() {
				for {
					m[1]++
				}
			}()
		}
		time.Sleep(time.Minute)
	default:
		write(*dir)
	}
}
