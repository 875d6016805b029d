/* Heap profiles of jemalloc, written with MALLOC_CONF=prof:true (jemalloc: src/prof_data.c; jeprof:
 * ReadThreadedHeapProfile):
 *
 *   heap_v2/RATE                                      sampled: one sample per RATE bytes
 *     t*: OBJECTS: BYTES [OBJECTS: BYTES]             of all stacks
 *     tTHREAD: OBJECTS: BYTES [OBJECTS: BYTES] NAME   of a thread, which may have a name
 *   @ 0xADDRESS …
 *     t*: OBJECTS: BYTES [OBJECTS: BYTES]             of this stack
 *     tTHREAD: OBJECTS: BYTES [OBJECTS: BYTES]        of a thread on this stack
 *
 *   MAPPED_LIBRARIES:
 *
 * In brackets is what was allocated, before them what of it is in use. The brackets are all zero
 * unless the program ran with prof_accum:true; then a sample has four values, else two. Each line is
 * made whole by itself, with the mean size of its objects, as jeprof does it.
 *
 * Which sums add up depends on jemalloc. Up to 5.2, and with prof_unbias:false, the numbers add up as
 * they are written. From 5.3 on it makes each sample whole, adds up, and divides each sum by what its
 * reader will multiply it by: what adds up are the numbers made whole, but for rounding. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decode/profile/legacy.h"

/* A line "t*: …" or "t7: …", and where it is. */
struct counts {
	struct tp_lines at;
	struct tp_legacy_row row;
	bool any; /* there is one */
	bool all; /* t* */
	int64_t thread;
};

static const char *const numbers[] = {"objects in use", "bytes in use", "allocated objects",
				      "allocated bytes"};

/* Lines that were added up: as they are written, made whole, and how far rounding may move that: as
 * if each line had a sample more or less. */
struct sum {
	int64_t written[4];
	double whole[4], slack[4];
	bool huge;
};

struct reader {
	struct tp_legacy *l;
	bool more; /* l->lines.line is a line that was not read yet */
	bool four;
	uint32_t key;	     /* "thread" */
	struct counts total; /* of the header */
	struct sum stacks;   /* sum of all that were kept */
};

static bool is_counts(struct tp_scan line)
{
	line = tp_scan_trim(line);
	return tp_scan_text(&line, "t") && line.at < line.end &&
	       (*line.at == '*' || (*line.at >= '0' && *line.at <= '9'));
}

static void next_line(struct reader *r)
{
	r->more = tp_lines_next(&r->l->lines);
}

/* Reads the line at hand. Returns NULL, or what is wrong with it. */
static const char *read_counts(const struct reader *r, struct counts *c)
{
	struct tp_scan s = tp_scan_trim(r->l->lines.line);
	enum tp_number thread = TP_NUMBER_OK;

	*c = (struct counts){.at = r->l->lines, .any = true};
	tp_scan_text(&s, "t");
	c->all = tp_scan_text(&s, "*");
	if (!c->all)
		thread = tp_scan_int(&s, false, &c->thread);
	if (thread == TP_NUMBER_NONE || !tp_scan_text(&s, ":"))
		return "is not a count of objects and bytes (t1: 2: 3 [4: 5])";
	tp_scan_spaces(&s);
	/* A name follows only in the header; but it says nothing elsewhere, either. */
	if (!tp_legacy_read_row(&s, false, &c->row) || (s.at < s.end && *s.at != ' '))
		return "is not a count of objects and bytes (t1: 2: 3 [4: 5])";
	if (c->row.huge || thread == TP_NUMBER_HUGE)
		return "has a number that does not fit 64 bits";
	if ((!c->row.inuse[0] && c->row.inuse[1]) || (!c->row.alloc[0] && c->row.alloc[1]))
		return "has bytes but zero objects";
	return NULL;
}

static void add_row(struct sum *sum, const struct tp_legacy_row *row, int64_t rate)
{
	int64_t v[] = {row->inuse[0], row->inuse[1], row->alloc[0], row->alloc[1]};

	for (int i = 0; i < 4; i++)
		sum->huge |= __builtin_add_overflow(sum->written[i], v[i], &sum->written[i]);
	for (int i = 0; i < 4; i += 2) {
		double n = (double)v[i];

		tp_legacy_unsample(&v[i], &v[i + 1], rate);
		for (int k = i; k < i + 2; k++) {
			sum->whole[k] += (double)v[k];
			sum->slack[k] += n > 0 && rate > 1 ? (double)v[k] / n + 1 : 0;
		}
	}
}

