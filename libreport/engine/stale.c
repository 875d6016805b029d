/* Loads that do not count, and how long one is its loader's (load.until). All times are the
 * engine's: each loader learns how far those clocks are from its own, which goes on while the
 * machine is suspended and which nobody sets. Of several servers the fastest clock says until when
 * a load lives, and the slowest what is over. */
#include <stdlib.h>
#include <time.h>

#include "engine/binary.h"
#include "engine/fetching.h"
#include "engine/stale.h"

int64_t rep_engine_uptime_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

/* ---- clocks ---- */

static int on_clock(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	int64_t *now = ctx;
	uint64_t s = rep_row_get(c, 4);

	(void)err;
	if (!c->failed)
		*now = (int64_t)s;
	return 0;
}

int rep_engine_find_clocks(struct rep_engine_clocks *clocks, const struct rep_engine_link *servers,
			   size_t nservers, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < nservers && !code; i++) {
		int64_t now = 0, ahead;
		struct rep_sql s = {0};

		rep_sql_put(&s, "SELECT toUInt32(now()) FORMAT RowBinary");
		code = rep_engine_ask(&servers[i], &s, on_clock, &now, err);
		ahead = now - clocks->uptime_s();
		if (!i || ahead > clocks->fast)
			clocks->fast = ahead;
		if (!i || ahead < clocks->slow)
			clocks->slow = ahead;
	}
	return code;
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

static void put_list(struct rep_sql *s, const uint64_t *load, size_t n)
{
	rep_sql_put(s, "load IN (");
	for (size_t i = 0; i < n; i++)
		rep_sql_put(s, "%s%llu", i ? "," : "", (unsigned long long)load[i]);
	rep_sql_put(s, ")");
}

int rep_engine_begun_once(const struct rep_engine_link *link, const struct rep_engine_place *at,
			  const uint64_t *load, size_t nloads, struct tp_err *err)
{
	size_t n = 0;
	struct rep_sql s = {0};
	int code;

	rep_sql_put(&s, "SELECT load FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(&s, " WHERE ");
	put_list(&s, load, nloads);
	rep_sql_put(&s, " FORMAT RowBinary");
	code = rep_engine_ask(link, &s, on_load, &n, err);
	if (!code && n > nloads)
		code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "by chance another load of a run has the same number; the same "
				  "command goes on with another");
	return code;
}

int rep_engine_still_own(const struct rep_engine_link *link, const struct rep_engine_place *at,
			 const uint64_t *load, size_t nloads, int64_t left_s, struct tp_err *err)
{
	size_t n = 0;
	struct rep_sql s = {0};
	int code;

	rep_sql_put(&s, "SELECT load FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(&s, " WHERE ");
	put_list(&s, load, nloads);
	rep_sql_put(&s,
		    " GROUP BY load HAVING min(toUInt32(until)) > toUInt32(now()) + %lld FORMAT "
		    "RowBinary",
		    (long long)left_s);
	code = rep_engine_ask(link, &s, on_load, &n, err);
	if (!code && n < nloads)
		code =
		    tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
			       "by the clocks of the servers the time is over after which others "
			       "remove what was loaded; the same command begins again, with a "
			       "larger --stale=SECONDS where loading takes so long");
	return code;
}

/* ---- what is over ---- */

size_t rep_engine_removed_at_once = REP_ENGINE_REMOVED_MOST;

struct stale {
	uint64_t load[REP_ENGINE_REMOVED_MOST];
	size_t n;
	uint64_t after;
};

/* Who goes on from the last of them must come to an end, whatever the engine says. */
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

/* Of a run that somebody loads nothing is removed: who asks for it now may have been told of a load
 * that is about to count no more. */
