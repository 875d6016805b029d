#include "store/block.h"

#include <stdlib.h>
#include <string.h>

#include "store/block_head.h"
#include "store/block_model.h"

/* Readable zero bytes after a column: reading one value needs one check, and loops over bytes may
 * go on to a multiple of this. */
#define PAD 64

struct column {
	const uint8_t *at, *end; /* PAD readable bytes follow */
	bool failed;		 /* a read went beyond the end */
};

struct run {
	uint16_t m; /* local number */
	uint16_t length;
};

struct decoder {
	struct tp_block_decoder pub;
	struct tp_unpacker unpacker;

	struct block_head head;
	struct column column[BLOCK_COLUMNS];

	struct run runs[TP_BLOCK_EVENTS];
	uint32_t nruns, nms;
	uint32_t ms[TP_BLOCK_EVENTS];
	uint16_t recent[TP_BLOCK_EVENTS];
	uint32_t next[TP_BLOCK_EVENTS];
	struct place place[TP_BLOCK_EVENTS];

	struct shape shapes[MAX_SHAPES + 1];
	uint32_t known_shapes, nshapes;
	uint8_t number[TP_BLOCK_EVENTS]; /* numbers of the shapes, in order of time */

	struct model model;

	int64_t ts[TP_BLOCK_EVENTS];
	uint64_t arg[3][TP_BLOCK_EVENTS];
	uint32_t u32[7][TP_BLOCK_EVENTS];
	uint8_t u8[4][TP_BLOCK_EVENTS];
	uint8_t bytes[];
};

struct tp_block_decoder *tp_block_decoder_new(void)
{
	struct decoder *d;
	size_t room = 0;

	for (enum block_column c = 0; c < BLOCK_COLUMNS; c++)
		room += tp_block_column_most(c, TP_BLOCK_EVENTS) + PAD;
	d = malloc(sizeof(*d) + room);
	if (!d)
		return NULL;
	memset(&d->unpacker, 0, sizeof(d->unpacker));
	d->pub = (struct tp_block_decoder){
	    .ts = d->ts,
	    .type = d->u8[0],
	    .from = d->u8[1],
	    .to = d->u8[2],
	    .flags = d->u8[3],
	    .m = d->u32[0],
	    .p = d->u32[1],
	    .g = d->u32[2],
	    .subject = d->u32[3],
	    .stack = d->u32[4],
	    .str = d->u32[5],
	    .str2 = d->u32[6],
	    .arg = {d->arg[0], d->arg[1], d->arg[2]},
	};
	return &d->pub;
}

void tp_block_decoder_free(struct tp_block_decoder *pub)
{
	struct decoder *d = (struct decoder *)pub;

	if (!d)
		return;
	tp_unpacker_release(&d->unpacker);
	free(d);
}

/* ---- columns as bytes ---- */

static int unpack(struct decoder *d, enum block_column c, struct tp_err *err)
{
	const struct block_column_head *head = &d->head.column[c];
	uint8_t *to = d->bytes;
	int code;

	for (unsigned i = 0; i < c; i++)
		to += tp_block_column_most(i, TP_BLOCK_EVENTS) + PAD;
	code = tp_unpack(&d->unpacker, head->codec, head->stored.data, head->stored.size, to,
			 head->raw);
	if (code == TP_ENOMEM)
		return tp_nomem(err);
	if (code)
		return tp_block_damaged(err, "compressed column");
	memset(to + head->raw, 0, PAD);
	d->column[c] = (struct column){.at = to, .end = to + head->raw};
	return 0;
}

/* Returns the next number of a column; 0, from then on, if the column has ended. */
static inline uint64_t get(struct column *c)
{
	const uint8_t *p = c->at;
	uint64_t v;

	if (p >= c->end) {
		c->failed = true;
		return 0;
	}
	v = *p++;
	if (v >= 0x80) {
		v &= 0x7f;
		for (unsigned shift = 7; shift < 70; shift += 7) {
			uint8_t b = *p++;

			v |= (uint64_t)(b & 0x7f) << shift;
			if (b < 0x80)
				break;
		}
	}
	c->at = p;
	return v;
}