/* Returns the first of `numbers` that two sums do not agree on, or -1; that too if one of them
 * cannot be known. */
static int difference(const struct sum *x, const struct sum *y)
{
	for (int i = 0; i < 4 && !x->huge && !y->huge; i++)
		if (x->written[i] != y->written[i] &&
		    fabs(x->whole[i] - y->whole[i]) > x->slack[i] + y->slack[i])
			return i;
	return -1;
}

/* Loses a line that is not the one at hand. */
static int lose_at(struct tp_legacy *l, struct tp_lines at, uint64_t samples, const char *why)
{
	struct tp_lines now = l->lines;
	int code;

	l->lines = at;
	code = tp_legacy_lose(l, samples, why);
	l->lines = now;
	return code;
}

/* Loses the line of a thread, but not the stack, which other threads have too. */
static int lose_thread(struct tp_legacy *l, const char *why)
{
	return tp_profile_lose_line(l->p, l->err, l->strict, &l->lines, 1, why);
}

/* Tells it if the threads below a line t* have another sum. */
static int check_threads(struct reader *r, const struct counts *all, const struct sum *threads)
{
	struct sum sum = {.huge = false};
	char why[120];
	int i;

	add_row(&sum, &all->row, r->l->p->period);
	i = difference(&sum, threads);
	if (i < 0)
		return 0;
	snprintf(why, sizeof(why), "says %lld %s, but its threads have %lld",
		 (long long)sum.written[i], numbers[i], (long long)threads->written[i]);
	return lose_at(r->l, all->at, 0, why);
}

/* Reads the header; the line behind it is then the one at hand. */
static int read_header(struct reader *r)
{
	struct tp_legacy *l = r->l;
	struct sum threads = {.huge = false};
	bool any = false;
	struct tp_scan s;
	int code = 0;

	tp_lines_next(&l->lines);
	s = l->lines.line;
	if (!tp_scan_text(&s, "heap_v2/") || tp_scan_int(&s, false, &l->p->period) != TP_NUMBER_OK)
		return tp_err_set(l->err, TP_EFORMAT, tp_lines_offset(&l->lines),
				  "line %llu is not a header (heap_v2/BYTES) of 64 bits",
				  (unsigned long long)l->lines.number);
	for (next_line(r); r->more && is_counts(l->lines.line) && !code; next_line(r)) {
		struct counts c;
		const char *why = read_counts(r, &c);

		if (why) {
			code = tp_legacy_lose(l, 0, why);
		} else if (c.all) {
			r->total = c;
		} else {
			any = true;
			add_row(&threads, &c.row, l->p->period);
		}
	}
	if (!code && !r->total.any)
		return tp_err_set(l->err, r->more ? TP_EFORMAT : TP_ETRUNC,
				  tp_lines_offset(&l->lines),
				  "line %llu has to be the sum of all stacks (t*: 1: 2 [3: 4])",
				  (unsigned long long)l->lines.number);
	if (!code && any && l->p->nlosses == l->nlosses)
		code = check_threads(r, &r->total, &threads);
	r->four = r->total.row.alloc[0] > 0;
	return code;
}

static int add_types(struct reader *r)
{
	struct tp_legacy *l = r->l;
	int code = tp_legacy_period_type(l, "space", "bytes");

	if (!code && r->four)
		code = tp_legacy_add_type(l, "alloc_objects", "count");
	if (!code && r->four)
		code = tp_legacy_add_type(l, "alloc_space", "bytes");
	if (!code)
		code = tp_legacy_add_type(l, "inuse_objects", "count");
	if (!code)
		code = tp_legacy_add_type(l, "inuse_space", "bytes");
	return code ? code : tp_legacy_string(l, "thread", 6, &r->key);
}

