// Twins is a program with two chains of nearly the same length: a step whose gain is limited by the other.
//
//	twins [-o trace]
//
// The task "pair" waits in sync.WaitGroup.Wait for two goroutines that it creates: the elder sleeps for 20 ms
// (in main.elder), the younger, whose chain is 10 % shorter, for 18 ms (in main.younger). The elder ends the
// wait, so the critical path is his alone. If he takes half the time, the task takes 18 ms: a tenth less, not
// half. Nothing in the trace but their creation ties the younger one to the wait.
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

//go:noinline
func elder() { time.Sleep(20 * time.Millisecond) }

//go:noinline
func younger() { time.Sleep(18 * time.Millisecond) }

func main() {
	output := flag.String("o", "twins.trace", "write the trace to this file")
	flag.Parse()
	file, err := os.Create(*output)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	_, task := trace.NewTask(context.Background(), "pair")
	var both sync.WaitGroup
	for _, twin := range []func(){elder, younger} {
		both.Add(1)
		go func() {
			defer both.Done()
			twin()
		}()
	}
	both.Wait()
	task.End()
	trace.Stop()
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
