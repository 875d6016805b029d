#include "conformance/gather.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/sha256.h"

struct counts {
	struct view *v;
	int64_t events, first, last;
	int64_t kinds[TP_NKINDS];
	int64_t transitions[2][TP_NSTATES][TP_NSTATES]; /* of goroutines, of procs */
	bool listing;
	struct tp_buf line;
	struct sha256 hash;
	uint64_t bytes, flip;
};

static int count(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct counts *c = ctx;

	for (size_t i = 0; i < n; i++) {
		const struct tp_event_desc *d =
		    &tp_event_descs[ev[i].type < TP_NEVENT_TYPES ? ev[i].type : 0];

		if (!c->events++)
			c->first = ev[i].ts;
		c->last = ev[i].ts;
		c->kinds[d->kind]++;
		if (d->kind == TP_KIND_TRANSITION && ev[i].from < TP_NSTATES &&
		    ev[i].to < TP_NSTATES)
			c->transitions[d->subject == 'P'][ev[i].from][ev[i].to]++;
		if (!c->listing)
			continue;
		c->line.size = 0;
		if (tp_listing_line(&c->v->ids, &ev[i], &c->line))
			return tp_nomem(err);
		if (c->flip - c->bytes < c->line.size)
			c->line.data[c->flip - c->bytes] ^= 1;
		c->bytes += c->line.size;
		sha256_update(&c->hash, c->line.data, c->line.size);
	}
	return 0;
}

static void put_counts(struct counts *c, struct facts *f)
{
	facts_put(f, FACTS_FOUND, c->v->version, "format");
	facts_put(f, FACTS_FOUND, c->events, "events");
	if (c->events) {
		facts_put(f, FACTS_FOUND, c->first + c->v->start_ns, "first");
		facts_put(f, FACTS_FOUND, c->last + c->v->start_ns, "last");
	}
	for (int i = 0; i < TP_NKINDS; i++)
		if (c->kinds[i])
			facts_put(f, FACTS_FOUND, c->kinds[i], "kind %s", tp_kind_names[i]);
	for (int k = 0; k < 2; k++)
		for (int a = 0; a < TP_NSTATES; a++)
			for (int b = 0; b < TP_NSTATES; b++)
				if (c->transitions[k][a][b])
					facts_put(f, FACTS_FOUND, c->transitions[k][a][b],
						  "transition %c %s->%s", k ? 'P' : 'G',
						  tp_state_names[a], tp_state_names[b]);
}

/* Absolute, and 0 where there is none, as Go has it. */
static int64_t absolute(const struct view *v, int64_t ns)
{
	return ns == TP_NULL ? 0 : ns + v->start_ns;
}

static void put_goroutines(struct view *v, struct facts *f)
{
	static const struct {
		const char *name;
		int column;
	} times[] =
	    {
		{"Exec", TP_COL(GOROUTINE, running_ns)},
		{"Sched", TP_COL(GOROUTINE, runnable_ns)},
		{"Syscall", TP_COL(GOROUTINE, syscall_ns)},
		{"SyscallBlock", TP_COL(GOROUTINE, syscall_blocked_ns)},
		{"Total", TP_COL(GOROUTINE, total_ns)},
	    },
	  moments[] = {
	      {"Create", TP_COL(GOROUTINE, created_ns)},
	      {"Start", TP_COL(GOROUTINE, started_ns)},
	      {"End", TP_COL(GOROUTINE, ended_ns)},
	  };
	int64_t *const *g = v->goroutines.col;

	for (size_t i = 0; i < v->goroutines.nrows; i++) {
		long long id = (long long)g[TP_COL(GOROUTINE, id)][i];
		struct tp_text name = view_text(v, g[TP_COL(GOROUTINE, name)][i]);

		/* Named by some event, but without any of its own: Go's summary has no such
		 * goroutine. */
		if (g[TP_COL(GOROUTINE, created_ns)][i] == TP_NULL || !view_last_life(v, i))
			continue;
		facts_put(f, FACTS_FOUND, id, "goroutine %lld ID", id);
		facts_put_text(f, FACTS_FOUND, name.text, name.size, "goroutine %lld Name", id);
		for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++)
			facts_put(f, FACTS_FOUND, g[times[k].column][i], "goroutine %lld %s", id,
				  times[k].name);
		for (size_t k = 0; k < sizeof(moments) / sizeof(moments[0]); k++)
			facts_put(f, FACTS_FOUND, absolute(v, g[moments[k].column][i]),
				  "goroutine %lld %s", id, moments[k].name);
	}
}

