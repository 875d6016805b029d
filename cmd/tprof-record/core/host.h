/* One core in a process, even where two libraries bring one.
 *
 * Under tprof-record(1) the preloaded library is in the process, with an arena that the recorder
 * reads; a program that is also linked with libtprof-record has a second copy of core, whose state
 * is another. So the library does not call its own copy by name, but one of them through this
 * table: the preloaded one where it is there (it alone shows `tprof_record_host`), else its own. */
#ifndef RECORD_CORE_HOST_H
#define RECORD_CORE_HOST_H

#include "tprof-record/core/core.h"

struct rec_host {
	/* Of the one who fills it: REC_VERSION, the sizes of this and of struct rec_self. A library
	 * of another build takes no table that it would misread. */
	uint32_t version, size, size_of_self;
	struct rec_core **core;
	uint8_t *sampled;		/* rec_sampled */
	struct rec_self *(*self)(void); /* of the calling thread */

	/* As in core.h. */
	int (*begin)(const struct rec_options *options, bool shared);
	void (*end)(void);
	void (*thread_begin)(uint32_t g, uint64_t entry);
	void (*thread_end)(void);
	uint32_t (*thread_new)(uint64_t entry);
	void (*thread_name)(const char *name);
	struct rec_g *(*g_take)(uint32_t id);
	void (*g_leave)(struct rec_g *g);
	void (*wait_store)(struct rec_g *g, const struct rec_event *wait);
	void (*wait_clear)(struct rec_g *g);
	void (*modules_read)(void);
	uint64_t (*now)(void);
	uint32_t (*stack)(unsigned skip);
	size_t (*backtrace)(uint64_t *pcs, size_t room, unsigned skip);
	uint32_t (*stack_of)(const uint64_t *pcs, size_t n);
	size_t (*stack_pcs)(uint32_t stack, uint64_t *pcs, size_t room);
	uint32_t (*string)(const char *text, size_t size);
	uint32_t (*label_set)(const uint32_t *pairs, size_t n);
	void (*write)(const struct rec_event *event);
	void (*wait_begin)(struct rec_event *wait, unsigned skip);
	void (*wait_end)(struct rec_event *wait, unsigned flags);
	void (*settle_now)(void);
	void (*post)(const void *object, uint32_t wakes, unsigned skip);
	void (*malloc)(void *block, size_t size, unsigned skip);
	uint32_t (*free)(void *block);
	void (*set_heap_rate)(uint64_t rate);
	void (*block_event)(uint64_t ns, uint32_t stack);
	void (*mutex_event)(uint64_t ns, uint32_t stack);
	void (*create_event)(uint32_t stack);
	void (*next_cycle)(const struct rec_arena *a);
	void (*flush)(const struct rec_arena *a);
	void (*post_sweep)(const struct rec_arena *a);
};

const struct rec_host *tprof_record_host(void);

#endif
