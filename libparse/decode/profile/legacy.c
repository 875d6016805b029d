/* Reads a profile of an older format: the samples through the decoder of its kind, then mappings,
 * names and stacks into the profile. */
#include "decode/profile/legacy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "decode/profile/kinds.h"

static int (*const readers[TP_NKINDS])(struct tp_legacy *l) = {
    [TP_KIND_HEAP] = tp_legacy_heap,	    [TP_KIND_GROWTH] = tp_legacy_heap,
    [TP_KIND_COUNT] = tp_legacy_count,	    [TP_KIND_CONTENTION] = tp_legacy_contention,
    [TP_KIND_MUTEX] = tp_legacy_contention, [TP_KIND_THREADS] = tp_legacy_threads,
    [TP_KIND_CPU] = tp_legacy_cpu,	    [TP_KIND_JAVA_CPU] = tp_legacy_cpu,
    [TP_KIND_JAVA_HEAP] = tp_legacy_java,   [TP_KIND_JAVA_CONTENTION] = tp_legacy_java,
};

int tp_legacy_fail(struct tp_legacy *l, int code)
{
	switch (code) {
	case TP_ENOMEM:
		return tp_err_set(l->err, code, TP_OFFSET_NONE, "out of memory");
	case TP_ELIMIT:
		return tp_err_set(l->err, code, TP_OFFSET_NONE, "more than 2^30 entries");
	default:
		return code ? tp_err_set(l->err, code, tp_lines_offset(&l->lines),
					 "line %llu cannot be kept",
					 (unsigned long long)l->lines.number)
			    : 0;
	}
}

int tp_legacy_lose(struct tp_legacy *l, uint64_t samples, const char *why)
{
	struct tp_loss loss = {
	    .offset = tp_lines_offset(&l->lines),
	    .bytes = tp_lines_bytes(&l->lines),
	    .from_ns = INT64_MIN,
	    .to_ns = INT64_MIN,
	    .events = samples,
	};

	if (l->strict)
		return tp_err_set(l->err, TP_EFORMAT, loss.offset, "line %llu %s",
				  (unsigned long long)l->lines.number, why);
	snprintf(loss.reason, sizeof(loss.reason), "line %llu %s",
		 (unsigned long long)l->lines.number, why);
	return tp_legacy_fail(l, tp_profile_add_loss(l->p, &loss));
}

int tp_legacy_string(struct tp_legacy *l, const char *text, size_t n, uint32_t *id)
{
	return tp_legacy_fail(l, tp_dict_string(l->p->dict, text, n, id));
}

int tp_legacy_add_type(struct tp_legacy *l, const char *type, const char *unit)
{
	uint32_t t, u;
	int code = tp_legacy_string(l, type, strlen(type), &t);

	if (!code)
		code = tp_legacy_string(l, unit, strlen(unit), &u);
	return code ? code : tp_legacy_fail(l, tp_profile_add_type(l->p, t, u));
}

int tp_legacy_period_type(struct tp_legacy *l, const char *type, const char *unit)
{
	int code = tp_legacy_string(l, type, strlen(type), &l->p->period_type.type);

	return code ? code : tp_legacy_string(l, unit, strlen(unit), &l->p->period_type.unit);
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

/* Go leaves out the names of the runtime's functions at the leaf, and of its
 * goexit at the root (runtime/pprof/pprof.go, printStackRecord); what has no name is listed without
 * one. */
static void mark_runtime(struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;

	for (size_t i = 0; i < tp_legacy_nsamples(l); i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);
		bool named = false;

		for (size_t k = 0; k < s->n && !named; k++)
			named = tp_legacy_place_at(l, stack[s->at + k])->nlines > 0;
		for (size_t k = 0; k < s->n && named; k++) {
			struct tp_legacy_place *place = tp_legacy_place_at(l, stack[s->at + k]);

			place->runtime = !place->nlines && !place->nameless;
		}
	}
}

/* What is named is named where it is on a stack, a line for each frame: only a text made for the
 * purpose gives one address many names and then repeats the address without them. */
#define MAX_FRAMES_ANYWAY 1000000

static int take_frames(struct tp_legacy *l, uint64_t *budget, uint32_t n)
{
	if (n > *budget)
		return tp_err_set(l->err, TP_ELIMIT, TP_OFFSET_NONE,
				  "its inlined calls would make more frames than it has bytes");
	*budget -= n;
	return 0;
}

static int put_samples(struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;
	uint64_t budget = (uint64_t)l->size + MAX_FRAMES_ANYWAY;
	struct tp_buf frames = {0};
	size_t n = tp_legacy_nsamples(l);
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);
		uint32_t node = 0;

		for (size_t k = s->n; k-- && !code;) {
			struct tp_legacy_place *place = tp_legacy_place_at(l, stack[s->at + k]);

			if (!place->nframes)
				code = tp_legacy_fail(l, make_frames(l, place, &frames));
			if (!code)
				code = take_frames(l, &budget, place->nframes);
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

bool tp_legacy_seen(const uint8_t *data, size_t size)
{
	return readers[tp_kind_of(data, size)] != NULL;
}

int tp_legacy_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		   struct tp_profile *p, struct tp_err *err)
{
	struct tp_legacy l = {
	    .p = p,
	    .err = err,
	    .data = data,
	    .size = size,
	    .strict = opt->strict,
	    .kind = tp_kind_of(data, size),
	    .lines = tp_lines(data, size),
	    .seed = tp_seed(),
	};
	int code;

	if (!readers[l.kind])
		return tp_err_set(err, TP_EUNKNOWN, 0, "is no profile of an older format");
	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(l.kind));
	code = readers[l.kind](&l);
	if (!code)
		code = tp_legacy_end_names(&l);
	if (!code)
		code = tp_legacy_map_places(&l);
	if (!code && (l.kind == TP_KIND_CPU || l.kind == TP_KIND_THREADS))
		tp_legacy_strip_duplicates(&l);
	if (!code && !tp_legacy_is_java(&l))
		mark_runtime(&l);
	if (!code)
		code = put_samples(&l);
	if (!code)
		code = tp_legacy_rules(&l);
	tp_buf_release(&l.places);
	tp_buf_release(&l.names);
	tp_buf_release(&l.stack);
	tp_buf_release(&l.samples);
	tp_buf_release(&l.maps);
	tp_buf_release(&l.functions);
	tp_buf_release(&l.scratch);
	free(l.slot);
	return code;
}
