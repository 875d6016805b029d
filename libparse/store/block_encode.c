#include "store/block.h"

#include <stdlib.h>

#include "base/big.h"
#include "store/block_head.h"
#include "store/block_model.h"

/* Short runs of the same shape are looked up here before the list of shapes is searched. */
#define SHAPE_SLOTS 1024
#define FREE_SLOT   UINT64_MAX /* keys have 56 bits */
/* Number of events at the start of a block that decide its unit of time. */
#define UNIT_EVENTS 256
#define MIN_UNIT    8
/* Most runs are at most this long; these are copied with this fixed length. */
#define SHORT_COPY 8

struct run {
	uint16_t m;	 /* local number */
	uint16_t length; /* TP_BLOCK_EVENTS at most */
};

struct tp_block_encoder {
	struct tp_packer packer;
	struct tp_packer uneven, unrepeated; /* replace lz4 for some columns */
	uint8_t *start[BLOCK_COLUMNS], *at[BLOCK_COLUMNS];
	uint32_t n;

	int64_t first, last, base; /* relative times: of the block, of the last event, of the last
				      one that was no tie */
	uint32_t unit;
	uint64_t per_unit;  /* 2^32 / unit, rounded up: a division that is a multiplication */
	double tick;	    /* ns; 0: times are multiples of unit */
	int64_t base_ticks; /* of base */
	int64_t start_ns;

	uint32_t ms[TP_BLOCK_EVENTS]; /* by local number */
	struct place place[TP_BLOCK_EVENTS];
	uint16_t recent[TP_BLOCK_EVENTS]; /* local numbers, most recently run first */
	uint32_t nms;
	struct run runs[TP_BLOCK_EVENTS];
	uint32_t nruns;
	uint32_t last_place; /* of the last run, which still grows */
	uint32_t next[TP_BLOCK_EVENTS], until[TP_BLOCK_EVENTS];

	uint64_t slots[SHAPE_SLOTS]; /* keys; FREE_SLOT */
	uint8_t number[SHAPE_SLOTS];
	uint32_t nshapes; /* of those numbered below ONCE */
	uint32_t nonce;	  /* shapes used once */
	uint8_t once[TP_BLOCK_EVENTS][SHAPE_BYTES];
	uint8_t shape[TP_BLOCK_EVENTS + SHORT_COPY]; /* in order of time */

	struct model model;
	uint8_t bytes[]; /* of the columns */
};

static size_t column_room(enum block_column c)
{
	return tp_block_column_most(c, TP_BLOCK_EVENTS) + 16;
}

static void reset(struct tp_block_encoder *e)
{
	for (enum block_column c = 0; c < BLOCK_COLUMNS; c++)
		e->at[c] = e->start[c];
	memset(e->slots, 0xff, sizeof(e->slots));
	model_reset(&e->model);
	e->n = e->nms = e->nruns = e->nshapes = e->nonce = 0;
	*e->at[COL_SHAPES]++ = 0;
}

struct tp_block_encoder *tp_block_encoder_new(enum tp_codec codec)
{
	struct tp_block_encoder *e;
	size_t room = 0;

	for (enum block_column c = 0; c < BLOCK_COLUMNS; c++)
		room += column_room(c);
	e = tp_big_alloc(sizeof(*e) + room);
	if (!e)
		return NULL;
	e->packer = (struct tp_packer){.codec = codec};
	e->uneven = (struct tp_packer){.codec = TP_CODEC_ZSTD, .unevenly = true};
	e->unrepeated = e->uneven;
	e->unrepeated.unrepeated = true;
	e->unit = 1;
	e->tick = 0;
	room = 0;
	for (enum block_column c = 0; c < BLOCK_COLUMNS; c++) {
		e->start[c] = e->bytes + room;
		room += column_room(c);
	}
	reset(e);
	return e;
}

void tp_block_encoder_free(struct tp_block_encoder *e)
{
	if (!e)
		return;
	tp_packer_release(&e->packer);
	tp_packer_release(&e->uneven);
	tp_packer_release(&e->unrepeated);
	free(e);
}

/* ---- time ---- */

/* Sets the unit to the greatest common divisor of the distances between times, without ties. Keeps
 * the current unit if the events are too few to tell. */
