// Deadlock is a warehouse in which work stands still, in thirteen ways that are deadlocks and six
// that only look like one. Its argument names the case; the dump of its goroutines goes to standard
// output (or, with -crash, to standard error by the runtime, which finds everybody asleep).
//
// What a tool should find is in testdata/deadlock/README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type shelf struct {
	name string
	mu   sync.Mutex
	n    int
}

//go:noinline
func move(from, to *shelf, ready *sync.WaitGroup) {
	from.mu.Lock()
	defer from.mu.Unlock()
	ready.Done()
	ready.Wait()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.n, to.n = from.n-1, to.n+1
}

// Two shelves are locked in both orders.
func inversion() {
	a, b := &shelf{name: "a"}, &shelf{name: "b"}
	var ready, done sync.WaitGroup
	ready.Add(2)
	done.Add(2)
	go func() { defer done.Done(); move(a, b, &ready) }()
	go func() { defer done.Done(); move(b, a, &ready) }()
	done.Wait()
}

//go:noinline
func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

//go:noinline
func (s *shelf) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(os.Stderr, s.count())
}

// A method that has locked calls another one that locks.
func itself() {
	s := &shelf{name: "a"}
	s.report()
}

type prices struct {
	mu sync.RWMutex
	of map[string]int
}

//go:noinline
func (p *prices) get(name string) int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.of[name]
}

//go:noinline
func (p *prices) sum(pause chan struct{}) (n int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	close(pause)
	time.Sleep(100 * time.Millisecond)
	for _, name := range []string{"pen", "ink"} {
		n += p.get(name)
	}
	return n
}

//go:noinline
func (p *prices) set(name string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of[name] = n
}

// A reader reads again while a writer waits.
func readers() {
	p := &prices{of: map[string]int{}}
	pause := make(chan struct{})
	var done sync.WaitGroup
	done.Add(2)
	go func() { defer done.Done(); p.sum(pause) }()
	go func() { defer done.Done(); <-pause; p.set("pen", 2) }()
	done.Wait()
}

type hub struct {
	mu   sync.Mutex
	news chan int
	seen int
}

//go:noinline
func (h *hub) publish(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.news <- n
}

//go:noinline
func (h *hub) follow() {
	for {
		time.Sleep(50 * time.Millisecond)
		h.mu.Lock()
		h.seen += <-h.news
		h.mu.Unlock()
	}
}

// A lock is held while sending to somebody who needs it to receive.
func held() {
	h := &hub{news: make(chan int)}
	go h.follow()
	h.publish(1)
}

//go:noinline
func order(c chan int, n int) { c <- n }

// Nobody receives any more.
func unread() {
	c := make(chan int)
	for i := 0; i < 3; i++ {
		go order(c, i)
	}
	<-c
	time.Sleep(time.Hour)
}

//go:noinline
func never(c chan int) { <-c }

// The channel was never made.
func nilchan() {
	var c chan int
	go never(c)
	time.Sleep(time.Hour)
}

//go:noinline
func parked() { select {} }

// A worker waits for nothing at all.
func empty() {
	go parked()
	time.Sleep(time.Hour)
}

//go:noinline
func pack(box int, done *sync.WaitGroup) {
	if box == 2 {
		return
	}
	done.Done()
}

// One of three forgets Done.
func waitgroup() {
	var done sync.WaitGroup
	done.Add(3)
	for i := 0; i < 3; i++ {
		go pack(i, &done)
	}
	done.Wait()
}

type belt struct {
	mu    sync.Mutex
	more  *sync.Cond
	boxes []int
}

//go:noinline
func (b *belt) take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.boxes) == 0 {
		b.more.Wait()
	}
	n := b.boxes[0]
	b.boxes = b.boxes[1:]
	return n
}

//go:noinline
func (b *belt) put(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.boxes = append(b.boxes, n)
}

// Boxes are put on the belt, but nobody says so.
func cond() {
	b := &belt{}
	b.more = sync.NewCond(&b.mu)
	var done sync.WaitGroup
	done.Add(2)
	for i := 0; i < 2; i++ {
		go func() { defer done.Done(); b.take() }()
	}
	time.Sleep(50 * time.Millisecond)
	b.put(1)
	b.put(2)
	done.Wait()
}

//go:noinline
func walk(depth int, slots chan struct{}) {
	slots <- struct{}{}
	defer func() { <-slots }()
	time.Sleep(20 * time.Millisecond)
	if depth == 0 {
		return
	}
	var done sync.WaitGroup
	for i := 0; i < 2; i++ {
		done.Add(1)
		go func() { defer done.Done(); walk(depth-1, slots) }()
	}
	done.Wait()
}

// Those who have a slot wait for others who need one.
func semaphore() { walk(3, make(chan struct{}, 2)) }

type catalog struct {
	once  sync.Once
	pages int
}

//go:noinline
func (c *catalog) load() { c.once.Do(c.fill) }

//go:noinline
func (c *catalog) fill() {
	c.load()
	c.pages++
}

// What runs once calls itself.
func once() { (&catalog{}).load() }

//go:noinline
func print(labels chan string, done *sync.WaitGroup) {
	defer done.Done()
	for range labels {
	}
}

// The channel is never closed.
func unclosed() {
	labels := make(chan string)
	var done sync.WaitGroup
	for i := 0; i < 2; i++ {
		done.Add(1)
		go print(labels, &done)
	}
	for _, l := range []string{"pen", "ink"} {
		labels <- l
	}
	done.Wait()
}

//go:noinline
func guard(ctx context.Context, done *sync.WaitGroup) {
	defer done.Done()
	<-ctx.Done()
}

// The context is never cancelled.
func uncancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var done sync.WaitGroup
	done.Add(1)
	go guard(ctx, &done)
	done.Wait()
}

// ---- no deadlocks ----

//go:noinline
func worker(jobs chan int) {
	for range jobs {
	}
}

func listener() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return l
}

// Workers wait for jobs that come from the network.
func pool() {
	jobs := make(chan int)
	for i := 0; i < 4; i++ {
		go worker(jobs)
	}
	l := listener()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Close()
		jobs <- 1
	}
}

// A server without requests, but with a client that keeps its connection.
func server() {
	l := listener()
	go http.Serve(l, http.NotFoundHandler())
	r, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		panic(err)
	}
	r.Body.Close()
	http.Serve(listener(), http.NotFoundHandler())
}

//go:noinline
func tick(t *time.Ticker) {
	for range t.C {
	}
}

// Everything waits for a ticker.
func ticker() { tick(time.NewTicker(100 * time.Millisecond)) }

//go:noinline
func (s *shelf) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		s.n++
		runtime.Gosched()
	}
}

// The lock's holder is busy.
func busy() {
	s := &shelf{name: "a"}
	go s.tidy()
	time.Sleep(50 * time.Millisecond)
	for i := 0; i < 3; i++ {
		go s.count()
	}
	time.Sleep(time.Hour)
}

// Whoever made the waiter will serve it after some work.
func creator() {
	c := make(chan int)
	go order(c, 1)
	for n := 0; n >= 0; n = (n + 1) & 0xffff {
		runtime.Gosched()
	}
	<-c
}

// A client waits for an answer, and others for the client.
func network() {
	l := listener()
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	var done sync.WaitGroup
	answer := make(chan int)
	done.Add(2)
	go func() {
		defer done.Done()
		n, _ := c.Read(make([]byte, 8))
		answer <- n
	}()
	go func() { defer done.Done(); <-answer }()
	done.Wait()
}

var cases = map[string]func(){
	"inversion": inversion, "itself": itself, "readers": readers, "held": held, "unread": unread,
	"nilchan": nilchan, "empty": empty, "waitgroup": waitgroup, "cond": cond,
	"semaphore": semaphore, "once": once, "unclosed": unclosed, "uncancelled": uncancelled,
	"pool": pool, "server": server, "ticker": ticker, "busy": busy, "creator": creator,
	"network": network,
}

func main() {
	crash := flag.Bool("crash", false, "wait for the runtime to find the deadlock")
	after := flag.Duration("after", 150*time.Second, "when to write the dump")
	flag.Parse()
	run := cases[flag.Arg(0)]
	if run == nil {
		fmt.Fprintln(os.Stderr, "deadlock: unknown case", flag.Arg(0))
		os.Exit(2)
	}
	if !*crash {
		go func() {
			// A garbage collection notes since when goroutines wait.
			time.Sleep(*after / 8)
			runtime.GC()
			time.Sleep(*after * 7 / 8)
			pprof.Lookup("goroutine").WriteTo(os.Stdout, 2)
			os.Exit(0)
		}()
	}
	run()
}
