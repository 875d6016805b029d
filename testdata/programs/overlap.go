// Regions that overlap in place of nesting, as servers have them that keep one open for each
// request on a goroutine: what begins last does not end first. Go's reader refuses such traces.
//
// go run -trimpath overlap.go > overlap.trace
package main

import (
	"context"
	"os"
	"runtime/trace"
	"time"
)

func main() {
	if err := trace.Start(os.Stdout); err != nil {
		panic(err)
	}
	defer trace.Stop()
	ctx, task := trace.NewTask(context.Background(), "stream")
	defer task.End()

	first := trace.StartRegion(ctx, "first")   // 2 ms
	second := trace.StartRegion(ctx, "second") // 4 ms
	time.Sleep(time.Millisecond)
	inner := trace.StartRegion(ctx, "second") // 2 ms: of two with one name the inner one ends
	time.Sleep(time.Millisecond)
	first.End()
	time.Sleep(time.Millisecond)
	inner.End()
	time.Sleep(time.Millisecond)
	second.End()

	// Two goroutines, each with regions of its own of the same names.
	done := make(chan bool)
	for i := 0; i < 2; i++ {
		go func() {
			a := trace.StartRegion(ctx, "a") // 1 ms
			b := trace.StartRegion(ctx, "b") // 2 ms
			time.Sleep(time.Millisecond)
			a.End()
			time.Sleep(time.Millisecond)
			b.End()
			done <- true
		}()
	}
	<-done
	<-done
}