/* Returns whether every byte was used and nothing was read beyond the end. */
static bool all_read(const struct column *c)
{
	return !c->failed && c->at == c->end;
}

/* ---- passes over the block, each filling some columns ---- */

/* Returns the units of a TIME byte from SHORT_UNITS to LONG_TIME - 1. */
static uint32_t more_units(struct column *x, unsigned code)
{
	uint32_t units = (code - SHORT_UNITS) * 256 + SHORT_UNITS;

	if (x->at < x->end)
		return units + *x->at++;
	x->failed = true;
	return units;
}

static uint64_t long_time(struct column *x, uint64_t last)
{
	return last + (uint64_t)tp_unzigzag(get(x));
}

static void decode_units(struct decoder *d, const uint8_t *code)
{
	struct column *x = &d->column[COL_TIMEX];
	uint64_t last = (uint64_t)d->head.first, base = last;

	for (uint32_t i = 0; i < d->pub.n; i++) {
		if (code[i] < SHORT_UNITS) {
			uint64_t ahead = base + (uint64_t)code[i] * d->head.unit;

			last = code[i] ? ahead : last + 1;
			base = code[i] ? ahead : base;
		} else if (code[i] == LONG_TIME) {
			last = base = long_time(x, last);
		} else {
			last = base = base + (uint64_t)more_units(x, code[i]) * d->head.unit;
		}
		d->ts[i] = (int64_t)last;
	}
}

static void decode_ticks(struct decoder *d, const uint8_t *code)
{
	struct column *x = &d->column[COL_TIMEX];
	uint64_t start = (uint64_t)d->head.start_ns, last = (uint64_t)d->head.first;
	int64_t ticks = ticks_of_ns((int64_t)(last + start), d->head.tick);

	for (uint32_t i = 0; i < d->pub.n; i++) {
		if (code[i] < LONG_TIME) {
			uint64_t ns;

			ticks += code[i] < SHORT_UNITS ? code[i] : more_units(x, code[i]);
			ns = (uint64_t)ns_of_ticks(ticks, d->head.tick) - start;
			last = code[i] ? ns : last + 1;
		} else {
			last = long_time(x, last);
			ticks = ticks_of_ns((int64_t)(last + start), d->head.tick);
		}
		d->ts[i] = (int64_t)last;
	}
}

static int decode_times(struct decoder *d, struct tp_err *err)
{
	if (unpack(d, COL_TIME, err) || unpack(d, COL_TIMEX, err))
		return err->code;
	if (d->head.column[COL_TIME].raw != d->pub.n)
		return tp_block_damaged(err, "times");
	if (d->head.unit)
		decode_units(d, d->column[COL_TIME].at);
	else
		decode_ticks(d, d->column[COL_TIME].at);
	return all_read(&d->column[COL_TIMEX]) ? 0 : tp_block_damaged(err, "times");
}

/* Moves the M at this place of the list to the front. Returns its local number. */
static uint16_t bring_forward(struct decoder *d, uint64_t place)
{
	uint16_t local;

	if (place > d->nms) {
		d->column[COL_RUN].failed = true;
		return 0;
	}
	if (place == d->nms) {
		local = (uint16_t)d->nms++;
		d->ms[local] = (uint32_t)get(&d->column[COL_MS]) - 1;
	} else {
		local = d->recent[place];
	}
	memmove(d->recent + 1, d->recent, (size_t)place * sizeof(*d->recent));
	d->recent[0] = local;
	return local;
}

