/* Traces of allocations as text: what Go prints with GODEBUG=allocfreetrace=1, up to go 1.20
 * (runtime/mprof.go: tracealloc, tracefree, tracegc), and libtprof-record with tprof_alloc_trace():
 *
 *   tracealloc(0xc000064180, 0x30, main.order)    address, size, and the type, if it has one
 *   goroutine 1 [running]:
 *   runtime.newobject(0x49b7f1?)
 *   	runtime/malloc.go:1202 +0x27 fp=0xc00008ee90 sp=0xc00008ee68 pc=0x40c6a7
 *   …
 *                                                  an empty line ends each entry
 *   tracefree(0xc000064180, 0x30)                  with the stack of the collector
 *   tracegc()                                      all stacks, to "end tracegc"
 *
 * Each allocation is a sample. A free takes it out of what is in use, and says how long it lived: the
 * text has no times, so a life is measured in bytes that were allocated meanwhile. As in Go's heap
 * profiles, the runtime's own functions at the leaf are left out. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "decode/profile/kinds.h"
#include "open/dumpline.h"

enum value { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, LIFETIME, NVALUES };

static const struct {
	const char *type, *unit;
} types[NVALUES] = {
    [ALLOC_OBJECTS] = {"alloc_objects", "count"}, [ALLOC_SPACE] = {"alloc_space", "bytes"},
    [INUSE_OBJECTS] = {"inuse_objects", "count"}, [INUSE_SPACE] = {"inuse_space", "bytes"},
    [LIFETIME] = {"lifetime", "bytes"},
};

struct allocs {
	struct tp_profile *p;
	struct tp_err *err;
	bool strict;
	struct tp_lines lines;
	uint32_t type_key, bytes_key;

	/* What is being read; of a free and a collection, the stacks are skipped. */
	enum { NOTHING, ALLOC, FREE, COLLECT } in;
	struct tp_lines at; /* its first line */
	uint64_t address;
	int64_t size;
	struct tp_scan type;  /* empty if unknown */
	struct tp_buf frames; /* struct line, leaf first */
	struct tp_scan call;  /* a call whose place comes next; NULL: none */
	bool damaged;	      /* a line of its stack is lost */

	struct tp_ids live; /* number of the sample of each block, by address */
	int64_t allocated;  /* bytes, so far */
	uint64_t others;    /* lines that belong to no entry */
	uint64_t strangers; /* frees of blocks that were allocated before the trace */
	uint64_t unfreed;   /* blocks whose address was allocated again, without a free */
};

struct line {
	struct tp_frame frame;
	uint64_t pc;
	bool inlined, runtime;
};

static int failed(struct allocs *a, int code)
{
	return tp_profile_failed(a->err, &a->lines, code);
}

static int lose(struct allocs *a, const struct tp_lines *at, uint64_t samples, const char *why)
{
	return tp_profile_lose_line(a->p, a->err, a->strict, at, samples, why);
}

/* ---- blocks ---- */

static int64_t *value_of(const struct allocs *a, uint32_t sample, enum value v)
{
	return &a->p->value[(size_t)sample * NVALUES + v];
}

/* Ends the life of a block, if one is at this address. Returns whether one was. */
static bool end_life(struct allocs *a, uint64_t address)
{
	uint32_t sample = tp_ids_get(&a->live, address);

	if (sample == TP_NO_ID || !*value_of(a, sample, INUSE_OBJECTS))
		return false;
	*value_of(a, sample, INUSE_OBJECTS) = 0;
	*value_of(a, sample, INUSE_SPACE) = 0;
	/* Until now it was what had been allocated before the block. */
	*value_of(a, sample, LIFETIME) = a->allocated - *value_of(a, sample, LIFETIME);
	return true;
}

static int push_frames(struct allocs *a, uint32_t *stack)
{
	const struct line *lines = (const void *)a->frames.data;
	size_t n = a->frames.size / sizeof(*lines), leaf = 0, from;
	int code = 0;

	while (leaf < n && lines[leaf].runtime)
		leaf++;
	if (leaf == n)
		leaf = 0;
	/* A location is a call and the calls inlined into it: [from, n). */
	for (; n > leaf && !code; n = from) {
		struct tp_location where = {.address = lines[n - 1].pc};
		struct tp_buf chain = {0};

		for (from = n - 1; from > leaf && lines[from - 1].inlined; from--)
			;
		for (size_t i = from; i < n && !code; i++)
			code = tp_buf_put(&chain, &lines[i].frame, sizeof(lines[i].frame));
		if (!code)
			code = tp_profile_push_location(a->p, stack, &where,
							(const void *)chain.data, n - from);
		tp_buf_release(&chain);
	}
	return code;
}