static int find_stale(const struct rep_engine_link *link, const struct rep_engine_place *at,
		      int64_t now, struct stale *stale, struct tp_err *err)
{
	struct rep_sql s = {0};

	rep_sql_put(&s, "SELECT DISTINCT load FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(&s,
		    " WHERE load > %llu AND toUInt32(until) < %lld AND run GLOBAL NOT IN (SELECT "
		    "run FROM ",
		    (unsigned long long)stale->after, (long long)now);
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(
	    &s, " WHERE toUInt32(until) >= %lld) AND load GLOBAL NOT IN (SELECT min(load) FROM ",
	    (long long)now);
	rep_engine_put_table(&s, at, REP_ENGINE_RUN, false);
	rep_sql_put(&s, " GROUP BY run) ORDER BY load LIMIT %zu FORMAT RowBinary",
		    rep_engine_removed_at_once);
	return rep_engine_ask(link, &s, on_stale, stale, err);
}

int rep_engine_remove_loads(const struct rep_engine_link *link, const struct rep_engine_place *at,
			    enum rep_engine_table_id table, const uint64_t *load, size_t n,
			    struct tp_err *err)
{
	struct rep_sql s = {0};

	rep_sql_put(&s, "ALTER TABLE ");
	rep_engine_put_table(&s, at, table, true);
	rep_sql_put(&s, " DELETE WHERE ");
	put_list(&s, load, n);
	return rep_engine_send(link, &s, NULL, 0, err);
}

/* Their rows in `load` go last: until then they are found again. The engine removes when it comes
 * to it, so it may still show those that it has been told to remove: they are passed over by their
 * numbers. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, struct rep_engine_clocks *clocks,
			    uint64_t *after, uint64_t *removed, struct tp_err *err)
{
	struct stale stale = {.after = *after};
	int code = rep_engine_find_clocks(clocks, servers, nservers, err);

	if (!code)
		code = find_stale(&servers[0], at, clocks->uptime_s() + clocks->slow, &stale, err);
	for (int t = REP_ENGINE_NTABLES - 1; t >= 0 && !code && stale.n; t--) {
		enum rep_engine_table_id table = (enum rep_engine_table_id)t;

		for (size_t i = 0; i < nservers && !code; i++)
			if (rep_engine_of_load(table))
				code = rep_engine_remove_loads(&servers[i], at, table, stale.load,
							       stale.n, err);
	}
	*removed = code ? 0 : stale.n;
	*after = stale.after;
	return code;
}

/* ---- what was asked for ---- */

/* Those that count, or, with `living`, those of runs of which nothing is removed yet. */
static int count_there(const struct rep_engine_link *link, const struct rep_engine_place *at,
		       const uint64_t *load, size_t nloads, bool living, size_t *n,
		       struct tp_err *err)
{
	struct rep_sql s = {0};

	*n = 0;
	rep_sql_put(&s, "SELECT DISTINCT load FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(&s, " WHERE ");
	put_list(&s, load, nloads);
	rep_sql_put(&s, " AND (load GLOBAL IN (SELECT min(load) FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_RUN, false);
	rep_sql_put(&s, " GROUP BY run)");
	if (living) {
		rep_sql_put(&s, " OR run GLOBAL IN (SELECT run FROM ");
		rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
		rep_sql_put(&s, " WHERE toUInt32(until) >= toUInt32(now()))");
	}
	rep_sql_put(&s, ") FORMAT RowBinary");
	return rep_engine_ask(link, &s, on_load, n, err);
}

/* A row in `load` says little by itself, as rows of other tables may be gone before it; but nothing
 * goes that find_stale would not find. Most of the time all of them count, which is asked first, as
 * tables of the first form, where no load takes the place of another, are without `until`. */
int rep_engine_still_there(const struct rep_engine_link *link, const struct rep_engine_place *at,
			   const uint64_t *load, size_t nloads, struct tp_err *err)
{
	size_t n = 0;
	int code = count_there(link, at, load, nloads, false, &n, err);

	if (!code && n != nloads)
		code = count_there(link, at, load, nloads, true, &n, err);
	if (!code && n != nloads)
		code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "a run was loaded anew while it was asked for, and what was "
				  "there of it is being removed; ask again");
	return code;
}
