/* Decodes stacks of goroutines: /debug/pprof/goroutine?debug=2, debug.Stack, and what a Go program
 * prints when it crashes or gets a SIGQUIT (Go: runtime/traceback.go, runtime/panic.go,
 * runtime/signal_unix.go; go 1.1 to go 1.27):
 *
 *   panic: …                                   and other messages of a crash, kept as comments
 *
 *   goroutine 18 [chan receive, 5 minutes]:    goroutines_header.c
 *   main.(*T).f(0x1, {0x2, 0x3})               a call; of its arguments, addresses are kept
 *   \t/src/x.go:17 +0x1d fp=0x… sp=0x… pc=0x…  its place; without an offset: inlined in the next
 *   ...23 frames elided...                     in the middle of a stack (before 1.21: at the end)
 *   created by main.main in goroutine 7        not on the stack: labels
 *   \t/src/x.go:30 +0x5e
 *   [originating from goroutine 7]:            (GODEBUG=tracebackancestors) not on the stack
 *
 * open/log.h strips what loggers add to these lines, and open/dumpline.h classifies them. A stack
 * ends at an empty line that is followed by a line of another kind; if there is an empty line after
 * every line, it takes two. Anything may come between stacks (logs, registers). A foreign line
 * within a stack is a loss, and so is a cut one; the stack continues after it.
 *
 * A file may contain several dumps: another one begins where a goroutine appears again
 * (goroutines_dumps.c). The last one is decoded, or each of them separately.
 *
 * Each goroutine is one sample with the values 1 and its waiting time in ns (known in whole
 * minutes). Its labels are `goroutine`, `state`, `creator` (the goroutine), `created_by` (the
 * function) and `created_at`; where they apply, `locked`, `leaked`, `bubble`, `elided` (frames; 0
 * if the number is unknown), `stack` (unavailable) and `addresses` (goroutines_args.c); and the
 * labels that the program has set. */
#include "decode/profile/goroutines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/profile/goroutines_dumps.h"
#include "decode/profile/kinds.h"
#include "open/log.h"

#define MINUTE_NS    60000000000
#define MAX_COMMENTS 100
#define MAX_MISSING  256   /* running goroutines, at most one per thread */
#define MAX_WORDS    65536 /* bytes of the runtime's messages */
#define MAX_LOSSES   9999  /* listed one by one; a profile keeps one more */

enum key {
	KEY_GOROUTINE,
	KEY_STATE,
	KEY_CREATOR,
	KEY_CREATED_BY,
	KEY_CREATED_AT,
	KEY_LOCKED,
	KEY_LEAKED,
	KEY_BUBBLE,
	KEY_ELIDED,
	KEY_STACK,
	KEY_ADDRESSES,
	NKEYS
};

/* A goroutine whose stack was not available, and its sample. */
struct missing {
	int64_t id;
	size_t sample;
};

/* The position of a line, or of several. */
struct place {
	uint64_t line, last; /* line numbers; 0: unset */
	uint64_t offset, bytes;
};

struct dump {
	struct tp_legacy l;
	struct tp_log log;
	uint32_t key[NKEYS];
	struct tp_goroutine_dumps dumps;
	struct tp_buf words; /* messages about a crash, before the next stack */

	bool open; /* a goroutine is being read */
	struct tp_goroutine g;
	struct tp_buf frames; /* struct line, leaf first */
	struct tp_buf labels; /* struct tp_label */
	struct tp_buf args;   /* the text of its label `addresses` */
	bool unavailable;     /* the runtime says that the stack is unavailable */
	bool ancestors;	      /* the following lines are stacks of its creators */
	bool done;	      /* its creator has been read */
	bool again;	      /* it already has a sample */
	bool doubled;	      /* every line is followed by an empty one */
	unsigned gap;	      /* empty lines before the current line */
	uint64_t lines;	      /* after its first line */

	/* A call whose place has not been read yet. */
	struct tp_buf call;
	enum tp_dump_line called; /* kind of its line; TP_LINE_BLANK: no call */
	struct place call_at;
	struct tp_where where; /* place in the current line, if it has one */
	struct place noise;    /* lines within the stack that do not belong to it */
	struct place other;    /* a profile of another kind, up to the next stack */
	char others[60];       /* the names of those kinds, for messages */
	bool told;	       /* one of them is a place, so a call is damaged */
	bool stray;	       /* a stack without its first line has been reported */
	bool runtime_stack;    /* the current stack is the scheduler's, not a goroutine's */
	bool torn;	       /* the last line began like a header */

