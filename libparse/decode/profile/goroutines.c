/* Stacks of goroutines: /debug/pprof/goroutine?debug=2, debug.Stack, and what a Go program prints
 * when it crashes or gets a SIGQUIT (Go: runtime/traceback.go, runtime/panic.go,
 * runtime/signal_unix.go; go 1.1 to go 1.27):
 *
 *   panic: …                                   and other words about the end, kept as comments
 *
 *   goroutine 18 [chan receive, 5 minutes]:    goroutines_header.c
 *   main.(*T).f(0x1, {0x2, 0x3})               a function; its arguments say nothing
 *   \t/src/x.go:17 +0x1d fp=0x… sp=0x… pc=0x…  where; without an offset: inlined in the next
 *   ...23 frames elided...                     stacks are cut in the middle (before 1.21: the end)
 *   created by main.main in goroutine 7        not on the stack: labels
 *   \t/src/x.go:30 +0x5e
 *   [originating from goroutine 7]:            (GODEBUG=tracebackancestors) not on the stack
 *
 * An empty line ends a stack; between stacks anything may come (logs, registers). One sample per
 * goroutine: 1, and how long it waits in ns (known in whole minutes). Its labels are `goroutine`,
 * `state`, `creator` (the goroutine), `created_by` (the function) and `created_at`; where it is so
 * `locked`, `leaked`, `bubble`, `elided` (frames, 0 when the number is not told) and `stack`
 * (unavailable); and those of the program. */
#include "decode/profile/goroutines.h"

#include <stdio.h>
#include <string.h>

#include "decode/profile/kinds.h"

#define MINUTE_NS    60000000000
#define MAX_COMMENTS 100
#define MAX_MISSING  256 /* running goroutines: as many as threads */

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
	NKEYS
};

/* A goroutine whose stack was not available, and its sample. */
struct missing {
	int64_t id;
	size_t sample;
};

struct dump {
	struct tp_legacy l;
	uint32_t key[NKEYS];

	bool open; /* a goroutine is being read */
	struct tp_goroutine g;
	struct tp_buf frames; /* struct line, from the leaf on */
	struct tp_buf labels; /* struct tp_label */
	bool unavailable;     /* the stack is, the runtime says */
	bool ancestors;	      /* what follows is of its creators' stacks */
	uint64_t noise;	      /* a line in the stack that is none of its lines, 0 none */
	uint64_t noise_offset;
	struct missing missing[MAX_MISSING];
	size_t nmissing;
};

/* A frame, innermost first. */
struct line {
	struct tp_frame frame;
	uint64_t pc; /* 0 not told */
	bool inlined;
};

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

	/* A location is calls inlined into one that is not: [from, n). */
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

/* A goroutine that was running elsewhere comes again when its thread is made to print (with
 * GOTRACEBACK=crash): then it has its stack. True when this is one. */
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

static int end_goroutine(struct dump *d)
{
	int64_t values[2] = {1, 0};
	uint32_t stack = 0, set;
	int code;

	if (!d->open)
		return 0;
	d->open = false;
	if (__builtin_mul_overflow(d->g.minutes, MINUTE_NS, &values[1]))
		values[1] = INT64_MAX;
	code = push_frames(d, &stack);
	if (!code)
		code = tp_legacy_fail(
		    &d->l, tp_profile_label_set(d->l.p, (const void *)d->labels.data,
						d->labels.size / sizeof(struct tp_label), &set));
	if (!code && !came_before(d, stack, set))
		code = tp_legacy_fail(&d->l, tp_profile_add_sample(d->l.p, stack, set, values));
	return code;
}

/* ---- the beginning ---- */

static int begin_goroutine(struct dump *d, const struct tp_goroutine *g)
{
	int code = end_goroutine(d);

	d->open = true;
	d->g = *g;
	d->ancestors = d->unavailable = false;
	d->noise = 0;
	d->frames.size = d->labels.size = 0;
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
	return code > 0 ? tp_legacy_lose(&d->l, 0, "has labels that cannot be read") : code;
}

/* ---- lines of a stack ---- */

/* "\t/src/x.go:17 +0x1d fp=0x… sp=0x… pc=0x…", or only a pc where there is no file. */
struct where {
	struct tp_scan file; /* with the line behind a colon: `all` */
	struct tp_scan all;
	int64_t line;
	uint64_t pc;
	bool offset;
};

