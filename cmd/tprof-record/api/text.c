/* Stacks as Go prints them (runtime/traceback.go), and the text trace of allocations
 * (runtime/mprof.go, tracealloc, tracefree, tracegc):
 *
 *	tracealloc(0x5581c0, 0x40, struct order)
 *	goroutine 7 [running]:
 *	make_order()
 *		/src/shop.c:41 +0x1d pc=0x55d01d
 *	run(...)                                        inlined into the next
 *		/src/shop.c:60
 *	created by main in goroutine 1
 *		/src/shop.c:80 +0x5e
 *
 * The arguments of a C function are unknown. A real call gets (), an inlined one (...), as in Go. The PC is
 * printed so that code without names can be named later. */
#include "tprof-record/api/lib.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/idmap.h"
#include "order/listing.h"
#include "tprof-record/convert/profile/text_stack.h"

#define MINUTE_NS 60000000000u

/* Names of code, made at the first use and again when more code was loaded. */
static struct names {
	struct rec_process process;
	struct tp_dict *dict;
	struct rec_names *names;
	uint32_t nmodules;
	uint64_t changes; /* loads and unloads when they were made */
} named;

/* Protects `named` and the text trace. */
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static int text_fd = -1;

static void forget_names(void)
{
	rec_names_free(named.names);
	tp_dict_free(named.dict);
	rec_process_free(&named.process);
	named = (struct names){0};
}

/* Loads names of code. If that fails, addresses are printed. */
static void look_for_names(const struct rec_host *h)
{
	uint64_t changes = rec_modules_changes();
	uint32_t n;

	if (named.names && changes == named.changes)
		return;
	h->modules_read();
	n = atomic_load(&api_header(h)->modules.used);
	if (named.names && n == named.nmodules) {
		named.changes = changes;
		return;
	}
	forget_names();
	named.nmodules = n;
	named.changes = changes;
	named.dict = tp_dict_new();
	if (!named.dict || api_process_copy(h, &named.process, NULL) ||
	    rec_names_new(&named.names, &named.process, named.dict, false, NULL))
		forget_names();
}

/* ---- one stack ---- */

static struct tp_function function_of(const struct rec_texts *t, const struct tp_frame *frame)
{
	return tp_dict_function_at(t->names->dict, frame->function);
}

static const char *string_of(const struct rec_texts *t, uint32_t string)
{
	return tp_dict_text(t->names->dict, string).text;
}

/* Returns the offset of a PC in its function, 0 if unknown. */
static uint64_t offset_of(const struct rec_texts *t, uint64_t pc)
{
	uint64_t entry = rec_names_entry(t->names, pc);

	return entry && entry <= pc ? pc - entry : 0;
}

/* Prints the frames at a PC, innermost first. `pc` is a return address. */
static void print_frames(struct rec_texts *t, uint64_t pc)
{
	const struct rec_place *at = t->names ? rec_names_place(t->names, pc) : NULL;
	uint64_t offset;

	if (!at || !at->named) {
		rec_text_put(t, "non-Go function at pc=0x%" PRIx64 "\n", pc);
		return;
	}
	offset = offset_of(t, pc);
	for (uint32_t i = at->n; i-- > 0;) {
		struct tp_frame frame = tp_dict_frame_at(t->names->dict, at->frames[i]);
		struct tp_function f = function_of(t, &frame);
		const char *file = string_of(t, f.file);

		rec_text_put(t, "%.900s(%s)\n\t", string_of(t, f.name), i ? "..." : "");
		if (*file)
			rec_text_put(t, "%s:%" PRId64 "%s", file, frame.line, i ? "" : " ");
		if (*file && !i && offset)
			rec_text_put(t, "+0x%" PRIx64 " ", offset);
		if (!i)
			rec_text_put(t, "pc=0x%" PRIx64, pc);
		rec_text_put(t, "\n");
	}
}

