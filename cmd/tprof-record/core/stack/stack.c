/* Taking the stack of the calling thread: see stackcache.h. */
#include "tprof-record/core/stack/machine.h"
#include "tprof-record/core/stack/stackcache.h"

/* ---- caches ---- */

static void begin(struct rec_stack_cache *c)
{
	size_t i;

	for (i = 0; i < REC_NSHADOWS; i++)
		c->shadow[i].n = 0;
	rec_reach_begin(&c->reach);
}

/* Returns the cache of the calling thread, and makes it when it is first needed. Returns NULL if there are
 * too many threads: they share the common caches, so that memory does not grow with their number. */
static struct rec_stack_cache *take_cache(void)
{
	struct rec_state *s = rec_state();
	struct rec_stack_cache *c = NULL;

	if (__builtin_expect(rec_self.cache != NULL, 1))
		return rec_self.cache;
	rec_lock(&s->cache_lock);
	if (!s->caches) {
		s->caches = rec_map(REC_NCACHES * sizeof(*c));
		s->ncaches = REC_NCOMMON;
	}
	if (s->free_cache) {
		c = s->free_cache;
		s->free_cache = c->next;
	} else if (s->caches && s->ncaches < REC_NCACHES) {
		c = &s->caches[s->ncaches++];
	}
	rec_unlock(&s->cache_lock);
	if (c)
		begin(c);
	rec_self.cache = c;
	return c;
}

void rec_cache_give(struct rec_stack_cache *cache)
{
	struct rec_state *s = rec_state();

	if (!cache)
		return;
	rec_lock(&s->cache_lock);
	cache->next = s->free_cache;
	s->free_cache = cache;
	rec_unlock(&s->cache_lock);
}

/* ---- shadows ---- */

