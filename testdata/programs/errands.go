// errands is a day of errands, whose tasks are known: each takes a walk of about a millisecond and
// sends a parcel, a subtask that a postman works for. Every tenth finds the shop closed: it logs
// that, with a number, and stands at a lock for some ten milliseconds, in the region "queue".
//
// Builds with Go 1.21 and later: go build -trimpath errands.go
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var shop sync.Mutex

// keep has the shop closed for a while; it says when it has begun.
func keep(closed chan<- bool) {
	shop.Lock()
	closed <- true
	time.Sleep(10 * time.Millisecond)
	shop.Unlock()
}

type parcel struct {
	ctx  context.Context
	done chan bool
}

func postman(parcels <-chan parcel) {
	for p := range parcels {
		trace.WithRegion(p.ctx, "deliver", func() { time.Sleep(500 * time.Microsecond) })
		p.done <- true
	}
}

func errand(n int, parcels chan<- parcel) {
	ctx, task := trace.NewTask(context.Background(), "errand")
	defer task.End()
	trace.WithRegion(ctx, "walk", func() { time.Sleep(time.Millisecond) })
	if n%10 == 0 {
		closed := make(chan bool)
		go keep(closed)
		<-closed
		trace.Log(ctx, "shop", fmt.Sprintf("closed, errand %d waits", n))
	}
	trace.WithRegion(ctx, "queue", func() {
		shop.Lock()
		shop.Unlock()
	})
	sub, send := trace.NewTask(ctx, "parcel")
	p := parcel{sub, make(chan bool)}
	parcels <- p
	<-p.done
	send.End()
}

func main() {
	out := flag.String("o", "errands.trace", "write the trace here")
	flag.Parse()
	f, err := os.Create(*out)
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	parcels := make(chan parcel)
	go postman(parcels)
	for n := 1; n <= 60; n++ {
		errand(n, parcels)
	}
	close(parcels)
	trace.Stop()
	f.Close()
}
