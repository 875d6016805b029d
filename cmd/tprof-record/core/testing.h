/* For the tests of core/: an arena for each test, and functions that look into it. */
#ifndef RECORD_CORE_TESTING_H
#define RECORD_CORE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tprof-record/core/inside.h"

/* A function that always has a frame: not inlined, not cloned, and not left by a tail call. */
#if defined(__clang__)
#define ALONE __attribute__((noinline, optnone))
#else
#define ALONE __attribute__((noipa))
#endif

static inline void begin_with(const struct rec_options *options)
{
	rec_self.depth = 0;
	rec_core_end();
	assert_int_equal(0, rec_core_begin(options, true));
}

static inline int stop(void **state)
{
	(void)state;
	rec_core_end();
	return 0;
}

static inline struct rec_header *header(void)
{
	return rec_core->arena.header;
}

static inline uint64_t lost(enum rec_loss what)
{
	return atomic_load(&header()->lost[what]);
}

/* Returns record i of that kind, in the order of the chunks; NULL if there are fewer. */
static inline struct rec_event *event_at(enum rec_kind kind, uint32_t i)
{
	uint32_t c, k;

	for (c = 0; c < header()->chunks.used; c++)
		for (k = 0; k < REC_CHUNK_EVENTS; k++) {
			struct rec_event *e = &rec_core->arena.chunks[c].event[k];

			if (atomic_load(&e->kind) == kind && i-- == 0)
				return e;
		}
	return NULL;
}

static inline uint32_t count_events(enum rec_kind kind)
{
	uint32_t n = 0, c, k;

	for (c = 0; c < header()->chunks.used; c++)
		for (k = 0; k < REC_CHUNK_EVENTS; k++)
			n += rec_core->arena.chunks[c].event[k].kind == kind;
	return n;
}

static inline struct rec_bucket *bucket(uint32_t at)
{
	assert_in_range(at, 1, header()->buckets.used);
	return &rec_core->arena.buckets[at - 1];
}

/* Returns the newest bucket of that kind with that stack, or NULL. */
static inline struct rec_bucket *bucket_with(enum rec_bucket_kind kind, uint32_t stack)
{
	uint32_t at;

	for (at = header()->newest[kind]; at; at = bucket(at)->allnext)
		if (bucket(at)->stack == stack)
			return bucket(at);
	return NULL;
}

static inline double count_of(const struct rec_bucket *b)
{
	uint64_t bits = atomic_load(&b->u.block.count);
	double n;

	memcpy(&n, &bits, sizeof(n));
	return n;
}

/* Returns the node of n PCs, innermost first. */
static inline uint32_t stack_of(const uint64_t *pcs, size_t n)
{
	uint32_t node;

	if (!n || !rec_enter())
		return 0;
	node = rec_tree_add(pcs, n < REC_MAX_DEPTH ? n : REC_MAX_DEPTH);
	rec_leave();
	return node;
}

/* Fills in the PCs of a node, innermost first. Returns their number. */
static inline size_t pcs_of(uint32_t stack, uint64_t *pcs, size_t room)
{
	size_t n = 0;

	for (; stack && stack < header()->nodes.used && n < room && n < REC_MAX_DEPTH; n++) {
		pcs[n] = rec_core->arena.nodes[stack].pc;
		stack = rec_core->arena.nodes[stack].parent;
	}
	return n;
}

static inline uint32_t stack_with(uint64_t pc)
{
	uint32_t stack = stack_of(&pc, 1);

	assert_int_not_equal(0, stack);
	return stack;
}

#endif
