/* What the encoder and the decoder of event blocks share: the format, and the model that predicts most
 * of an event from the events before it. Private to block_*.c.
 *
 *   codec     u8         compression of most columns: enum tp_codec
 *   version   u8         1
 *   rows      uvarint    1 … TP_BLOCK_EVENTS
 *   first     uvarint    zigzag of the first event's time, ns since run.start_ns
 *   unit      uvarint    ns; distances between most times are multiples of it: 1 … 2^31. If 0, times
 *                        are ticks, and two fields follow:
 *     tick    8 bytes    ns per tick, an IEEE double, little-endian
 *     start   uvarint    zigzag of run.start_ns: ticks count from the 0 of the trace's clock
 *   columns   uvarint    BLOCK_COLUMNS; readers skip columns that they do not know
 *   per column: codec u8, raw uvarint, stored uvarint (bytes before and after compression; if equal,
 *   the column is not compressed)
 *   the stored bytes of every column, one after the other
 *
 * A column holds the parts of events that are not predicted. Numbers are uvarints unless said
 * otherwise; "d(x)" is the zigzag of a difference.
 *
 *   TIME     one byte per event: 0: 1 ns after the last event (how ordering breaks ties);
 *            1 … 223: that many units after the last event that was not such a tie; 224 … 254: the
 *            same, with 256 · (byte - 224) + 224 + a byte of TIMEX units; 255: d(time) in TIMEX.
 *            If times are ticks, a time is trunc(ticks · tick) on the trace's clock, as computed by
 *            Go's reader of traces up to go 1.21, and units are ticks
 *   TIMEX    see TIME
 *   RUN      runs of events on one M. A byte: bits 0–4 length - 1 (31: length - 32 follows), bits
 *            5–7 the M's place in the list of Ms, most recently run first (7: place - 7 follows).
 *            The place after the end of the list is a new M, taken from MS
 *   MS       M + 1 (0: no M) of every new M
 *   SHAPE    one byte per event: the number of its shape, a line of SHAPES; 255: a shape used only
 *            once, the next line, in order of time, after the numbered ones. The bytes of the first
 *            M's events come first, then those of the second …
 *   SHAPES   a byte: the number of numbered shapes; then these, then those used once, as lines of
 *            SHAPE_BYTES: type, from, to, flags, and 24 bits that say how the other fields are
 *            encoded, enum tell (little-endian)
 *   CONTEXT  P + 1, G + 1 if they are not those that the M's last event left
 *   SUBJECT  d(subject - goroutines seen) if it is not predicted
 *   STACK    stack
 *   STR      d(str - the last one encoded for this type); STR2 and ARG likewise
 *
 * The place where a goroutine blocks next depends mostly on where it was before: stack and str are
 * predicted together from the goroutine's last stack and the type. A goroutine is predicted to wake
 * the one that it woke last, or that woke it; a P to start the goroutine that was made runnable on it
 * last; a new goroutine to have the next index. Tables start empty in every block and are indexed by
 * the low bits of indices: a collision costs bytes, but never correctness. */
#ifndef TP_STORE_BLOCK_MODEL_H
#define TP_STORE_BLOCK_MODEL_H

#include <stdint.h>
#include <string.h>

#include "decode/event.h"
#include "store/store.h"

#define BLOCK_VERSION 1

/* The columns, and the largest size of each for n events, in bytes. */
#define BLOCK_COLUMN_LIST(X)                                                                       \
	X(TIME, n)                                                                                 \
	X(TIMEX, 10 * n)                                                                           \
	X(RUN, 11 * n)                                                                             \
	X(MS, 5 * n)                                                                               \
	X(SHAPE, n)                                                                                \
	X(SHAPES, 1 + SHAPE_BYTES * (255 + n))                                                     \
	X(CONTEXT, 10 * n)                                                                         \
	X(SUBJECT, 5 * n)                                                                          \
	X(STACK, 5 * n)                                                                            \
	X(STR, 5 * n)                                                                              \
	X(STR2, 5 * n)                                                                             \
	X(ARG, 30 * n)

enum block_column {
#define TP_X(name, most) COL_##name,
	BLOCK_COLUMN_LIST(TP_X)
#undef TP_X
	    BLOCK_COLUMNS
};