/* Ends the first sample of a stack, or adds another one. */
static int put_sample(struct reader *r, const struct counts *c, bool first)
{
	struct tp_label thread = {.key = r->key, .numeric = true, .number = c->thread};
	struct tp_legacy_row row = c->row;
	struct tp_legacy *l = r->l;
	int64_t value[TP_LEGACY_VALUES];
	uint32_t labels = 0;
	size_t n = 0;
	int code = 0;

	add_row(&r->stacks, &row, l->p->period);
	tp_legacy_unsample(&row.alloc[0], &row.alloc[1], l->p->period);
	tp_legacy_unsample(&row.inuse[0], &row.inuse[1], l->p->period);
	for (int i = 0; i < 2 && r->four; i++)
		value[n++] = row.alloc[i];
	for (int i = 0; i < 2; i++)
		value[n++] = row.inuse[i];
	if (!c->all)
		code = tp_legacy_fail(l, tp_profile_label_set(l->p, &thread, 1, &labels));
	if (code)
		return code;
	return first ? tp_legacy_end_sample(l, value, labels)
		     : tp_legacy_same_stack(l, value, labels);
}

/* Pushes the addresses of "@ 0x1 0x2". Sets *ok to whether all of them could be read. */
static int push_stack(struct tp_legacy *l, bool *ok)
{
	struct tp_scan s = tp_scan_trim(l->lines.line), rest;
	int code;

	tp_scan_text(&s, "@");
	rest = s;
	tp_scan_run(&rest, " x0123456789abcdef");
	*ok = false;
	if (rest.at != rest.end)
		return tp_legacy_lose(l, 1, "has something in its stack that is not an address");
	code = tp_legacy_push_all(l, s, 1, false);
	*ok = !code;
	return code > 0 ? 0 : code;
}

/* Reads the stack at hand, and its counts: a sample of each thread, or one of the line t*. The line
 * behind them is then the one at hand. */
static int read_stack(struct reader *r)
{
	struct tp_legacy *l = r->l;
	struct tp_lines stack = l->lines;
	struct sum threads = {.huge = false};
	struct counts total = {.any = false}, c;
	size_t losses = l->p->nlosses;
	bool ok, first = true;
	int code = push_stack(l, &ok);

	for (next_line(r); !code && r->more && is_counts(l->lines.line); next_line(r)) {
		const char *why = ok ? read_counts(r, &c) : NULL;

		if (!ok)
			continue;
		if (!why && c.all && total.any)
			why = "is a second sum of the same stack";
		if (why) {
			code = c.all ? tp_legacy_lose(l, 0, why) : lose_thread(l, why);
		} else if (c.all) {
			total = c;
		} else {
			add_row(&threads, &c.row, l->p->period);
			code = put_sample(r, &c, first);
			first = false;
		}
	}
	if (!code && ok && first && total.any)
		return put_sample(r, &total, true);
	if (!code && l->p->nlosses == losses && first)
		code = lose_at(l, stack, 1, "is a stack without counts");
	else if (!code && l->p->nlosses == losses && !total.any)
		code = lose_at(l, stack, 0, "is a stack without the sum of its threads (t*)");
	else if (!code && l->p->nlosses == losses)
		code = check_threads(r, &total, &threads);
	return code ? code : tp_legacy_drop(l);
}

/* Compares the stacks with the sum in the header; only that shows missing stacks. */
static int check_sums(struct reader *r)
{
	struct sum total = {.huge = false};
	char why[120];
	int i;

	add_row(&total, &r->total.row, r->l->p->period);
	i = difference(&r->stacks, &total);
	if (i < 0)
		return 0;
	snprintf(why, sizeof(why), "ends after stacks of %lld %s, not of %lld",
		 (long long)r->stacks.written[i], numbers[i], (long long)total.written[i]);
	return tp_legacy_lose_rest(r->l, 0, why);
}

int tp_legacy_jemalloc(struct tp_legacy *l)
{
	struct reader r = {.l = l};
	int code = read_header(&r);

	if (!code)
		code = add_types(&r);
	while (!code && r.more && !tp_legacy_is_maps(l->lines.line)) {
		struct tp_scan line = tp_scan_trim(l->lines.line);

		if (tp_scan_begins(line, "@")) {
			code = read_stack(&r);
			continue;
		}
		if (line.at < line.end)
			code = tp_legacy_lose(l, 0, "is neither a stack (@ 0xADDRESS) nor a count");
		next_line(&r);
	}
	if (!code)
		code = check_sums(&r);
	return code || !r.more ? code : tp_legacy_read_maps(l);
}