static int add_sample(struct allocs *a)
{
	struct tp_label labels[] = {{.key = a->bytes_key, .numeric = true, .number = a->size},
				    {.key = a->type_key}};
	int64_t values[NVALUES] = {1, a->size, 1, a->size, a->allocated};
	uint32_t stack = 0, set;
	bool typed = a->type.at < a->type.end;
	int code = push_frames(a, &stack);

	if (!code && typed)
		code =
		    tp_dict_string(a->p->dict, a->type.at, tp_scan_left(&a->type), &labels[1].text);
	if (!code)
		code = tp_profile_label_set(a->p, labels, typed ? 2 : 1, &set);
	if (!code)
		code = tp_profile_add_sample(a->p, stack, set, values);
	if (!code)
		code = tp_ids_put(&a->live, a->address, (uint32_t)(a->p->nsamples - 1));
	return failed(a, code);
}

static int end_entry(struct allocs *a)
{
	int code = 0;

	if (a->in != ALLOC)
		return 0;
	a->in = NOTHING;
	if (a->call.at)
		code = lose(a, &a->at, 1, "begins a stack that is not whole");
	else if (!a->damaged && !a->frames.size)
		code = lose(a, &a->at, 1, "is an allocation without a stack");
	if (code || a->call.at || a->damaged || !a->frames.size)
		return code;
	a->unfreed += end_life(a, a->address);
	code = add_sample(a);
	if (__builtin_add_overflow(a->allocated, a->size, &a->allocated))
		a->allocated = INT64_MAX;
	return code;
}

/* ---- lines ---- */

/* Reads "0xc000064180, 0x30, main.order)". */
static bool read_block(struct tp_scan s, uint64_t *address, int64_t *size, struct tp_scan *type)
{
	uint64_t bytes;

	s = tp_scan_trim(s);
	*type = (struct tp_scan){s.end, s.end};
	if (s.at == s.end || s.end[-1] != ')')
		return false;
	s.end--;
	if (!tp_scan_text(&s, "0x") || tp_scan_hex(&s, address) != TP_NUMBER_OK ||
	    !tp_scan_text(&s, ", 0x") || tp_scan_hex(&s, &bytes) != TP_NUMBER_OK ||
	    bytes > INT64_MAX)
		return false;
	*size = (int64_t)bytes;
	if (tp_scan_text(&s, ", "))
		*type = s;
	return s.at == s.end || type->at == s.at;
}

static int read_alloc(struct allocs *a, struct tp_scan s)
{
	if (!read_block(s, &a->address, &a->size, &a->type))
		return lose(a, &a->lines, 1, "is not an allocation (tracealloc(0x1, 0x2, T))");
	a->in = ALLOC;
	a->at = a->lines;
	a->frames.size = 0;
	a->call.at = NULL;
	a->damaged = false;
	return 0;
}

static int read_free(struct allocs *a, struct tp_scan s)
{
	struct tp_scan type;
	uint64_t address;
	int64_t size;

	if (!read_block(s, &address, &size, &type))
		return lose(a, &a->lines, 1, "is not a free (tracefree(0x1, 0x2))");
	a->strangers += !end_life(a, address);
	return 0;
}

static int add_frame(struct allocs *a, struct tp_scan text, const struct tp_where *w)
{
	static const char elided[] = "(...)";
	struct tp_scan name = tp_call_name(text);
	struct line line = {.frame.line = w->line, .pc = w->pc};
	struct tp_function f = {0};
	size_t n = strlen(elided);
	int code = tp_dict_string(a->p->dict, name.at, tp_scan_left(&name), &f.name);

	if (!code && w->file.at)
		code = tp_dict_string(a->p->dict, w->file.at, tp_scan_left(&w->file), &f.file);
	f.system_name = f.name;
	if (!code)
		code = tp_dict_function(a->p->dict, &f, &line.frame.function);
	line.inlined = tp_scan_left(&text) > n && !memcmp(text.end - n, elided, n) && !w->pc;
	line.runtime = tp_scan_begins(name, "runtime.");
	a->call.at = NULL;
	return failed(a, code ? code : tp_buf_put(&a->frames, &line, sizeof(line)));
}

/* Reads "non-Go function at pc=0x7f01". */
static int read_foreign(struct allocs *a, struct tp_scan line)
{
	static const char what[] = "non-Go function";
	struct tp_where w = {0};
	const char *at = tp_scan_find(line, " pc=0x");
	struct tp_scan pc = {at ? at + strlen(" pc=0x") : line.end, line.end};

	tp_scan_hex(&pc, &w.pc);
	return add_frame(a, (struct tp_scan){what, what + strlen(what)}, &w);
}

static int read_stack_line(struct allocs *a, struct tp_scan line)
{
	struct tp_where w = {0};
	enum tp_dump_line kind = tp_dump_line(line, &w);

	line = tp_scan_trim(line);
	switch (kind) {
	case TP_LINE_HEADER:
	case TP_LINE_ELIDED:
		return 0;
	case TP_LINE_CALL:
	case TP_LINE_NAME:
		if (a->call.at)
			break;
		a->call = line;
		return 0;
	case TP_LINE_CREATOR:
		/* The creator is not on the stack. */
		a->call = line;
		return 0;
	case TP_LINE_WHERE:
		if (!a->call.at)
			break;
		if (!tp_scan_begins(a->call, "created by "))
			return add_frame(a, a->call, &w);
		a->call.at = NULL;
		return 0;
	case TP_LINE_FOREIGN:
		return read_foreign(a, line);
	default:
		break;
	}
	a->damaged = true;
	a->call.at = NULL;
	return lose(a, &a->lines, 1, "is not a line of the stack of an allocation");
}

static int read_line(struct allocs *a)
{
	struct tp_scan s = a->lines.line;
	bool alloc = tp_scan_text(&s, "tracealloc("),
	     freed = !alloc && tp_scan_text(&s, "tracefree(");
	bool collect = tp_scan_is(s, "tracegc()"),
	     blank = tp_scan_trim(s).at == tp_scan_trim(s).end;
	int code = 0;

	/* A collection has empty lines between its stacks. */
	if (a->in == COLLECT && !alloc && !freed && !collect) {
		a->in = tp_scan_is(s, "end tracegc") ? NOTHING : COLLECT;
		return 0;
	}
	if (alloc || freed || collect || blank) {
		code = end_entry(a);
		a->in = NOTHING;
	}
	if (code || blank)
		return code;
	if (alloc)
		return read_alloc(a, s);
	if (freed || collect) {
		a->at = a->lines;
		a->in = freed ? FREE : COLLECT;
		return freed ? read_free(a, s) : 0;
	}
	if (a->in == ALLOC && !a->damaged)
		return read_stack_line(a, s);
	a->others += a->in == NOTHING;
	return 0;
}

/* ---- the profile ---- */

static int add_types(struct allocs *a)
{
	struct tp_dict *d = a->p->dict;
	int code = tp_dict_string(d, "type", 4, &a->type_key);

	if (!code)
		code = tp_dict_string(d, "bytes", 5, &a->bytes_key);
	for (int i = 0; i < NVALUES && !code; i++) {
		uint32_t type, unit = 0;

		code = tp_dict_string(d, types[i].type, strlen(types[i].type), &type);
		if (!code)
			code = tp_dict_string(d, types[i].unit, strlen(types[i].unit), &unit);
		if (!code)
			code = tp_profile_add_type(a->p, type, unit);
		if (!code && i == ALLOC_SPACE)
			a->p->default_type = type;
	}
	return failed(a, code);
}

static int add_notice(struct allocs *a, uint64_t n, const char *what)
{
	return n ? failed(a, tp_profile_add_notice(a->p, TP_INFO, TP_OFFSET_NONE, "%s: %llu", what,
						   (unsigned long long)n))
		 : 0;
}

int tp_allocs_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		   struct tp_profile *p, struct tp_err *err)
{
	struct allocs a = {
	    .p = p, .err = err, .strict = opt->strict, .lines = tp_lines(data, size)};
	int code = add_types(&a);

	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_ALLOCS));
	while (!code && tp_lines_next(&a.lines))
		code = read_line(&a);
	if (!code && a.in == ALLOC)
		code = lose(&a, &a.at, 1, "begins an allocation whose stack is cut off");
	if (!code && a.in == COLLECT)
		code = lose(&a, &a.at, 0, "begins a collection without an end (end tracegc)");
	/* What is in use has no life yet. */
	for (size_t i = 0; i < p->nsamples; i++)
		if (*value_of(&a, (uint32_t)i, INUSE_OBJECTS))
			*value_of(&a, (uint32_t)i, LIFETIME) = 0;
	if (!code)
		code = add_notice(&a, a.others, "lines that belong to no entry");
	if (!code)
		code = add_notice(&a, a.strangers, "frees of blocks from before the trace");
	if (!code)
		code = add_notice(&a, a.unfreed, "blocks allocated again without a free");
	tp_buf_release(&a.frames);
	tp_ids_release(&a.live);
	return code;
}