#define MAX_UNIT    ((uint64_t)1 << 31)
#define SHORT_UNITS 224 /* first TIME byte that takes a byte of TIMEX */
#define LONG_TIME   255 /* TIME byte of a difference in TIMEX */
#define LONG_RUN    31
#define FAR_PLACE   7
#define ONCE	    255 /* SHAPE byte of a shape used once */
#define SHAPE_BYTES 7
#define MAX_SHAPES  (255 + TP_BLOCK_EVENTS)

/* The 24 bits of a shape. */
enum tell {
	TELL_CONTEXT = 1 << 0, /* P and G are in CONTEXT */
	TELL_SUBJECT = 1,      /* shift of 2 bits: enum subject_how */
	TELL_STACK = 3,	       /* shifts of 2 bits each: enum value_how */
	TELL_STR = 5,
	TELL_STR2 = 7,
	TELL_ARG = 9,		     /* three times 2 bits */
	TELL_G_IS_SUBJECT = 1 << 15, /* the event's G is its subject: traces up to go 1.21 */
};

enum subject_how { SUBJECT_NONE, SUBJECT_SELF, SUBJECT_GUESS, SUBJECT_TOLD };
enum value_how { VALUE_ZERO, VALUE_GUESS, VALUE_TOLD };

struct shape {
	uint8_t type, from, to, flags;
	uint32_t tell;
};

static inline unsigned how(uint32_t tell, unsigned shift)
{
	return tell >> shift & 3;
}

/* ---- ticks ---- */

#define MIN_TICK 1.0
#define MAX_TICK 1e6
/* Beyond this (104 days) a double cannot represent every ns. */
#define MAX_TICK_TS ((int64_t)1 << 53)

static inline int64_t ns_of_ticks(int64_t ticks, double ns_per_tick)
{
	double ns = (double)ticks * ns_per_tick;

	return ns > -9e18 && ns < 9e18 ? (int64_t)ns : 0;
}

/* Returns the ticks that become this time or, if no number of ticks does, the last ones before
 * it. */
static inline int64_t ticks_of_ns(int64_t ts, double ns_per_tick)
{
	int64_t ticks;

	if (ts < 0 || ts > MAX_TICK_TS)
		return 0;
	ticks = (int64_t)((double)ts / ns_per_tick);
	return ticks + (ns_of_ticks(ticks + 1, ns_per_tick) == ts);
}

/* ---- effects of a type on the context ---- */

enum guess { GUESS_NOTHING, GUESS_RUN_NEXT, GUESS_NEW, GUESS_PARTNER };
enum after { AFTER_SAME, AFTER_SUBJECT, AFTER_NONE };

struct habit {
	uint8_t guess;	   /* enum guess: where the subject is looked for */
	uint8_t self_is_p; /* SUBJECT_SELF is the P, not the G */
	uint8_t counts_g;  /* the subject is a goroutine */
	uint8_t wakes;	   /* the current goroutine makes the subject runnable */
	uint8_t g_after, p_after;
};

/* Go: internal/trace/order.go, the functions advance…: the effect of each event on its M. Types
 * that are missing here have the habit of all zeros. */
#define HABIT_START   .guess = GUESS_RUN_NEXT, .counts_g = 1, .g_after = AFTER_SUBJECT
#define HABIT_UNBLOCK .guess = GUESS_PARTNER, .counts_g = 1, .wakes = 1
#define HABIT_STOP    .counts_g = 1, .g_after = AFTER_NONE
#define HABIT_STAY    .counts_g = 1
#define HABIT_OF_P    .self_is_p = 1
#define BLOCK_HABITS(X)                                                                            \
	X(PROC_START, .self_is_p = 1, .p_after = AFTER_SUBJECT)                                    \
	X(PROC_STOP, .self_is_p = 1, .p_after = AFTER_NONE)                                        \
	X(PROC_STEAL, HABIT_OF_P)                                                                  \
	X(PROC_STATUS, HABIT_OF_P)                                                                 \
	X(GO_CREATE, .guess = GUESS_NEW, .counts_g = 1, .wakes = 1)                                \
	X(GO_CREATE_SYSCALL, .guess = GUESS_NEW, .counts_g = 1, .g_after = AFTER_SUBJECT)          \
	X(GO_START, HABIT_START)                                                                   \
	X(GO_DESTROY, HABIT_STOP)                                                                  \
	X(GO_DESTROY_SYSCALL, HABIT_STOP)                                                          \
	X(GO_STOP, HABIT_STOP)                                                                     \
	X(GO_BLOCK, HABIT_STOP)                                                                    \
	X(GO_UNBLOCK, HABIT_UNBLOCK)                                                               \
	X(GO_SYSCALL_BEGIN, HABIT_STAY)                                                            \
	X(GO_SYSCALL_END, HABIT_STAY)                                                              \
	X(GO_SYSCALL_BLOCKED, HABIT_STOP)                                                          \
	X(GO_STATUS, HABIT_STAY)                                                                   \
	X(GO_STATUS_STACK, HABIT_STAY)                                                             \
	X(GO_CREATE_BLOCKED, .guess = GUESS_NEW, .counts_g = 1)                                    \
	X(GO_SWITCH, .guess = GUESS_PARTNER, .counts_g = 1, .g_after = AFTER_SUBJECT)              \
	X(GO_SWITCH_DESTROY, .guess = GUESS_PARTNER, .counts_g = 1, .g_after = AFTER_SUBJECT)      \
	X(GC_SWEEP_ACTIVE, HABIT_OF_P)                                                             \
	X(GC_SWEEP_BEGIN, HABIT_OF_P)                                                              \
	X(GC_SWEEP_END, HABIT_OF_P)