static int decode_runs(struct decoder *d, struct tp_err *err)
{
	struct column *c = &d->column[COL_RUN];
	uint32_t events = 0;

	if (unpack(d, COL_RUN, err) || unpack(d, COL_MS, err))
		return err->code;
	d->nruns = d->nms = 0;
	while (events < d->pub.n && !c->failed) {
		unsigned byte = (unsigned)(c->at < c->end ? *c->at : 0);
		uint64_t place = byte >> 5, length = (byte & LONG_RUN) + 1;
		uint16_t m;

		c->failed |= c->at >= c->end;
		c->at += !c->failed;
		if (place == FAR_PLACE)
			place += get(c);
		if (length > LONG_RUN)
			length += get(c);
		m = bring_forward(d, place);
		if (c->failed || !length || length > d->pub.n - events)
			return tp_block_damaged(err, "runs");
		d->runs[d->nruns++] = (struct run){m, (uint16_t)length};
		events += (uint32_t)length;
	}
	return all_read(c) && all_read(&d->column[COL_MS]) ? 0 : tp_block_damaged(err, "runs");
}

static void decode_ms(struct decoder *d)
{
	uint32_t *m = d->pub.m;

	for (uint32_t r = 0; r < d->nruns; r++)
		for (uint32_t i = 0; i < d->runs[r].length; i++)
			*m++ = d->ms[d->runs[r].m];
}

/* Puts the shape numbers back into the order of time. */
static void sort_numbers(struct decoder *d)
{
	const uint8_t *from = d->column[COL_SHAPE].at;
	uint8_t *to = d->number;
	uint32_t sum = 0;

	memset(d->next, 0, d->nms * sizeof(*d->next));
	for (uint32_t r = 0; r < d->nruns; r++)
		d->next[d->runs[r].m] += d->runs[r].length;
	for (uint32_t m = 0; m < d->nms; m++) {
		uint32_t count = d->next[m];

		d->next[m] = sum;
		sum += count;
	}
	for (uint32_t r = 0; r < d->nruns; r++) {
		struct run run = d->runs[r];

		memcpy(to, from + d->next[run.m], run.length);
		d->next[run.m] += run.length;
		to += run.length;
	}
}

/* Counts those of n bytes that are ONCE, and those that are not the number of a known shape. The
 * inner loop has a fixed length, so compilers use vector registers. */
static void count_numbers(const uint8_t *p, uint32_t n, uint32_t known, uint32_t *once,
			  uint32_t *unknown)
{
	*once = *unknown = 0;
	for (uint32_t i = 0; i < n; i += PAD, p += PAD) {
		uint8_t ones = 0, strange = 0;

		for (unsigned j = 0; j < PAD; j++) {
			ones = (uint8_t)(ones + (p[j] == ONCE));
			strange = (uint8_t)(strange + (p[j] >= known));
		}
		*once += ones;
		*unknown += strange;
	}
}

static int decode_shapes(struct decoder *d, struct tp_err *err)
{
	const uint8_t *p;
	size_t lines;
	uint32_t once, unknown;

	if (unpack(d, COL_SHAPE, err) || unpack(d, COL_SHAPES, err))
		return err->code;
	p = d->column[COL_SHAPES].at;
	lines = d->head.column[COL_SHAPES].raw / SHAPE_BYTES;
	if (d->head.column[COL_SHAPE].raw != d->pub.n ||
	    d->head.column[COL_SHAPES].raw != lines * SHAPE_BYTES + 1 || *p > lines)
		return tp_block_damaged(err, "shapes");
	d->known_shapes = *p++;
	d->nshapes = (uint32_t)lines;
	for (uint32_t i = 0; i < lines; i++, p += SHAPE_BYTES) {
		/* Readers of events use these as indices of tables. */
		if (p[0] >= TP_NEVENT_TYPES || p[1] >= TP_NSTATES || p[2] >= TP_NSTATES)
			return tp_block_damaged(err, "types");
		d->shapes[i] = (struct shape){
		    .type = p[0],
		    .from = p[1],
		    .to = p[2],
		    .flags = p[3],
		    .tell = p[4] | (uint32_t)p[5] << 8 | (uint32_t)p[6] << 16,
		};
	}
	/* A number without a shape and a shape without an event are both damage. */
	count_numbers(d->column[COL_SHAPE].at, d->pub.n, d->known_shapes, &once, &unknown);
	if (!d->known_shapes) /* then the zeros that fill up the last PAD bytes are unknown, too */
		unknown -= (PAD - d->pub.n % PAD) % PAD;
	if (unknown != once || lines - d->known_shapes != once)
		return tp_block_damaged(err, "shapes");
	sort_numbers(d);
	return 0;
}

