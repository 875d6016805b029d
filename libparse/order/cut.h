/* A cut: some generations of a trace, decoded by themselves, with what is needed to put them
 * together with the others as if one reader had read them all.
 *
 * Ordering is a function of the input and of what is known of goroutines, Ms and Ps. Whoever begins
 * with generation n orders n - 1 first and throws its events away: every generation tells of all
 * that is there, so now the same is known as to a reader that has read everything before. That is
 * not believed but compared: a cut has what was known where it begins and where it ends (a seam
 * each), and two cuts belong together only if what the second began with is what the first ended
 * with. Where that is so, every event of the second is what a single reader would have delivered,
 * but for three things that are mended when cuts are joined (store/merge/stitch.c): ids and
 * indices, times that were moved behind the one before, and parents and names of tasks that began
 * earlier.
 *
 * The decoder fills a struct tp_cut (trace->cut); the store keeps it as tp_cut_put writes it. */
#ifndef TP_ORDER_CUT_H
#define TP_ORDER_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct tp_trace;

enum tp_seam_flag {
	TP_SEAM_ALIVE = 1,
	TP_SEAM_BUSY = 2,  /* G: a mark assist, P: a sweep is in flight */
	TP_SEAM_LOST = 4,  /* salvage: something of it is missing */
	TP_SEAM_BOUND = 8, /* M: its goroutine is alive */
};

struct tp_seam_g {
	uint64_t id;
	uint32_t index; /* in the cut */
	uint8_t status, flags;
};
struct tp_seam_m {
	uint64_t id, g, p; /* UINT64_MAX: none */
	uint32_t index;
	uint8_t flags;
};
struct tp_seam_p {
	uint64_t id;
	uint32_t index;
	uint8_t status, flags;
};
struct tp_seam_stw { /* a stop of the world in flight */
	uint64_t g;
	uint32_t name; /* in the dictionary of the cut */
};

/* What is known between two generations. Each list is in order of id; stops of the world of one
 * goroutine as the decoder has them. */
struct tp_seam {
	int64_t last_ts;
	uint64_t gc_seq;
	uint8_t gc; /* enum of order/v2/state.h: unknown, off, on */
	struct tp_seam_g *g;
	struct tp_seam_m *m;
	struct tp_seam_p *p;
	struct tp_seam_stw *stw;
	size_t ng, nm, np, nstw;
};

struct tp_cut {
	uint32_t first, last, of; /* generations by place, from 1 on */
	bool broken; /* the last one is damaged, so that what comes behind it would be, too */
	bool occupancy;
	uint8_t dump[16];     /* hash of all of the trace */
	int64_t file_time_ns; /* of it */
	double ns_per_tick;   /* of the trace's first generation */
	/* The mark phase that began when nothing was known of any; forgotten: what was known no
	 * longer counted by then, as of damage. */
	bool gc_begun, gc_by_user, gc_forgotten;
	uint64_t gc_seq;
	/* Ms that were first heard of as where a goroutine sits in a system call. */
	uint64_t *heard;
	size_t nheard, heard_room;
	struct tp_seam before, after; /* nothing is before the first generation */
};

void tp_seam_release(struct tp_seam *s);
void tp_cut_free(struct tp_cut *cut);

/* For decoders: notes an M that was heard of. 0 or TP_ENOMEM. */
int tp_cut_heard(struct tp_cut *cut, uint64_t m);

/* Appends the cut and, but for the dictionary, all of its trace. 0 or TP_ENOMEM. */
int tp_cut_put(const struct tp_trace *trace, struct tp_buf *out);
/* The inverse on bytes that nobody vouches for: *trace (all 0 before) has the cut and everything
 * but a dictionary, and is to be released in every case. TP_ESTORE, TP_ENOMEM. What ids and indices
 * name is not checked. */
int tp_cut_get(const void *data, size_t size, struct tp_trace *trace, struct tp_err *err);
/* Only numbers and hash, of a cut that may be damaged further on. */
int tp_cut_peek(const void *data, size_t size, struct tp_cut *cut, struct tp_err *err);

#endif
