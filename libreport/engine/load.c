#include "engine/load.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/seed.h"
#include "engine/binary.h"
#include "engine/inside.h"
#include "engine/stale.h"

#define SEND_BYTES ((size_t)16 << 20) /* waiting rows are sent at this size */
#define SEND_RUNS  256
#define SEND_DAYS  64 /* partitions of one INSERT */
#define RENEW_STEP ((uint64_t)1 << 20)

struct loader {
	const struct rep_engine_link *link; /* the first server's */
	size_t nservers;
	const struct rep_engine_place *at;
	const struct rep_engine_load_options *opt;
	struct rep_engine_load_result *result;
	struct tp_buf table[REP_ENGINE_NTABLES];
	struct rep_stack_set sent;
	uint64_t begun[SEND_RUNS]; /* nbegun loads whose rows in `load` wait to be sent */
	size_t nbegun;
	uint16_t day[SEND_DAYS];
	size_t ndays;
	uint64_t load[SEND_RUNS]; /* `runs` complete loads whose rows in `run` wait to be sent */
	size_t runs;
	int64_t begun_s; /* when the oldest unpublished load began */
	int64_t now_s;	 /* when the current load began */
	uint64_t random;
};

/* Returns CLOCK_BOOTTIME in seconds: it also advances while the machine sleeps, and cannot be
 * set. */
static int64_t uptime_s(const struct loader *l)
{
	struct timespec t;

	if (l->opt->uptime_s)
		return l->opt->uptime_s();
	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

/* ---- sending ---- */

static int send_table(struct loader *l, enum rep_engine_table_id table, struct tp_err *err)
{
	struct tp_buf *b = &l->table[table];
	struct tp_buf s = {0};
	int code;

	if (!b->size)
		return 0;
	rep_sql_put(&s, l->at, "INSERT INTO @%s (", rep_engine_name(table));
	/* The engine fills in the time at which the load began. */
	if (table == REP_ENGINE_LOAD)
		tp_buf_text(&s, "day, load, run");
	else
		rep_engine_put_columns(&s, table, 0);
	tp_buf_text(&s, ") FORMAT RowBinary");
	code = rep_engine_send(l->link, &s, b->data, b->size, err);
	l->result->bytes += b->size;
	b->size = 0;
	return code;
}

/* Makes complete loads count, unless they are so old that another loader may be removing them. */
static int publish(struct loader *l, struct tp_err *err)
{
	int code;

	if (!l->runs)
		return 0;
	if (uptime_s(l) - l->begun_s > REP_ENGINE_LOAD_S)
		return tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "loading takes too long: a load that is not complete after %d "
				  "hours has to begin again, because others remove it after a day",
				  REP_ENGINE_LOAD_S / 3600);
	code = rep_engine_begun_once(l->link, l->at, l->load, l->runs, err);
	return code ? code : send_table(l, REP_ENGINE_RUN, err);
}

/* Sends the rows of `load` before any other row of these loads, so that other loaders see that a
 * load has begun. */
static int send_begun(struct loader *l, struct tp_err *err)
{
	int code = send_table(l, REP_ENGINE_LOAD, err);

	if (!code && l->nbegun)
		code = rep_engine_begun_once(l->link, l->at, l->begun, l->nbegun, err);
	l->nbegun = 0;
	return code;
}

/* Sends all waiting rows: first those of `load`, last those of `run`, which make loads count. */
static int send_all(struct loader *l, struct tp_err *err)
{
	int code = send_begun(l, err);

	for (int t = 0; t < REP_ENGINE_NTABLES && !code; t++)
		if (t != REP_ENGINE_RUN)
			code = send_table(l, (enum rep_engine_table_id)t, err);
	if (!code)
		code = publish(l, err);
	l->ndays = 0;
	if (!code) {
		l->result->runs += l->runs;
		l->runs = 0;
		l->begun_s = l->now_s;
	}
	return code;
}

static size_t waiting(const struct loader *l)
{
	size_t size = 0;

	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		size += l->table[t].size;
	return size;
}

static int spill(void *ctx, struct tp_err *err)
{
	struct loader *l = ctx;
	int code = 0;

	if (waiting(l) < SEND_BYTES)
		return 0;
	if (l->opt->progress)
		code = l->opt->progress(l->opt->progress_ctx, "export", l->result->runs, 0);
	return code ? tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped") : send_all(l, err);
}

/* ---- a run ---- */

/* Returns days since 1970 in UTC: of the time the dump was taken or, if that is unknown,
 * imported. */
static uint16_t day_of(const struct tp_run *r)
{
	int64_t ns = r->wall_ns != TP_NULL ? r->wall_ns : r->imported_ns;
	int64_t day = ns / 86400000000000;

	return day < 0 ? 0 : day > 47000 ? 47000 : (uint16_t)day;
}

/* Returns the number of a new load. The upper half is from the run's hash and determines the
 * server. The lower half is random: large for a run's first load, as each replacement must be
 * smaller than the load it replaces, and reduced by a random amount for a replacement, as another
 * loader may be replacing it at the same time. Returns 0 if too few smaller numbers are left. */
static uint64_t new_load(struct loader *l, const char *hash, const struct rep_present *present)
{
	uint64_t chance = tp_random(&l->random) >> 32, least;
	char upper[9] = "";

	memcpy(upper, hash, strnlen(hash, 8));
	least = (uint64_t)strtoul(upper, NULL, 16) << 32;
	if (!present->there)
		return least | (uint64_t)1 << 31 | chance;
	if (present->load < least + RENEW_STEP)
		return 0;
	return present->load - 1 - chance % RENEW_STEP;
}

static int put_load_row(struct loader *l, const struct rep_loading *r)
{
	struct tp_buf *b = &l->table[REP_ENGINE_LOAD];
	const char *hash = r->run->row.hash;

	rep_row_put(b, r->day, 2);
	rep_row_put(b, r->load, 8);
	return rep_row_put_text(b, hash, strlen(hash));
}

static void put_types(struct tp_buf *b, const struct tp_profile *p, bool units)
{
	tp_buf_put_uvarint(b, p ? p->ntypes : 0);
	for (size_t i = 0; p && i < p->ntypes; i++) {
		struct tp_text t =
		    tp_dict_text(p->dict, units ? p->types[i].unit : p->types[i].type);

		rep_row_put_text(b, t.text, t.size);
	}
}