static void choose_unit(struct tp_block_encoder *e, const struct tp_event *ev, size_t n)
{
	uint64_t unit = 0, distances = 0;
	int64_t base = ev[0].ts;
	bool based = false;

	if (n > UNIT_EVENTS)
		n = UNIT_EVENTS;
	for (size_t i = 1; i < n; i++) {
		uint64_t a, b;

		if ((uint64_t)ev[i].ts - (uint64_t)ev[i - 1].ts == 1)
			continue;
		a = (uint64_t)ev[i].ts - (uint64_t)base;
		base = ev[i].ts;
		/* The first event may be a tie itself. */
		if (!based) {
			based = true;
			continue;
		}
		for (b = unit; b; distances++) {
			uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		unit = a;
	}
	if (distances >= 8)
		e->unit = unit >= MIN_UNIT && unit <= MAX_UNIT ? (uint32_t)unit : 1;
	e->per_unit = ((uint64_t)1 << 32) / e->unit + 1;
}

/* Returns the number of units from one time to another; 0 if it is not an integer or too large.
 * This is exact: for a multiple of the unit, the excess from rounding per_unit up stays below
 * one. */
static inline uint32_t units_between(int64_t from, int64_t to, uint32_t unit, uint64_t per_unit)
{
	uint64_t ahead = (uint64_t)to - (uint64_t)from;
	uint32_t units;

	if (ahead > UINT32_MAX)
		return 0;
	units = (uint32_t)(ahead * per_unit >> 32);
	return units * unit == (uint32_t)ahead ? units : 0;
}

static uint32_t ticks_ahead(struct tp_block_encoder *e, int64_t ts)
{
	int64_t abs = (int64_t)((uint64_t)ts + (uint64_t)e->start_ns);
	int64_t ticks = ticks_of_ns(abs, e->tick);
	int64_t ahead = ticks - e->base_ticks;

	e->base_ticks = ticks;
	return ns_of_ticks(ticks, e->tick) == abs && ahead > 0 && ahead < UINT32_MAX
		   ? (uint32_t)ahead
		   : 0;
}

/* Writes a time that needs more than its byte, and returns the byte. */
static __attribute__((noinline)) uint8_t put_far_time(struct tp_block_encoder *e, uint32_t units,
						      uint64_t step)
{
	uint8_t *x = e->at[COL_TIMEX], code = LONG_TIME;

	if (units && units - SHORT_UNITS < (LONG_TIME - SHORT_UNITS) * 256) {
		code = (uint8_t)(SHORT_UNITS + (units - SHORT_UNITS) / 256);
		*x++ = (uint8_t)(units - SHORT_UNITS);
	} else {
		x = tp_put_uvarint(x, tp_zigzag((int64_t)step));
	}
	e->at[COL_TIMEX] = x;
	return code;
}

/* Returns the byte of a time that is far, a tie, or the first after a tie. Times are those of the
 * events. */
static __attribute__((noinline)) uint8_t put_odd_time(struct tp_block_encoder *e, int64_t base,
						      int64_t last, int64_t ts)
{
	uint64_t step = (uint64_t)ts - (uint64_t)last;
	uint32_t units;

	if (step == 1)
		return 0;
	units = units_between(base, ts, e->unit, e->per_unit);
	return units - 1 < SHORT_UNITS - 1 ? (uint8_t)units : put_far_time(e, units, step);
}

static void put_times(struct tp_block_encoder *e, const struct tp_event *ev, size_t n)
{
	/* The compiler must assume that stores of bytes change *e, so these are copied out of
	 * it. */
	const uint64_t start = (uint64_t)e->start_ns, per_unit = e->per_unit, unit = e->unit;
	/* One ns ahead is a tie, not a unit. */
	const uint64_t least = unit == 1 ? 2 : 1;
	const struct tp_event *end = ev + n;
	uint8_t *code = e->at[COL_TIME];
	uint64_t last = (uint64_t)e->last + start, base = (uint64_t)e->base + start;

	while (ev < end) {
		/* Most times are a few units after one that was not a tie. A distance that is not a
		 * whole number of units would not decode to the same time. */
		for (; base == last && ev < end; ev++) {
			uint64_t ahead = (uint64_t)ev->ts - last, units = ahead * per_unit >> 32;

			if (__builtin_expect(
				units - least >= SHORT_UNITS - least || units * unit != ahead, 0))
				break;
			*code++ = (uint8_t)units;
			base = last = (uint64_t)ev->ts;
		}
		if (ev == end)
			break;
		*code++ = put_odd_time(e, (int64_t)base, (int64_t)last, ev->ts);
		base = (uint64_t)ev->ts - last == 1 ? base : (uint64_t)ev->ts;
		last = (uint64_t)ev++->ts;
	}
	e->at[COL_TIME] = code;
	e->last = (int64_t)(last - start);
	e->base = (int64_t)(base - start);
}

static void put_ticks(struct tp_block_encoder *e, const struct tp_event *ev, size_t n)
{
	uint8_t *code = e->at[COL_TIME];

	for (size_t i = 0; i < n; i++) {
		int64_t ts = (int64_t)((uint64_t)ev[i].ts - (uint64_t)e->start_ns);
		uint64_t step = (uint64_t)ts - (uint64_t)e->last;
		uint32_t units = 0;

		e->last = ts;
		*code++ = 0;
		if (step == 1)
			continue;
		units = ticks_ahead(e, ts);
		code[-1] = (uint8_t)units;
		if (units - 1 >= SHORT_UNITS - 1)
			code[-1] = put_far_time(e, units, step);
	}
	e->at[COL_TIME] = code;
}

/* ---- Ms ---- */

static void put_run(struct tp_block_encoder *e, uint32_t place, uint32_t length)
{
	uint32_t far = place < FAR_PLACE ? place : FAR_PLACE;
	uint32_t more = length - 1 < LONG_RUN ? length - 1 : LONG_RUN;
	uint8_t *p = e->at[COL_RUN];

	*p++ = (uint8_t)(far << 5 | more);
	if (far == FAR_PLACE)
		p = tp_put_uvarint(p, place - FAR_PLACE);
	if (more == LONG_RUN)
		p = tp_put_uvarint(p, length - 1 - LONG_RUN);
	e->at[COL_RUN] = p;
}

/* Moves M, which is not at the front of the list of recent ones, to the front. Returns its former
 * place. Most often that is the second, so the search moves the entries along. */
static uint32_t bring_forward(struct tp_block_encoder *e, uint32_t m)
{
	uint16_t *recent = e->recent, before = recent[0];
	uint32_t place;

	for (place = 1; place < e->nms; place++) {
		uint16_t local = recent[place];

		recent[place] = before;
		if (e->ms[local] == m) {
			recent[0] = local;
			return place;
		}
		before = local;
	}
	if (e->nms)
		recent[e->nms] = before;
	recent[0] = (uint16_t)e->nms;
	e->ms[e->nms] = m;
	e->place[e->nms] = (struct place){TP_NONE, TP_NONE};
	e->at[COL_MS] = tp_put_uvarint(e->at[COL_MS], (uint64_t)(uint32_t)(m + 1));
	return e->nms++;
}

/* Begins a new run on M, the M of the next event, unless the last run continues. */
static struct place *go_to(struct tp_block_encoder *e, uint32_t m)
{
	if (!e->nruns || e->ms[e->recent[0]] != m) {
		if (e->nruns)
			put_run(e, e->last_place, e->runs[e->nruns - 1].length);
		e->last_place = bring_forward(e, m);
		e->runs[e->nruns++] = (struct run){.m = e->recent[0]};
	}
	return &e->place[e->recent[0]];
}

/* ---- shapes ---- */

static void write_shape(uint8_t *p, uint64_t key)
{
	for (int i = 0; i < SHAPE_BYTES; i++)
		p[i] = (uint8_t)(key >> 8 * i);
}

static uint8_t rare_shape(struct tp_block_encoder *e, uint64_t key, uint32_t slot)
{
	for (unsigned probe = 0; probe < 8; probe++, slot = (slot + 1) % SHAPE_SLOTS) {
		if (e->slots[slot] == key)
			return e->number[slot];
		if (e->slots[slot] != FREE_SLOT || e->nshapes == ONCE)
			continue;
		e->slots[slot] = key;
		e->number[slot] = (uint8_t)e->nshapes;
		write_shape(e->at[COL_SHAPES], key);
		e->at[COL_SHAPES] += SHAPE_BYTES;
		return (uint8_t)e->nshapes++;
	}
	write_shape(e->once[e->nonce++], key);
	return ONCE;
}

/* Returns the number of a shape; a key has 56 bits, as SHAPE_BYTES are 7. */
static inline uint8_t shape_number(struct tp_block_encoder *e, uint64_t key)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 54);

	return __builtin_expect(e->slots[at] == key, 1) ? e->number[at] : rare_shape(e, key, at);
}

