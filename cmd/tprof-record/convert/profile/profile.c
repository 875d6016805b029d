/* Rows become samples, modules become mappings. Facts: runtime/pprof/{pprof,proto,protomem}.go.
 *
 * What Go's dumps do not have, because a Go program has nothing of the kind:
 *   time and duration          of heap, block and mutex profiles as well
 *   comments                   how the program was called, and what was lost on the way
 *   drop_frames                allocators of C and C++, in front of their callers
 *   labels of goroutine        name, state, goroutine (its number, as in the trace), tid, and
 *                              `waited` for how long, in ns; then those that the program has set */
#include "tprof-record/convert/profile/profile.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/profile/encode.h"
#include "tprof-record/convert/names/names.h"
#include "tprof-record/convert/profile/profile_rows.h"

struct maker {
	const struct rec_process *p;
	enum rec_profile_kind kind;
	struct tp_profile *out;
	struct rec_names *names;
	struct tp_err *err;
	uint32_t lost, unknown; /* stacks of REC_LOST_LOCK and REC_UNKNOWN_STACK, once made */
};

/* Codes of the builder come without words. */
static int fail(const struct maker *m, int code)
{
	if (code == TP_ENOMEM)
		return tp_nomem(m->err);
	return code ? tp_err_set(m->err, code, TP_OFFSET_NONE, "the %s profile is too large",
				 rec_profile_name(m->kind))
		    : 0;
}

static int string(struct maker *m, const char *text, uint32_t *id)
{
	return fail(m, tp_dict_string(m->out->dict, text, strlen(text), id));
}

/* ---- what comes before the samples ---- */

static int add_types(struct maker *m)
{
	const struct rec_profile_types *t = rec_profile_types(m->kind);
	const struct rec_options *o = &m->p->arena.header->options;
	uint32_t type, unit;
	int code = 0;

	for (size_t i = 0; i < t->n && !code; i++) {
		code = string(m, t->type[i][0], &type);
		if (!code)
			code = string(m, t->type[i][1], &unit);
		if (!code)
			code = fail(m, tp_profile_add_type(m->out, type, unit));
	}
	if (!code)
		code = string(m, t->period[0], &m->out->period_type.type);
	if (!code)
		code = string(m, t->period[1], &m->out->period_type.unit);
	if (!code && m->kind == REC_PROFILE_HEAP)
		code = string(m, "inuse_space", &m->out->default_type);
	m->out->period = 1;
	if (m->kind == REC_PROFILE_HEAP && o->heap_rate <= INT64_MAX)
		m->out->period = (int64_t)o->heap_rate;
	return code;
}

int rec_profile_modules(struct tp_profile *out, const struct rec_process *p, uint32_t flags)
{
	const struct rec_arena *a = &p->arena;
	int code = 0;

	for (uint32_t i = 0; i < a->header->modules.used && !code; i++) {
		const struct rec_module *from = &a->modules[i];
		const char *file = rec_process_string(p, from->file);
		const char *id = rec_process_string(p, from->build_id);
		struct tp_mapping to = {.start = from->start,
					.limit = from->limit,
					.offset = from->offset,
					.flags = flags};
		uint32_t number;

		code = tp_dict_string(out->dict, file, strlen(file), &to.file);
		if (!code)
			code = tp_dict_string(out->dict, id, strlen(id), &to.build_id);
		if (!code)
			code = tp_profile_add_mapping(out, &to, &number);
	}
	return code;
}

/* As Go: a mapping all of whose locations have names says so, and pprof looks for none itself. */
static void flag_mappings(struct maker *m)
{
	static const uint32_t all =
	    TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES | TP_MAPPING_LINES | TP_MAPPING_INLINES;
	const struct tp_dict *d = m->out->dict;
	uint32_t n = tp_dict_frames(d);

	for (int named = 1; named >= 0; named--) {
		for (uint32_t i = 1; i < n; i++) {
			struct tp_frame f = tp_dict_frame_at(d, i);
			uint32_t mapping = tp_dict_location_at(d, f.location).mapping;

			if (mapping && mapping <= m->out->nmappings && !f.function == !named)
				m->out->mappings[mapping - 1].flags = named ? all : 0;
		}
	}
}

static int add_time(struct maker *m)
{
	const struct rec_process *p = m->p;
	const struct rec_header *h = p->arena.header;

	if (p->end_sec < INT64_MAX / 1000000000)
		m->out->time_ns = (int64_t)(p->end_sec * 1000000000 + p->end_nsec % 1000000000);
	if (p->end_ns > h->start_ns)
		m->out->duration_ns = (int64_t)(p->end_ns - h->start_ns);
	return 0;
}

