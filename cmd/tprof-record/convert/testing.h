/* For tests: a recorded process made up by hand, in private memory, with no program behind it.
 *
 *	struct rec_testing t;
 *
 *	rec_testing_begin(&t);
 *	rec_testing_g(&t, 1, 4000, "main");
 *	rec_testing_add(&t, (struct rec_event){.kind = REC_THREAD_START, .g = 1, .m = 1, …});
 *	rec_process_check(&t.process, &wrong, &err);
 *	…
 *	rec_testing_end(&t);
 *
 * t.process is what conversions take; its arena may be written to as one likes. Nothing is checked,
 * so that what is wrong can be built as well; where memory is out the test ends. */
#ifndef RECORD_CONVERT_TESTING_H
#define RECORD_CONVERT_TESTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tprof-record/convert/process.h"

struct rec_testing {
	struct rec_process process;
	struct rec_event *events, *switches; /* those of process, which follows them */
	size_t room, switch_room;
};

static inline void *rec_testing_need(void *p)
{
	if (!p || p == MAP_FAILED)
		abort();
	return p;
}

/* An arena in which nothing is: process 4000, begun at 1 s of the clock (1700000000 s Unix time)
 * and ended at 2 s. */
static inline void rec_testing_begin(struct rec_testing *t)
{
	void *base = rec_testing_need(mmap(NULL, rec_arena_size(0), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	struct rec_header *h = base;

	memset(t, 0, sizeof(*t));
	t->process.arena = rec_arena_at(base, 0);
	t->process.pid = 4000;
	t->process.end_ns = 2000000000;
	t->process.end_sec = 1700000001;
	h->magic = REC_MAGIC;
	h->version = REC_VERSION;
	h->size_of_event = sizeof(struct rec_event);
	h->pid = 4000;
	h->start_ns = 1000000000;
	h->start_sec = 1700000000;
	h->options.trace = 1;
	h->options.depth = 128;
	h->options.profiler = 126;
	h->options.cpu_hz = 100;
	h->next_g = 2;
	/* 0 is the empty one of these. */
	h->strings.used = 1;
	h->nodes.used = 1;
	h->sets.used = 1;
}

static inline void rec_testing_end(struct rec_testing *t)
{
	if (t->process.arena.header)
		munmap(t->process.arena.header, rec_arena_size(0));
	free(t->events);
	free(t->switches);
	memset(t, 0, sizeof(*t));
}

static inline uint32_t rec_testing_string(struct rec_testing *t, const char *text)
{
	struct rec_arena *a = &t->process.arena;
	uint32_t at = a->header->strings.used;
	size_t size = strlen(text) + 1;

	for (uint32_t i = 0; i < at; i += (uint32_t)strlen(a->strings + i) + 1) {
		if (!strcmp(a->strings + i, text))
			return i;
	}
	if (at + size > REC_STRING_BYTES)
		abort();
	memcpy(a->strings + at, text, size);
	a->header->strings.used = at + (uint32_t)size;
	return at;
}

/* A stack of PCs, innermost first; 0 for none. */
static inline uint32_t rec_testing_stack(struct rec_testing *t, const uint64_t *pcs, size_t n)
{
	struct rec_arena *a = &t->process.arena;
	uint32_t node = 0;

	while (n--) {
		uint32_t i = 1, used = a->header->nodes.used;

		while (i < used && (a->nodes[i].parent != node || a->nodes[i].pc != pcs[n]))
			i++;
		if (i == REC_NNODES(0))
			abort();
		if (i == used) {
			a->nodes[i] = (struct rec_node){
			    .pc = pcs[n], .parent = node, .depth = a->nodes[node].depth + 1};
			a->header->nodes.used = i + 1;
		}
		node = i;
	}
	return node;
}

/* Executable code of a file at [start, limit); its index. */
static inline uint32_t rec_testing_module(struct rec_testing *t, uint64_t start, uint64_t limit,
					  uint64_t offset, const char *file, const char *build_id)
{
	struct rec_arena *a = &t->process.arena;
	uint32_t i = a->header->modules.used++;

	if (i >= REC_NMODULES)
		abort();
	a->modules[i] = (struct rec_module){.start = start,
					    .limit = limit,
					    .offset = offset,
					    .file = rec_testing_string(t, file),
					    .build_id = rec_testing_string(t, build_id)};
	return i;
}

/* The file that holds the code at `address` of the test itself, mapped as it is. */
static inline void rec_testing_own_module(struct rec_testing *t, const void *address)
{
	uint64_t want = (uint64_t)(uintptr_t)address, start, limit, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4400], file[4096];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &start, &limit, &offset, file) ==
			4 &&
		    start <= want && want < limit)
			rec_testing_module(t, start, limit, offset, file, "");
	}
	if (maps)
		fclose(maps);
}