static void print_creator(struct rec_texts *t, const struct rec_g *g)
{
	uint64_t pcs[API_MAX_DEPTH];
	size_t n = rec_process_stack(t->p, g->create_stack, pcs, API_MAX_DEPTH);
	const struct rec_place *at;
	struct tp_frame frame;
	struct tp_function f;

	if (!t->names || !rec_names_drop_own(t->names, pcs, n))
		return;
	at = rec_names_place(t->names, pcs[0]);
	frame = tp_dict_frame_at(t->names->dict, at->frames[at->n - 1]);
	if (!frame.function)
		return;
	f = function_of(t, &frame);
	rec_text_put(t, "created by %.900s in goroutine %" PRIu32 "\n", string_of(t, f.name),
		     g->creator);
	if (*string_of(t, f.file))
		rec_text_put(t, "\t%s:%" PRId64 " +0x%" PRIx64 "\n", string_of(t, f.file),
			     frame.line, offset_of(t, pcs[0]));
}

/* Returns whether a goroutine was unblocked and has not run since. */
static bool is_ready(const struct rec_host *h, const struct rec_process *p, const struct rec_g *g)
{
	const struct rec_g *place = &api_arena(h)->gs[g - p->arena.gs];

	return g->wait.kind == REC_G_STOP && api_is_own(h, place, g->id) &&
	       atomic_load(&api_g_of(h, place)->ready);
}

static void print_quoted(struct rec_texts *t, const char *text)
{
	if (!t->code)
		t->code = tp_quote(t->out, text, strlen(text));
}

static void print_labels(struct rec_texts *t, uint32_t set)
{
	size_t n;
	const uint32_t *pairs = rec_process_labels(t->p, set, &n);

	for (size_t i = 0; i < n; i++) {
		rec_text_put(t, "%s", i ? ", " : " {");
		print_quoted(t, rec_process_string(t->p, pairs[2 * i]));
		rec_text_put(t, ": ");
		print_quoted(t, rec_process_string(t->p, pairs[2 * i + 1]));
	}
	if (n)
		rec_text_put(t, "}");
}

static void print_stack(struct rec_texts *t, const struct rec_g *g, const char *state,
			const uint64_t *pcs, size_t n)
{
	bool waits = g->wait.kind != REC_NOTHING && g->wait.start;
	uint64_t waited = waits && t->p->end_ns > g->wait.start ? t->p->end_ns - g->wait.start : 0;
	bool code = false; /* frames that are not the recorder's have begun */

	rec_text_put(t, "goroutine %" PRIu32 " [%s", g->id, state);
	if (waited >= MINUTE_NS)
		rec_text_put(t, ", %" PRIu64 " minutes", waited / MINUTE_NS);
	rec_text_put(t, "]");
	print_labels(t, g->labels);
	rec_text_put(t, ":\n");
	for (size_t i = 0; i < n && i < API_MAX_DEPTH; i++) {
		if (!code && t->names && rec_names_place(t->names, pcs[i])->own)
			continue;
		code = true;
		print_frames(t, pcs[i]);
	}
	if (n >= API_MAX_DEPTH)
		rec_text_put(t, "...additional frames elided...\n");
	if (g->create_stack)
		print_creator(t, g);
}

/* Prints the stack of the calling goroutine, which took `pcs` itself. */
static void print_own(const struct rec_host *h, struct tp_buf *out, const uint64_t *pcs, size_t n)
{
	const struct rec_process here = {.arena = *api_arena(h)};
	const struct rec_g *place = h->self()->slot, none = {.id = h->self()->g};
	struct rec_texts t = {.p = &here, .names = named.names, .out = out};

	print_stack(&t, place ? place : &none, "running", pcs, n);
}

/* ---- tprof_stack ---- */

/* Prints the other stacks, with an empty line before each. */
static void print_others(const struct rec_host *h, struct tp_buf *out, const struct api_stacks *s)
{
	struct rec_texts t = {.p = &s->process, .names = named.names, .out = out};

	for (size_t i = 0; i < s->others.n; i++) {
		const struct rec_row *row = &s->others.row[i];
		size_t n = rec_row_pcs(t.p, row, t.pcs);

		rec_text_put(&t, "\n");
		print_stack(&t, row->g, is_ready(h, t.p, row->g) ? "runnable" : row->printed, t.pcs,
			    n);
	}
}

int api_text_stacks(const struct rec_host *h, const uint64_t *pcs, size_t n, bool all,
		    struct tp_buf *text)
{
	struct api_stacks stacks = {0};
	int code = all ? api_stacks_take(h, pcs, n, SIZE_MAX, &stacks) : 0;