/* ---- an event ----
 *
 * Frequent cases are inline. Storing a value instead of guessing it is not: it takes longer
 * anyway. */

static inline void tell(struct tp_block_encoder *e, enum block_column c, uint64_t v)
{
	e->at[c] = tp_put_uvarint(e->at[c], v);
}

static __attribute__((noinline)) void tell_context(struct tp_block_encoder *e, uint32_t p,
						   uint32_t g)
{
	tell(e, COL_CONTEXT, (uint32_t)(p + 1));
	tell(e, COL_CONTEXT, (uint32_t)(g + 1));
}

static inline uint32_t put_context(struct tp_block_encoder *e, const struct habit *h,
				   struct place *at, const struct tp_event *ev)
{
	if (__builtin_expect(at->p == ev->p && at->g == ev->g, 1))
		return 0;
	if (at->p == ev->p && h->g_after == AFTER_SUBJECT && ev->g == ev->subject)
		return TELL_G_IS_SUBJECT;
	tell_context(e, ev->p, ev->g);
	*at = (struct place){ev->p, ev->g};
	return TELL_CONTEXT;
}

static __attribute__((noinline)) void tell_subject(struct tp_block_encoder *e, uint32_t subject)
{
	tell(e, COL_SUBJECT, tp_zigzag((int64_t)subject - e->model.goroutines));
}