static int add_drop_frames(struct maker *m)
{
	static const char allocators[] =
	    "malloc|calloc|realloc|reallocarray|(__)?posix_memalign|aligned_alloc|memalign|valloc|"
	    "pvalloc|operator new(\\[\\])?|"
	    "(std::__new_allocator|__gnu_cxx::new_allocator|std::allocator|std::allocator_traits)"
	    "<.*>::allocate|"
	    "__rust_(re)?alloc(_zeroed)?|__rdl_(re)?alloc(_zeroed)?|alloc::alloc::.*";

	return m->kind == REC_PROFILE_HEAP ? string(m, allocators, &m->out->drop_frames) : 0;
}

/* ---- samples ---- */

/* A stack of PCs that the arena does not have. */
static int push_pcs(struct maker *m, const struct rec_row *row, uint32_t *node)
{
	uint64_t pcs[REC_MAX_DEPTH];
	size_t n = rec_row_pcs(m->p, row, pcs);
	int code = 0;

	*node = 0;
	while (n-- && !code) {
		const uint32_t *frame;
		size_t nframes = rec_names_frames(m->names, pcs[n], &frame);

		if (rec_names_own(m->names, pcs[n]))
			continue;
		code = fail(m, tp_profile_push(m->out, node, frame, nframes));
	}
	return code;
}

/* One location, which has no address: there is no code of that name. */
static int push_name(struct maker *m, const char *name, uint32_t *made, uint32_t *node)
{
	struct tp_location at = {.flags = 0};
	struct tp_function f = {0};
	struct tp_frame line = {0};
	int code = 0;

	if (!*made) {
		code = string(m, name, &f.name);
		f.system_name = f.name;
		if (!code)
			code = fail(m, tp_dict_function(m->out->dict, &f, &line.function));
		if (!code)
			code = fail(m, tp_profile_push_location(m->out, made, &at, &line, 1));
	}
	*node = *made;
	return code;
}

static int stack_of(struct maker *m, const struct rec_row *row, uint32_t *node)
{
	int code;

	if (row->lost)
		return push_name(m, REC_LOST_LOCK, &m->lost, node);
	code = row->stack ? rec_names_stack(m->names, row->stack, node, m->err)
			  : push_pcs(m, row, node);
	return code || *node ? code : push_name(m, REC_UNKNOWN_STACK, &m->unknown, node);
}

struct labels {
	struct tp_label *label;
	size_t n;
};

static int add_text(struct maker *m, struct labels *l, const char *key, const char *value)
{
	struct tp_label label = {0};
	int code = string(m, key, &label.key);

	if (!code)
		code = string(m, value, &label.text);
	l->label[l->n++] = label;
	return code;
}

static int add_number(struct maker *m, struct labels *l, const char *key, int64_t number,
		      const char *unit)
{
	struct tp_label label = {.numeric = true, .number = number};
	int code = string(m, key, &label.key);

	if (!code)
		code = string(m, unit, &label.unit);
	l->label[l->n++] = label;
	return code;
}

static int add_decimal(struct maker *m, struct labels *l, const char *key, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return add_text(m, l, key, text);
}

/* Those of a thread; room for 5 and its own. */
static int label_thread(struct maker *m, const struct rec_row *row, struct labels *l)
{
	const struct rec_g *g = row->g;
	const uint32_t *own;
	size_t nown;
	int code = *g->name ? add_text(m, l, "name", g->name) : 0;

	if (!code)
		code = add_text(m, l, "state", row->state);
	if (!code)
		code = add_decimal(m, l, "goroutine", g->id);
	if (!code && g->tid)
		code = add_decimal(m, l, "tid", g->tid);
	if (!code && g->wait.kind != REC_NOTHING && g->wait.start && m->p->end_ns > g->wait.start)
		code = add_number(m, l, "waited", (int64_t)(m->p->end_ns - g->wait.start),
				  "nanoseconds");
	own = rec_process_labels(m->p, g->labels, &nown);
	for (size_t i = 0; i < nown && !code; i++)
		code = add_text(m, l, rec_process_string(m->p, own[2 * i]),
				rec_process_string(m->p, own[2 * i + 1]));
	return code;
}

static int labels_of(struct maker *m, const struct rec_row *row, uint32_t *set)
{
	struct labels l = {0};
	size_t nown = 0;
	int code = 0;

	*set = 0;
	if (row->g)
		rec_process_labels(m->p, row->g->labels, &nown);
	l.label = malloc((5 + nown) * sizeof(*l.label));
	if (!l.label)
		return fail(m, TP_ENOMEM);
	if (m->kind == REC_PROFILE_HEAP)
		code = add_number(m, &l, "bytes", row->size, "");
	else if (row->g)
		code = label_thread(m, row, &l);
	if (!code && l.n)
		code = fail(m, tp_profile_label_set(m->out, l.label, l.n, set));
	free(l.label);
	return code;
}

static int add_sample(struct maker *m, struct rec_row *row)
{
	uint32_t node, set;
	int code = stack_of(m, row, &node);

	if (!code)
		code = labels_of(m, row, &set);
	if (code)
		return code;
	rec_row_scale(m->p, m->kind, row);
	return fail(m, tp_profile_add_sample(m->out, node, set, row->value));
}

