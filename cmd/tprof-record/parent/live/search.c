/* Follows pointers. A word may have marks in its upper 17 bits, and lie at any multiple of 4 (in code:
 * anywhere). */
#include "tprof-record/parent/live/search.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
	uint64_t start, limit;
};

int rec_search_fail(struct rec_search *s, int code, const char *what)
{
	if (!s->code)
		s->code =
		    tp_err_set(s->err, code, TP_OFFSET_NONE,
			       "cannot look for leaked threads of process %d: %s", s->pid, what);
	return s->code;
}

/* ---- regions ---- */

static void claim_stacks(struct rec_search *s)
{
	for (size_t i = 0; i < s->n && !s->code; i++) {
		struct rec_waiter *t = &s->thread[i];
		struct rec_region *r;

		if (!t->tid || !t->limit)
			continue;
		if (rec_memory_split(&s->memory, t->limit))
			rec_search_fail(s, TP_ENOMEM, "out of memory");
		r = rec_memory_find(&s->memory, t->sp);
		if (!r || r->limit != t->limit || r->thread) {
			/* Two threads in one mapping: their stacks cannot be separated. */
			if (r && r->thread)
				s->thread[r->thread - 1].limit = 0;
			t->limit = 0;
		}
		if (r)
			r->thread = (uint32_t)i + 1;
	}
	/* The stacks without a limit are roots. */
	for (size_t i = 0; i < s->memory.n; i++) {
		uint32_t thread = s->memory.region[i].thread;

		if (thread && !s->thread[thread - 1].limit)
			s->memory.region[i].thread = 0;
	}
}

static void find_blocks(struct rec_search *s)
{
	s->low = UINT64_MAX;
	for (size_t i = 0; i < s->memory.n && !s->code; i++) {
		struct rec_region *r = &s->memory.region[i];
		int code = 0;

		if (r->own)
			continue;
		if (!r->thread)
			r->blocks = rec_blocks_add(&s->blocks, &s->memory, r, &code);
		if (code)
			rec_search_fail(s, code, "out of memory");
		if (!r->blocks && !r->thread)
			continue;
		s->low = r->start < s->low ? r->start : s->low;
		s->high = r->limit > s->high ? r->limit : s->high;
	}
}

void rec_search_regions(struct rec_search *s)
{
	claim_stacks(s);
	find_blocks(s);
}

bool rec_search_is_private(const struct rec_search *s, uint64_t address)
{
	const struct rec_region *r = rec_memory_find(&s->memory, address);

	return r && (r->blocks || r->thread);
}

/* glibc keeps the addresses of a thread's variables on the heap (its dtv, whose address is behind the
 * thread pointer). Only the thread uses that block; as a root it would make the thread's stack
 * reachable. */
static void set_tls_aside(struct rec_search *s, struct rec_waiter *t)
{
	struct rec_block block;
	uint64_t dtv;

	if (rec_memory_read(&s->memory, t->tp + 8, &dtv, 8) == 8 &&
	    rec_blocks_find(&s->blocks, dtv, &block, true) && rec_block_mark(&block)) {
		t->tls = block.start;
		t->tls_limit = block.limit;
	}
}

/* ---- reachable memory ---- */

static void push(struct rec_search *s, uint64_t start, uint64_t limit)
{
	struct span span = {start, limit};

	if (start < limit && tp_buf_put(&s->queue, &span, sizeof(span)))
		rec_search_fail(s, TP_ENOMEM, "out of memory");
}

static void make_live(struct rec_search *s, struct rec_waiter *t);

/* Follows a word that something that can run has. */
static void consider(struct rec_search *s, uint64_t word)
{
	struct rec_block block;
	const struct rec_region *r;

	word &= REC_ADDRESS;
	if (word < s->low || word >= s->high)
		return;
	if (rec_blocks_find(&s->blocks, word, &block, false)) {
		if (!rec_block_mark(&block))
			return;
		rec_blocks_find(&s->blocks, word, &block, true);
		push(s, block.start, block.limit);
		return;
	}
	r = rec_memory_find(&s->memory, word);
	/* Pointers to its descriptor are common and harmless; its variables lie below. */
	if (r && r->thread) {
		struct rec_waiter *t = &s->thread[r->thread - 1];

		if (t->candidate && !t->live && word >= t->sp - REC_RED_ZONE && word < t->tp)
			make_live(s, t);
	}
}

