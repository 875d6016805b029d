// Two processes and a pipe: the parent writes a byte at the end of a region
// "send N", the child reads it and says so in a region "receive N". What is
// sent comes before what is received. Every process traces itself:
//
//	pipe FOLDER
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/trace"
	"time"
)

const rounds = 8

func start(path string) func() {
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	return func() {
		trace.Stop()
		f.Close()
	}
}

func child(dir string) {
	defer start(dir + "/child.trace")()
	var b [1]byte
	for {
		if n, _ := os.Stdin.Read(b[:]); n == 0 {
			return
		}
		trace.Logf(context.Background(), "pipe", "receive %d", b[0])
	}
}

func main() {
	if len(os.Args) > 2 {
		child(os.Args[1])
		return
	}
	defer start(os.Args[1] + "/parent.trace")()
	cmd := exec.Command(os.Args[0], os.Args[1], "child")
	w, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	for i := 0; i < rounds; i++ {
		time.Sleep(5 * time.Millisecond)
		trace.Logf(context.Background(), "pipe", "send %d", i)
		if _, err := w.Write([]byte{byte(i)}); err != nil {
			panic(err)
		}
	}
	w.Close()
	if err := cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