static inline bool same_frame(const struct rec_frame *a, const struct rec_frame *b)
{
	return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

static inline uint64_t word(uint64_t address)
{
	return *(const volatile uint64_t *)(uintptr_t)address;
}

/* Returns 0 if everything outside of frame i is unchanged; otherwise, the number of outer frames of which that
 * may still be true. Each place is read only after those inside of it were found unchanged, so the unwinder would
 * have come here and read the same. */
static inline uint32_t changed_at(const struct rec_shadow *s, uint32_t i)
{
	const struct rec_shadow_frame *f = &s->frame[i];

	for (; f > s->frame; f--) {
		const struct rec_frame *out = &f[-1].at;

		if (rec_unsigned(word(out->sp - 8ull * rec_places_ra(f->places))) != out->pc)
			break;
		if (rec_places_fp(f->places) &&
		    word(f->at.sp + 8 * (uint64_t)(rec_places_fp(f->places) - 1)) != out->fp)
			break;
	}
	return (uint32_t)(f - s->frame);
}

struct walk {
	struct rec_reach *reach;
	struct rec_shadow *shadow;
	uint32_t limit, n; /* most frames to take, and frames newly unwound */
	uint32_t match;	   /* 1 + the shadow's frame at which unwinding stopped; 0: none */
	uint32_t storable; /* frame[storable …] may become part of a shadow */
	bool complete;	   /* reached the outermost frame */
	struct rec_shadow_frame *frame;
};

/* Unwinds to the end, or to a frame of the shadow from which everything is unchanged. */
static void walk(struct walk *w, struct rec_frame at)
{
	const struct rec_shadow *s = w->shadow;
	uint32_t top = s ? s->n : 0;

	for (w->n = 0; w->n < w->limit; w->n++) {
		struct rec_shadow_frame *f = &w->frame[w->n];
		enum rec_step step;

		while (top && s->frame[top - 1].at.sp < at.sp)
			top--;
		if (top && same_frame(&s->frame[top - 1].at, &at)) {
			uint32_t left = top - 1;

			if ((!s->cut || (!w->n && top == s->n)) && !(left = changed_at(s, left))) {
				w->match = top;
				w->complete = true;
				return;
			}
			top = left;
		}
		f->at = at;
		f->places = 0;
		step = rec_unwind(&at, w->reach, &f->places);
		if (step == REC_STEP_END) {
			/* The last step has no PC: it is not a frame, but a place that must stay
			 * unchanged. */
			w->complete = true;
			w->n++;
			return;
		}
		if (step == REC_STEP_LOST) {
			w->storable = ++w->n;
			return;
		}
		if (step == REC_STEP_OTHER)
			w->storable = w->n + 1;
	}
}

/* Adds nodes for the new frames, on top of those that the shadow knows. */
static uint32_t add_frames(struct walk *w, uint32_t node)
{
	uint32_t i, depth = node ? rec_core->arena.nodes[node].depth : 0;

	for (i = w->n; i-- > 0;) {
		if (w->frame[i].at.pc >= REC_PAGE) {
			node = rec_tree_child(node, w->frame[i].at.pc, ++depth);
			if (!node) {
				rec_lose(REC_LOST_STACKS, 1);
				return 0;
			}
		}
		w->frame[i].node = node;
	}
	return node;
}

/* Replaces the frames inside of the match by the new ones. */
static void remember(struct walk *w)
{
	struct rec_shadow *s = w->shadow;
	uint32_t i, at = w->match;

	s->cut = !w->complete;
	/* A stack that was cut off is kept only if the depth limit cut it, and all of it fits. */
	if (s->cut && (w->storable || w->n > REC_SHADOW_FRAMES)) {
		s->n = 0;
		return;
	}
	for (i = w->n; i-- > w->storable && at < REC_SHADOW_FRAMES;)
		s->frame[at++] = w->frame[i];
	s->n = at;
}

static uint32_t take(struct walk *w, struct rec_frame from, uint32_t limit)
{
	struct rec_shadow *s = w->shadow;
	uint32_t node = 0, epoch;

	w->limit = limit;
	if (s) {
		epoch = atomic_load_explicit(&rec_state()->epoch, memory_order_relaxed);
		if (s->epoch != epoch) {
			s->n = 0;
			s->epoch = epoch;
		}
	}
	walk(w, from);
	if (s && w->match) {
		node = s->frame[w->match - 1].node;
		if (!w->n)
			return node; /* frames inside of the match stay, as they may come back */
		if (rec_core->arena.nodes[node].depth + w->n > limit) {
			/* The stack would be cut off, so it has another root: none of its nodes are known. */
			w->shadow = NULL;
			w->match = w->n = w->storable = 0;
			w->complete = false;
			s->n = 0;
			walk(w, from);
			return add_frames(w, 0);
		}
	}
	node = add_frames(w, node);
	if (s) {
		if (node)
			remember(w);
		else
			s->n = 0;
	}
	return node;
}

static uint32_t take_with(struct rec_stack_cache *c, struct rec_frame from, unsigned skip)
{
	struct walk w = {.reach = &c->reach, .frame = c->scratch};
	uint32_t depth = rec_core->arena.header->options.depth, saved;

	c->reach.page[0] = c->reach.page[1] = 0;
	while (skip-- > 0) {
		enum rec_step step = rec_unwind(&from, &c->reach, &saved);

		if (step == REC_STEP_END || step == REC_STEP_LOST)
			break;
	}
	if (!depth)
		depth = 128;
	w.shadow = &c->shadow[((from.pc ^ from.sp) * 0x9e3779b97f4a7c15u) >> 62];
	_Static_assert(REC_NSHADOWS == 4, "the hash has as many bits");
	return take(&w, from, depth < REC_MAX_DEPTH ? depth : REC_MAX_DEPTH);
}

uint32_t rec_stack_from(struct rec_frame from, unsigned skip)
{
	struct rec_state *s = rec_state();
	struct rec_stack_cache *c = take_cache();
	uint32_t i = rec_self.g % REC_NCOMMON, node;

	if (__builtin_expect(c != NULL, 1))
		return take_with(c, from, skip);
	if (!s->caches) {
		rec_lose(REC_LOST_STACKS, 1);
		return 0;
	}
	c = &s->caches[i];
	rec_lock(&s->common_lock[i]);
	/* Shadows are checked before use, so those of another thread do no harm. */
	rec_reach_begin(&c->reach);
	node = take_with(c, from, skip);
	rec_unlock(&s->common_lock[i]);
	return node;
}

__attribute__((noinline)) uint32_t rec_stack(unsigned skip)
{
	struct rec_frame from = REC_CALLER();
	uint32_t node;

	if (!rec_enter())
		return 0;
	node = rec_stack_from(from, skip);
	rec_leave();
	return node;
}

__attribute__((noinline)) size_t rec_backtrace(uint64_t *pcs, size_t room, unsigned skip)
{
	struct rec_frame at = REC_CALLER();
	struct rec_reach reach;
	uint32_t saved;
	size_t n = 0;

	if (!rec_alive())
		return 0;
	rec_reach_begin(&reach);
	while (n < room && at.pc) {
		enum rec_step step;

		if (skip)
			skip--;
		else
			pcs[n++] = at.pc;
		step = rec_unwind(&at, &reach, &saved);
		if (step == REC_STEP_END || step == REC_STEP_LOST)
			break;
	}
	return n;
}
