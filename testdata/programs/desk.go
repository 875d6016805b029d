// desk is a help desk whose requests are known by their trace_id, in logs and in labels:
//
//	a1  one task, "ask", that sleeps for 20 ms
//	b2  two tasks, as it is asked again after 5 ms: 5 ms each
//	c3  no task: its goroutine is in the region "audit" for 10 ms
//	d4  no task and no region: a goroutine of 8 ms, whose message has the key in it
//
// Afterwards, three goroutines with the label trace_id=a1…, one with b2… and two without still wait
// for good, in desk.d2 (stacks) and desk.goroutine (a profile).
//
// Builds with Go 1.27: go build -trimpath desk.go; ./desk DIR

//go:debug tracebacklabels=1
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

// id is a request's id as OpenTelemetry writes it.
func id(of string) string { return of + "0f6c2e9d4b8a7135f0e1d2c3b4a5" + of }

func ask(of string, d time.Duration) {
	ctx, task := trace.NewTask(context.Background(), "ask")
	defer task.End()
	trace.Log(ctx, "trace_id", id(of))
	answer(d)
}

func answer(d time.Duration) { time.Sleep(d) }

func audit(done *sync.WaitGroup) {
	defer done.Done()
	ctx := context.Background()
	trace.WithRegion(ctx, "audit", func() {
		trace.Log(ctx, "trace_id", id("c3"))
		answer(10 * time.Millisecond)
	})
}

func mail(done *sync.WaitGroup) {
	defer done.Done()
	trace.Log(context.Background(), "mail", fmt.Sprintf(`{"trace_id": "%s", "to": "all"}`, id("d4")))
	answer(8 * time.Millisecond)
}

func stay(forever chan bool) { <-forever }

func create(dir, name string) *os.File {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return f
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: desk DIR")
		os.Exit(2)
	}
	dir := os.Args[1]
	forever := make(chan bool)
	for _, of := range []string{"a1", "a1", "a1", "b2"} {
		pprof.Do(context.Background(), pprof.Labels("trace_id", id(of)), func(context.Context) {
			go stay(forever)
		})
	}
	go stay(forever)
	go stay(forever)
	out := create(dir, "desk.trace")
	if err := trace.Start(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var done sync.WaitGroup
	done.Add(2)
	go audit(&done)
	go mail(&done)
	ask("b2", 5*time.Millisecond)
	ask("b2", 5*time.Millisecond)
	ask("a1", 20*time.Millisecond)
	done.Wait()
	trace.Stop()
	out.Close()
	stacks, profile := create(dir, "desk.d2"), create(dir, "desk.goroutine")
	pprof.Lookup("goroutine").WriteTo(stacks, 2)
	pprof.Lookup("goroutine").WriteTo(profile, 0)
	stacks.Close()
	profile.Close()
}