static void consider_kept(struct rec_search *s, const struct rec_waiter *t)
{
	for (size_t i = 0; i < t->nwords && !s->code; i++)
		consider(s, ((const uint64_t *)(const void *)s->words.data)[t->word + i]);
}

/* It can be woken, so its pointers are reachable. Its words are queued, as this is called while words
 * are followed. */
static void make_live(struct rec_search *s, struct rec_waiter *t)
{
	t->live = true;
	push(s, t->sp - REC_RED_ZONE, t->rest ? t->rest : t->limit);
	push(s, t->tls, t->tls_limit);
}

static void look_through(struct rec_search *s, uint64_t start, uint64_t limit)
{
	const struct rec_region *r = rec_memory_find(&s->memory, start);
	uint64_t step = r && r->executable ? 1 : 4, at = start;

	if (r && limit > r->limit)
		limit = r->limit;

	/* A word across two windows is read by itself. */
	while (r && at < limit && !s->code && !s->memory.over) {
		size_t size, n;
		const uint8_t *byte = rec_memory_peek(&s->memory, r, at, &size);
		uint64_t word;

		if (size > limit - at)
			size = (size_t)(limit - at);
		n = size >= 8 ? size - 7 : 0;
		for (size_t i = 0; byte && i < n; i += step) {
			memcpy(&word, byte + i, 8);
			if ((word & REC_ADDRESS) >= s->low)
				consider(s, word);
		}
		for (uint64_t i = at + (n + step - 1) / step * step;
		     byte && i < at + size && i + 8 <= limit; i += step) {
			if (rec_memory_read(&s->memory, i, &word, 8) == 8)
				consider(s, word);
		}
		at += size;
	}
}

static void drain(struct rec_search *s)
{
	while (s->queue.size && !s->code && !s->memory.over) {
		struct span span;

		s->queue.size -= sizeof(span);
		memcpy(&span, s->queue.data + s->queue.size, sizeof(span));
		look_through(s, span.start, span.limit);
	}
}

/* Follows addresses in the kernel, which returns them later: the data of epoll and timers. */
static void consider_lines(struct rec_search *s, const char *path, const char *key)
{
	char line[512];
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, key);

		if (at)
			consider(s, strtoull(at + strlen(key), NULL, 16));
	}
	if (f)
		fclose(f);
}

static void consider_kernel(struct rec_search *s)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/timers", s->pid);
	consider_lines(s, path, "/");
	snprintf(path, sizeof(path), "/proc/%d/fdinfo", s->pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		char name[96];

		snprintf(name, sizeof(name), "%s/%.20s", path, e->d_name);
		consider_lines(s, name, "data:");
	}
	if (d)
		closedir(d);
}

static void follow_roots(struct rec_search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct rec_waiter *t = &s->thread[i];

		if (!t->tid || t->candidate)
			continue;
		/* A stack within a block is that block. */
		consider(s, t->sp);
		consider_kept(s, t);
		if (t->rest)
			push(s, t->rest, t->limit);
	}
	consider_kernel(s);
	drain(s);
	for (size_t i = 0; i < s->memory.n && !s->code && !s->memory.over; i++) {
		const struct rec_region *r = &s->memory.region[i];

		if (!r->own && !r->blocks && !r->thread)
			look_through(s, r->start, r->limit);
		drain(s);
	}
}

static bool is_reached(const struct rec_search *s, uint64_t address)
{
	const struct rec_region *r = rec_memory_find(&s->memory, address);
	struct rec_block block;

	if (r && r->thread)
		return !s->thread[r->thread - 1].candidate || s->thread[r->thread - 1].live;
	return !rec_blocks_find(&s->blocks, address, &block, false) || rec_block_marked(&block);
}

static void follow_candidates(struct rec_search *s)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < s->n && !s->code; i++) {
			struct rec_waiter *t = &s->thread[i];

			if (!t->candidate)
				continue;
			if (!t->live && (is_reached(s, t->object) || is_reached(s, t->futex)))
				make_live(s, t);
			if (!t->live)
				continue;
			/* From now on it counts as running. */
			t->candidate = false;
			consider_kept(s, t);
			drain(s);
			changed = true;
		}
	} while (changed && !s->code && !s->memory.over);
}

void rec_search_follow(struct rec_search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->thread[i].candidate)
			set_tls_aside(s, &s->thread[i]);
	}
	follow_roots(s);
	follow_candidates(s);
	if (s->memory.over)
		rec_search_fail(s, TP_ELIMIT, "it has more memory than can be searched");
}