static void put_run_row(struct loader *l, const struct rep_loading *r, const struct tp_profile *p,
			bool spans)
{
	struct tp_buf *b = &l->table[REP_ENGINE_RUN];
	const struct tp_run *run = &r->run->row;
	const char *texts[] = {run->hash, run->kind, run->name, run->source, run->format};
	const int64_t numbers[] = {
	    run->id,	     run->start_ns,    run->duration_ns, run->ticks,	  run->wall_ns,
	    run->events,     run->inferred,    run->generations, run->goroutines, run->size_in,
	    run->lost_bytes, run->lost_events, run->imported_ns};

	rep_row_put(b, r->day, 2);
	rep_row_put(b, r->load, 8);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		rep_row_put_text(b, texts[i], strlen(texts[i]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		rep_row_put_int(b, numbers[i]);
	put_types(b, p, false);
	put_types(b, p, true);
	tp_buf_put_uvarint(b, r->run->nlabels);
	for (size_t i = 0; i < r->run->nlabels; i++)
		rep_row_put_text(b, r->run->labels[i], strlen(r->run->labels[i]));
	rep_row_put(b, spans, 1);
}

static bool new_day(struct loader *l, uint16_t day)
{
	for (size_t i = 0; i < l->ndays; i++)
		if (l->day[i] == day)
			return false;
	return true;
}

/* Writes all rows of a run except those in `load` and `run`. Sets *p to the profile if it is
 * one. */
static int load_content(struct rep_loading *r, bool spans, struct tp_profile **p,
			struct tp_err *err)
{
	int code = 0;

	for (int t = REP_ENGINE_LOSS; t <= REP_ENGINE_SEGMENT && !code; t++)
		code = rep_load_rows(r, (enum rep_engine_table_id)t, err);
	if (code || r->run->row.kind[0] == 't')
		return code ? code : rep_load_trace(r, spans, err);
	code = tp_profile_load(r->store, r->run->row.id, p, err);
	return code ? code : rep_load_profile(r, *p, err);
}

/* Loads one run. If it is refused (*refused, TP_ELIMIT), its rows do not count, like those of an
 * interrupted load. */
static int load_one(struct loader *l, struct tp_store *store, const struct rep_run *run,
		    const struct rep_present *present, bool *refused, struct tp_err *err)
{
	bool spans = run->row.kind[0] == 't' && (l->opt->spans || present->spans);
	struct rep_loading r = {.store = store,
				.run = run,
				.day = day_of(&run->row),
				.load = new_load(l, run->row.hash, present),
				.table = l->table,
				.sent = &l->sent,
				.spill = spill,
				.spill_ctx = l};
	struct tp_profile *p = NULL;
	int code = 0;

	*refused = !r.load;
	if (!r.load)
		return tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "run %lld differs from the one in the engine, and was loaded anew "
		    "too often to replace it; load the store into another database",
		    (long long)run->row.id);
	if (l->nbegun == SEND_RUNS || (l->ndays == SEND_DAYS && new_day(l, r.day)))
		code = send_all(l, err);
	if (code)
		return code;
	if (new_day(l, r.day))
		l->day[l->ndays++] = r.day;
	l->now_s = uptime_s(l);
	if (!l->runs)
		l->begun_s = l->now_s;
	l->begun[l->nbegun++] = r.load;
	if (put_load_row(l, &r))
		code = tp_nomem(err);
	if (!code)
		code = load_content(&r, spans, &p, err);
	r.row_at = l->table[REP_ENGINE_RUN].size;
	if (!code) {
		put_run_row(l, &r, p, spans);
		code = rep_load_end_row(&r, REP_ENGINE_RUN, err);
	}
	tp_profile_free(p);
	*refused = r.refused;
	if (!code)
		l->load[l->runs++] = r.load;
	return code || l->runs < SEND_RUNS ? code : send_all(l, err);
}

/* ---- all runs ---- */

static bool is_renewed(const struct loader *l, const struct rep_run *run,
		       const struct rep_present *p)
{
	return p->there && (p->other || (run->row.kind[0] == 't' && l->opt->spans && !p->spans));
}

static void count(struct loader *l, const struct rep_runs *runs, const struct rep_present *present)
{
	for (size_t i = 0; i < runs->n; i++) {
		const struct rep_present *p = &present[i];
		bool renewed = is_renewed(l, &runs->run[i], p);

		l->result->known += p->there;
		l->result->renewed += renewed;
		l->result->runs += p->there && !renewed;
	}
}

static int load_all(struct loader *l, struct tp_store *store, const struct rep_runs *runs,
		    struct tp_err *err)
{
	struct rep_present *present = calloc(runs->n + 1, sizeof(*present));
	int code =
	    present ? rep_engine_find_present(l->link, l->at, runs, present, err) : tp_nomem(err);
	struct tp_err first = {0}, one;

	if (!code)
		count(l, runs, present);
	for (size_t i = 0; i < runs->n && !code; i++) {
		bool refused = false;

		if (!present[i].there || is_renewed(l, &runs->run[i], &present[i]))
			code = load_one(l, store, &runs->run[i], &present[i], &refused, &one);
		if (refused && !first.code)
			first = one;
		else if (code && !refused)
			*err = one;
		if (refused)
			code = 0;
		if (!code && l->opt->progress &&
		    l->opt->progress(l->opt->progress_ctx, "export", i + 1, runs->n))
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	}
	free(present);
	if (!code)
		code = send_all(l, err);
	if (!code && first.code)
		*err = first;
	return code ? code : first.code;
}

/* Limit on rounds of removal, as a faulty engine could name loads forever. The next export
 * continues. */
#define MOST_REMOVALS 250

static int remove_stale(struct loader *l, struct tp_err *err)
{
	uint64_t after = 0, removed = 1;
	int code = 0;

	for (int i = 0; i < MOST_REMOVALS && !code && removed; i++) {
		code = rep_engine_remove_stale(l->link, l->nservers, l->at, &after, &removed, err);
		l->result->removed += removed;
		if (!code && removed && l->opt->progress &&
		    l->opt->progress(l->opt->progress_ctx, "remove", l->result->removed, 0))
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	}
	return code;
}

/* Called before anything is made, and again afterwards, as another export may have made tables
 * meanwhile. */
static int make_tables(const struct loader *l, struct tp_err *err)
{
	bool all = false;
	int code = 0;

	for (size_t i = 0; i < l->nservers && !code; i++) {
		code = rep_engine_check_form(&l->link[i], l->at, &all, err);
		if (!code && !all)
			code = rep_engine_check_cluster(&l->link[i], l->at, err);
	}
	for (size_t i = 0; i < l->nservers && !code; i++) {
		code = rep_engine_make_tables(&l->link[i], l->at, err);
		if (!code)
			code = rep_engine_check_form(&l->link[i], l->at, &all, err);
	}
	return code;
}

int rep_engine_load(const struct rep_engine_link *servers, size_t nservers,
		    const struct rep_engine_place *at, struct tp_store *store,
		    const struct rep_runs *runs, const struct rep_engine_load_options *opt,
		    struct rep_engine_load_result *result, struct tp_err *err)
{
	struct loader l = {.link = servers,
			   .nservers = nservers,
			   .at = at,
			   .opt = opt,
			   .result = result,
			   .random = tp_seed()};
	int code;

	*result = (struct rep_engine_load_result){0};
	code = make_tables(&l, err);
	if (!code)
		code = load_all(&l, store, runs, err);
	if (!code)
		code = remove_stale(&l, err);
	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		tp_buf_release(&l.table[t]);
	rep_stack_set_release(&l.sent);
	return code;
}
