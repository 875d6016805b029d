/* Reads a profile of an older format: the samples through the decoder of its kind, then mappings,
 * names and stacks into the profile. */
#include "decode/profile/legacy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/profile/goroutines_dumps.h"
#include "decode/profile/kinds.h"
#include "open/dumpline.h"

/* The kinds that are read here. */
static const struct {
	int (*read)(struct tp_legacy *l);
	enum tp_legacy_hidden hidden;
	bool duplicates; /* tp_legacy_strip_duplicates is needed */
} kinds[TP_NKINDS] = {
    [TP_KIND_HEAP] = {.read = tp_legacy_heap, .hidden = TP_HIDDEN_ALLOCATOR},
    [TP_KIND_GROWTH] = {.read = tp_legacy_heap, .hidden = TP_HIDDEN_ALLOCATOR},
    [TP_KIND_JEMALLOC] = {.read = tp_legacy_jemalloc, .hidden = TP_HIDDEN_ALLOCATOR},
    [TP_KIND_COUNT] = {.read = tp_legacy_count, .hidden = TP_HIDDEN_CPU},
    [TP_KIND_CONTENTION] = {.read = tp_legacy_contention, .hidden = TP_HIDDEN_LOCKS},
    [TP_KIND_MUTEX] = {.read = tp_legacy_contention, .hidden = TP_HIDDEN_LOCKS},
    [TP_KIND_THREADS] = {.read = tp_legacy_threads, .hidden = TP_HIDDEN_CPU, .duplicates = true},
    [TP_KIND_CPU] = {.read = tp_legacy_cpu, .hidden = TP_HIDDEN_CPU, .duplicates = true},
    [TP_KIND_JAVA_CPU] = {.read = tp_legacy_cpu, .hidden = TP_HIDDEN_CPU},
    [TP_KIND_JAVA_HEAP] = {.read = tp_legacy_java, .hidden = TP_HIDDEN_ALLOCATOR},
    [TP_KIND_JAVA_CONTENTION] = {.read = tp_legacy_java, .hidden = TP_HIDDEN_LOCKS},
};

int tp_legacy_failed(struct tp_legacy *l, int code)
{
	switch (code) {
	case TP_ENOMEM:
		return tp_nomem(l->err);
	case TP_ELIMIT:
		return tp_err_set(l->err, code, TP_OFFSET_NONE,
				  "the profile has more than 2^30 entries");
	default:
		return tp_err_set(l->err, code, tp_lines_offset(&l->lines),
				  "line %llu contradicts the lines before it; remove that line",
				  (unsigned long long)l->lines.number);
	}
}

int tp_legacy_lose(struct tp_legacy *l, uint64_t samples, const char *why)
{
	int code = tp_profile_lose_line(l->p, l->err, l->strict, &l->lines, samples, why);

	return code || !samples ? code : tp_legacy_drop(l);
}

int tp_legacy_lose_rest(struct tp_legacy *l, uint64_t samples, const char *why)
{
	struct tp_loss loss = {.offset = l->size, .events = samples};

	if (l->p->nlosses > l->nlosses)
		return 0;
	return tp_profile_lose(l->p, l->err, l->strict ? TP_ETRUNC : 0, loss, "%s", why);
}

int tp_legacy_string(struct tp_legacy *l, const char *text, size_t n, uint32_t *id)
{
	return tp_legacy_fail(l, tp_dict_string(l->p->dict, text, n, id));
}

static int make_type(struct tp_legacy *l, const char *type, const char *unit,
		     struct tp_value_type *t)
{
	int code = tp_legacy_string(l, type, strlen(type), &t->type);

	return code ? code : tp_legacy_string(l, unit, strlen(unit), &t->unit);
}

static int compare_type(const struct tp_value_type *a, const struct tp_value_type *b)
{
	return a->type == b->type && a->unit == b->unit ? 0 : TP_LEGACY_UNLIKE;
}

int tp_legacy_put_type(struct tp_legacy *l, const struct tp_value_type *t)
{
	size_t i = l->ntypes++;

	if (l->follows)
		return i < l->p->ntypes ? compare_type(&l->p->types[i], t) : TP_LEGACY_UNLIKE;
	return tp_legacy_fail(l, tp_profile_add_type(l->p, t->type, t->unit));
}

