/* Rows become samples, modules become mappings. Facts: runtime/pprof/{pprof,proto,protomem}.go.
 *
 * What Go's dumps do not have, because a Go program has nothing of the kind:
 *   time and duration          of heap, block and mutex profiles as well
 *   comments                   how the program was called, and what was lost on the way
 *   drop_frames                allocators of C and C++, in front of their callers
 *   labels of cpu              thread (its name); then those that the program has set
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
	int code;		/* of the first failure; what is made after it counts for nothing */
	uint32_t lost, unknown; /* stacks of REC_LOST_LOCK and REC_UNKNOWN_STACK, once made */
};

/* Notes a failure of the builder, whose codes come without words. */
static void check(struct maker *m, int code)
{
	if (m->code || !code)
		return;
	m->code = code == TP_ENOMEM
		      ? tp_nomem(m->err)
		      : tp_err_set(m->err, code, TP_OFFSET_NONE, "the %s profile is too large",
				   rec_profile_name(m->kind));
}

static uint32_t string(struct maker *m, const char *text)
{
	uint32_t id = 0;

	check(m, tp_dict_string(m->out->dict, text, strlen(text), &id));
	return id;
}

static struct tp_value_type value_type(struct maker *m, const char *const type[2])
{
	struct tp_value_type v = {.type = string(m, type[0])};

	v.unit = string(m, type[1]);
	return v;
}

/* ---- what comes before the samples ---- */

static void add_types(struct maker *m)
{
	const struct rec_profile_types *t = &rec_profile_types[m->kind];
	const struct rec_options *o = &m->p->arena.header->options;

	for (size_t i = 0; i < t->n; i++) {
		struct tp_value_type v = value_type(m, t->type[i]);

		check(m, tp_profile_add_type(m->out, v.type, v.unit));
	}
	m->out->period_type = value_type(m, t->period);
	m->out->period = m->kind == REC_PROFILE_CPU ? rec_cpu_period(m->p) : 1;
	if (m->kind != REC_PROFILE_HEAP)
		return;
	m->out->default_type = string(m, "inuse_space");
	if (o->heap_rate <= INT64_MAX)
		m->out->period = (int64_t)o->heap_rate;
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

			bool has = tp_dict_function_at(d, f.function).system_name != 0;

			if (mapping && mapping <= m->out->nmappings && has == named)
				m->out->mappings[mapping - 1].flags = named ? all : 0;
		}
	}
}

static void add_time(struct maker *m)
{
	const struct rec_process *p = m->p;
	const struct rec_header *h = p->arena.header;

	if (p->end_sec < INT64_MAX / 1000000000)
		m->out->time_ns = (int64_t)(p->end_sec * 1000000000 + p->end_nsec % 1000000000);
	if (p->end_ns > h->start_ns)
		m->out->duration_ns = (int64_t)(p->end_ns - h->start_ns);
}

static void add_drop_frames(struct maker *m)
{
	static const char allocators[] =
	    "malloc|calloc|realloc|reallocarray|(__)?posix_memalign|aligned_alloc|memalign|valloc|"
	    "pvalloc|operator new(\\[\\])?|"
	    "(std::__new_allocator|__gnu_cxx::new_allocator|std::allocator|std::allocator_traits)"
	    "<.*>::allocate|"
	    "(__rustc::)?(__rust|__rdl)_(re)?alloc(_zeroed)?|alloc::alloc::.*";

	if (m->kind == REC_PROFILE_HEAP)
		m->out->drop_frames = string(m, allocators);
}

/* ---- samples ---- */

/* A stack of PCs that the arena does not have. */
static uint32_t push_pcs(struct maker *m, const struct rec_row *row)
{
	uint64_t pcs[REC_MAX_DEPTH];
	size_t n = rec_row_pcs(m->p, row, pcs);
	uint32_t node = 0;

	while (n--) {
		const struct rec_place *at = rec_names_place(m->names, pcs[n]);

		if (!at->own)
			check(m, tp_profile_push(m->out, &node, at->frames, at->n));
	}
	return node;
}