/* Indexed by any byte. */
extern const struct habit tp_block_habits[256];

/* ---- state ---- */

#define SLOTS  4096 /* of tables by goroutine and by stack */
#define PSLOTS 256

struct spot { /* where a goroutine was, and why it stopped there */
	uint32_t stack, str;
};

struct model {
	/* Each has one more slot, for writes that must not have an effect. */
	uint32_t run_next[PSLOTS + 1];		/* by P: last made runnable there */
	uint32_t partner[SLOTS + 1];		/* by G: last one it woke, or that woke it */
	uint32_t last_stack[SLOTS];		/* by G */
	struct spot next_spot[SLOTS];		/* by hash of last stack and type */
	uint32_t next_str2[SLOTS];		/* by stack */
	uint32_t last_str[256], last_str2[256]; /* by type: the last one encoded */
	uint64_t last_arg[256][3];
	uint32_t goroutines; /* highest index seen, plus 1 */
};

struct place { /* where an M is */
	uint32_t p, g;
};

static inline void model_reset(struct model *m)
{
	memset(m, 0, sizeof(*m));
}

/* Uses selections rather than branches, because a processor cannot predict the subject either. */
static inline uint32_t guess_subject(const struct model *m, const struct habit *h, uint32_t p,
				     uint32_t g)
{
	uint32_t next = m->run_next[p % PSLOTS], partner = m->partner[g % SLOTS];
	uint32_t guess = h->guess == GUESS_RUN_NEXT ? next : TP_NONE;

	guess = h->guess == GUESS_PARTNER ? partner : guess;
	return h->guess == GUESS_NEW ? m->goroutines : guess;
}

static inline uint32_t place_after(enum after after, uint32_t now, uint32_t subject)
{
	uint32_t other = after == AFTER_SUBJECT ? subject : TP_NONE;

	return after == AFTER_SAME ? now : other;
}

/* Update the model by an event, in this order. learn_wakeup does nothing for an event that wakes no goroutine.
 * *p and *g become the P and G that the M has afterwards. */
static inline void learn_wakeup(struct model *m, const struct habit *h, uint32_t p, uint32_t g,
				uint32_t subject)
{
	m->run_next[h->wakes ? p % PSLOTS : PSLOTS] = subject;
	m->partner[h->wakes ? g % SLOTS : SLOTS] = subject;
	m->partner[h->wakes ? subject % SLOTS : SLOTS] = g;
}

static inline void learn_subject(struct model *m, const struct habit *h, uint32_t *p, uint32_t *g,
				 uint32_t subject)
{
	uint32_t seen = h->counts_g ? subject + 1 : 0; /* TP_NONE + 1 is 0 */

	if (__builtin_expect(seen > m->goroutines, 0))
		m->goroutines = seen;
	*g = place_after(h->g_after, *g, subject);
	*p = place_after(h->p_after, *p, subject);
}

static inline struct spot *guess_spot(struct model *m, uint32_t last_stack, uint8_t type)
{
	uint32_t h = last_stack * 0x9e3779b1u ^ type * 0x85ebca6bu;

	return &m->next_spot[(h * 0x9e3779b1u) >> 20];
}

static inline uint32_t *guess_str2(struct model *m, uint32_t stack)
{
	return &m->next_str2[stack % SLOTS];
}

#endif