static inline uint32_t put_subject(struct tp_block_encoder *e, const struct habit *h,
				   struct place *at, uint32_t subject)
{
	uint32_t self = h->self_is_p ? at->p : at->g;
	uint32_t guess = guess_subject(&e->model, h, at->p, at->g);
	uint32_t told = subject == TP_NONE ? SUBJECT_NONE
			: subject == self  ? SUBJECT_SELF
			: subject == guess ? SUBJECT_GUESS
					   : SUBJECT_TOLD;

	if (told == SUBJECT_TOLD)
		tell_subject(e, subject);
	if (h->wakes)
		learn_wakeup(&e->model, h, at->p, at->g, subject);
	learn_subject(&e->model, h, &at->p, &at->g, subject);
	return told << TELL_SUBJECT;
}

static __attribute__((noinline)) uint32_t tell_spot(struct tp_block_encoder *e, struct spot *guess,
						    const struct tp_event *ev)
{
	uint32_t bits = 0;

	if (ev->stack && ev->stack == guess->stack) {
		bits |= VALUE_GUESS << TELL_STACK;
	} else if (ev->stack) {
		bits |= VALUE_TOLD << TELL_STACK;
		tell(e, COL_STACK, ev->stack);
	}
	if (ev->str && ev->str == guess->str) {
		bits |= VALUE_GUESS << TELL_STR;
	} else if (ev->str) {
		bits |= VALUE_TOLD << TELL_STR;
		tell(e, COL_STR, tp_zigzag((int64_t)ev->str - e->model.last_str[ev->type]));
		e->model.last_str[ev->type] = ev->str;
	}
	*guess = (struct spot){ev->stack, ev->str};
	return bits;
}

static inline uint32_t put_spot(struct tp_block_encoder *e, const struct tp_event *ev, uint8_t type)
{
	uint32_t *last, bits, stack = ev->stack, str = ev->str;
	struct spot *guess;

	if (!(stack | str))
		return 0;
	last = &e->model.last_stack[ev->g % SLOTS];
	guess = guess_spot(&e->model, *last, type);
	if (__builtin_expect(stack == guess->stack && str == guess->str, 1))
		bits = !str	? VALUE_GUESS << TELL_STACK
		       : !stack ? VALUE_GUESS << TELL_STR
				: VALUE_GUESS << TELL_STACK | VALUE_GUESS << TELL_STR;
	else
		bits = tell_spot(e, guess, ev);
	if (stack)
		*last = stack;
	return bits;
}

