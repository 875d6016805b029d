/* Helpers for tests of the timeline: a store that keeps rows in memory, a run to feed, and short
 * forms of events. Defines functions of the store. */
#ifndef TP_TIMELINE_TESTING_H
#define TP_TIMELINE_TESTING_H

#include "timeline/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hist.h"

/* EV below gives defaults that some events replace. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define NO TP_NONE

enum {
	UNDET = TP_ST_UNDETERMINED,
	NONEX = TP_ST_NOT_EXIST,
	RUNNABLE = TP_ST_RUNNABLE,
	RUNNING = TP_ST_RUNNING,
	WAITING = TP_ST_WAITING,
	SYSCALL = TP_ST_SYSCALL,
	IDLE = TP_ST_IDLE,
};

/* ---- a store that keeps rows ---- */

struct row {
	enum tp_table_id table;
	int64_t v[TP_MAX_COLUMNS];
};

static struct row *rows;
static size_t nrows, room;
static struct tp_segment segments[64];
static size_t nsegments;

int tp_store_put_row(struct tp_store_run *run, enum tp_table_id table, const int64_t *values,
		     struct tp_err *err)
{
	(void)run;
	(void)err;
	if (nrows == room) {
		room = room ? room * 2 : 1024;
		rows = realloc(rows, room * sizeof(*rows));
		assert_non_null(rows);
	}
	rows[nrows].table = table;
	memcpy(rows[nrows++].v, values, tp_tables[table].ncolumns * sizeof(*values));
	return 0;
}

int tp_store_put_segment(struct tp_store_run *run, const struct tp_segment *s, struct tp_err *err)
{
	(void)run;
	(void)err;
	assert_true(nsegments < 64);
	segments[nsegments++] = *s;
	return 0;
}

/* Indices of each table's rows, after the run has finished. */
static size_t *places[TP_NTABLES], nplaces[TP_NTABLES];

static void find_places(void)
{
	memset(nplaces, 0, sizeof(nplaces));
	for (size_t t = 0; t < TP_NTABLES; t++) {
		places[t] = realloc(places[t], (nrows + 1) * sizeof(size_t));
		assert_non_null(places[t]);
	}
	for (size_t i = 0; i < nrows; i++)
		places[rows[i].table][nplaces[rows[i].table]++] = i;
}

/* Returns the n-th row of a table. */
static const int64_t *row(enum tp_table_id table, size_t n)
{
	assert_true(n < nplaces[table]);
	return rows[places[table][n]].v;
}

static size_t count_rows(enum tp_table_id table)
{
	return nplaces[table];
}

#define COL(TABLE, n, column) (row(TP_TABLE_##TABLE, n)[TP_COL(TABLE, column)])

/* ---- a run ---- */

static struct tp_trace trace;
static struct tp_timeline *timeline;

static int begin(void **state)
{
	(void)state;
	nrows = nsegments = 0;
	memset(&trace, 0, sizeof(trace));
	trace.dict = tp_dict_new();
	timeline = tp_timeline_new(NULL);
	return trace.dict && timeline ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	tp_timeline_free(timeline);
	tp_trace_release(&trace);
	free(rows);
	rows = NULL;
	room = 0;
	for (size_t t = 0; t < TP_NTABLES; t++) {
		free(places[t]);
		places[t] = NULL;
	}
	return 0;
}

static uint32_t str(const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(trace.dict, text, strlen(text), &id), 0);
	return id;
}

/* Interns a stack of two frames: `root` calls `leaf` (NULL: only the root). */
static uint32_t stack(const char *root, const char *leaf)
{
	const char *names[] = {root, leaf};
	uint32_t id = 0;

	for (int i = 0; i < 2 && names[i]; i++) {
		struct tp_function fn = {.name = str(names[i])};
		struct tp_frame frame = {0};
		uint32_t f;

		assert_int_equal(tp_dict_function(trace.dict, &fn, &frame.function), 0);
		assert_int_equal(tp_dict_frame(trace.dict, &frame, &f), 0);
		assert_int_equal(tp_dict_stack(trace.dict, id, f, &id), 0);
	}
	return id;
}

static void feed(const struct tp_event *ev, size_t n)
{
	struct tp_err err = {0};

	assert_int_equal(tp_timeline_feed(timeline, ev, n, &err), 0);
}

static void finish(uint32_t goroutines)
{
	struct tp_err err = {0};

	while (trace.ng < goroutines)
		assert_int_not_equal(tp_trace_new_g(&trace, 1000 + trace.ng), TP_NONE);
	assert_int_equal(tp_timeline_finish(timeline, &trace, &err), 0);
	find_places();
}

#define EV(t, ty, gg, subj, f, o, ...)                                                             \
	{                                                                                          \
		.ts = t, .type = TP_EV_##ty, .g = gg, .subject = subj, .from = f, .to = o, .m = 0, \
		.p = 0, __VA_ARGS__                                                                \
	}
#define SYNC(t)                                                                                    \
	{                                                                                          \
		.ts = t, .type = TP_EV_SYNC, .g = NO, .subject = NO, .m = NO, .p = NO              \
	}

static void play(const struct tp_event *ev, size_t n, uint32_t goroutines)
{
	feed(ev, n);
	finish(goroutines);
}
#define PLAY(ng, ...)                                                                              \
	do {                                                                                       \
		const struct tp_event played[] = {__VA_ARGS__};                                    \
		play(played, sizeof(played) / sizeof(played[0]), ng);                              \
	} while (0)

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif
