// Rush is a shop that keeps a flight recorder, and saves a snapshot when something has just gone wrong,
// for a known reason.
//
//	rush -what=lock|gc|disk|hog|closed|calm [-uneven] [-o trace]
//
// A customer comes every 4 ms, and one of four clerks serves him (task "order"): the clerk takes the
// stock's lock for 50 us and packs for 500 us, by the clock. With -uneven customers come at random, every
// 4 ms on average. After two seconds,
//
//	lock  the manager counts the stock: he has the lock for 150 ms, and sleeps
//	gc    garbage is collected for 150 ms, one collection after the other; a catalog of 16 MB is kept
//	disk  a clerk writes a receipt: a system call of 150 ms, nanosleep(2) in place of an fsync(2) whose
//	      time nobody knows
//	hog   the accountant computes for 150 ms on every processor (there are two)
//	closed  the door is closed for 150 ms: no customer comes in
//	calm  nothing happens
//
// and then the snapshot is written: about the last second and a half, of which the incident is the end.
package main

import (
	"context"
	"flag"
	"log"
	"math/rand"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type stock struct{ mu sync.Mutex }

//go:noinline
func spin(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

//go:noinline
func (s *stock) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	spin(50 * time.Microsecond)
}

//go:noinline
func (s *stock) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.Sleep(150 * time.Millisecond)
}

type order struct{ receipt chan<- bool }

//go:noinline
func fsync() {
	ts := syscall.NsecToTimespec(int64(150 * time.Millisecond))
	syscall.Nanosleep(&ts, nil)
}

func clerk(s *stock, orders <-chan order) {
	for o := range orders {
		_, task := trace.NewTask(context.Background(), "order")
		s.take()
		spin(500 * time.Microsecond)
		if o.receipt != nil {
			fsync()
		}
		task.End()
		if o.receipt != nil {
			o.receipt <- true
		}
	}
}

var closed atomic.Bool

func door(orders chan<- order) {
	for range time.Tick(4 * time.Millisecond) {
		if !closed.Load() {
			orders <- order{}
		}
	}
}

func unevenDoor(orders chan<- order) {
	for {
		time.Sleep(time.Duration(rand.ExpFloat64() * 4e6))
		if !closed.Load() {
			orders <- order{}
		}
	}
}

var catalog []*stock

//go:noinline
func collect() {
	for begin := time.Now(); time.Since(begin) < 150*time.Millisecond; {
		runtime.GC()
	}
}

func accountant(done *sync.WaitGroup) {
	defer done.Done()
	spin(150 * time.Millisecond)
}

// manager waits two seconds, and tells main when what happens then is over.
func manager(what string, s *stock, orders chan<- order, over chan<- bool) {
	time.Sleep(2 * time.Second)
	switch what {
	case "lock":
		s.count()
	case "gc":
		collect()
	case "disk":
		orders <- order{receipt: over}
		return
	case "hog":
		var done sync.WaitGroup
		done.Add(2)
		go accountant(&done)
		go accountant(&done)
		done.Wait()
	case "closed":
		closed.Store(true)
		time.Sleep(150 * time.Millisecond)
	case "calm":
	default:
		log.Fatalf("what is %q?", what)
	}
	over <- true
}

func main() {
	what := flag.String("what", "calm", "lock, gc, disk, hog, closed or calm")
	uneven := flag.Bool("uneven", false, "customers come at random")
	out := flag.String("o", "rush.trace", "the snapshot to write")
	flag.Parse()
	runtime.GOMAXPROCS(2)
	s, orders, over := &stock{}, make(chan order, 16), make(chan bool)
	if *what == "gc" {
		catalog = make([]*stock, 2<<20)
		for i := range catalog {
			catalog[i] = s
		}
		runtime.GC()
	}
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 1500 * time.Millisecond, MaxBytes: 1 << 20})
	if err := recorder.Start(); err != nil {
		log.Fatal(err)
	}
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	for range 4 {
		go clerk(s, orders)
	}
	if *uneven {
		go unevenDoor(orders)
	} else {
		go door(orders)
	}
	go manager(*what, s, orders, over)
	<-over
	if _, err := recorder.WriteTo(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
