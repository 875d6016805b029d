// Pool is a shop whose requests wait on a pool of one connection: a program in which one request is
// slow, for a known reason.
//
//	pool [-o trace]
//
// Twenty checkouts (tasks "checkout", each a goroutine with a region "pay") take the connection from
// the pool, use it for 100 us by the clock, and put it back. Before the eleventh comes, a report takes
// the connection and has a page written by the disk, a goroutine of its own that is in a system call
// for 40 ms (nanosleep(2), in place of an fsync(2) whose time nobody knows). The checkouts that come
// meanwhile wait in "chan receive" for the pool: the eleventh, 2 ms after the report, for the report,
// which waits in "chan receive" for the disk, which is in its system call: nine tenths and more of
// that task. The report has the task "report".
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

type conn struct{}

type pool chan conn

//go:noinline
func (p pool) get() conn { return <-p }

//go:noinline
func (p pool) put(c conn) { p <- c }

//go:noinline
func (c conn) query() {
	for begin := time.Now(); time.Since(begin) < 100*time.Microsecond; {
	}
}

type page struct{ written chan bool }

type disk chan page

//go:noinline
func (d disk) flush() {
	for p := range d {
		ts := syscall.NsecToTimespec(int64(40 * time.Millisecond))
		syscall.Nanosleep(&ts, nil)
		p.written <- true
	}
}

//go:noinline
func (d disk) write() {
	p := page{make(chan bool)}
	d <- p
	<-p.written
}

func checkout(p pool, done *sync.WaitGroup) {
	defer done.Done()
	ctx, task := trace.NewTask(context.Background(), "checkout")
	defer task.End()
	trace.WithRegion(ctx, "pay", func() {
		c := p.get()
		c.query()
		p.put(c)
	})
}

func report(p pool, d disk, done *sync.WaitGroup) {
	defer done.Done()
	_, task := trace.NewTask(context.Background(), "report")
	defer task.End()
	c := p.get()
	d.write()
	p.put(c)
}

func main() {
	output := flag.String("o", "pool.trace", "write the trace to this file")
	flag.Parse()
	file, err := os.Create(*output)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	p, d := make(pool, 1), make(disk)
	p.put(conn{})
	go d.flush()
	var done sync.WaitGroup
	for i := 0; i < 20; i++ {
		if i == 10 {
			done.Add(1)
			go report(p, d, &done)
			time.Sleep(2 * time.Millisecond)
		}
		done.Add(1)
		go checkout(p, &done)
		time.Sleep(2 * time.Millisecond)
	}
	done.Wait()
	trace.Stop()
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
