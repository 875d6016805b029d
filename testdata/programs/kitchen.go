// Kitchen is a pipeline whose slowest stage changes: a step whose gain ends where the next stage is the slowest.
//
//	kitchen [-o trace]
//
// The task "dinner" is twelve dishes. A cook takes 6 ms for each (asleep, in main.cook) and hands it over on an
// unbuffered channel to a waiter, who takes 4 ms (in main.serve) and tells main when the last one is served. The
// waiter waits for the cook, so dinner takes 12 * 6 + 4 = 76 ms, of which the cook is 72. If he takes half the
// time, he waits for the waiter, and dinner takes 3 + 12 * 4 = 51 ms; by his share alone it would be 40.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime/trace"
	"time"
)

//go:noinline
func cook() { time.Sleep(6 * time.Millisecond) }

//go:noinline
func serve() { time.Sleep(4 * time.Millisecond) }

func kitchen(pass chan<- int) {
	for dish := 0; dish < 12; dish++ {
		cook()
		pass <- dish
	}
	close(pass)
}

func waiter(pass <-chan int, served chan<- bool) {
	for range pass {
		serve()
	}
	served <- true
}

func main() {
	output := flag.String("o", "kitchen.trace", "write the trace to this file")
	flag.Parse()
	file, err := os.Create(*output)
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	_, task := trace.NewTask(context.Background(), "dinner")
	pass, served := make(chan int), make(chan bool)
	go kitchen(pass)
	go waiter(pass, served)
	<-served
	task.End()
	trace.Stop()
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