	uint64_t seen, kept; /* lines that are not empty; those of them in the dump */
	bool upside_down;    /* the stack begins with a place */
	size_t reversed;     /* such stacks that end with a call */
	struct missing missing[MAX_MISSING];
	size_t nmissing;
};

/* A frame of a stack; the innermost comes first. */
struct line {
	struct tp_frame frame;
	uint64_t pc; /* 0: unknown */
	bool inlined;
};

/* ---- losses ---- */

/* Returns the current line's position. A line of a string counts with its own bytes, as the file's
 * line may have many. */
static struct place here(const struct dump *d)
{
	const struct tp_log *log = &d->log;
	struct place at = {log->number, log->number, log->offset, log->bytes};

	if (log->kind == TP_LOG_CUT || log->kind == TP_LOG_END)
		at.bytes = 0;
	else if (log->depth && tp_scan_left(&log->text) < log->bytes)
		at.bytes = tp_scan_left(&log->text) + 1;
	return at;
}

static int lose(struct dump *d, struct place at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int lose(struct dump *d, struct place at, const char *fmt, ...)
{
	struct tp_loss loss = {.offset = at.offset, .bytes = at.bytes};
	char to[40] = "", why[120];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	if (!d->l.strict && d->l.p->nlosses == MAX_LOSSES)
		snprintf(why, sizeof(why), "and more, which are not listed");
	else if (at.last > at.line)
		snprintf(to, sizeof(to), " to %llu", (unsigned long long)at.last);
	return tp_profile_lose(d->l.p, d->l.err, d->l.strict ? TP_EFORMAT : 0, loss,
			       "line%s %llu%s %s", *to ? "s" : "", (unsigned long long)at.line, to,
			       why);
}

/* Returns the file's line that the current one is in. */
static struct tp_scan file_line(const struct dump *d)
{
	const char *at = d->log.start + d->log.offset;

	return (struct tp_scan){at, at + d->log.bytes};
}

static int add_label(struct dump *d, enum key key, struct tp_scan text)
{
	struct tp_label label = {.key = d->key[key]};
	int code = tp_legacy_string(&d->l, text.at, tp_scan_left(&text), &label.text);

	return code ? code : tp_legacy_fail(&d->l, tp_buf_put(&d->labels, &label, sizeof(label)));
}

static int add_number(struct dump *d, enum key key, int64_t number)
{
	struct tp_label label = {.key = d->key[key], .numeric = true, .number = number};

	return tp_legacy_fail(&d->l, tp_buf_put(&d->labels, &label, sizeof(label)));
}

static int add_word(struct dump *d, enum key key, const char *word)
{
	return add_label(d, key, (struct tp_scan){word, word + strlen(word)});
}

/* ---- the end of a stack ---- */

static int push_frames(struct dump *d, uint32_t *stack)
{
	const struct line *lines = (const void *)d->frames.data;
	size_t n = d->frames.size / sizeof(*lines), from;
	int code = 0;

	/* A location is a call and the calls inlined into it: [from, n). */
	for (; n && !code; n = from) {
		struct tp_location where = {.address = lines[n - 1].pc};

		for (from = n - 1; from && lines[from - 1].inlined; from--)
			;
		d->l.scratch.size = 0;
		for (size_t i = from; i < n && !code; i++)
			code = tp_buf_put(&d->l.scratch, &lines[i].frame, sizeof(lines[i].frame));
		if (!code)
			code = tp_profile_push_location(d->l.p, stack, &where,
							(const void *)d->l.scratch.data, n - from);
	}
	return tp_legacy_fail(&d->l, code);
}

/* Returns whether the goroutine already has a sample. One that was running on another thread is
 * printed again, with its stack, when that thread is made to print (GOTRACEBACK=crash); its sample
 * then gets the stack. */
static bool came_before(struct dump *d, uint32_t stack, uint32_t set)
{
	for (size_t i = 0; i < d->nmissing; i++) {
		struct missing *m = &d->missing[i];

		if (m->id != d->g.id)
			continue;
		if (stack) {
			d->l.p->stack[m->sample] = stack;
			d->l.p->label_set[m->sample] = set;
			*m = d->missing[--d->nmissing];
		}
		return true;
	}
	if (d->unavailable && d->g.id && d->nmissing < MAX_MISSING)
		d->missing[d->nmissing++] = (struct missing){d->g.id, d->l.p->nsamples};
	return false;
}

/* Adds the label for the addresses in its calls, if there are any. */
static int add_addresses(struct dump *d)
{
	struct tp_buf *text = &d->l.scratch;

	if (!d->args.size)
		return 0;
	text->size = 0;
	tp_buf_printf(text, "%zu", d->frames.size / sizeof(struct line));
	if (tp_buf_put(text, d->args.data, d->args.size))
		return tp_legacy_fail(&d->l, TP_ENOMEM);
	return add_label(d, KEY_ADDRESSES,
			 (struct tp_scan){(char *)text->data, (char *)text->data + text->size});
}

static int end_call(struct dump *d);
static int end_noise(struct dump *d);

static int end_goroutine(struct dump *d)
{
	int64_t values[2] = {1, 0};
	uint32_t stack = 0, set;
	int code = end_call(d);

	if (code || !d->open)
		return code;
	d->open = false;
	/* Anything may follow a stack, but a place there means that a call is damaged. */
	if (d->told)
		code = end_noise(d);
	d->noise.line = 0;
	if (code || d->again)
		return code;
	if (__builtin_mul_overflow(d->g.minutes, MINUTE_NS, &values[1]))
		values[1] = INT64_MAX;
	code = add_addresses(d);
	if (!code)
		code = push_frames(d, &stack);
	if (!code)
		code = tp_legacy_fail(
		    &d->l, tp_profile_label_set(d->l.p, (const void *)d->labels.data,
						d->labels.size / sizeof(struct tp_label), &set));
	if (!code && !came_before(d, stack, set))
		code = tp_legacy_fail(&d->l, tp_profile_add_sample(d->l.p, stack, set, values));
	return code;
}

/* ---- the messages before a stack ---- */

static int keep_words(struct dump *d)
{
	struct tp_lines lines = tp_lines(d->words.data, d->words.size);
	uint32_t text;
	int code = 0;

	while (!code && tp_lines_next(&lines) && d->l.p->ncomments < MAX_COMMENTS) {
		bool known = false;

		code = tp_legacy_string(&d->l, lines.line.at, tp_scan_left(&lines.line), &text);
		/* Every thread prints the signal that ended it. */
		for (size_t k = 0; k < d->l.p->ncomments && !code; k++)
			known |= d->l.p->comments[k] == text;
		if (!code && !known)
			code = tp_legacy_fail(&d->l, tp_profile_add_comment(d->l.p, text));
	}
	d->words.size = 0;
	return code;
}

/* Keeps a line if it is a message of the runtime about the crash. */
static int hear(struct dump *d, struct tp_scan line)
{
	static const char *const begins[] = {
	    "panic: ", "fatal error: ", "[signal ", "SIG", "runtime: ", "unexpected fault address ",
	};
	struct tp_scan s = tp_scan_trim(line);

	tp_goroutine_dumps_other(&d->dumps, s);
	d->runtime_stack |= tp_scan_is(s, "runtime stack:");
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (!tp_scan_begins(s, begins[i]) || d->words.size > MAX_WORDS)
			continue;
		if (tp_buf_put(&d->words, s.at, tp_scan_left(&s)) || tp_buf_put(&d->words, "\n", 1))
			return tp_legacy_fail(&d->l, TP_ENOMEM);
		return 0;
	}
	return 0;
}