/* One location, which has no address: there is no code of that name. */
static uint32_t push_name(struct maker *m, const char *name, uint32_t *made)
{
	struct tp_location at = {.flags = 0};
	struct tp_function f = {0};
	struct tp_frame line = {0};

	if (!*made) {
		f.name = f.system_name = string(m, name);
		check(m, tp_dict_function(m->out->dict, &f, &line.function));
		check(m, tp_profile_push_location(m->out, made, &at, &line, 1));
	}
	return *made;
}

static uint32_t stack_of(struct maker *m, const struct rec_row *row)
{
	uint32_t node = 0;

	if (row->lost)
		return push_name(m, REC_LOST_LOCK, &m->lost);
	if (!row->stack || row->is_mapping)
		node = push_pcs(m, row);
	else if (!m->code)
		m->code = rec_names_stack(m->names, row->stack, &node, m->err);
	return node ? node : push_name(m, REC_UNKNOWN_STACK, &m->unknown);
}

struct labels {
	struct tp_label *label;
	size_t n;
};

static void add_text(struct maker *m, struct labels *l, const char *key, const char *value)
{
	struct tp_label label = {.key = string(m, key)};

	label.text = string(m, value);
	l->label[l->n++] = label;
}

static void add_number(struct maker *m, struct labels *l, const char *key, int64_t number,
		       const char *unit)
{
	struct tp_label label = {.key = string(m, key), .numeric = true, .number = number};

	label.unit = string(m, unit);
	l->label[l->n++] = label;
}

static void add_decimal(struct maker *m, struct labels *l, const char *key, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	add_text(m, l, key, text);
}

/* Those of a thread; room for 5. */
static void label_thread(struct maker *m, const struct rec_row *row, struct labels *l)
{
	const struct rec_g *g = row->g;

	if (*g->name)
		add_text(m, l, "name", g->name);
	add_text(m, l, "state", row->state);
	add_decimal(m, l, "goroutine", g->id);
	if (g->tid)
		add_decimal(m, l, "tid", g->tid);
	if (g->wait.kind != REC_NOTHING && g->wait.start && m->p->end_ns > g->wait.start)
		add_number(m, l, "waited", (int64_t)(m->p->end_ns - g->wait.start), "nanoseconds");
}

static uint32_t labels_of(struct maker *m, const struct rec_row *row)
{
	struct labels l = {0};
	uint32_t set = 0;
	size_t nown;
	const uint32_t *own =
	    rec_process_labels(m->p, row->g ? row->g->labels : row->labels, &nown);

	l.label = malloc((5 + nown) * sizeof(*l.label));
	if (!l.label) {
		check(m, TP_ENOMEM);
		return 0;
	}
	if (m->kind == REC_PROFILE_HEAP)
		add_number(m, &l, "bytes", row->size, "");
	else if (row->g)
		label_thread(m, row, &l);
	else if (row->thread)
		add_text(m, &l, "thread", rec_process_string(m->p, row->thread));
	for (size_t i = 0; i < nown; i++)
		add_text(m, &l, rec_process_string(m->p, own[2 * i]),
			 rec_process_string(m->p, own[2 * i + 1]));
	if (l.n)
		check(m, tp_profile_label_set(m->out, l.label, l.n, &set));
	free(l.label);
	return set;
}

static void add_sample(struct maker *m, struct rec_row *row)
{
	uint32_t node = stack_of(m, row), set = labels_of(m, row);

	rec_row_scale(m->p, m->kind, row);
	check(m, tp_profile_add_sample(m->out, node, set, row->value));
}

static void add_samples(struct maker *m, const struct rec_live *live)
{
	struct rec_rows rows = {0};

	if (!m->code)
		m->code = rec_rows_gather(&rows, m->p, m->kind, live, m->names, m->err);
	if (!m->code && m->kind == REC_PROFILE_HEAP)
		m->code = rec_rows_add_mappings(&rows, m->p, m->err);
	rec_rows_sort_waits(&rows, m->kind);
	check(m, tp_profile_reserve_samples(m->out, rows.n));
	for (size_t i = 0; i < rows.n && !m->code; i++)
		add_sample(m, &rows.row[i]);
	rec_rows_release(&rows);
}

/* ---- what is to be said about it ---- */

