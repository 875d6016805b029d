/* Does a recording say what the program itself says? Compares the log of a test program (log.h)
 * with the spans of its trace.
 *
 *	tprof-query --format=tsv TRACE "select goroutine, state, start_ns, end_ns, reason,
 *		coalesce(waker, 0), open from span order by goroutine, start_ns" |
 *		compare LOG [OFFSET_NS [WITHIN_US [SHARE]]]
 *
 * OFFSET_NS is added to the trace's times to get CLOCK_MONOTONIC. Without it, or if it is 0, the
 * longest sleep of goroutine 1 is moved inside that of the log.
 *
 * These must hold on any machine: each wait of the log that took LEAST_NS is in the trace, with its
 * reason and, if the log knows it, its waker (1 % of wakers may differ); it is within the log's
 * times, because the recorder reads the clock inside the program's wait; and the trace has no other
 * wait as long, except for those that only the kernel knows (page faults). A wait in which the thread also lost its
 * processor to another one may be missing, as most of its time may be that; these are counted as excused, and more than
 * 2 % of all are a failure. A wait has several parts if
 * the thread was woken in vain. Prints how many waits are within WITHIN_US (50) of the log at both ends;
 * fewer than SHARE (percent), if given, of what the machine itself can do is a failure: the log says how often a
 * thread that only reads the clock loses as much time (virtual machines). Waits in which the thread also lost its
 * processor to another one are not counted there, because a clock may then be read late. Where the machine itself can do
 * less than LEAST_CAN percent, neither is judged: if nothing else fails, the exit status is 3. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

#define LEAST_NS  300000
#define LEAST_CAN 90
/* What has to be strictly increasing over all threads is moved by some ns where it is not. */
#define SLACK_NS  2000
#define MAX_WAITS 200000

struct wait {
	int64_t start, end;
	uint32_t g, waker;
	int open, taken;
	char what[64]; /* reason, or state where there is none */
};

static struct wait wait[MAX_WAITS];
static size_t nwaits;

/* What the trace may call it. */
static const char *const calls_it[LOG_NKINDS][6] = {
    [LOG_SLEEP] = {"sleep"},
    [LOG_MUTEX] = {"sync"},
    [LOG_RDLOCK] = {"sync.RWMutex.RLock", "sync"},
    [LOG_WRLOCK] = {"sync.RWMutex.Lock", "sync"},
    [LOG_COND] = {"sync.(*Cond).Wait", "sync"},
    [LOG_SEM] = {"semacquire", "sync"},
    [LOG_BARRIER] = {"sync.WaitGroup.Wait", "sync"},
    [LOG_PIPE] = {"pipe", "network", "Syscall", "SyscallBlocked"},
    [LOG_SOCKET] = {"network", "Syscall", "SyscallBlocked"},
    [LOG_ACCEPT] = {"network", "Syscall", "SyscallBlocked"},
    [LOG_POLL] = {"poll", "select", "network", "Syscall", "SyscallBlocked"},
    [LOG_JOIN] = {"join", ""},
    [LOG_FUTEX] = {"futex", "sync"},
};
static const char *const names[LOG_NKINDS] = {
    [LOG_SLEEP] = "sleep",     [LOG_MUTEX] = "mutex", [LOG_RDLOCK] = "rdlock",
    [LOG_WRLOCK] = "wrlock",   [LOG_COND] = "cond",   [LOG_SEM] = "sem",
    [LOG_BARRIER] = "barrier", [LOG_PIPE] = "pipe",   [LOG_SOCKET] = "socket",
    [LOG_ACCEPT] = "accept",   [LOG_POLL] = "poll",   [LOG_JOIN] = "join",
    [LOG_FUTEX] = "futex",
};

/* From where a goroutine stops running to where it runs again is one wait, whatever states it
 * passes; being runnable alone is none. */
static void read_waits(FILE *in)
{
	char line[1024];
	struct wait *w = NULL;

	while (fgets(line, sizeof(line), in)) {
		char *field[7], *at = line;
		int n = 0;
		uint32_t g;

		line[strcspn(line, "\n")] = '\0';
		while (n < 7 && (field[n] = strsep(&at, "\t")))
			n++;
		if (n < 7 || *field[0] < '0' || *field[0] > '9')
			continue;
		g = (uint32_t)strtoul(field[0], NULL, 10);
		if (!strcmp(field[1], "Running") || (w && w->g != g))
			w = NULL;
		if (!strcmp(field[1], "Running") || (!w && !strcmp(field[1], "Runnable")))
			continue;
		if (!w) {
			if (nwaits == MAX_WAITS)
				break;
			w = &wait[nwaits++];
			w->g = g;
			w->start = strtoll(field[2], NULL, 10);
			snprintf(w->what, sizeof(w->what), "%s",
				 strcmp(field[1], "Waiting") ? field[1] : field[4]);
		}
		w->end = strtoll(field[3], NULL, 10);
		w->open = atoi(field[6]);
		if (strtoul(field[5], NULL, 10))
			w->waker = (uint32_t)strtoul(field[5], NULL, 10);
	}
}