int tp_legacy_put_period_type(struct tp_legacy *l, const struct tp_value_type *t)
{
	if (l->follows)
		return compare_type(&l->p->period_type, t);
	l->p->period_type = *t;
	return 0;
}

int tp_legacy_add_type(struct tp_legacy *l, const char *type, const char *unit)
{
	struct tp_value_type t = {0};
	int code = make_type(l, type, unit, &t);

	return code ? code : tp_legacy_put_type(l, &t);
}

int tp_legacy_period_type(struct tp_legacy *l, const char *type, const char *unit)
{
	struct tp_value_type t = {0};
	int code = make_type(l, type, unit, &t);

	return code ? code : tp_legacy_put_period_type(l, &t);
}

/* ---- into the profile ---- */

static int make_frames(struct tp_legacy *l, struct tp_legacy_place *place, struct tp_buf *frames)
{
	const struct tp_frame *names = (const void *)l->names.data;
	/* Java's addresses are numbers of names. */
	struct tp_location where = {.address = tp_legacy_is_java(l) ? 0 : place->address,
				    .mapping = place->mapping};

	where.flags = place->runtime ? TP_LOCATION_RUNTIME : 0;
	size_t room = place->nlines ? place->nlines : 1, n;
	int code = tp_buf_reserve(frames, room * sizeof(uint32_t));

	if (code)
		return code;
	place->frame = (uint32_t)(frames->size / sizeof(uint32_t));
	code = tp_profile_location(l->p, &where, names ? names + place->line : NULL, place->nlines,
				   (void *)(frames->data + frames->size), &n);
	place->nframes = (uint32_t)n;
	frames->size += n * sizeof(uint32_t);
	return code;
}

/* Marks places of the runtime. In a stack with names, Go leaves out the lines of its runtime's
 * functions at the leaf and of goexit at the root (runtime/pprof/pprof.go, printStackRecord). So an
 * address without a line there is the runtime's. A function whose name Go does not know has a line
 * that says so (`nameless`), and is not marked. */
static void mark_runtime(struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;

	for (size_t i = 0; i < tp_legacy_nsamples(l); i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);
		bool named = false;

		if (tp_legacy_is_same_stack(l, i))
			continue;
		for (size_t k = 0; k < s->n && !named; k++)
			named = tp_legacy_place_at(l, stack[s->at + k])->nlines > 0;
		for (size_t k = 0; k < s->n && named; k++) {
			struct tp_legacy_place *place = tp_legacy_place_at(l, stack[s->at + k]);

			place->runtime = !place->nlines && !place->nameless;
		}
	}
}

/* Limits frames. An honest text has a line for each frame that it names, so it has fewer frames
 * than bytes. One that gives an address many names and repeats the address without them could have
 * far more. */
#define MAX_FRAMES_ANYWAY 1000000

static int take_frames(struct tp_legacy *l, uint32_t n)
{
	l->spent.frames += n;
	if (l->spent.frames > (uint64_t)l->size + MAX_FRAMES_ANYWAY)
		return tp_err_set(
		    l->err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the profile's inlined calls would make more frames than it has bytes; "
		    "remove the lines that repeat names of one address");
	return 0;
}

static int put_samples(struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;
	struct tp_buf frames = {0};
	size_t n = tp_legacy_nsamples(l);
	uint32_t node = 0;
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);
		size_t k = tp_legacy_is_same_stack(l, i) ? 0 : s->n;

		node = k || !s->n ? 0 : node;
		while (k-- && !code) {
			struct tp_legacy_place *place = tp_legacy_place_at(l, stack[s->at + k]);

			if (!place->nframes)
				code = tp_legacy_fail(l, make_frames(l, place, &frames));
			if (!code)
				code = take_frames(l, place->nframes);
			if (!code)
				code = tp_legacy_fail(
				    l, tp_profile_push(l->p, &node,
						       (const uint32_t *)(const void *)frames.data +
							   place->frame,
						       place->nframes));
		}
		if (!code)
			code = tp_legacy_fail(
			    l, tp_profile_add_sample(l->p, node, s->labels, s->value));
	}
	tp_buf_release(&frames);
	return code;
}