static bool read_where(struct tp_scan s, struct where *w)
{
	struct tp_scan tail;
	const char *at, *colon = NULL;

	memset(w, 0, sizeof(*w));
	if (!tp_scan_text(&s, "\t"))
		return false;
	s = tp_scan_trim(s);
	at = tp_scan_find(s, "pc=0x");
	if (at && (at == s.at || at[-1] == ' ')) {
		tail = (struct tp_scan){at + 5, s.end};
		tp_scan_hex(&tail, &w->pc);
		s.end = at;
		s = tp_scan_trim(s);
		if (!tp_scan_left(&s))
			return true;
	}
	/* The last colon with digits behind it that end the text or come before a blank. */
	for (const char *p = s.at; (p = memchr(p, ':', (size_t)(s.end - p))) != NULL; p++) {
		struct tp_scan digits = {p + 1, s.end};
		int64_t line;

		if (tp_scan_int(&digits, false, &line) != TP_NUMBER_OK ||
		    (digits.at < s.end && *digits.at != ' '))
			continue;
		colon = p;
		w->line = line;
		w->all = (struct tp_scan){s.at, digits.at};
		w->offset = tp_scan_begins(digits, " +0x");
	}
	w->file = (struct tp_scan){s.at, colon};
	return colon != NULL;
}

/* The name before the arguments: those are in the last parentheses of the line. */
static struct tp_scan name_of(struct tp_scan line, bool *elided_arguments)
{
	static const char inlined[] = "(...)";
	const char *at = line.end;

	*elided_arguments = tp_scan_left(&line) > strlen(inlined) &&
			    !memcmp(line.end - strlen(inlined), inlined, strlen(inlined));
	if (line.at == line.end || line.end[-1] != ')')
		return line;
	while (at > line.at && *--at != '(')
		;
	return at > line.at ? (struct tp_scan){line.at, at} : line;
}

static int add_frame(struct dump *d, struct tp_scan text, const struct where *w)
{
	static const char gopanic[] = "runtime.gopanic";
	bool inlined;
	struct tp_scan name = name_of(text, &inlined);
	struct tp_function f = {0};
	struct line line = {.frame.line = w->line};
	int code;

	/* So it is printed (printFuncName), but not what it is called. */
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
	return code ? code : tp_legacy_fail(&d->l, tp_buf_put(&d->frames, &line, sizeof(line)));
}

/* "main.main in goroutine 7" */
static int add_creator(struct dump *d, struct tp_scan s, const struct where *w)
{
	static const char in[] = " in goroutine ";
	const char *at = tp_scan_find(s, in);
	struct tp_scan name = {s.at, at ? at : s.end}, id = {at, s.end};
	int64_t creator;
	int code = add_label(d, KEY_CREATED_BY, name);

	if (!code && w)
		code = add_label(d, KEY_CREATED_AT, w->all);
	if (at && tp_scan_text(&id, in) && tp_scan_int(&id, false, &creator) == TP_NUMBER_OK &&
	    !code)
		code = add_number(d, KEY_CREATOR, creator);
	return code;
}

/* "...23 frames elided..." or "...additional frames elided..." */
static bool is_elided(struct tp_scan s, int64_t *frames)
{
	static const char end[] = " frames elided...";

	*frames = 0;
	if (!tp_scan_text(&s, "...") || tp_scan_left(&s) < strlen(end) ||
	    memcmp(s.end - strlen(end), end, strlen(end)) != 0)
		return false;
	tp_scan_int(&s, false, frames);
	return true;
}

/* What stands between two lines of a stack belongs to something else, or is damaged. */
static int check_noise(struct dump *d)
{
	struct tp_loss loss = {.offset = d->noise_offset, .from_ns = INT64_MIN, .to_ns = INT64_MIN};
	uint64_t line = d->noise;

	if (!line)
		return 0;
	d->noise = 0;
	if (d->l.strict)
		return tp_err_set(d->l.err, TP_EFORMAT, loss.offset,
				  "line %llu is no part of a goroutine's stack",
				  (unsigned long long)line);
	snprintf(loss.reason, sizeof(loss.reason), "line %llu is no part of goroutine %lld's stack",
		 (unsigned long long)line, (long long)d->g.id);
	return tp_legacy_fail(&d->l, tp_profile_add_loss(d->l.p, &loss));
}

/* The line after the one at hand, if it is there: it says where. */
static bool peek_where(const struct dump *d, struct where *w)
{
	struct tp_lines next = d->l.lines;

	return tp_lines_next(&next) && read_where(next.line, w);
}

static int read_frame(struct dump *d, struct tp_scan line)
{
	struct tp_scan created = line;
	bool creator = tp_scan_text(&created, "created by ");
	struct where w;
	int code;

	if (!peek_where(d, &w)) {
		if (!creator || d->ancestors) {
			d->noise = d->noise ? d->noise : d->l.lines.number;
			d->noise_offset = tp_lines_offset(&d->l.lines);
			return 0;
		}
		return add_creator(d, created, NULL);
	}
	code = check_noise(d);
	if (!code && !d->ancestors)
		code = creator ? add_creator(d, created, &w) : add_frame(d, line, &w);
	tp_lines_next(&d->l.lines);
	return code;
}