/* Sums by reason or by name of a range. */
static void put_sums(struct view *v, struct facts *f, const struct tp_rows *rows, int goroutine,
		     int name, int total, const char *what)
{
	for (size_t i = 0; i < rows->nrows; i++) {
		struct tp_text text = view_text(v, rows->col[name][i]);

		if (!view_last_life(v, (size_t)rows->col[goroutine][i]))
			continue;
		facts_put(f, FACTS_FOUND, rows->col[total][i], "goroutine %lld %s %s",
			  (long long)view_g(v, (uint32_t)rows->col[goroutine][i]), what, text.text);
	}
}

static void put_tasks(struct view *v, struct facts *f)
{
	int64_t *const *t = v->tasks.col;

	for (size_t i = 0; i < v->tasks.nrows; i++) {
		long long id = (long long)t[TP_COL(TASK, id)][i];
		int64_t start = t[TP_COL(TASK, start_ns)][i], end = t[TP_COL(TASK, end_ns)][i];
		bool complete = start != TP_NULL && end != TP_NULL;
		struct tp_text name = view_text(v, t[TP_COL(TASK, name)][i]);

		facts_put(f, FACTS_FOUND, id, "task %lld ID", id);
		facts_put(f, FACTS_FOUND, t[TP_COL(TASK, parent)][i], "task %lld Parent", id);
		facts_put_text(f, FACTS_FOUND, name.text, name.size, "task %lld Name", id);
		facts_put(f, FACTS_FOUND, complete, "task %lld Complete", id);
		facts_put(f, FACTS_FOUND, complete ? end - start : 0, "task %lld Dur", id);
		facts_put(f, FACTS_FOUND, t[TP_COL(TASK, regions)][i], "task %lld Regions", id);
		facts_put(f, FACTS_FOUND, t[TP_COL(TASK, logs)][i], "task %lld Logs", id);
		facts_put(f, FACTS_FOUND, t[TP_COL(TASK, goroutines)][i], "task %lld Gs", id);
	}
}

int gather(struct view *v, struct facts *f, uint64_t flip, struct gathered *out, struct tp_err *err)
{
	struct counts *c = calloc(1, sizeof(*c));
	char hex[65];
	int code;

	if (!c)
		return tp_nomem(err);
	c->v = v;
	c->listing = v->version >= 22;
	c->flip = flip;
	sha256_init(&c->hash);
	code = view_events(v, count, c, err);
	if (!code) {
		put_counts(c, f);
		put_goroutines(v, f);
		put_sums(v, f, &v->blocks, TP_COL(GOROUTINE_BLOCK, goroutine),
			 TP_COL(GOROUTINE_BLOCK, reason), TP_COL(GOROUTINE_BLOCK, total_ns),
			 "Block");
		put_sums(v, f, &v->ranges, TP_COL(GOROUTINE_RANGE, goroutine),
			 TP_COL(GOROUTINE_RANGE, name), TP_COL(GOROUTINE_RANGE, total_ns), "Range");
		put_tasks(v, f);
		if (c->listing) {
			sha256_hex(&c->hash, hex);
			facts_put_text(f, FACTS_FOUND, hex, 64, "log_sha256");
		}
		if (c->events)
			code = gather_mmu(v, f, c->last - c->first, err);
		*out = (struct gathered){.events = c->events,
					 .goroutines = (int64_t)v->goroutines.nrows,
					 .listing_bytes = c->bytes};
	}
	tp_buf_release(&c->line);
	free(c);
	return code;
}