static int add_samples(struct maker *m, const struct rec_live *live)
{
	struct rec_rows rows;
	int code = rec_rows_gather(&rows, m->p, m->kind, live, m->names, m->err);

	if (!code)
		code = fail(m, tp_profile_reserve_samples(m->out, rows.n));
	for (size_t i = 0; i < rows.n && !code; i++)
		code = add_sample(m, &rows.row[i]);
	rec_rows_release(&rows);
	return code;
}

/* ---- what is to be said about it ---- */

/* Adds a remark, as a notice and as a comment in the profile. */
static int remark(struct maker *m, const char *text)
{
	uint32_t id;
	int code = string(m, text, &id);

	if (!code)
		code = fail(m, tp_profile_add_comment(m->out, id));
	if (!code)
		code =
		    fail(m, tp_profile_add_notice(m->out, TP_WARNING, TP_OFFSET_NONE, "%s", text));
	return code;
}

/* What can be missing from which profile. */
static bool concerns(enum rec_profile_kind kind, enum rec_loss loss)
{
	bool threads = kind == REC_PROFILE_GOROUTINE || kind == REC_PROFILE_LEAK;

	switch (loss) {
	case REC_LOST_STACKS:
	case REC_LOST_MODULES:
	case REC_LOST_MEMORY:
		return true;
	case REC_LOST_BUCKETS:
		return !threads;
	case REC_LOST_STRINGS:
	case REC_LOST_WAITS:
		return threads;
	case REC_LOST_BLOCKS:
		return kind == REC_PROFILE_HEAP;
	default:
		return false;
	}
}

static int add_losses(struct maker *m)
{
	static const char *const words[REC_NLOSSES] = {
#define REC_X(name, text, why) text,
	    REC_LOSSES(REC_X)
#undef REC_X
	};
	int code = 0;

	for (uint32_t i = 0; i < REC_NLOSSES && !code; i++) {
		uint64_t n = m->p->arena.header->lost[i];
		char text[160];

		if (!n || !concerns(m->kind, i))
			continue;
		snprintf(text, sizeof(text), "lost: %llu %s", (unsigned long long)n, words[i]);
		code = remark(m, text);
	}
	return code;
}

static int add_remarks(struct maker *m)
{
	const struct rec_header *h = m->p->arena.header;
	const char *args = rec_process_string(m->p, h->args);
	char text[200];
	uint32_t id;
	int code = 0;

	if (!*args)
		args = rec_process_string(m->p, h->exe);
	if (*args && !(code = string(m, args, &id)))
		code = fail(m, tp_profile_add_comment(m->out, id));
	if (!code)
		code = add_losses(m);
	if (!code && m->kind == REC_PROFILE_MUTEX && h->options.profiler < 108)
		code = remark(m, "the profiler of go 1.5 has no mutex profile");
	if (code)
		return code;
	rec_names_remark(m->names, text);
	if (*text)
		code = fail(m, tp_profile_add_notice(m->out, TP_INFO, TP_OFFSET_NONE, "%s", text));
	return code;
}

int rec_profile_make(const struct rec_process *p, enum rec_profile_kind kind,
		     const struct rec_live *live, struct tp_profile **profile, struct tp_err *err)
{
	struct maker m = {.p = p, .kind = kind, .err = err, .out = tp_profile_new()};
	int code;

	*profile = NULL;
	if (!m.out)
		return fail(&m, TP_ENOMEM);
	snprintf(m.out->format, sizeof(m.out->format), "pprof");
	code = rec_names_new(&m.names, p, m.out->dict, err);
	if (!code)
		code = add_types(&m);
	if (!code)
		code = fail(&m, rec_profile_modules(m.out, p, 0));
	if (!code)
		code = add_time(&m);
	if (!code)
		code = add_drop_frames(&m);
	if (!code)
		code = add_samples(&m, live);
	if (!code)
		code = add_remarks(&m);
	if (!code)
		flag_mappings(&m);
	rec_names_free(m.names);
	if (code)
		tp_profile_free(m.out);
	else
		*profile = m.out;
	return code;
}

int rec_profile_pack(const struct tp_profile *profile, struct tp_buf *out, struct tp_err *err)
{
	struct libdeflate_compressor *gzip = NULL;
	struct tp_buf plain = {0};
	int code = tp_profile_encode(profile, NULL, &plain, err);

	if (!code) {
		gzip = libdeflate_alloc_compressor(6);
		if (!gzip ||
		    tp_buf_reserve(out, libdeflate_gzip_compress_bound(gzip, plain.size)))
			code = tp_nomem(err);
	}
	/* The header holds no time. */
	if (!code)
		out->size = libdeflate_gzip_compress(gzip, plain.data, plain.size, out->data,
						     out->room);
	if (gzip)
		libdeflate_free_compressor(gzip);
	tp_buf_release(&plain);
	return code;
}