static int read_stack_line(struct dump *d, struct tp_scan line)
{
	static const char unavailable[] = "goroutine running on other thread; stack unavailable";
	static const char cgo[] = "non-Go function at pc=";
	struct where none = {0};
	int64_t elided;

	if (tp_scan_is(tp_scan_trim(line), unavailable)) {
		d->unavailable = true;
		return add_word(d, KEY_STACK, "unavailable");
	}
	if (tp_scan_begins(line, "[originating from goroutine ")) {
		d->ancestors = true;
		return 0;
	}
	if (is_elided(line, &elided))
		return d->ancestors ? 0 : add_number(d, KEY_ELIDED, elided);
	if (tp_scan_begins(line, cgo)) {
		struct tp_scan pc = line, name = {line.at, line.at + strlen("non-Go function")};

		pc.at += strlen(cgo);
		tp_scan_text(&pc, "0x");
		tp_scan_hex(&pc, &none.pc);
		return d->ancestors ? 0 : add_frame(d, name, &none);
	}
	return read_frame(d, line);
}

/* ---- between stacks ---- */

/* Words of the runtime about why the program ends. */
static int keep_words(struct dump *d, struct tp_scan line)
{
	static const char *const begins[] = {
	    "panic: ", "fatal error: ", "[signal ", "SIG", "runtime: ", "unexpected fault address ",
	};
	struct tp_scan s = tp_scan_trim(line);
	uint32_t text;
	int code;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (!tp_scan_begins(s, begins[i]) || d->l.p->ncomments >= MAX_COMMENTS)
			continue;
		code = tp_legacy_string(&d->l, s.at, tp_scan_left(&s), &text);
		/* Every thread says what signal ended it. */
		for (size_t k = 0; k < d->l.p->ncomments && !code; k++)
			if (d->l.p->comments[k] == text)
				return 0;
		return code ? code : tp_legacy_fail(&d->l, tp_profile_add_comment(d->l.p, text));
	}
	return 0;
}

static int read_line(struct dump *d)
{
	struct tp_scan line = d->l.lines.line;
	struct tp_goroutine g;
	struct tp_scan blank = line;

	tp_scan_blanks(&blank);
	if (blank.at == line.end)
		return end_goroutine(d);
	if (tp_goroutine_header(line, &g))
		return begin_goroutine(d, &g);
	return d->open ? read_stack_line(d, line) : keep_words(d, line);
}

/* "main.f(0x1", and other than "exit status 2" and "Aborted (core dumped)". */
static bool is_call(struct tp_scan line)
{
	for (; line.at < line.end; line.at++)
		if (*line.at == '(' || *line.at == ' ' || *line.at == '\n')
			return *line.at == '(';
	return true;
}

/* Is the dump cut off: after a function without its place, after the first line of a stack, or
 * within one? Whole lines of others may follow a stack ("exit status 2"). */
static bool is_cut(const struct dump *d)
{
	struct tp_lines last = d->l.lines;
	struct tp_scan text;

	/* With its end: a line that has one is whole. */
	last.line.at = last.end;
	if (last.line.at > last.start && last.line.at[-1] == '\n')
		last.line.at--;
	while (last.line.at > last.start && last.line.at[-1] != '\n')
		last.line.at--;
	text = (struct tp_scan){last.line.at, last.end};
	if (!d->open)
		return tp_scan_begins(text, "goroutine ") || tp_scan_is(text, "goroutine");
	if (d->noise)
		return d->noise == d->l.lines.number && is_call(text);
	return !d->frames.size && !d->unavailable;
}

static int check_end(struct dump *d)
{
	struct tp_loss loss = {.offset = d->l.size, .from_ns = INT64_MIN, .to_ns = INT64_MIN};

	if (!is_cut(d))
		return 0;
	if (d->l.strict)
		return tp_err_set(d->l.err, TP_ETRUNC, d->l.size,
				  "ends in the middle of the stack of a goroutine");
	snprintf(loss.reason, sizeof(loss.reason),
		 "ends in the middle of the stack of a goroutine");
	return tp_legacy_fail(&d->l, tp_profile_add_loss(d->l.p, &loss));
}

static int begin(struct dump *d)
{
	static const char *const keys[NKEYS] = {
	    "goroutine", "state",  "creator", "created_by", "created_at",
	    "locked",	 "leaked", "bubble",  "elided",	    "stack",
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

bool tp_goroutines_seen(const uint8_t *data, size_t size)
{
	return tp_kind_of(data, size) == TP_KIND_GOROUTINES;
}

int tp_goroutines_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err)
{
	struct dump d = {
	    .l = {.p = p,
		  .err = err,
		  .data = data,
		  .size = size,
		  .strict = opt->strict,
		  .kind = TP_KIND_GOROUTINES,
		  .lines = tp_lines(data, size)},
	};
	int code = begin(&d);

	while (!code && tp_lines_next(&d.l.lines))
		code = read_line(&d);
	if (!code)
		code = check_end(&d);
	if (!code)
		code = end_goroutine(&d);
	if (!code && !p->nsamples)
		code = tp_err_set(err, TP_EFORMAT, 0, "has no stack of a goroutine");
	tp_buf_release(&d.frames);
	tp_buf_release(&d.labels);
	tp_buf_release(&d.l.scratch);
	return code;
}