/* ---- profiles of other kinds ---- */

static void add_to(struct place *all, struct place at)
{
	if (!all->line)
		*all = at;
	else
		all->bytes += at.bytes;
	all->last = at.last;
}

/* Returns whether a line, which is not of a stack, begins a profile of another kind: its header, or
 * data that is not text. */
static bool begins_other(struct dump *d, struct tp_scan line)
{
	size_t n = tp_scan_left(&line);
	bool text = !tp_kind_header(line.at, n, 0);
	char name[48];

	if (!text && !tp_scan_begins(line, "\x1f\x8b") &&
	    ((d->open && !d->done) || !tp_log_is_binary(line.at, n)))
		return false;
	tp_kind_name(text ? tp_kind_of(line.at, n) : TP_KIND_NONE, line.at, n, name, sizeof(name));
	snprintf(d->others, sizeof(d->others), "%s%s", text ? "a " : "",
		 text ? name : "data that is no text");
	return true;
}

/* Reports the profile of another kind that the last lines were, if they were one. */
static int end_other(struct dump *d)
{
	struct place other = d->other;

	d->other.line = 0;
	if (!other.line)
		return 0;
	if (d->l.strict)
		return tp_profile_several(d->l.err, other.offset);
	other.last = other.line;
	return lose(d, other, "begins %s, which must be in a separate file", d->others);
}

/* ---- the beginning ---- */

static int begin(struct dump *d);

/* Begins a new profile for the next dump of the file. */
static int next_dump(struct dump *d)
{
	struct tp_profile *p = tp_profile_new();

	if (!p)
		return tp_legacy_fail(&d->l, TP_ENOMEM);
	d->nmissing = 0;
	if (tp_goroutine_dumps_keep(&d->dumps, d->l.p)) {
		tp_profile_free(p);
		return tp_legacy_fail(&d->l, TP_ENOMEM);
	}
	d->l.p = p;
	return begin(d);
}

/* Returns whether the header repeats that of the current goroutine: goleak prints each twice. */
static bool is_same(const struct dump *d, const struct tp_goroutine *g)
{
	return d->open && d->g.id == g->id && !d->lines;
}

static int begin_goroutine(struct dump *d, const struct tp_goroutine *g)
{
	bool same = is_same(d, g);
	int code = end_other(d);

	d->reversed += d->upside_down && d->called == TP_LINE_CALL;
	if (same)
		d->open = false;
	else if (!code)
		code = end_goroutine(d);
	d->upside_down = false;
	if (!code && !same) {
		struct tp_goroutine_turn turn = {
		    .id = g->id,
		    .running = tp_scan_is(g->state, "running"),
		    .words = d->words.size,
		};

		for (size_t i = 0; i < d->nmissing; i++)
			turn.missing |= d->missing[i].id == g->id;
		code = tp_legacy_fail(&d->l, tp_goroutine_dumps_turn(&d->dumps, &turn));
		d->again = turn.again;
		if (!code && turn.next)
			code = next_dump(d);
		if (!code && d->dumps.second && (turn.next || d->dumps.nth == 1))
			tp_goroutine_dumps_began(&d->dumps, file_line(d));
	}
	if (!code)
		code = keep_words(d);
	d->open = true;
	d->g = *g;
	d->ancestors = d->unavailable = d->done = d->doubled = d->stray = d->runtime_stack = false;
	d->lines = 0;
	d->noise.line = 0;
	d->told = false;
	d->frames.size = d->labels.size = d->args.size = 0;
	if (!code)
		code = add_number(d, KEY_GOROUTINE, g->id);
	if (!code)
		code = add_label(d, KEY_STATE, g->state);
	if (!code && g->locked)
		code = add_word(d, KEY_LOCKED, "to thread");
	if (!code && g->leaked)
		code = add_word(d, KEY_LEAKED, "yes");
	if (!code && g->bubble)
		code = add_number(d, KEY_BUBBLE, g->bubble);
	if (!code)
		code = tp_goroutine_labels(&d->l, g->labels, &d->labels);
	if (code > 0)
		code = lose(d, here(d), "has labels that cannot be read");
	if (!code && g->cut)
		code = lose(d, here(d), "is cut: goroutine %lld has only a part of its state",
			    (long long)g->id);
	return code;
}

/* ---- lines of a stack ---- */

static int add_frame(struct dump *d, struct tp_scan text, const struct tp_where *w)
{
	static const char gopanic[] = "runtime.gopanic", elided[] = "(...)";
	bool inlined = tp_scan_left(&text) > strlen(elided) &&
		       !memcmp(text.end - strlen(elided), elided, strlen(elided));
	struct tp_scan name = tp_call_name(text), args = {name.end, text.end};
	struct tp_function f = {0};
	struct line line = {.frame.line = w->line};
	int code;

	/* The runtime prints the name runtime.gopanic as "panic" (printFuncName). */
	if (tp_scan_is(name, "panic"))
		name = (struct tp_scan){gopanic, gopanic + strlen(gopanic)};
	code = tp_legacy_string(&d->l, name.at, tp_scan_left(&name), &f.name);
	if (!code && w->file.at)
		code = tp_legacy_string(&d->l, w->file.at, tp_scan_left(&w->file), &f.file);
	f.system_name = f.name;
	if (!code)
		code =
		    tp_legacy_fail(&d->l, tp_dict_function(d->l.p->dict, &f, &line.frame.function));
	line.pc = w->pc;
	line.inlined = inlined && !w->offset && w->file.at;
	if (!code)
		code = tp_legacy_fail(
		    &d->l, tp_goroutine_addresses(args, d->frames.size / sizeof(line), &d->args));
	return code ? code : tp_legacy_fail(&d->l, tp_buf_put(&d->frames, &line, sizeof(line)));
}

/* Adds the labels for "main.main in goroutine 7". */
static int add_creator(struct dump *d, struct tp_scan s, const struct tp_where *w)
{
	static const char in[] = " in goroutine ";
	const char *at = tp_scan_find(s, in);
	struct tp_scan name = {s.at, at ? at : s.end}, id = {at, s.end};
	int64_t creator;
	int code = add_label(d, KEY_CREATED_BY, name);

	if (!code && w->all.at)
		code = add_label(d, KEY_CREATED_AT, w->all);
	if (at && tp_scan_text(&id, in) && tp_scan_int(&id, false, &creator) == TP_NUMBER_OK &&
	    !code)
		code = add_number(d, KEY_CREATOR, creator);
	return code;
}

/* Reports lines between two lines of a stack as a loss: as a damaged call if one of them is a
 * place, otherwise as foreign lines. */
static int end_noise(struct dump *d)
{
	struct place noise = d->noise;
	bool damaged = d->told;

	d->noise.line = 0;
	d->told = false;
	if (!noise.line)
		return 0;
	if (damaged)
		return lose(d, noise, "of goroutine %lld's stack cannot be read",
			    (long long)d->g.id);
	if (d->l.strict)
		noise.last = noise.line;
	return lose(d, noise, "%s not part of goroutine %lld's stack",
		    noise.last > noise.line ? "are" : "is", (long long)d->g.id);
}

/* Ends the pending call, which has the place *w. */
static int end_call_at(struct dump *d, const struct tp_where *w)
{
	const char *p = (const char *)d->call.data;
	struct tp_scan text = {p, p + d->call.size};
	enum tp_dump_line kind = d->called;
	int code;

	d->called = TP_LINE_BLANK;
	d->kept++;
	code = end_noise(d);
	if (!code && (kind == TP_LINE_CALL_CUT || kind == TP_LINE_CREATOR_CUT))
		code = lose(d, d->call_at, "is cut");
	if (code || d->ancestors)
		return code;
	if (kind == TP_LINE_CREATOR) {
		tp_scan_text(&text, "created by ");
		code = add_creator(d, text, w);
	} else if (kind != TP_LINE_CREATOR_CUT) { /* a cut name could be that of another function */
		code = add_frame(d, text, w);
	}
	d->done |= kind == TP_LINE_CREATOR || kind == TP_LINE_CREATOR_CUT;
	return code;
}

/* Ends the pending call, if any, without a place. */
static int end_call(struct dump *d)
{
	static const struct tp_where none;
	enum tp_dump_line kind = d->called;
	int code;

	if (kind == TP_LINE_BLANK)
		return 0;
	if (!d->open || kind == TP_LINE_NAME || (d->done && !d->ancestors)) {
		d->called = TP_LINE_BLANK;
		if (d->open && kind == TP_LINE_NAME)
			add_to(&d->noise, d->call_at);
		return 0;
	}
	code = end_call_at(d, &none);
	if (!code && (kind == TP_LINE_CALL || kind == TP_LINE_CREATOR))
		code = lose(d, d->call_at, "names a function, but no line with its file follows");
	return code;
}

static int begin_call(struct dump *d, struct tp_scan line, enum tp_dump_line kind)
{
	struct tp_scan text = tp_scan_trim(line);
	int code = end_call(d);

	d->called = kind;
	d->call_at = here(d);
	d->call.size = 0;
	return code ? code
		    : tp_legacy_fail(&d->l, tp_buf_put(&d->call, text.at, tp_scan_left(&text)));
}

/* Handles a place outside a goroutine's stack: reports a stack that lacks its first line. */
static int stray_place(struct dump *d, const struct tp_where *w)
{
	enum tp_dump_line kind = d->called;

	d->called = TP_LINE_BLANK;
	if (kind == TP_LINE_BLANK || kind == TP_LINE_NAME || !w->offset || d->stray ||
	    d->runtime_stack)
		return 0;
	d->stray = true;
	return lose(d, d->call_at, "begins a stack that lacks its first line");
}

static int read_place(struct dump *d, enum tp_dump_line kind)
{
	static const struct tp_where none;
	const struct tp_where *w = &d->where;
	bool cut = kind == TP_LINE_WHERE_CUT;
	int code;

	if (!d->open || (d->done && !d->ancestors && d->called != TP_LINE_BLANK))
		return stray_place(d, w);
	if (d->called == TP_LINE_BLANK) {
		d->upside_down |= d->lines == 1;
		if (!d->done) {
			add_to(&d->noise, here(d));
			d->told |= w->offset || *d->log.text.at == '\t';
		}
		return 0;
	}
	d->kept++;
	code = end_call_at(d, cut ? &none : w);
	return code || !cut ? code
			    : lose(d, here(d), "is cut: its file or line number cannot be read");
}

static int read_elided(struct dump *d, struct tp_scan line)
{
	struct tp_scan s = tp_scan_trim(line);
	int64_t frames = 0;
	int code = end_call(d);

	tp_scan_text(&s, "...");
	tp_scan_int(&s, false, &frames);
	d->kept++;
	return code || d->ancestors ? code : add_number(d, KEY_ELIDED, frames);
}

/* Reads "non-Go function at pc=0x7f01"; the pc may be on the next line. */
static int read_foreign(struct dump *d, struct tp_scan line)
{
	static const char function[] = "non-Go function", at[] = " at pc=0x";
	struct tp_scan s = tp_scan_trim(line), name = {s.at, s.at + strlen(function)};
	struct tp_where w = {0};
	int code;

	s.at = name.end;
	if (!tp_scan_text(&s, at))
		return begin_call(d, name, TP_LINE_CALL);
	tp_scan_hex(&s, &w.pc);
	code = end_call(d);
	d->kept++;
	return code || d->ancestors ? code : add_frame(d, name, &w);
}

static int read_stack_line(struct dump *d, struct tp_scan line, enum tp_dump_line kind)
{
	int code;

	switch (kind) {
	case TP_LINE_WHERE:
	case TP_LINE_WHERE_CUT:
		return read_place(d, kind);
	case TP_LINE_CALL:
	case TP_LINE_CALL_CUT:
	case TP_LINE_CREATOR:
	case TP_LINE_CREATOR_CUT:
		return begin_call(d, line, kind);
	case TP_LINE_NO_STACK:
		d->kept++;
		d->unavailable = true;
		return add_word(d, KEY_STACK, "unavailable");
	case TP_LINE_ANCESTOR:
		code = end_call(d);
		d->kept++;
		d->ancestors = true;
		return code;
	case TP_LINE_ELIDED:
		return read_elided(d, line);
	case TP_LINE_FOREIGN:
		return read_foreign(d, line);
	case TP_LINE_NAME:
		/* A C function if its place comes next, but not while another call is pending. */
		if (d->called == TP_LINE_BLANK && !d->done && !d->noise.line)
			return begin_call(d, line, kind);
		break;
	default:
		break;
	}
	if (d->called == TP_LINE_NAME)
		end_call(d);
	tp_goroutine_dumps_other(&d->dumps, line);
	if (!d->done || d->ancestors)
		add_to(&d->noise, here(d));
	return 0;
}

/* Reads a line between stacks. */
static int read_other(struct dump *d, struct tp_scan line, enum tp_dump_line kind)
{
	if (kind == TP_LINE_CALL)
		return begin_call(d, line, kind);
	if (kind == TP_LINE_WHERE)
		return read_place(d, kind);
	return hear(d, line);
}

static bool is_cut(const struct dump *d);

/* Describes the end of a dump that is cut off. */
static const char *cut_end(const struct dump *d, char text[80])
{
	if (d->torn)
		return "ends in the first line of a stack";
	snprintf(text, 80, "ends in the middle of goroutine %lld's stack", (long long)d->g.id);
	return text;
}

/* Handles the beginning or end of a string that contains lines, or its missing end. */
static int end_string(struct dump *d)
{
	char why[80];
	int code = 0;

	if (d->log.kind == TP_LOG_CUT)
		return d->open ? lose(d, here(d), "is cut within a string that holds the dump") : 0;
	if (is_cut(d))
		code = lose(d, here(d), "%s", cut_end(d, why));
	d->torn = false;
	tp_goroutine_dumps_other(&d->dumps, d->log.text);
	return code ? code : end_goroutine(d);
}

/* Reports a line of a stack after an empty line, which should have ended the stack. */
static int go_on(struct dump *d, enum tp_dump_line kind)
{
	if (d->done || kind == TP_LINE_WHERE || kind == TP_LINE_WHERE_CUT)
		return 0;
	return lose(d, here(d), "continues goroutine %lld's stack after an empty line",
		    (long long)d->g.id);
}

static int read_line(struct dump *d)
{
	struct tp_scan line = d->log.text;
	enum tp_dump_line kind = d->log.kind == TP_LOG_ALIEN ? TP_LINE_OTHER
				 : d->log.header	     ? TP_LINE_HEADER
							     : tp_dump_line(line, &d->where);
	struct tp_goroutine g;
	bool over;
	int code = 0;

	if (d->log.kind == TP_LOG_END || d->log.kind == TP_LOG_CUT)
		return end_string(d);
	if (kind == TP_LINE_BLANK) {
		d->doubled |= d->open && !d->lines;
		d->gap++;
		return 0;
	}
	d->seen++;
	d->torn = kind == TP_LINE_OTHER &&
		  (tp_scan_begins(line, "goroutine ") || tp_scan_is(line, "goroutine"));
	over = d->gap > (d->doubled ? 1 : 0);
	d->gap = 0;
	if (tp_goroutine_header(line, kind, &g)) {
		d->kept++;
		return begin_goroutine(d, &g);
	}
	if (d->other.line || (kind == TP_LINE_OTHER && begins_other(d, line))) {
		add_to(&d->other, here(d));
		tp_goroutine_dumps_other(&d->dumps, line);
		return end_goroutine(d);
	}
	if (over && !tp_dump_is_stack(kind))
		code = end_goroutine(d);
	else if (over && d->open)
		code = go_on(d, kind);
	if (code)
		return code;
	d->lines++;
	return d->open ? read_stack_line(d, line, kind) : read_other(d, line, kind);
}

/* Returns whether the dump is cut off: after a call or a creator without its place, after the first
 * line of a stack, or within that line. Other whole lines may follow a stack ("exit status 2"). */
static bool is_cut(const struct dump *d)
{
	bool whole = !d->l.size || d->l.data[d->l.size - 1] == '\n';

	if (d->torn)
		return true;
	if (!d->open || d->gap)
		return false;
	if (d->called == TP_LINE_NAME)
		return !whole;
	if (d->called != TP_LINE_BLANK)
		return !d->done || d->ancestors;
	return !d->frames.size && !d->unavailable;
}

static int check_end(struct dump *d)
{
	static const struct tp_where none;
	char why[80];
	int code = 0;

	if (!is_cut(d))
		return 0;
	if (!d->l.strict && d->called == TP_LINE_CALL && !d->done)
		code = end_call_at(d, &none);
	d->called = TP_LINE_BLANK;
	if (code)
		return code;
	return tp_profile_lose(d->l.p, d->l.err, d->l.strict ? TP_ETRUNC : 0,
			       (struct tp_loss){.offset = d->l.size}, "%s", cut_end(d, why));
}

static int begin(struct dump *d)
{
	static const char *const keys[NKEYS] = {
	    "goroutine", "state",  "creator", "created_by", "created_at", "locked",
	    "leaked",	 "bubble", "elided",  "stack",	    "addresses",
	};
	struct tp_profile *p = d->l.p;
	int code = 0;

	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_GOROUTINES));
	for (size_t i = 0; i < NKEYS && !code; i++)
		code = tp_legacy_string(&d->l, keys[i], strlen(keys[i]), &d->key[i]);
	if (!code)
		code = tp_legacy_period_type(&d->l, "goroutine", "count");
	if (!code)
		code = tp_legacy_add_type(&d->l, "goroutine", "count");
	if (!code)
		code = tp_legacy_add_type(&d->l, "wait", "nanoseconds");
	p->period = 1;
	p->default_type = d->key[KEY_GOROUTINE];
	return code;
}

/* Adds a notice that says how many of the lines belong to goroutines, and one about stacks that
 * were left out. */
static int sum_up(struct dump *d)
{
	uint64_t others = d->seen > d->kept ? d->seen - d->kept : 0;
	const struct tp_log_shape *source = &d->log.source, *other = &d->log.other;
	char lines[64];

	if (other->n && tp_profile_add_notice(d->l.p, TP_WARNING, TP_OFFSET_NONE,
					      "has goroutines of %.*s and of %.*s, and only those "
					      "of the first are read; write the lines of each to "
					      "a separate file, e.g. with grep -F '%.*s'",
					      (int)source->n, source->text, (int)other->n,
					      other->text, (int)other->n, other->text))
		return tp_legacy_fail(&d->l, TP_ENOMEM);
	if (d->log.changed &&
	    tp_profile_add_notice(d->l.p, TP_WARNING, TP_OFFSET_NONE,
				  "from line %llu on, stacks have another prefix; if that is "
				  "another program's, write the lines of each program to a "
				  "separate file",
				  (unsigned long long)d->log.changed))
		return tp_legacy_fail(&d->l, TP_ENOMEM);
	if (!d->log.wrapped && !d->l.p->nlosses)
		return 0;
	snprintf(lines, sizeof(lines), "%llu of %llu lines %s of goroutines",
		 (unsigned long long)(d->seen - others), (unsigned long long)d->seen,
		 d->seen - others == 1 ? "is" : "are");
	return tp_legacy_fail(&d->l, tp_profile_add_notice(d->l.p, TP_INFO, TP_OFFSET_NONE,
							   "read from a log: %s", lines));
}

/* Reads the whole file: the last dump into d->l.p and, on the second pass, those before it into
 * d->dumps. */
static int read_file(struct dump *d)
{
	int code = begin(d), got = 1;

	while (!code && (got = tp_log_next(&d->log)) > 0)
		code = read_line(d);
	if (!code && got < 0)
		code = tp_legacy_fail(&d->l, got);
	if (!code)
		code = check_end(d);
	if (!code)
		code = end_goroutine(d);
	if (!code)
		code = end_other(d);
	if (!code)
		code = keep_words(d);
	if (!code)
		code = sum_up(d);
	if (!code && !d->l.p->nsamples)
		code = tp_err_set(d->l.err, TP_EFORMAT, 0, "does not contain a goroutine's stack");
	if (!code && d->reversed > 1 && d->reversed > d->dumps.nth / 2)
		code = tp_err_set(d->l.err, TP_EFORMAT, 0,
				  "has its lines newest first, so stacks cannot be read; reverse "
				  "them, e.g. with tac");
	return code;
}

static void rewind_dump(struct dump *d, const uint8_t *data, size_t size)
{
	tp_log_release(&d->log);
	tp_log_init(&d->log, data, size);
	d->open = d->torn = d->stray = d->runtime_stack = d->doubled = false;
	d->called = TP_LINE_BLANK;
	d->noise.line = 0;
	d->gap = 0;
	d->seen = d->kept = d->lines = 0;
	d->reversed = d->nmissing = 0;
	d->words.size = 0;
}

static void release(struct dump *d)
{
	tp_log_release(&d->log);
	tp_buf_release(&d->frames);
	tp_buf_release(&d->labels);
	tp_buf_release(&d->args);
	tp_buf_release(&d->call);
	tp_buf_release(&d->words);
	tp_buf_release(&d->l.scratch);
	tp_goroutine_dumps_release(&d->dumps);
}

/* Reads the dumps of a file: the last into p, and at most d->dumps.most of those before it into
 * d->dumps. */
static int read_dumps(struct dump *d, const uint8_t *data, size_t size, struct tp_profile *p)
{
	int code;

	d->l.p = p;
	tp_log_init(&d->log, data, size);
	code = read_file(d);
	if (code || !tp_goroutine_dumps_end(&d->dumps))
		return code;
	/* Read the file again, now that the beginnings of dumps are known. */
	d->l.p = tp_profile_new();
	if (!d->l.p) {
		d->l.p = p;
		return tp_legacy_fail(&d->l, TP_ENOMEM);
	}
	rewind_dump(d, data, size);
	code = read_file(d);
	if (!code) {
		struct tp_profile last = *d->l.p;

		*d->l.p = *p;
		*p = last;
	}
	tp_profile_free(d->l.p);
	d->l.p = p;
	return code;
}

/* Puts dumps that lie newest first into the order of their times, and says so. */
static int turn_round(struct dump *d, struct tp_profile *last)
{
	if (!tp_goroutine_dumps_turn_round(&d->dumps, last))
		return 0;
	return tp_legacy_fail(
	    &d->l, tp_profile_add_notice(last, TP_WARNING, TP_OFFSET_NONE,
					 "has its dumps newest first, by their times%s",
					 d->dumps.nkept ? "; they are compared oldest first"
							: "; the oldest is read"));
}

int tp_goroutines_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err)
{
	struct dump *d = calloc(1, sizeof(*d));
	int code;

	if (!d)
		return tp_nomem(err);
	d->l = (struct tp_legacy){.err = err,
				  .data = data,
				  .size = size,
				  .strict = opt->strict,
				  .kind = TP_KIND_GOROUTINES,
				  .lines = tp_lines(data, size)};
	d->dumps.most = opt->dumps ? opt->dumps->room : 0;
	code = read_dumps(d, data, size, p);
	if (!code && d->dumps.n > 1 && !opt->dumps)
		code = tp_legacy_fail(
		    &d->l,
		    tp_profile_add_notice(p, TP_WARNING, TP_OFFSET_NONE,
					  "holds %zu dumps, one after the other; this is the "
					  "last (tprof-leaks compares them)",
					  d->dumps.n));
	if (!code)
		code = turn_round(d, p);
	if (!code && opt->dumps)
		tp_goroutine_dumps_give(&d->dumps, opt->dumps);
	release(d);
	free(d);
	return code;
}
