// checkout is a bookshop's till on a busy day: customers queue, cashiers reserve stock behind one
// lock, pay over the network, and print receipts to disk. It records its own execution trace.
//
// What a good tool should find in it:
//   - (*Inventory).Reserve is a lock convoy: the auditor counts all stock while it holds the lock,
//     and every cashier stands behind it;
//   - payments wait for the network, most of them shortly, a few for the bank's fraud check;
//   - receipts are synced to disk one by one, in system calls;
//   - (*Recommender).guess burns CPU and allocates, so the garbage collector has work;
//   - customer waits are the sum of all that.
//
// Builds with Go 1.16 and later: go build -trimpath checkout.go
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type Order struct {
	id    int
	ctx   context.Context
	books []int
	paid  chan error
}

// Inventory counts the books on the shelves.
type Inventory struct {
	mu    sync.Mutex
	stock []int
}

// Reserve takes books from the shelves; all cashiers meet here.
func (inv *Inventory) Reserve(o *Order) {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	for _, b := range o.books {
		inv.stock[b]--
	}
	spin(15 * time.Microsecond)
}

// audit counts everything, slowly, and lets nobody near the shelves meanwhile.
func (inv *Inventory) audit() (n int) {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	for _, s := range inv.stock {
		n += s
	}
	time.Sleep(6 * time.Millisecond)
	return n
}

func (inv *Inventory) auditor(stop <-chan struct{}) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			inv.audit()
		case <-stop:
			return
		}
	}
}

// Bank answers payments over a real connection.
type Bank struct{ ln net.Listener }

func (b *Bank) serve() {
	for {
		c, err := b.ln.Accept()
		if err != nil {
			return
		}
		go b.handle(c)
	}
}

func (b *Bank) handle(c net.Conn) {
	defer c.Close()
	in := bufio.NewScanner(c)
	for in.Scan() {
		id, _ := strconv.Atoi(in.Text())
		if id%37 == 0 {
			b.checkFraud()
		} else {
			time.Sleep(700 * time.Microsecond)
		}
		fmt.Fprintln(c, "ok")
	}
}

func (b *Bank) checkFraud() { time.Sleep(25 * time.Millisecond) }

// Recommender guesses what else a customer may like; nobody asked for it.
type Recommender struct{ wanted chan int }

func (r *Recommender) run() {
	for id := range r.wanted {
		r.guess(id)
	}
}

func (r *Recommender) guess(id int) (best int) {
	titles := make([]string, 0, 300)
	for i := 0; i < cap(titles); i++ {
		titles = append(titles, strings.Repeat("x", i%50)+strconv.Itoa(id*i))
	}
	sort.Strings(titles)
	for _, a := range titles {
		for _, b := range titles {
			if n := common(a, b); n > best {
				best = n
			}
		}
	}
	return best
}

// common counts the bytes with which both begin.
func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Receipts writes one line per order and waits until the disk has it.
type Receipts struct {
	mu sync.Mutex
	f  *os.File
}

func (r *Receipts) print(o *Order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.f, "order %d: %d books\n", o.id, len(o.books))
	if o.id%8 == 0 {
		r.f.Sync()
	}
}

type Shop struct {
	inv      Inventory
	bank     Bank
	rec      Recommender
	receipts Receipts
	queue    chan *Order
}

func (s *Shop) cashier() {
	c, err := net.Dial("tcp", s.bank.ln.Addr().String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for o := range s.queue {
		o.paid <- s.checkout(o, c, in)
	}
}

func (s *Shop) checkout(o *Order, c net.Conn, in *bufio.Reader) (err error) {
	trace.WithRegion(o.ctx, "reserve", func() { s.inv.Reserve(o) })
	trace.WithRegion(o.ctx, "pay", func() { err = s.pay(o, c, in) })
	trace.WithRegion(o.ctx, "receipt", func() { s.receipts.print(o) })
	select {
	case s.rec.wanted <- o.id:
	default:
		trace.Log(o.ctx, "recommender", "too busy, skipped")
	}
	return err
}

func (s *Shop) pay(o *Order, c net.Conn, in *bufio.Reader) error {
	fmt.Fprintln(c, o.id)
	_, err := in.ReadString('\n')
	return err
}

func (s *Shop) customer(first, n int, done *sync.WaitGroup) {
	defer done.Done()
	dice := rand.New(rand.NewSource(int64(first)))
	for i := 0; i < n; i++ {
		time.Sleep(time.Duration(dice.Intn(16000)) * time.Microsecond)
		ctx, task := trace.NewTask(context.Background(), "order")
		o := &Order{id: first + i, ctx: ctx, paid: make(chan error)}
		for b := 0; b <= dice.Intn(4); b++ {
			o.books = append(o.books, dice.Intn(len(s.inv.stock)))
		}
		s.queue <- o
		<-o.paid
		task.End()
	}
}

func spin(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	out := flag.String("o", "checkout.trace", "write the trace here")
	customers := flag.Int("customers", 20, "customers")
	orders := flag.Int("orders", 12, "orders per customer")
	profile := flag.Bool("cpu", false, "put CPU samples into the trace")
	procs := flag.Int("procs", 4, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*procs)

	f, err := os.Create(*out)
	must(err)
	if *profile {
		must(pprof.StartCPUProfile(io.Discard))
	}
	must(trace.Start(f))
	open(*customers, *orders)
	trace.Stop()
	if *profile {
		pprof.StopCPUProfile()
	}
	must(f.Close())
}

// open runs the shop for a day.
func open(customers, orders int) {
	s := &Shop{queue: make(chan *Order)}
	s.inv.stock = make([]int, 1000)
	s.rec.wanted = make(chan int, 2)
	var err error
	s.bank.ln, err = net.Listen("tcp", "127.0.0.1:0")
	must(err)
	s.receipts.f, err = os.CreateTemp("", "receipts")
	must(err)
	defer os.Remove(s.receipts.f.Name())

	closing := make(chan struct{})
	go s.bank.serve()
	go s.inv.auditor(closing)
	go s.rec.run()
	for i := 0; i < 6; i++ {
		go s.cashier()
	}
	var done sync.WaitGroup
	done.Add(customers)
	for i := 0; i < customers; i++ {
		go s.customer(1+i*orders, orders, &done)
	}
	done.Wait()
	close(closing)
	close(s.queue)
	close(s.rec.wanted)
	s.bank.ln.Close()
}