static uint32_t put_str2(struct tp_block_encoder *e, const struct tp_event *ev)
{
	uint32_t *guess = guess_str2(&e->model, ev->stack);

	if (!ev->str2)
		return 0;
	if (*guess == ev->str2)
		return VALUE_GUESS << TELL_STR2;
	tell(e, COL_STR2, tp_zigzag((int64_t)ev->str2 - e->model.last_str2[ev->type]));
	e->model.last_str2[ev->type] = ev->str2;
	*guess = ev->str2;
	return VALUE_TOLD << TELL_STR2;
}

static inline uint32_t put_arg(struct tp_block_encoder *e, uint64_t arg, uint64_t *last, unsigned a)
{
	uint64_t before = *last;

	if (!arg)
		return 0;
	if (arg == before)
		return (uint32_t)VALUE_GUESS << (TELL_ARG + 2 * a);
	tell(e, COL_ARG, tp_zigzag((int64_t)(arg - before)));
	*last = arg;
	return (uint32_t)VALUE_TOLD << (TELL_ARG + 2 * a);
}

/* Puts what most events do not have. */
static __attribute__((noinline)) uint32_t put_rest(struct tp_block_encoder *e,
						   const struct tp_event *ev)
{
	uint64_t *last = e->model.last_arg[ev->type];
	uint32_t bits = put_str2(e, ev) | put_arg(e, ev->arg[0], &last[0], 0);

	if (!(ev->arg[1] | ev->arg[2]))
		return bits;
	return bits | put_arg(e, ev->arg[1], &last[1], 1) | put_arg(e, ev->arg[2], &last[2], 2);
}

static inline __attribute__((always_inline)) uint8_t put_as(struct tp_block_encoder *e,
							    struct place *at,
							    const struct tp_event *ev, uint8_t type,
							    const struct habit *h)
{
	uint32_t bits = put_context(e, h, at, ev);

	bits |= put_subject(e, h, at, ev->subject);
	bits |= put_spot(e, ev, type);
	if (ev->str2 | ev->arg[0] | ev->arg[1] | ev->arg[2])
		bits |= put_rest(e, ev);
	return shape_number(e, (uint64_t)bits << 32 | (uint64_t)ev->flags << 24 |
				   (uint64_t)ev->to << 16 | (uint64_t)ev->from << 8 | ev->type);
}

/* Returns the shape of an event. The compiler knows frequent types and their habits, so only the
 * tables that they need are used and updated. */
