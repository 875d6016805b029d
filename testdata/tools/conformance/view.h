/* A run of a store, loaded for comparison: its row, ids, dictionary and per-goroutine tables. */
#ifndef CONFORMANCE_VIEW_H
#define CONFORMANCE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "order/listing.h"
#include "store/store.h"

struct view {
	struct tp_store *store;
	int64_t run;
	int version; /* minor version of the format */
	int64_t start_ns;
	bool ticks;
	int64_t events, inferred, losses; /* as the run's row says */
	struct tp_dict *dict;
	struct tp_rows goroutines, blocks, ranges, tasks, procs, threads;
	struct tp_listing ids; /* what names indices */
};

/* Takes n events as they are stored: times relative to start_ns. */
typedef int (*view_events_fn)(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err);

/* Opens the only run of the store at path. v is to be closed in every case. */
int view_open(struct view *v, const char *path, struct tp_err *err);
void view_close(struct view *v);
/* Hands every stored event to fn. */
int view_events(struct view *v, view_events_fn fn, void *ctx, struct tp_err *err);

static inline struct tp_text view_text(const struct view *v, int64_t string)
{
	return tp_dict_text(v->dict, string < 0 ? 0 : (uint32_t)string);
}

/* Of several goroutines with one id, Go's summary has the last. */
static inline bool view_last_life(const struct view *v, size_t index)
{
	return index >= v->goroutines.nrows ||
	       v->goroutines.col[TP_COL(GOROUTINE, id)][index] ==
		   v->goroutines.col[TP_COL(GOROUTINE, goid)][index];
}

static inline int64_t view_g(const struct view *v, uint32_t index)
{
	return index < v->ids.ng ? (int64_t)v->ids.g_id[index] : -1;
}

static inline int64_t view_m(const struct view *v, uint32_t index)
{
	return index < v->ids.nm ? (int64_t)v->ids.m_id[index] : -1;
}

static inline int64_t view_p(const struct view *v, uint32_t index)
{
	return index < v->ids.np ? v->ids.p_id[index] : -1;
}

#endif