/* ---- parts: profiles that were appended to a file ---- */

static int read_samples(struct tp_legacy *l)
{
	int code = kinds[l->kind].read(l);

	if (!code)
		code = tp_legacy_end_names(l);
	if (!code && l->body)
		code = tp_legacy_symbols(l);
	if (!code)
		code = tp_legacy_map_places(l);
	if (!code && kinds[l->kind].duplicates && !l->body)
		tp_legacy_strip_duplicates(l);
	if (!code && !tp_legacy_is_java(l) && !l->body)
		mark_runtime(l);
	if (!code)
		code = put_samples(l);
	return code ? code : tp_legacy_rules(l, kinds[l->kind].hidden);
}

static void release_part(struct tp_legacy *l)
{
	struct tp_buf *bufs[] = {&l->places,  &l->names, &l->stack,
				 &l->samples, &l->maps,	 &l->scratch};

	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		tp_buf_release(bufs[i]);
	tp_ids_release(&l->by_address);
	tp_ids_release(&l->functions);
	memset(&l->naming, 0, sizeof(l->naming));
	l->memstats = false;
	l->ntypes = 0;
}

/* Of the runtime's counters, keeps only those of the last part that has any. */
static void keep_last_counters(struct tp_profile *p, size_t before)
{
	if (p->ncounters == before)
		return;
	memmove(p->counters, p->counters + before, (p->ncounters - before) * sizeof(*p->counters));
	p->ncounters -= before;
}

static int lose_part(struct tp_legacy *l, struct tp_lines part, enum tp_kind kind)
{
	char name[48], why[120];

	l->lines = part;
	tp_lines_next(&l->lines);
	tp_kind_name(kind, l->lines.line.at, (size_t)(l->lines.end - l->lines.line.at), name,
		     sizeof(name));
	snprintf(why, sizeof(why), "begins a %s, which must be in a separate file", name);
	l->lines.next = l->lines.end;
	return tp_legacy_lose(l, 0, why);
}

/* Reads the part of this kind in [at, end) and adds it up; *n counts such parts. Header fields are
 * merged as pprof merges those of files (profile.Merge). */
static int read_part(struct tp_legacy *l, size_t at, size_t end, enum tp_kind kind, size_t *n)
{
	struct tp_profile *p = l->p;
	int64_t period = p->period, duration = p->duration_ns;
	size_t counters = p->ncounters;
	struct tp_lines part;
	int code = TP_LEGACY_UNLIKE;

	l->lines.next = (const char *)l->data + at;
	l->lines.end = (const char *)l->data + end;
	l->size = end;
	part = l->lines;
	l->nlosses = p->nlosses;
	p->duration_ns = 0;
	if (kind == l->kind)
		code = read_samples(l);
	if (code < 0)
		return code;
	if (code) {
		p->period = period;
		p->duration_ns = duration;
		code = lose_part(l, part, kind);
	} else {
		keep_last_counters(p, counters);
		p->period = l->follows && period > p->period ? period : p->period;
		if (__builtin_add_overflow(p->duration_ns, duration, &p->duration_ns))
			p->duration_ns = INT64_MAX;
		++*n;
	}
	/* A reader may stop before the last line of its part. */
	if (l->size < l->whole)
		for (l->lines = part; tp_lines_next(&l->lines);)
			;
	return code;
}

/* Returns whether a heap profile at or after `at` has four values. */
static bool any_has_four(const struct tp_legacy *l, size_t at)
{
	struct tp_lines lines = l->lines;

	for (; at < l->whole; at = tp_kind_header(l->data, l->whole, at)) {
		lines.next = lines.start + at;
		tp_lines_next(&lines);
		if (tp_legacy_heap_has_four(lines.line))
			return true;
		at = (size_t)(lines.next - lines.start);
	}
	return false;
}

/* Returns the end of the part that begins at `at`; all stacks of goroutines are one part. */
static size_t part_end(const struct tp_legacy *l, size_t at)
{
	struct tp_lines lines = l->lines;
	bool stacks = false;

	lines.end = lines.start + l->whole;
	for (size_t end = at;; end = tp_kind_header(l->data, l->whole, end)) {
		bool stack;

		lines.next = lines.start + end;
		stack = tp_lines_next(&lines) &&
			tp_is_goroutine_line(lines.line.at, tp_scan_left(&lines.line));
		if (end > at && !(stacks && stack))
			return end;
		stacks = stack;
		end = (size_t)(lines.next - lines.start);
	}
}

static bool counts_goroutines(const uint8_t *data, size_t size)
{
	static const char goroutine[] = "goroutine";
	const char *name;
	int n = tp_kind_count_name(data, size, &name);

	return n >= (int)strlen(goroutine) && !memcmp(name, goroutine, strlen(goroutine));
}

/* Sets the profile read so far aside, and begins one for the next moment. */
static int next_moment(struct tp_legacy *l)
{
	struct tp_profile *next = tp_profile_new(), before = *l->p;
	int code = TP_ENOMEM;

	if (next) {
		*l->p = *next;
		*next = before;
		code = tp_goroutine_dumps_keep(l->dumps, next);
	}
	if (next && code)
		tp_profile_free(next);
	l->dumps->n++;
	l->follows = false;
	return tp_legacy_fail(l, code);
}

static int read_parts(struct tp_legacy *l, size_t at)
{
	size_t n = 0, end;
	int code = 0;

	for (; at < l->whole && !code; at = end, l->follows = true) {
		enum tp_kind kind = l->kind;

		end = part_end(l, at);
		if (end < l->whole && l->strict)
			return tp_profile_several(l->err, end);
		if (l->follows)
			kind = tp_kind_of(l->data + at, end - at);
		else if (end < l->whole && kind == TP_KIND_HEAP)
			l->four = any_has_four(l, at);
		if (l->follows && l->dumps && kind == l->kind &&
		    counts_goroutines(l->data + at, end - at)) {
			code = next_moment(l);
			n = 0;
		}
		if (!code)
			code = read_part(l, at, end, kind, &n);
		release_part(l);
	}
	return code ? code : tp_profile_added_up(l->p, n, l->err);
}

/* Skips what comes before the profile. */
static int find_begin(struct tp_legacy *l, size_t *at)
{
	uint64_t others = 0;

	*at = l->body;
	if (l->body)
		return 0;
	*at = tp_kind_header(l->data, l->whole, 0);
	if (*at == l->whole || kinds[tp_kind_of(l->data, *at)].read)
		*at = 0;
	while (l->lines.next < l->lines.start + *at) {
		tp_lines_next(&l->lines);
		others += !tp_legacy_is_comment(l->lines.line);
	}
	return tp_legacy_fail(
	    l, others ? tp_profile_add_notice(l->p, TP_INFO, 0,
					      "%llu line%s before the profile %s not part of it",
					      (unsigned long long)others, others == 1 ? "" : "s",
					      others == 1 ? "is" : "are")
		      : 0);
}

int tp_legacy_read(enum tp_kind kind, const uint8_t *data, size_t size,
		   const struct tp_profile_options *opt, struct tp_profile *p, struct tp_err *err)
{
	struct tp_legacy l = {
	    .p = p,
	    .err = err,
	    .data = data,
	    .size = size,
	    .whole = size,
	    .body = tp_kind_body(data, size),
	    .strict = opt->strict,
	    .kind = kind,
	    .lines = tp_lines(data, size),
	};
	struct tp_goroutine_dumps dumps = {.n = 1, .most = opt->dumps ? opt->dumps->room : 0};
	size_t at = 0;
	int code;

	if (opt->dumps && l.kind == TP_KIND_COUNT &&
	    counts_goroutines(data + l.body, size - l.body))
		l.dumps = &dumps;
	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(l.kind));
	if (l.kind == TP_KIND_CPU || tp_legacy_is_java(&l)) {
		code = read_samples(&l);
	} else {
		code = find_begin(&l, &at);
		if (!code)
			code = read_parts(&l, at);
	}
	if (!code && l.dumps)
		tp_goroutine_dumps_give(&dumps, opt->dumps);
	tp_goroutine_dumps_release(&dumps);
	release_part(&l);
	return code;
}