	if (!code) {
		pthread_mutex_lock(&text_lock);
		look_for_names(h);
		print_own(h, text, pcs, n);
		print_others(h, text, &stacks);
		pthread_mutex_unlock(&text_lock);
	}
	api_stacks_release(&stacks);
	return code;
}

size_t tprof_stack(char *buf, size_t size, bool all)
{
	struct api_inside was;
	const struct rec_host *h;
	struct tp_buf text = {0};
	uint64_t pcs[API_MAX_DEPTH];
	size_t n;

	if (!size || api_begin(&h))
		return 0;
	n = h->backtrace(pcs, API_MAX_DEPTH, 1);
	was = api_inside(h);
	api_text_stacks(h, pcs, n, all, &text);
	n = text.size < size ? text.size : size;
	if (n)
		memcpy(buf, text.data, n);
	tp_buf_release(&text);
	api_outside(h, was);
	return n;
}

/* ---- the text trace ---- */

/* Sizes + 1 of traced blocks by address, as a free does not give the size. Protected by text_lock. */
static struct tp_idmap sizes;

/* Removes the size of a block and returns it, 0 if it is unknown. */
static size_t forget_size(const void *block)
{
	uintptr_t size = (uintptr_t)tp_idmap_get(&sizes, (uintptr_t)block);

	tp_idmap_remove(&sizes, (uintptr_t)block);
	return size ? size - 1 : 0;
}

static void keep_size(const void *block, size_t size)
{
	forget_size(block);
	tp_idmap_add(&sizes, (uintptr_t)block, (void *)(uintptr_t)(size + (size < SIZE_MAX)));
}

int tprof_alloc_trace(int fd)
{
	const struct rec_host *h;
	int code = fd >= 0 ? api_begin(&h) : 0;

	if (code)
		return code;
	if (fd < -1)
		return EINVAL;
	pthread_mutex_lock(&text_lock);
	text_fd = fd;
	atomic_store(&api.text, fd >= 0);
	if (fd < 0)
		tp_idmap_release(&sizes);
	pthread_mutex_unlock(&text_lock);
	return 0;
}

/* Under the lock. */
static void write_text(struct tp_buf *text)
{
	/* A failed write, such as after the reader has gone, ends the trace. */
	if (text->size && api_write(text_fd, text->data, text->size)) {
		text_fd = -1;
		atomic_store(&api.text, false);
	}
	tp_buf_release(text);
}

void api_text_block(const struct rec_host *h, const void *block, size_t size, const char *type,
		    bool freed, const uint64_t *pcs, size_t n)
{
	struct api_inside was = api_inside(h);
	struct tp_buf text = {0};
	struct rec_texts t = {.out = &text};

	pthread_mutex_lock(&text_lock);
	if (freed)
		size = forget_size(block);
	else
		keep_size(block, size);
	if (text_fd >= 0) {
		look_for_names(h);
		rec_text_put(&t, "trace%s(0x%" PRIxPTR ", 0x%zx", freed ? "free" : "alloc",
			     (uintptr_t)block, size);
		if (type)
			rec_text_put(&t, ", %.1024s", type);
		rec_text_put(&t, ")\n");
		print_own(h, &text, pcs, n);
		rec_text_put(&t, "\n");
		write_text(&text);
	}
	pthread_mutex_unlock(&text_lock);
	api_outside(h, was);
}

void api_text_gc(const struct rec_host *h, const uint64_t *pcs, size_t n)
{
	struct api_inside was = api_inside(h);
	struct api_stacks stacks;
	struct tp_buf text = {0};

	/* Not under the lock, because threads that hold it may have to answer. */
	if (!api_stacks_take(h, pcs, n, SIZE_MAX, &stacks)) {
		pthread_mutex_lock(&text_lock);
		if (text_fd >= 0) {
			look_for_names(h);
			tp_buf_put(&text, "tracegc()\n\n", 11);
			print_own(h, &text, pcs, n);
			print_others(h, &text, &stacks);
			tp_buf_put(&text, "end tracegc\n\n", 13);
			write_text(&text);
		}
		pthread_mutex_unlock(&text_lock);
	}
	api_stacks_release(&stacks);
	api_outside(h, was);
}

void api_forget_text(void)
{
	/* Do not free them: another thread may have been changing them at the fork. */
	named = (struct names){0};
	sizes = (struct tp_idmap){0};
	text_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	text_fd = -1;
	atomic_store(&api.text, false);
}
