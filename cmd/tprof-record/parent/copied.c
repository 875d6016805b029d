#include "tprof-record/parent/copied.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

/* The register of the frame pointer. */
#if defined(__aarch64__)
enum { FRAME = 29 };
#else
enum { FRAME = 6 };
#endif

bool rec_copied_word(const struct rec_copied *c, uint64_t address, uint64_t *value)
{
	if (address < c->low || c->size < 8 || address - c->low > c->size - 8)
		return false;
	memcpy(value, c->copy + (address - c->low), sizeof(*value));
	return true;
}

static bool read_word(void *copied, uint64_t address, uint64_t *value)
{
	struct rec_copied *c = copied;

	if (!rec_copied_word(c, address, value)) {
		c->missing |= address >= c->low + c->size && address - c->low < 256 * c->room &&
			      c->size + 8 > c->room;
		return false;
	}
	if (c->nread < sizeof(c->read) / sizeof(c->read[0]))
		c->read[c->nread++] = (struct rec_copied_word){address, *value};
	return true;
}

static struct rec_copied_known *place(struct rec_copied *c, const struct tp_unwind_state *s)
{
	uint64_t h = (s->pc ^ c->low << 20) * 0x9e3779b97f4a7c15u;

	return &c->known[h >> 32 & (REC_COPIED_KNOWN - 1)];
}

static bool is_again(const struct rec_copied *c, const struct rec_copied_known *k,
		     const struct tp_unwind_state *s)
{
	uint64_t value;

	if (!k->stack || k->pc != s->pc || k->sp != c->low)
		return false;
	for (uint32_t i = 0; i < k->n; i++)
		if (!rec_copied_word(c, k->word[i].at, &value) || value != k->word[i].value)
			return false;
	return true;
}

/* Keeps the places from which the return addresses were read, if all of them were. Not for cut stacks whose
 * frame pointer was searched: other words decide whether that is found. */
static void keep(struct rec_copied *c, struct rec_copied_known *k, const struct tp_unwind_state *s,
		 const uint64_t *pcs, size_t n, uint32_t stack)
{
	struct rec_copied_word *words = tp_more(k->word, n, sizeof(*words));
	size_t at = 0;

	k->stack = 0;
	if (!words)
		return;
	k->word = words;
	c->knows = true;
	for (size_t i = 1; i < n; i++) {
		/* One frame may have been interrupted by a signal. */
		while (at < c->nread && c->read[at].value != pcs[i] &&
		       c->read[at].value + 1 != pcs[i])
			at++;
		if (at == c->nread)
			return;
		words[i - 1] = c->read[at++];
	}
	k->pc = s->pc;
	k->sp = c->low;
	k->n = (uint32_t)n - 1;
	k->stack = stack;
}

static void forget(struct rec_copied *c)
{
	/* Known stacks are 128 KiB of memory that most recordings do not touch. */
	for (size_t i = 0; c->knows && i < REC_COPIED_KNOWN; i++) {
		free(c->known[i].word);
		c->known[i] = (struct rec_copied_known){0};
	}
	c->knows = false;
}

/* If the process is over, the files of before have to do. */
int rec_copied_files(struct rec_copied *c, struct tp_err *err)
{
	struct tp_unwinder *u;
	int code = tp_unwinder_new(&u, c->pid, err);

	c->files_changed = false;
	if (code)
		return code;
	tp_unwinder_free(c->unwinder);
	c->unwinder = u;
	forget(c);
	return 0;
}

void rec_copied_release(struct rec_copied *c)
{
	tp_unwinder_free(c->unwinder);
	c->unwinder = NULL;
	forget(c);
}

/* Returns the frame pointer of the function at which a stack of n PCs was cut. Its stack pointer is behind the
 * return address of the call that it made. */
static uint64_t frame_of_last(const struct rec_copied *c, const uint64_t *pcs, size_t n)
{
	size_t i = c->nread;

	if (n == 1)
		return c->frame(c->ctx, pcs[0] - 1, c->low);
	while (i && c->read[i - 1].value != pcs[n - 1])
		i--;
	return i ? c->frame(c->ctx, pcs[n - 1], c->read[i - 1].at + 8) : 0;
}

/* Callees preserve the frame pointer, so the value that the first function needs is also the initial value. */
static size_t unwind(struct rec_copied *c, struct tp_unwind_state *state, uint64_t *pcs, bool *cut)
{
	size_t n = tp_unwinder_stack(c->unwinder, state, pcs, c->depth, cut);
	uint64_t frame = *cut && c->frame && !c->missing ? frame_of_last(c, pcs, n) : 0;

	if (!frame)
		return n;
	state->value[FRAME] = frame;
	state->known |= 1ull << FRAME;
	c->nread = 0;
	return tp_unwinder_stack(c->unwinder, state, pcs, c->depth, cut);
}

uint32_t rec_copied_stack(struct rec_copied *c, struct tp_unwind_state *state)
{
	struct rec_copied_known *k = place(c, state);
	uint64_t pcs[REC_MAX_DEPTH];
	uint32_t stack;
	bool cut;
	size_t n;

	c->missing = false;
	if (is_again(c, k, state))
		return k->stack;
	if (c->files_changed)
		rec_copied_files(c, NULL);
	state->word = read_word;
	state->ctx = c;
	c->nread = 0;
	n = unwind(c, state, pcs, &cut);
	stack = c->add(c->ctx, pcs, n, cut);
	if (stack && !c->missing && !(cut && c->frame))
		keep(c, k, state, pcs, n, stack);
	return stack;
}
