// Relay is a chain of five channel hops: a program whose critical path is known.
//
//	relay [-o trace]
//
// The task "relay" is one round: main hands a baton to the first of five runners, who wait in
// "chan receive"; each runs for a while by the clock (1, 2, 3, 4 and 5 ms) and hands it on, the
// fifth back to main. So the path is main, five runners, main; 15 ms of the task are their running,
// next to nothing is main's, and main waits from the first hand-over to the last.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime/trace"
	"time"
)

type baton struct{}

//go:noinline
func run(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

func first(in, out chan baton)  { b := <-in; run(1 * time.Millisecond); out <- b }
func second(in, out chan baton) { b := <-in; run(2 * time.Millisecond); out <- b }
func third(in, out chan baton)  { b := <-in; run(3 * time.Millisecond); out <- b }
func fourth(in, out chan baton) { b := <-in; run(4 * time.Millisecond); out <- b }
func fifth(in, out chan baton)  { b := <-in; run(5 * time.Millisecond); out <- b }

func main() {
	output := flag.String("o", "relay.trace", "write the trace to this file")
	flag.Parse()
	file, err := os.Create(*output)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	var hand [6]chan baton
	for i := range hand {
		hand[i] = make(chan baton)
	}
	for i, runner := range []func(in, out chan baton){first, second, third, fourth, fifth} {
		go runner(hand[i], hand[i+1])
	}
	time.Sleep(5 * time.Millisecond) // until all of them wait
	_, task := trace.NewTask(context.Background(), "relay")
	hand[0] <- baton{}
	<-hand[5]
	task.End()
	trace.Stop()
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