/* Returns the wait of thread g that overlaps most with [start, end], or NULL. */
static struct wait *find(uint32_t g, int64_t start, int64_t end)
{
	struct wait *best = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < nwaits; i++) {
		int64_t from = wait[i].start, to = wait[i].end;

		if (wait[i].g != g)
			continue;
		from = from > start ? from : start;
		to = to < end ? to : end;
		if (to - from > most) {
			most = to - from;
			best = &wait[i];
		}
	}
	return best;
}

/* The longest sleep of goroutine 1 lies inside the log's times: *slack is by how much it may be moved there. */
static int64_t offset_by_mark(const struct log *log, uint32_t used, int64_t *slack)
{
	const struct log_entry *mine = NULL;
	const struct wait *theirs = NULL;
	int64_t least, most;

	for (uint32_t i = 0; i < used; i++) {
		const struct log_entry *e = &log->entry[i];

		if (e->kind == LOG_SLEEP && e->thread == 1 &&
		    (!mine || e->end - e->start > mine->end - mine->start))
			mine = e;
	}
	for (size_t i = 0; i < nwaits; i++)
		if (wait[i].g == 1 && !strcmp(wait[i].what, "sleep") &&
		    (!theirs || wait[i].end - wait[i].start > theirs->end - theirs->start))
			theirs = &wait[i];
	if (!mine || !theirs)
		return 0;
	most = (int64_t)mine->end - theirs->end;
	least = (int64_t)mine->start - theirs->start;
	/* The other sleeps narrow it down. */
	for (uint32_t i = 0; i < used; i++) {
		const struct log_entry *e = &log->entry[i];
		int64_t low, high;

		if (e->kind != LOG_SLEEP || !e->end ||
		    !(theirs = find(e->thread, (int64_t)e->start - most, (int64_t)e->end - most)) ||
		    strcmp(theirs->what, "sleep") != 0)
			continue;
		low = (int64_t)e->start - theirs->start;
		high = (int64_t)e->end - theirs->end;
		low = low > least ? low : least;
		high = high < most ? high : most;
		if (low <= high) {
			least = low;
			most = high;
		}
	}
	*slack += most - least;
	return least + (most - least) / 2;
}

static int is_called(uint32_t kind, const char *what)
{
	for (int i = 0; i < 6 && calls_it[kind][i]; i++)
		if (!strcmp(calls_it[kind][i], what))
			return 1;
	return 0;
}