/* Iterates over the shapes of a block in order of time. */
struct shape_walk {
	const struct shape *shapes;
	const uint8_t *number;
	uint32_t once;
};

static struct shape_walk walk_shapes(const struct decoder *d)
{
	return (struct shape_walk){d->shapes, d->number, d->known_shapes};
}

static inline const struct shape *next_shape(struct shape_walk *w)
{
	uint8_t number = *w->number++;

	return &w->shapes[number == ONCE ? w->once++ : number];
}

/* Fills in the type of every event and, if `more`, the three bytes beside it. Stores of bytes may
 * alias anything, so the loops use a copy of the fields of *d that they need. */
static void decode_types(struct decoder *d, bool more)
{
	const struct tp_block_decoder to = d->pub;
	struct shape_walk w = walk_shapes(d);

	for (uint32_t i = 0; i < to.n && !more; i++)
		to.type[i] = next_shape(&w)->type;
	for (uint32_t i = 0; i < to.n && more; i++) {
		struct shape s = *next_shape(&w);

		to.type[i] = s.type;
		to.from[i] = s.from;
		to.to[i] = s.to;
		to.flags[i] = s.flags;
	}
}

static inline uint32_t told_subject(struct decoder *d)
{
	return d->model.goroutines + (uint32_t)tp_unzigzag(get(&d->column[COL_SUBJECT]));
}

static int decode_context(struct decoder *d, struct tp_err *err)
{
	struct shape_walk w = walk_shapes(d);
	uint32_t i = 0;

	if (unpack(d, COL_CONTEXT, err) || unpack(d, COL_SUBJECT, err))
		return err->code;
	memset(d->place, 0xff, d->nms * sizeof(*d->place));
	for (uint32_t r = 0; r < d->nruns; r++) {
		struct place *at = &d->place[d->runs[r].m];
		uint32_t p = at->p, g = at->g;

		for (uint32_t end = i + d->runs[r].length; i < end; i++) {
			const struct shape *s = next_shape(&w);
			const struct habit *h = &tp_block_habits[s->type];
			unsigned told = how(s->tell, TELL_SUBJECT);
			uint32_t subject;

			if (s->tell & TELL_CONTEXT) {
				p = (uint32_t)get(&d->column[COL_CONTEXT]) - 1;
				g = (uint32_t)get(&d->column[COL_CONTEXT]) - 1;
			}
			d->pub.p[i] = p;
			d->pub.g[i] = g;
			if (told == SUBJECT_TOLD) {
				subject = told_subject(d);
			} else {
				uint32_t self = h->self_is_p ? p : g;
				uint32_t guess = guess_subject(&d->model, h, p, g);

				subject = told == SUBJECT_SELF ? self : TP_NONE;
				subject = told == SUBJECT_GUESS ? guess : subject;
			}
			d->pub.subject[i] = subject;
			if (s->tell & TELL_G_IS_SUBJECT)
				d->pub.g[i] = subject;
			learn_wakeup(&d->model, h, p, g, subject);
			learn_subject(&d->model, h, &p, &g, subject);
		}
		at->p = p;
		at->g = g;
	}
	return all_read(&d->column[COL_CONTEXT]) && all_read(&d->column[COL_SUBJECT])
		   ? 0
		   : tp_block_damaged(err, "context");
}

/* 3 is an invalid code: it reads as zero, and if it hides a value, that value is found left over in
 * its column. */
static inline uint32_t value(unsigned told, uint32_t guess, uint32_t read)
{
	const uint32_t from[] = {0, guess, read, 0};

	return from[told];
}

