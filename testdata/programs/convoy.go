// Convoy is a queue at a lock: a program whose critical paths are known.
//
//	convoy [-o trace]
//
// Eight clerks come to one ledger, a millisecond after each other, and write in it for 5 ms each
// (asleep, as somebody would be who holds a lock while he calls a server). Each is a task "entry".
// A sync.Mutex whose waiters have waited for a millisecond is handed over in the order of arrival,
// so that clerk n waits in "sync" until clerk n-1 unlocks, from clerk 2 on: 4 ms, 8, 12, … 28 ms.
// What the last one waits for are the writings of the clerks before him, each woken by the one
// before: of every wait all but what passes between two clerks is "sleep" under the lock.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type ledger struct {
	sync.Mutex
	entries int
}

//go:noinline
func (l *ledger) write() {
	l.Lock()
	defer l.Unlock()
	time.Sleep(5 * time.Millisecond)
	l.entries++
}

func clerk(l *ledger, done *sync.WaitGroup) {
	defer done.Done()
	_, task := trace.NewTask(context.Background(), "entry")
	defer task.End()
	l.write()
}

func main() {
	output := flag.String("o", "convoy.trace", "write the trace to this file")
	flag.Parse()
	file, err := os.Create(*output)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	var l ledger
	var done sync.WaitGroup
	for i := 0; i < 8; i++ {
		done.Add(1)
		go clerk(&l, &done)
		time.Sleep(time.Millisecond)
	}
	done.Wait()
	trace.Stop()
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