static inline __attribute__((always_inline)) uint8_t
put_event(struct tp_block_encoder *e, struct place *at, const struct tp_event *ev)
{
#define AS(type, ...)                                                                              \
	case TP_EV_##type:                                                                         \
		return put_as(e, at, ev, TP_EV_##type, &(const struct habit){__VA_ARGS__})
	switch (ev->type) {
		AS(GO_START, HABIT_START);
		AS(GO_STOP, HABIT_STOP);
		AS(GO_BLOCK, HABIT_STOP);
		AS(GO_UNBLOCK, HABIT_UNBLOCK);
		AS(GO_SYSCALL_BEGIN, HABIT_STAY);
		AS(GO_SYSCALL_END, HABIT_STAY);
		AS(HEAP_ALLOC, 0);
		AS(GC_SWEEP_BEGIN, HABIT_OF_P);
		AS(GC_SWEEP_END, HABIT_OF_P);
	default:
		return put_as(e, at, ev, ev->type, &tp_block_habits[ev->type]);
	}
#undef AS
}

static void begin(struct tp_block_encoder *e, const struct tp_event *ev, size_t n, int64_t start_ns)
{
	e->start_ns = start_ns;
	e->first = e->last = e->base = (int64_t)((uint64_t)ev->ts - (uint64_t)start_ns);
	if (e->tick != 0)
		e->base_ticks = ticks_of_ns(ev->ts, e->tick);
	else
		choose_unit(e, ev, n);
}

void tp_block_set_tick(struct tp_block_encoder *e, double ns_per_tick)
{
	e->tick = ns_per_tick >= MIN_TICK && ns_per_tick <= MAX_TICK ? ns_per_tick : 0;
}

void tp_block_add(struct tp_block_encoder *e, const struct tp_event *ev, size_t n, int64_t start_ns)
{
	uint8_t *shape = e->shape + e->n;

	if (!n)
		return;
	if (!e->n)
		begin(e, ev, n, start_ns);
	e->n += (uint32_t)n;
	if (e->tick != 0)
		put_ticks(e, ev, n);
	else
		put_times(e, ev, n);
	for (const struct tp_event *end = ev + n; ev < end;) {
		uint32_t m = ev->m;
		struct place *at = go_to(e, m), now = *at; /* a copy can be in registers */
		const uint8_t *first = shape;

		do
			*shape++ = put_event(e, &now, ev++);
		while (ev < end && ev->m == m);
		*at = now;
		e->runs[e->nruns - 1].length =
		    (uint16_t)(e->runs[e->nruns - 1].length + (shape - first));
	}
}

/* ---- a block ---- */

/* Puts the shapes in order of M: the sequence of shapes on one M is far more regular than on
 * all. */
static void put_shapes(struct tp_block_encoder *e)
{
	uint32_t *next = e->next;
	uint32_t sum = 0;
	const uint8_t *from = e->shape;

	memset(next, 0, e->nms * sizeof(*next));
	for (uint32_t r = 0; r < e->nruns; r++)
		next[e->runs[r].m] += e->runs[r].length;
	for (uint32_t m = 0; m < e->nms; m++) {
		uint32_t count = next[m];

		next[m] = sum;
		e->until[m] = sum += count;
	}
	for (uint32_t r = 0; r < e->nruns; r++) {
		struct run run = e->runs[r];
		uint8_t *to = e->start[COL_SHAPE] + next[run.m];

		/* Bytes copied in excess lie where the M's next run will be. */
		if (run.length <= SHORT_COPY && next[run.m] + SHORT_COPY <= e->until[run.m])
			memcpy(to, from, SHORT_COPY);
		else
			memcpy(to, from, run.length);
		next[run.m] += run.length;
		from += run.length;
	}
	e->at[COL_SHAPE] += e->n;
	e->start[COL_SHAPES][0] = (uint8_t)e->nshapes;
	memcpy(e->at[COL_SHAPES], e->once, e->nonce * SHAPE_BYTES);
	e->at[COL_SHAPES] += e->nonce * SHAPE_BYTES;
}

/* Lz4 hardly compresses small numbers. */
static struct tp_packer *packer_of(struct tp_block_encoder *e, enum block_column c)
{
	if (e->packer.codec != TP_CODEC_LZ4)
		return &e->packer;
	if (c == COL_TIME || c == COL_RUN)
		return &e->unrepeated;
	return c == COL_ARG ? &e->uneven : &e->packer;
}

int tp_block_finish(struct tp_block_encoder *e, struct tp_buf *out, size_t *raw_size)
{
	struct block_head h = {
	    .n = e->n,
	    .first = e->first,
	    .unit = e->tick != 0 ? 0 : e->unit,
	    .tick = e->tick,
	    .start_ns = e->start_ns,
	};
	uint8_t head[BLOCK_HEAD_MOST];
	size_t at = out->size, size;

	if (e->n) {
		put_run(e, e->last_place, e->runs[e->nruns - 1].length);
		put_shapes(e);
	}
	*raw_size = 0;
	/* The heads come first, but are only known at the end: leave the largest room they need,
	 * and close the gap then. */
	if (tp_buf_reserve(out, sizeof(head)))
		return TP_ENOMEM;
	out->size += sizeof(head);
	for (enum block_column c = 0; c < BLOCK_COLUMNS; c++) {
		size_t raw = (size_t)(e->at[c] - e->start[c]);
		struct tp_packer *packer = packer_of(e, c);

		h.column[c] = (struct block_column_head){.codec = packer->codec, .raw = raw};
		if (tp_pack(packer, out, e->start[c], raw, &h.column[c].stored.size))
			return TP_ENOMEM;
		*raw_size += raw;
	}
	size = (size_t)(tp_block_put_head(&h, e->packer.codec, head) - head);
	memcpy(out->data + at, head, size);
	memmove(out->data + at + size, out->data + at + sizeof(head),
		out->size - at - sizeof(head));
	out->size -= sizeof(head) - size;
	reset(e);
	return 0;
}