/* Adds a remark, as a notice and as a comment in the profile. */
static void remark(struct maker *m, const char *text)
{
	check(m, tp_profile_add_comment(m->out, string(m, text)));
	check(m, tp_profile_add_notice(m->out, TP_WARNING, TP_OFFSET_NONE, "%s", text));
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
	case REC_LOST_TIMERS:
		return kind == REC_PROFILE_CPU;
	case REC_LOST_BLOCKS:
		return kind == REC_PROFILE_HEAP;
	default:
		return false;
	}
}

static void add_losses(struct maker *m)
{
	static const char *const words[REC_NLOSSES] = {
#define REC_X(name, text, why) text,
	    REC_LOSSES(REC_X)
#undef REC_X
	};

	for (uint32_t i = 0; i < REC_NLOSSES; i++) {
		uint64_t n = m->p->arena.header->lost[i];
		char text[160];

		if (!n || !concerns(m->kind, i))
			continue;
		snprintf(text, sizeof(text), "lost: %llu %s%s", (unsigned long long)n, words[i],
			 n == 1 ? "" : "s");
		remark(m, text);
	}
}

bool rec_profile_loses(const struct rec_process *p, enum rec_profile_kind kind)
{
	for (int i = 0; i < REC_NLOSSES; i++)
		if (p->arena.header->lost[i] && concerns(kind, (enum rec_loss)i))
			return true;
	return false;
}

static void add_remarks(struct maker *m)
{
	const struct rec_header *h = m->p->arena.header;
	const char *args = rec_process_string(m->p, h->args);
	char text[200];

	if (!*args)
		args = rec_process_string(m->p, h->exe);
	if (*args)
		check(m, tp_profile_add_comment(m->out, string(m, args)));
	add_losses(m);
	if (m->kind == REC_PROFILE_MUTEX && h->options.profiler < 108)
		remark(m, "the profiler of go 1.5 has no mutex profile");
	rec_names_remark(m->names, text);
	if (*text)
		check(m, tp_profile_add_notice(m->out, TP_INFO, TP_OFFSET_NONE, "%s", text));
}

int rec_profile_make(const struct rec_process *p, enum rec_profile_kind kind,
		     const struct rec_live *live, struct tp_profile **profile, struct tp_err *err)
{
	struct maker m = {.p = p, .kind = kind, .err = err, .out = tp_profile_new()};

	*profile = NULL;
	if (!m.out)
		return tp_nomem(err);
	snprintf(m.out->format, sizeof(m.out->format), "pprof");
	m.code = rec_names_new(&m.names, p, m.out->dict, false, err);
	if (!m.code) {
		add_types(&m);
		check(&m, rec_profile_modules(m.out, p, 0));
		add_time(&m);
		add_drop_frames(&m);
		add_samples(&m, live);
		add_remarks(&m);
		flag_mappings(&m);
	}
	rec_names_free(m.names);
	if (m.code)
		tp_profile_free(m.out);
	else
		*profile = m.out;
	return m.code;
}

int rec_profile_pack(const struct tp_profile *profile, struct tp_buf *out, struct tp_err *err)
{
	struct libdeflate_compressor *gzip = NULL;
	struct tp_buf plain = {0};
	int code = tp_profile_encode(profile, NULL, &plain, err);

	if (!code) {
		/* A file of less than a block takes a block, so it is not compressed, which would begin with
		 * more memory than the profile has. Old versions of the library have no level 0. */
		gzip = libdeflate_alloc_compressor(plain.size < 4000 ? 0 : 6);
		if (!gzip)
			gzip = libdeflate_alloc_compressor(1);
		if (!gzip || tp_buf_reserve(out, libdeflate_gzip_compress_bound(gzip, plain.size)))
			code = tp_nomem(err);
	}
	/* The header holds no time. */
	if (!code)
		out->size =
		    libdeflate_gzip_compress(gzip, plain.data, plain.size, out->data, out->room);
	if (gzip)
		libdeflate_free_compressor(gzip);
	tp_buf_release(&plain);
	return code;
}

int rec_profile_write(const struct rec_process *p, enum rec_profile_kind kind,
		      const struct rec_live *live, bool text, struct tp_buf *out,
		      struct tp_profile **made, struct tp_err *err)
{
	int code;

	text = rec_profile_is_text(kind, text);
	code = text ? rec_profile_text(p, kind, live, out, err)
		    : rec_profile_make(p, kind, live, made, err);
	return text || code ? code : rec_profile_pack(*made, out, err);
}