static inline uint32_t told_str(struct column *c, uint32_t *last)
{
	*last += (uint32_t)tp_unzigzag(get(c));
	return *last;
}

static int decode_spots(struct decoder *d, struct tp_err *err)
{
	struct shape_walk w = walk_shapes(d);

	if (unpack(d, COL_STACK, err) || unpack(d, COL_STR, err))
		return err->code;
	for (uint32_t i = 0; i < d->pub.n; i++) {
		const struct shape *s = next_shape(&w);
		unsigned stack = how(s->tell, TELL_STACK), str = how(s->tell, TELL_STR);
		struct spot *guess, here;

		if (!(stack | str)) {
			d->pub.stack[i] = d->pub.str[i] = 0;
			continue;
		}
		guess = guess_spot(&d->model, d->model.last_stack[d->pub.g[i] % SLOTS], s->type);
		here.stack = value(stack, guess->stack,
				   stack == VALUE_TOLD ? (uint32_t)get(&d->column[COL_STACK]) : 0);
		here.str = value(str, guess->str,
				 str == VALUE_TOLD
				     ? told_str(&d->column[COL_STR], &d->model.last_str[s->type])
				     : 0);
		*guess = here;
		if (here.stack)
			d->model.last_stack[d->pub.g[i] % SLOTS] = here.stack;
		d->pub.stack[i] = here.stack;
		d->pub.str[i] = here.str;
	}
	return all_read(&d->column[COL_STACK]) && all_read(&d->column[COL_STR])
		   ? 0
		   : tp_block_damaged(err, "stacks");
}

static int decode_str2(struct decoder *d, struct tp_err *err)
{
	struct shape_walk w = walk_shapes(d);

	if (unpack(d, COL_STR2, err))
		return err->code;
	for (uint32_t i = 0; i < d->pub.n; i++) {
		const struct shape *s = next_shape(&w);
		unsigned told = how(s->tell, TELL_STR2);
		uint32_t *guess;

		d->pub.str2[i] = 0;
		if (!told)
			continue;
		guess = guess_str2(&d->model, d->pub.stack[i]);
		if (told == VALUE_TOLD)
			*guess = told_str(&d->column[COL_STR2], &d->model.last_str2[s->type]);
		d->pub.str2[i] = *guess;
	}
	return all_read(&d->column[COL_STR2]) ? 0 : tp_block_damaged(err, "strings");
}

static int decode_args(struct decoder *d, struct tp_err *err)
{
	struct shape_walk w = walk_shapes(d);

	if (unpack(d, COL_ARG, err))
		return err->code;
	for (uint32_t i = 0; i < d->pub.n; i++) {
		const struct shape *s = next_shape(&w);
		uint64_t *last = d->model.last_arg[s->type];

		if (!(s->tell >> TELL_ARG & 0x3f)) {
			d->arg[0][i] = d->arg[1][i] = d->arg[2][i] = 0;
			continue;
		}
		for (unsigned a = 0; a < 3; a++) {
			unsigned told = how(s->tell, TELL_ARG + 2 * a);

			if (told == VALUE_TOLD)
				last[a] += (uint64_t)tp_unzigzag(get(&d->column[COL_ARG]));
			d->arg[a][i] = told ? last[a] : 0;
		}
	}
	return all_read(&d->column[COL_ARG]) ? 0 : tp_block_damaged(err, "arguments");
}

/* ---- a block ---- */

#define SHAPE_COLUMNS (TP_BC_TYPE | TP_BC_FROM | TP_BC_TO | TP_BC_FLAGS)
#define PLACE_COLUMNS (TP_BC_P | TP_BC_G | TP_BC_SUBJECT)
#define SPOT_COLUMNS  (TP_BC_STACK | TP_BC_STR)
#define ARG_COLUMNS   (TP_BC_ARG0 | TP_BC_ARG1 | TP_BC_ARG2)

