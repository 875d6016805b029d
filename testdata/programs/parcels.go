// parcels is a post office for comparing traces: clerks weigh, stamp and hand over parcels, each a
// task; the route of a parcel is a wait of known length, weighing is work of known length, and
// -slower makes both longer by so many percent. It records its own execution trace.
//
// What a good tool should find between a run with -slower 0 and one with more:
//   - task[parcel], and its regions weigh and route, take longer by that much;
//   - the time on a P of (*Office).clerk per parcel grows by that, and block[sleep] per parcel;
//   - stamps (a lock that all clerks share) and everything else stay as they are.
//
// Builds with Go 1.16 and later: go build -trimpath parcels.go
package main

import (
	"context"
	"flag"
	"math/rand"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

type Office struct {
	stamps sync.Mutex
	slower float64
	sink   uint64
}

// weigh works for about so long.
func (o *Office) weigh(rounds int) uint64 {
	x := uint64(rounds)
	for i := 0; i < rounds; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		x ^= x >> 29
	}
	return x
}

func (o *Office) stamp() {
	o.stamps.Lock()
	defer o.stamps.Unlock()
	o.sink += o.weigh(200)
}

func (o *Office) parcel(rng *rand.Rand) {
	ctx, task := trace.NewTask(context.Background(), "parcel")
	defer task.End()
	factor := (1 + o.slower/100) * (0.5 + rng.Float64())

	trace.WithRegion(ctx, "weigh", func() {
		x := o.weigh(int(20000 * factor))
		o.stamps.Lock()
		o.sink += x
		o.stamps.Unlock()
	})
	trace.WithRegion(ctx, "stamp", o.stamp)
	trace.WithRegion(ctx, "route", func() {
		time.Sleep(time.Duration(float64(10*time.Millisecond) * factor))
	})
}

func (o *Office) clerk(parcels int, seed int64, done *sync.WaitGroup) {
	defer done.Done()
	rng := rand.New(rand.NewSource(seed))

	for i := 0; i < parcels; i++ {
		o.parcel(rng)
	}
}

func main() {
	out := flag.String("o", "parcels.trace", "file to write the trace to")
	clerks := flag.Int("clerks", 16, "clerks")
	parcels := flag.Int("parcels", 15, "parcels of each clerk")
	slower := flag.Float64("slower", 0, "percent by which parcels take longer")
	seed := flag.Int64("seed", 1, "seed")
	flag.Parse()

	office := &Office{slower: *slower}
	var done sync.WaitGroup

	file, err := os.Create(*out)
	if err == nil {
		err = trace.Start(file)
	}
	if err != nil {
		panic(err)
	}
	done.Add(*clerks)
	for i := 0; i < *clerks; i++ {
		go office.clerk(*parcels, *seed*1000+int64(i), &done)
	}
	done.Wait()
	trace.Stop()
	if err := file.Close(); err != nil {
		panic(err)
	}
}