/* A label set of n pairs (key, value). */
static inline uint32_t rec_testing_labels(struct rec_testing *t, const char *const (*pairs)[2],
					  size_t n)
{
	struct rec_arena *a = &t->process.arena;
	uint32_t at = a->header->sets.used;

	if (at + 1 + 2 * n > REC_NSETS * 16)
		abort();
	a->sets[at] = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		a->sets[at + 1 + 2 * i] = rec_testing_string(t, pairs[i][0]);
		a->sets[at + 2 + 2 * i] = rec_testing_string(t, pairs[i][1]);
	}
	a->header->sets.used = at + 1 + 2 * (uint32_t)n;
	return at;
}

/* A goroutine that is alive, on an M of its own (tid 0: the program's own, on none). */
static inline struct rec_g *rec_testing_g(struct rec_testing *t, uint32_t id, uint32_t tid,
					  const char *name)
{
	struct rec_header *h = t->process.arena.header;
	struct rec_g *g;

	if (h->gs.used >= REC_NGS)
		abort();
	g = &t->process.arena.gs[h->gs.used++];
	g->id = id;
	g->tid = tid;
	g->m = tid ? id : 0;
	g->start = h->start_ns;
	snprintf(g->name, sizeof(g->name), "%s", name);
	if (h->next_g <= id)
		h->next_g = id + 1;
	return g;
}

/* What it is waiting for at the end. */
static inline void rec_testing_wait(struct rec_g *g, struct rec_event wait)
{
	wait.g = g->id;
	wait.m = g->m;
	g->wait = wait;
	g->seq += 2;
}

/* An empty bucket. */
static inline struct rec_bucket *
rec_testing_bucket(struct rec_testing *t, enum rec_bucket_kind kind, uint32_t stack, uint64_t size)
{
	struct rec_arena *a = &t->process.arena;
	uint32_t i = a->header->buckets.used++;
	struct rec_bucket *b = &a->buckets[i];

	if (i >= REC_NBUCKETS(0))
		abort();
	b->kind = kind;
	b->stack = stack;
	b->size = size;
	b->allnext = a->header->newest[kind];
	a->header->newest[kind] = i + 1;
	return b;
}

/* `count` of a block or mutex bucket. */
static inline void rec_testing_count(struct rec_bucket *b, double count, int64_t ns)
{
	uint64_t bits;

	memcpy(&bits, &count, sizeof(bits));
	b->u.block.count = bits;
	b->u.block.cycles = ns;
}

static inline void rec_testing_append(struct rec_event **list, size_t *room, size_t *n,
				      struct rec_event event)
{
	if (*n == *room) {
		*room = *room ? *room * 2 : 64;
		*list = rec_testing_need(realloc(*list, *room * sizeof(event)));
	}
	(*list)[(*n)++] = event;
}

static inline void rec_testing_add(struct rec_testing *t, struct rec_event event)
{
	rec_testing_append(&t->events, &t->room, &t->process.nevents, event);
	t->process.events = t->events;
}

/* A switch of a thread (trace/switch.h), later than those before it. */
static inline void rec_testing_switch(struct rec_testing *t, struct rec_event event)
{
	rec_testing_append(&t->switches, &t->switch_room, &t->process.nswitches, event);
	t->process.switches = t->switches;
}

#endif
