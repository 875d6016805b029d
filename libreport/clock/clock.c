#include "clock/clock.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/many.h"
#include "base/search.h"
#include "base/wide.h"
#include "store/sqlerr.h"

#define NS_PER_S 1000000000

const char *const rep_clock_source_names[REP_NCLOCK_SOURCES] = {
    [REP_CLOCK_NONE] = "none",
    [REP_CLOCK_FILE] = "file",
    [REP_CLOCK_START] = "start",
    [REP_CLOCK_SNAPSHOT] = "snapshot",
};

static int append(struct rep_clock *c, size_t *room, int64_t ts, int64_t wall)
{
	if (tp_grow(&c->point, room, c->n, sizeof(*c->point)))
		return TP_ENOMEM;
	c->point[c->n++] = (struct rep_clock_point){ts, wall};
	return 0;
}

/* Loads snapshots from the table clock and, if mono_ns is 0, the time of the dump's file. Invalid
 * times, and times before their predecessor, are ignored. */
static int load_points(struct sqlite3 *db, const struct rep_run *run, struct rep_clock *c,
		       struct rep_clock_point *file, bool *has_file, struct tp_err *err)
{
	static const char sql[] = "SELECT ts_ns, mono_ns, wall_sec, wall_nsec FROM clock "
				  "WHERE run = ? ORDER BY ts_ns";
	sqlite3_stmt *stmt = NULL;
	size_t room = 0;
	int code = 0, step = 0;

	*has_file = false;
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL))
		return tp_sql_err(err, db, "clock", "cannot read");
	sqlite3_bind_int64(stmt, 1, run->row.id);
	while (!code && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
		int64_t ts = sqlite3_column_int64(stmt, 0), sec = sqlite3_column_int64(stmt, 2);
		int64_t nsec = sqlite3_column_int64(stmt, 3), wall;

		/* A snapshot with time 0 was written without knowing the time. */
		if (sec <= 0 || sec > INT64_MAX / NS_PER_S - 1 || nsec < 0 || nsec >= NS_PER_S)
			continue;
		wall = sec * NS_PER_S + nsec;
		if (!sqlite3_column_int64(stmt, 1)) {
			*file = (struct rep_clock_point){ts, wall};
			*has_file = true;
		} else if (!c->n ||
			   (ts > c->point[c->n - 1].ts_ns && wall > c->point[c->n - 1].wall_ns)) {
			code = append(c, &room, ts, wall) ? tp_nomem(err) : 0;
		}
	}
	if (!code && step != SQLITE_DONE)
		code = tp_sql_err(err, db, "clock", "cannot read");
	sqlite3_finalize(stmt);
	return code;
}

/* Measures the drift and the steps between the two clocks. */
static void measure(struct rep_clock *c)
{
	const struct rep_clock_point *first = c->point, *last = c->point + c->n - 1;

	for (size_t i = 1; i < c->n; i++) {
		uint64_t run = (uint64_t)c->point[i].ts_ns - (uint64_t)c->point[i - 1].ts_ns;
		uint64_t wall = (uint64_t)c->point[i].wall_ns - (uint64_t)c->point[i - 1].wall_ns;
		uint64_t step = wall > run ? wall - run : run - wall;

		if (step > (uint64_t)c->step_ns)
			c->step_ns = step > INT64_MAX ? INT64_MAX : (int64_t)step;
	}
	if (c->n > 1) {
		double run = (double)last->ts_ns - (double)first->ts_ns;

		c->drift = ((double)(last->wall_ns - first->wall_ns) - run) / run * NS_PER_S;
	}
	c->error_ns =
	    c->step_ns > INT64_MAX - REP_CLOCK_READ_NS ? INT64_MAX : c->step_ns + REP_CLOCK_READ_NS;
}

int rep_clock_load(struct tp_store *s, const struct rep_run *run, struct rep_clock *clock,
		   struct tp_err *err)
{
	struct rep_clock_point file = {0, 0};
	bool has_file = false;
	size_t room = 0;
	int code;

	*clock = (struct rep_clock){0};
	if (run->row.ticks)
		return 0;
	code = load_points(tp_store_db(s), run, clock, &file, &has_file, err);
	if (code)
		return code;
	if (clock->n) {
		clock->source = REP_CLOCK_SNAPSHOT;
		measure(clock);
		return 0;
	}
	if (run->row.wall_ns != TP_NULL && run->row.wall_ns > 0) {
		clock->source = REP_CLOCK_START;
		clock->error_ns = REP_CLOCK_FLUSH_NS;
		return append(clock, &room, 0, run->row.wall_ns) ? tp_nomem(err) : 0;
	}
	if (!has_file)
		return 0;
	clock->source = REP_CLOCK_FILE;
	clock->error_ns = REP_CLOCK_FLUSH_NS;
	return append(clock, &room, file.ts_ns, file.wall_ns) ? tp_nomem(err) : 0;
}

void rep_clock_release(struct rep_clock *clock)
{
	free(clock->point);
	*clock = (struct rep_clock){0};
}

/* Returns the point at or before `at`, by one of its two times, or the first point. */
static size_t point_before(const struct rep_clock *c, int64_t at, bool wall)
{
	size_t next = 1;

	TP_SEARCH(next, c->n, i, (wall ? c->point[i].wall_ns : c->point[i].ts_ns) <= at);
	return next - 1;
}

/* Computes how far one clock advances while the other advances by `since` after a point and, if
 * `between`, before the next point. Points rise by both clocks. */
static bool across(uint64_t since, bool between, uint64_t here, uint64_t there, uint64_t *moved)
{
	*moved = since;
	return !since || !between || tp_scale(since, there, here, moved);
}

bool rep_clock_wall(const struct rep_clock *c, int64_t ts_ns, int64_t *wall_ns)
{
	const struct rep_clock_point *p, *next;
	uint64_t since;
	size_t at;

	if (!c->n)
		return false;
	at = point_before(c, ts_ns, false);
	p = &c->point[at];
	if (ts_ns < p->ts_ns)
		return tp_before(p->wall_ns, tp_apart(p->ts_ns, ts_ns), wall_ns);
	next = at + 1 < c->n ? p + 1 : p;
	return across(tp_apart(ts_ns, p->ts_ns), next > p, tp_apart(next->ts_ns, p->ts_ns),
		      tp_apart(next->wall_ns, p->wall_ns), &since) &&
	       tp_after(p->wall_ns, since, wall_ns);
}

bool rep_clock_run(const struct rep_clock *c, int64_t wall_ns, int64_t *ts_ns)
{
	const struct rep_clock_point *p, *next;
	uint64_t since;
	size_t at;

	if (!c->n)
		return false;
	at = point_before(c, wall_ns, true);
	p = &c->point[at];
	if (wall_ns < p->wall_ns)
		return tp_before(p->ts_ns, tp_apart(p->wall_ns, wall_ns), ts_ns);
	next = at + 1 < c->n ? p + 1 : p;
	return across(tp_apart(wall_ns, p->wall_ns), next > p, tp_apart(next->wall_ns, p->wall_ns),
		      tp_apart(next->ts_ns, p->ts_ns), &since) &&
	       tp_after(p->ts_ns, since, ts_ns);
}