static int64_t apart(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Makes one of the parts of a wait: those of its thread inside its times, beside the longest. */
static struct wait join_parts(struct wait *longest, int64_t start, int64_t end, uint32_t kind)
{
	struct wait whole = *longest;

	for (size_t i = 0; i < nwaits; i++) {
		struct wait *w = &wait[i];

		if (w->g != whole.g || w->start < start || w->end > end)
			continue;
		if (!is_called(kind, whole.what) && is_called(kind, w->what))
			memcpy(whole.what, w->what, sizeof(whole.what));
		if (!is_called(kind, w->what))
			continue;
		w->taken = 1;
		if (w->start < whole.start)
			whole.start = w->start;
		if (w->end >= whole.end) {
			whole.end = w->end;
			whole.open = w->open;
			whole.waker = w->waker;
		}
	}
	longest->taken = 1;
	return whole;
}

#define SHOWN 8
static int shown;
#define SAY(...)                                                                                   \
	do {                                                                                       \
		if (shown++ < SHOWN)                                                               \
			printf("  " __VA_ARGS__);                                                  \
	} while (0)

int main(int argc, char **argv)
{
	struct log *log = argc > 1 ? log_map(argv[1], 0) : NULL;
	int64_t offset = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
	int64_t within = (argc > 3 ? strtoll(argv[3], NULL, 10) : 50) * 1000;
	double share = argc > 4 ? strtod(argv[4], NULL) : 0, got, can;
	int64_t slack = SLACK_NS, last = 0;
	uint32_t used, open = 0;
	int marked, wrong, unclear;
	unsigned checked = 0, timed = 0, close = 0, missing = 0, outside = 0, misnamed = 0,
		 wakers = 0, misled = 0, extra = 0, excused = 0;
	unsigned by_kind[LOG_NKINDS] = {0};

	if (!log)
		return 2;
	read_waits(stdin);
	used = atomic_load(&log->used);
	if (used > LOG_ENTRIES)
		used = LOG_ENTRIES;
	/* A trace of go 1.5, where waits that only the kernel knows have no name. */
	marked = !offset;
	if (marked) {
		slack = within;
		offset = offset_by_mark(log, used, &slack);
	}
	for (size_t i = 0; i < nwaits; i++) {
		wait[i].start += offset;
		wait[i].end += offset;
		if (wait[i].end > last)
			last = wait[i].end;
	}
	for (uint32_t i = 0; i < used; i++) {
		const struct log_entry *e = &log->entry[i];
		int64_t start = (int64_t)e->start, end = e->end ? (int64_t)e->end : last;
		struct wait *w, whole;

		if (!e->kind || e->kind >= LOG_NKINDS ||
		    (end - start < LEAST_NS && e->kind != LOG_CALL))
			continue;
		w = find(e->thread, start, end);
		if (e->kind == LOG_CALL) {
			if (w)
				w->taken = 1;
			continue;
		}
		/* It slept for a moment, and lost its processor for the rest. */
		if (!w && e->late) {
			excused++;
			continue;
		}
		checked++;
		by_kind[e->kind]++;
		if (!w || (!e->end && !w->open)) {
			missing++;
			SAY("missing: %s of thread %u at %" PRId64 " for %" PRId64 " ns\n",
			    names[e->kind], e->thread, start - (int64_t)log->begin, end - start);
			continue;
		}
		whole = join_parts(w, start - slack, end + slack, e->kind);
		w = &whole;
		open += !e->end;
		if (!is_called(e->kind, w->what)) {
			misnamed++;
			SAY("misnamed: %s of thread %u is called '%s'\n", names[e->kind], e->thread,
			    w->what);
		}
		if (w->start < start - slack || (e->end && w->end > end + slack)) {
			outside++;
			SAY("outside: %s of thread %u [%" PRId64 ", %" PRId64 "] is %+" PRId64
			    ", %+" PRId64 " ns in the trace\n",
			    names[e->kind], e->thread, start - (int64_t)log->begin,
			    end - (int64_t)log->begin, w->start - start, w->end - end);
		}
		if (e->waker) {
			wakers++;
			if (w->waker != e->waker) {
				misled++;
				SAY("misled: %s of thread %u was ended by %u, not %u\n",
				    names[e->kind], e->thread, e->waker, w->waker);
			}
		}
		if (e->late)
			continue;
		timed++;
		close +=
		    apart(w->start, start) <= within && (!e->end || apart(w->end, end) <= within);
	}
	for (size_t i = 0; i < nwaits; i++)
		if (!wait[i].taken && strcmp(wait[i].what, "kernel") != 0 &&
		    (*wait[i].what || !marked) &&
		    wait[i].end - wait[i].start >= LEAST_NS + within) {
			extra++;
			SAY("extra: goroutine %u, '%s' at %" PRId64 " for %" PRId64 " ns\n",
			    wait[i].g, wait[i].what, wait[i].start - (int64_t)log->begin,
			    wait[i].end - wait[i].start);
		}
	got = timed ? 100.0 * close / timed : 0;
	can = log->spins ? 100.0 - 100.0 * log->jolts / log->spins : 100;
	printf("%u waits (", checked);
	for (int k = 1; k < LOG_NKINDS; k++)
		if (by_kind[k])
			printf("%s %u ", names[k], by_kind[k]);
	printf("open %u): %u missing, %u excused, %u extra, %u misnamed, %u outside, %u of %u "
	       "wakers wrong; "
	       "%.2f %% of %u within %" PRId64 " us, %.2f %% of %u spins\n",
	       open, missing, excused, extra, misnamed, outside, misled, wakers, got, timed,
	       within / 1000, can, log->spins);
	wrong =
	    !checked || !timed || missing || extra || misnamed || outside || misled * 100 > wakers;
	unclear = excused * 50 > checked + excused ||
		  got < share * can / 100 * can / 100; /* it has two ends */
	if (!wrong && can < LEAST_CAN && (share > 0 || unclear)) {
		printf("the machine is too busy to judge: %.2f %% of %u spins\n", can, log->spins);
		return 3;
	}
	return wrong || unclear;
}