/* Returns the requested columns and all columns that they are predicted from. */
static uint32_t with_needed(uint32_t columns)
{
	if (columns & ARG_COLUMNS)
		columns |= ARG_COLUMNS;
	if (columns & TP_BC_STR2)
		columns |= TP_BC_STACK;
	if (columns & SPOT_COLUMNS)
		columns |= SPOT_COLUMNS | TP_BC_G;
	if (columns & PLACE_COLUMNS)
		columns |= PLACE_COLUMNS;
	if (columns & ~(uint32_t)TP_BC_TYPE & SHAPE_COLUMNS)
		columns |= SHAPE_COLUMNS;
	return columns & TP_BC_ALL;
}

static int decode_columns(struct decoder *d, uint32_t columns, struct tp_err *err)
{
	int code = 0;

	if (columns & TP_BC_TS)
		code = decode_times(d, err);
	if (!code && columns & ~(uint32_t)TP_BC_TS)
		code = decode_runs(d, err);
	if (!code && columns & ~(uint32_t)(TP_BC_TS | TP_BC_M))
		code = decode_shapes(d, err);
	if (code)
		return code;
	if (columns & (PLACE_COLUMNS | ARG_COLUMNS))
		model_reset(&d->model);
	if (columns & TP_BC_M)
		decode_ms(d);
	if (columns & SHAPE_COLUMNS)
		decode_types(d, columns & ~(uint32_t)TP_BC_TYPE & SHAPE_COLUMNS);
	if (columns & PLACE_COLUMNS)
		code = decode_context(d, err);
	if (!code && columns & SPOT_COLUMNS)
		code = decode_spots(d, err);
	if (!code && columns & TP_BC_STR2)
		code = decode_str2(d, err);
	if (!code && columns & ARG_COLUMNS)
		code = decode_args(d, err);
	return code;
}

int tp_block_decode(struct tp_block_decoder *pub, const void *data, size_t size, int64_t rows,
		    uint32_t columns, struct tp_err *err)
{
	struct decoder *d = (struct decoder *)pub;
	struct tp_err ours;
	int code;

	if (!err)
		err = &ours;
	pub->n = 0;
	pub->columns = with_needed(columns);
	code = tp_block_read_head(&d->head, data, size, rows, err);
	if (!code)
		pub->n = d->head.n;
	if (!code)
		code = decode_columns(d, pub->columns, err);
	if (code)
		pub->n = 0;
	return code;
}

/* Returns an event without str2 and arguments. */
static inline struct tp_event event_at(const struct tp_block_decoder *c, uint32_t i)
{
	return (struct tp_event){.ts = c->ts[i],
				 .type = c->type[i],
				 .m = c->m[i],
				 .p = c->p[i],
				 .g = c->g[i],
				 .subject = c->subject[i],
				 .stack = c->stack[i],
				 .str = c->str[i],
				 .from = c->from[i],
				 .to = c->to[i],
				 .flags = c->flags[i]};
}

void tp_block_events(const struct tp_block_decoder *d, struct tp_event *out)
{
	const struct tp_block_decoder c = *d;
	bool more = c.columns & ARG_COLUMNS;

	for (uint32_t i = 0; i < c.n && !more; i++)
		out[i] = event_at(&c, i);
	for (uint32_t i = 0; i < c.n && more; i++) {
		out[i] = event_at(&c, i);
		out[i].str2 = c.str2[i];
		for (int a = 0; a < 3; a++)
			out[i].arg[a] = c.arg[a][i];
	}
}

uint32_t tp_block_changes(const struct tp_block_decoder *d, const uint64_t *wanted, uint32_t n,
			  struct tp_event *out)
{
	const struct tp_block_decoder c = *d;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c.n; i++) {
		uint32_t g = c.subject[i];
		bool keep = c.from[i] != c.to[i];

		if (wanted)
			keep = keep && g < n && wanted[g / 64] >> g % 64 & 1 &&
			       tp_event_descs[c.type[i]].subject == 'G';
		if (keep || c.type[i] == TP_EV_SYNC || !i || i + 1 == c.n)
			out[kept++] = event_at(&c, i);
	}
	return kept;
}
