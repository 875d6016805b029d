#include "engine/stale.h"

#include "engine/binary.h"
#include "engine/fetching.h"

static void put_list(struct tp_buf *s, const uint64_t *load, size_t n)
{
	tp_buf_text(s, "load IN (");
	for (size_t i = 0; i < n; i++)
		tp_buf_printf(s, "%s%llu", i ? "," : "", (unsigned long long)load[i]);
	tp_buf_text(s, ")");
}

/* ---- ours ---- */

static int on_load(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	size_t *n = ctx;

	rep_row_get(c, 8);
	(void)err;
	*n += !c->failed;
	return 0;
}

int rep_engine_begun_once(const struct rep_engine_link *link, const struct rep_engine_place *at,
			  const uint64_t *load, size_t nloads, struct tp_err *err)
{
	size_t n = 0;
	struct tp_buf s = {0};
	int code;

	rep_sql_put(&s, at, "SELECT load FROM @load WHERE ");
	put_list(&s, load, nloads);
	code = rep_engine_ask(link, &s, on_load, &n, err);
	if (code || n == nloads)
		return code;
	return tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE, "%s; give the same command again",
			  n > nloads
			      ? "another load of a run has the same number by chance"
			      : "what was loaded has been removed meanwhile as if it were old");
}

/* ---- what is over ---- */

size_t rep_engine_removed_at_once = REP_ENGINE_REMOVED_MOST;

struct stale {
	uint64_t load[REP_ENGINE_REMOVED_MOST];
	size_t n;
	uint64_t after;
};

/* Loads must come in ascending order, so that the loop ends whatever the engine answers. */
static int on_stale(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct stale *s = ctx;
	uint64_t load = rep_row_get(c, 8);

	if (c->failed)
		return 0;
	if (load <= s->after || s->n >= rep_engine_removed_at_once)
		return rep_fetch_odd(err, "loads that were not asked for");
	s->load[s->n++] = s->after = load;
	return 0;
}

/* Finds stale loads. Loads of a run that another loader may be loading are excluded, because a
 * report may still use one that is about to be replaced. */
static int find_stale(const struct rep_engine_link *link, const struct rep_engine_place *at,
		      struct stale *stale, struct tp_err *err)
{
	struct tp_buf s = {0};

	rep_sql_put(&s, at,
		    "SELECT DISTINCT load FROM @load WHERE load > %llu AND "
		    "run GLOBAL NOT IN (SELECT run FROM @load WHERE begun >= now() - %d) AND "
		    "load GLOBAL NOT IN (SELECT min(load) FROM @run GROUP BY run) "
		    "ORDER BY load LIMIT %zu",
		    (unsigned long long)stale->after, REP_ENGINE_STALE_S,
		    rep_engine_removed_at_once);
	return rep_engine_ask(link, &s, on_stale, stale, err);
}

static int remove_loads(const struct rep_engine_link *link, const struct rep_engine_place *at,
			enum rep_engine_table_id table, const struct stale *stale,
			struct tp_err *err)
{
	struct tp_buf s = {0};

	rep_sql_put(&s, at, "ALTER TABLE @%s%s DELETE WHERE ", rep_engine_name(table),
		    at->cluster ? "_local" : "");
	put_list(&s, stale->load, stale->n);
	return rep_engine_send(link, &s, NULL, 0, err);
}

/* Removes the rows in `load` last, so that an interrupted removal finds the load again. The engine
 * removes rows with a delay and may still list them, so the next search starts after their
 * numbers. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, uint64_t *after, uint64_t *removed,
			    struct tp_err *err)
{
	struct stale stale = {.after = *after};
	int code = find_stale(&servers[0], at, &stale, err);

	for (int t = REP_ENGINE_NTABLES - 1; t >= 0 && !code && stale.n; t--) {
		enum rep_engine_table_id table = (enum rep_engine_table_id)t;

		for (size_t i = 0; i < nservers && !code; i++)
			if (rep_engine_of_load(table))
				code = remove_loads(&servers[i], at, table, &stale, err);
	}
	*removed = code ? 0 : stale.n;
	*after = stale.after;
	return code;
}
