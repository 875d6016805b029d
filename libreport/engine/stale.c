/* Loads that do not count, and how long one is its loader's (load.until). All times are the
 * engine's: each loader learns how far those clocks are from its own, which goes on while the
 * machine is suspended and which nobody sets. Of several servers the fastest clock says until when
 * a load lives, and the slowest what is over. */
#include <stdlib.h>
#include <time.h>

#include "engine/binary.h"
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
		struct rep_answer answer = {.row = on_clock, .ctx = &now};
		struct rep_sql s = {0};

		rep_sql_put(&s, "SELECT toUInt32(now()) FORMAT RowBinary");
		code = rep_engine_ask(&servers[i], &s, NULL, 0, &answer, err);
		ahead = now - clocks->uptime_s();
		if (!i || ahead > clocks->fast)
			clocks->fast = ahead;
		if (!i || ahead < clocks->slow)
			clocks->slow = ahead;
	}
	return code;
}

/* ---- ours ---- */

static int on_own(void *ctx, struct tp_cursor *c, struct tp_err *err)
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

int rep_engine_still_own(const struct rep_engine_link *link, const struct rep_engine_place *at,
			 const uint64_t *load, size_t nloads, int64_t left_s, struct tp_err *err)
{
	size_t n = 0;
	struct rep_answer answer = {.row = on_own, .ctx = &n};
	struct rep_sql s = {0};
	int code;

	rep_sql_put(&s, "SELECT DISTINCT load FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(&s, " WHERE ");
	put_list(&s, load, nloads);
	rep_sql_put(&s, " AND toUInt32(until) > toUInt32(now()) + %lld FORMAT RowBinary",
		    (long long)left_s);
	code = rep_engine_ask(link, &s, NULL, 0, &answer, err);
	if (!code && n < nloads)
		code =
		    tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
			       "by the clocks of the servers the time is over after which others "
			       "remove what was loaded; the same command begins again, with a "
			       "larger --stale=SECONDS where loading takes so long");
	return code;
}

/* ---- what is over ---- */

#define REMOVED_AT_ONCE 1000

struct stale {
	uint64_t load[REMOVED_AT_ONCE];
	size_t n;
};

static int on_stale(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct stale *s = ctx;
	uint64_t load = rep_row_get(c, 8);

	(void)err;
	if (!c->failed && s->n < REMOVED_AT_ONCE)
		s->load[s->n++] = load;
	return 0;
}

/* Of a run that somebody loads nothing is removed: who asks for it now may have been told of a load
 * that is about to count no more. */
static int find_stale(const struct rep_engine_link *link, const struct rep_engine_place *at,
		      int64_t now, struct stale *stale, struct tp_err *err)
{
	struct rep_answer answer = {.row = on_stale, .ctx = stale};
	struct rep_sql s = {0};

	rep_sql_put(&s, "SELECT DISTINCT load FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(&s, " WHERE toUInt32(until) < %lld AND run GLOBAL NOT IN (SELECT run FROM ",
		    (long long)now);
	rep_engine_put_table(&s, at, REP_ENGINE_LOAD, false);
	rep_sql_put(
	    &s, " WHERE toUInt32(until) >= %lld) AND load GLOBAL NOT IN (SELECT min(load) FROM ",
	    (long long)now);
	rep_engine_put_table(&s, at, REP_ENGINE_RUN, false);
	rep_sql_put(&s, " GROUP BY run) LIMIT %d FORMAT RowBinary", REMOVED_AT_ONCE);
	return rep_engine_ask(link, &s, NULL, 0, &answer, err);
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
	return rep_engine_ask(link, &s, NULL, 0, NULL, err);
}

/* Their rows in `load` go last: until then they are found again. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, struct rep_engine_clocks *clocks,
			    uint64_t *removed, struct tp_err *err)
{
	struct stale stale = {.n = 0};
	int code = rep_engine_find_clocks(clocks, servers, nservers, err);

	if (!code)
		code = find_stale(&servers[0], at, clocks->uptime_s() + clocks->slow, &stale, err);
	for (int t = REP_ENGINE_NTABLES - 1; t >= 0 && !code && stale.n; t--) {
		enum rep_engine_table_id table = (enum rep_engine_table_id)t;

		for (size_t i = 0; i < nservers && !code; i++)
			if (rep_engine_has(table) && rep_engine_of_load(table))
				code = rep_engine_remove_loads(&servers[i], at, table, stale.load,
							       stale.n, err);
	}
	*removed = code ? 0 : stale.n;
	return code;
}
