/* Reads a log line by line. */
#include "open/log.h"

#include <string.h>

#include "base/err.h"
#include "open/dumpline.h"

/* ---- encodings ---- */

/* Returns 1 for little-endian UTF-16, 2 for big-endian, 0 for other text. Recognises UTF-16 by its
 * byte order mark, or because almost every other byte is zero. */
static unsigned utf16_of(const uint8_t *data, size_t size)
{
	size_t n = size < 256 ? size & ~(size_t)1 : 256;

	if (size >= 2 && data[0] == 0xff && data[1] == 0xfe)
		return 1;
	if (size >= 2 && data[0] == 0xfe && data[1] == 0xff)
		return 2;
	for (unsigned way = 1; way <= 2 && n >= 16; way++) {
		size_t plain = 0, i = 0;

		for (; i < n; i += 2) {
			uint8_t low = data[i + (way == 2)], high = data[i + (way == 1)];

			if (!low && !high)
				break;
			plain += !high && (low >= ' ' || strchr("\t\r\n\033\a", low));
		}
		if (i == n && plain >= n / 2 - n / 8)
			return way;
	}
	return 0;
}

/* Returns the end of the UTF-16 line that begins at s.at, past its line feed. */
static const char *end_of_wide(const struct tp_log *l, struct tp_scan s)
{
	bool big = l->utf16 == 2;

	for (; s.end - s.at >= 2; s.at += 2)
		if (s.at[big] == '\n' && !s.at[!big])
			return s.at + 2;
	return s.end;
}

/* ---- the file ---- */

#define MAX_BEFORE 65536

/* Learns the quoting or the prefix of the first stack, so that it also applies to the lines before
 * it. */
static void look_ahead(struct tp_log *l, struct tp_scan all)
{
	const char *at = tp_find_goroutine(all), *from = at, *end;
	struct tp_scan string;

	if (!at)
		return;
	while (from > all.at && from[-1] != l->end && at - from < MAX_BEFORE)
		from--;
	if (memchr(from, '\033', (size_t)(at - from)))
		return;
	end = memchr(at, l->end, (size_t)(all.end - at));
	if (!tp_log_quoted(&l->level[0], (struct tp_scan){from, end ? end : all.end}, at, &string))
		tp_log_shape(&l->level[0].head, from, at);
}

void tp_log_init(struct tp_log *l, const void *data, size_t size)
{
	const char *p = data ? data : "";

	memset(l, 0, sizeof(*l));
	l->start = p;
	l->utf16 = utf16_of((const uint8_t *)p, size);
	l->level[0].rest = (struct tp_scan){p, p + size};
	l->end = !size || memchr(p, '\n', size) || !memchr(p, '\r', size) ? '\n' : '\r';
	if (l->utf16) {
		l->wrapped = true;
		l->level[0].escapes = l->level[0].spelled = true;
		l->level[0].wide = l->level[0].numbers = true;
		return;
	}
	tp_log_look(&l->level[0], l->level[0].rest);
	look_ahead(l, l->level[0].rest);
}

void tp_log_release(struct tp_log *l)
{
	for (unsigned i = 0; i < TP_LOG_LEVELS; i++) {
		tp_buf_release(&l->level[i].text);
		tp_buf_release(&l->level[i].line);
	}
	tp_buf_release(&l->joined);
}

static struct tp_scan scan_of(const struct tp_buf *b)
{
	const char *p = b->size ? (const char *)b->data : "";

	return (struct tp_scan){p, p + b->size};
}

/* Returns the next place that may be a header, or the end. If lines are rewritten, escape sequences
 * may split a header, so only its word is searched for. */
static const char *find_word(const struct tp_log_level *level)
{
	bool rewritten = level->escapes || level->spelled || level->wide;
	const char *at =
	    rewritten ? tp_scan_find(level->rest, "oroutine") : tp_find_goroutine(level->rest);

	return at ? at : level->rest.end;
}

/* Reads the next line of the current level, without its end. Returns 0 or TP_ENOMEM. */
static int read_line(struct tp_log *l, struct tp_log_level *level, struct tp_scan *line)
{
	const char *next, *end;
	int code = 0;

	*line = level->rest;
	if (!l->depth && l->utf16) {
		end = next = end_of_wide(l, level->rest);
	} else {
		end = memchr(line->at, l->depth ? '\n' : l->end, tp_scan_left(line));
		next = end ? end + 1 : line->end;
		end = end ? end : line->end;
	}
	if (!l->depth) {
		l->number++;
		l->offset = (uint64_t)(line->at - l->start);
		l->bytes = (uint64_t)(next - line->at);
	}
	line->end = end;
	if (!l->depth && l->utf16) {
		level->may_begin = true;
	} else {
		if (!level->word || level->word < line->at)
			level->word = find_word(level);
		level->may_begin = level->word < end;
	}
	level->rest.at = next;
	if (!l->depth && l->utf16) {
		/* The level of the file has no other use for its text buffer. */
		code = tp_log_utf16(&level->text, *line, l->utf16 == 2);
		*line = scan_of(&level->text);
		while (line->end > line->at && line->end[-1] == '\n')
			line->end--;
	}
	while (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	return code;
}

/* ---- levels ---- */

static void push(struct tp_log *l, bool whole, bool cut)
{
	struct tp_log_level *next = &l->level[l->depth + 1];

	l->part = false;
	l->depth++;
	l->wrapped = true;
	next->rest = scan_of(&next->text);
	next->word = NULL;
	next->whole = whole;
	next->cut = cut;
	l->end_due = whole;
	tp_log_look(next, next->rest);
	if (whole)
		next->headed = next->learned = false;
}

/* Returns the end of the header, past its colon; NULL if it is not a header. */
static const char *past_header(struct tp_scan s)
{
	const char *at = memchr(s.at, ']', tp_scan_left(&s)), *labels;
	struct tp_scan rest = {at ? at + 1 : s.end, s.end};

	if (*s.at == 'G') {
		at = tp_scan_find(s, " on top of the stack:");
		return at ? at + strlen(" on top of the stack:") : NULL;
	}
	if (!at)
		return NULL;
	if (tp_scan_begins(rest, " {")) {
		labels = tp_scan_find(rest, "}:");
		return labels ? labels + 2 : NULL;
	}
	return tp_scan_begins(rest, ":") ? rest.at + 1 : NULL;
}

static bool is_dockers(const struct tp_log_level *level)
{
	return level->quote == TP_LOG_JSON && level->nkey == 3 && !memcmp(level->key, "log", 3);
}

/* Moves the dump that is in a string of the line, or escaped, to the next level. Returns 1 if it did, 0 if
 * the line has no such dump, or TP_ENOMEM. Sets *at to the header in the line itself, or to NULL. */
static int open_quotes(struct tp_log *l, struct tp_scan line, const char **at)
{
	struct tp_log_level *level = &l->level[l->depth], *next = level + 1;
	struct tp_log_taken taken = {.out = &next->text};
	int got = 0;
	struct tp_scan string, rest;
	const char *end;

	rest = line;
	if (level->word > line.at && level->word < line.end) /* nothing was rewritten */
		rest.at = level->word - (*level->word == 'o');
	*at = level->may_begin ? tp_find_goroutine(rest) : NULL;
	if (!*at && level->numbers)
		tp_log_numbers(level, line);
	if (!*at && level->quote == TP_LOG_BARE)
		return 0;
	if (l->depth + 1 == TP_LOG_LEVELS)
		return 0;
	if (!l->part)
		next->text.size = 0;
	if (!*at || l->part) {
		got = tp_log_take(level, line, NULL, &taken);
	} else if (tp_log_quoted(level, line, *at, &string)) {
		level->headed = true;
		got = tp_log_take(level, line, string.at, &taken);
	} else {
		end = past_header((struct tp_scan){*at, line.end});
		rest = (struct tp_scan){end, line.end};
		if (end)
			tp_scan_spaces(&rest);
		if (!end || tp_log_newline(rest) == TP_LOG_NO_ESCAPE)
			return 0;
		level->quote = TP_LOG_BARE;
		got = tp_log_unescape(&next->text, (struct tp_scan){*at, line.end},
				      tp_log_newline(rest), NULL);
		got = got ? got : 1;
		taken.whole = true;
	}
	if (got > 0 && taken.part && !taken.whole && is_dockers(level) &&
	    tp_scan_left(&level->rest)) {
		l->part = true;
		next->text.size--; /* the line end, which is not in the string */
		return got;
	}
	/* A line that cannot continue a part is passed over. */
	if (!got && l->part)
		got = 1;
	if (got > 0)
		push(l, taken.whole, taken.cut);
	return got;
}

/* ---- prefixes ---- */

/* Rewrites "Goroutine 18 in state select, with …" as "goroutine 18 [select]:". */
static int write_header(struct tp_log_level *level, struct tp_scan *text)
{
	struct tp_scan id, state;
	struct tp_buf out = {0};
	int code;

	if (!tp_goleak_line(*text, &id, &state))
		return 0;
	code = tp_buf_put(&out, "goroutine ", 10);
	if (!code)
		code = tp_buf_put(&out, id.at, tp_scan_left(&id));
	if (!code)
		code = tp_buf_put(&out, " [", 2);
	if (!code)
		code = tp_buf_put(&out, state.at, tp_scan_left(&state));
	if (!code)
		code = tp_buf_put(&out, "]:", 2);
	tp_buf_release(&level->line);
	level->line = out;
	*text = scan_of(&level->line);
	return code;
}

/* Returns whether a prefix begins with another word than `head`, so that it may be of another
 * program. */
static bool begins_otherwise(const struct tp_log_shape *head, struct tp_scan prefix)
{
	const char *end = memchr(head->text, ' ', head->n);
	struct tp_log_shape word;

	return end && end > head->text && tp_log_shape(&word, head->text, end) &&
	       tp_scan_left(&prefix) && *prefix.at > ' ' && !tp_log_match(&word, prefix);
}

/* If a header begins at `at`, moves l->text there and requires its prefix from now on. Returns 1, 0
 * if there is no header, or TP_ENOMEM. */
static int take_header(struct tp_log *l, struct tp_log_level *level, const char *at)
{
	struct tp_scan text = {at, l->text.end}, id, state;
	enum tp_dump_line kind = tp_dump_line(text, NULL);
	bool goleak = *at == 'G' && tp_goleak_line(text, &id, &state);
	if (kind != TP_LINE_HEADER && kind != TP_LINE_HEADER_CUT && !goleak)
		return 0;
	l->wrapped |= at > l->text.at || goleak;
	if (!level->headed || level->quote != TP_LOG_BARE ||
	    tp_log_match(&level->head, l->text) != at) {
		if (!l->changed && level->headed && level->quote == TP_LOG_BARE &&
		    begins_otherwise(&level->head, (struct tp_scan){l->text.at, at}))
			l->changed = l->number;
		level->headed = tp_log_shape(&level->head, l->text.at, at);
		level->tries = 0;
		level->learned = false;
	}
	level->quote = TP_LOG_BARE;
	l->text.at = at;
	return goleak && write_header(level, &l->text) ? TP_ENOMEM : 1;
}

static bool is_header(struct tp_scan line)
{
	return *line.at == 'g' && tp_is_goroutine_line(line.at, tp_scan_left(&line));
}

/* Returns whether lines have neither a prefix nor quotes, as in most dumps: then a line that cannot
 * contain a header is returned as it is. */
static bool is_plain(const struct tp_log_level *level)
{
	return level->headed && !level->head.n && level->learned && !level->next.n &&
	       level->quote == TP_LOG_BARE && !level->numbers;
}

#define TRIES 100 /* lines after a header that are searched for the first line of its stack */

static void without_prefix(struct tp_log *l, struct tp_log_level *level)
{
	struct tp_scan blank = l->text;
	const char *at;

	tp_scan_blanks(&blank);
	if (blank.at == l->text.end) {
		l->text.at = l->text.end;
		return;
	}
	if (level->headed && !level->learned && level->tries < TRIES) {
		level->tries++;
		at = tp_log_match(&level->head, l->text);
		if (at == l->text.end) {
			l->text.at = at;
			return;
		}
		at = tp_log_first(&level->head, l->text);
		level->learned =
		    at && at < l->text.end && tp_log_shape(&level->next, l->text.at, at);
		l->wrapped |= at > l->text.at;
	} else {
		at = level->learned ? tp_log_match(&level->next, l->text) : NULL;
		if (!at)
			at = tp_log_match(&level->head, l->text);
	}
	if (at)
		l->text.at = at;
	else if (level->headed)
		l->kind = TP_LOG_ALIEN;
}

/* Returns whether the line is of another container than that of the first stack. */
static bool is_elsewhere(struct tp_log *l, const struct tp_log_level *level)
{
	struct tp_scan source = tp_log_source(l->text);
	struct tp_log_shape *name = l->source.n ? &l->other : &l->source;
	size_t n = tp_scan_left(&source);
	bool same = n == l->source.n && !memcmp(source.at, l->source.text, n);
	const char *at;

	if (!n || same)
		return false;
	if (!name->n && level->may_begin && (at = tp_find_goroutine(l->text)) != NULL &&
	    past_header((struct tp_scan){at, l->text.end}))
		tp_log_shape(name, source.at, source.end);
	return name == &l->other;
}

/* Joins the parts of a line that CRI has cut. Returns 1 if the next line is one, 0 if l->text is
 * whole, or TP_ENOMEM. */
static int join(struct tp_log *l, struct tp_log_level *level)
{
	bool part = false, first = !l->joining;
	const char *at = tp_log_cri(l->text, &part);
	int code = 0;

	if (first && (!part || !tp_scan_left(&level->rest)))
		return 0;
	if (first) {
		l->joined.size = 0;
		l->may_begin = false;
		at = l->text.at;
	}
	l->may_begin |= level->may_begin;
	if (at)
		code = tp_buf_put(&l->joined, at, (size_t)(l->text.end - at));
	l->joining = !code && part && tp_scan_left(&level->rest);
	level->may_begin = l->may_begin;
	l->text = scan_of(&l->joined);
	return code ? code : l->joining;
}

int tp_log_next(struct tp_log *l)
{
	for (;;) {
		struct tp_log_level *level = &l->level[l->depth];
		const char *at;
		int code;

		l->kind = TP_LOG_TEXT;
		l->header = false;
		if (l->end_due || (l->depth && !tp_scan_left(&level->rest))) {
			bool due = l->end_due;

			l->text = (struct tp_scan){"", ""};
			if (!due && level->cut) {
				level->cut = false;
				l->kind = TP_LOG_CUT;
				return 1;
			}
			l->end_due = false;
			if (!due) {
				due = level->whole;
				l->depth--;
			}
			if (!due)
				continue;
			l->kind = TP_LOG_END;
			return 1;
		}
		if (!tp_scan_left(&level->rest))
			return 0;
		do
			code = read_line(l, level, &l->text);
		while (!code && !level->plain && !l->depth && (code = join(l, level)) > 0);
		if (!code)
			code = tp_log_clean(level, &l->text);
		if (!code && level->plain)
			l->header = level->may_begin && is_header(l->text);
		if (code || (level->plain && (!level->may_begin || l->header)))
			return code ? code : 1;
		if (!l->depth && is_elsewhere(l, level))
			continue;
		code = open_quotes(l, l->text, &at);
		if (code < 0)
			return code;
		if (code)
			continue;
		code = at ? take_header(l, level, at) : 0;
		if (code)
			return code;
		if (level->quote != TP_LOG_BARE) {
			if (level->quote == TP_LOG_JSON && tp_log_is_json(l->text))
				continue;
			l->kind = TP_LOG_ALIEN;
			return 1;
		}
		without_prefix(l, level);
		level->plain = is_plain(level);
		return 1;
	}
}

/* ---- recognition ---- */

/* Binary data is full of control characters that programs do not print. BEL is accepted where it
 * ends a terminal sequence. */
bool tp_log_is_binary(const void *data, size_t size)
{
	const unsigned char *p = data;
	bool escape = false;

	for (size_t i = 0; i < size; i++) {
		if (p[i] >= ' ')
			continue;
		escape = p[i] == '\033' || (escape && p[i] != '\n');
		if (!memchr("\t\n\r\f\v\b\033", p[i], 7) && !(escape && p[i] == '\a'))
			return true;
	}
	return false;
}

#define EVIDENCE 64 /* lines after a header within which a stack must begin */

bool tp_log_has_dump(const void *data, size_t size)
{
	struct tp_scan all = {data, (const char *)data + size};
	struct tp_log l;
	bool found = false, call = false;
	uint64_t looked_at = 0; /* a line of the file may contain many lines of a dump */
	int code = 0, left = 0;

	if (!size ||
	    (!utf16_of(data, size) && !tp_scan_find(all, "oroutine") && !tp_log_has_numbers(all)))
		return false;
	tp_log_init(&l, data, size);
	while (!found && (code = tp_log_next(&l)) > 0) {
		enum tp_dump_line kind =
		    l.kind == TP_LOG_TEXT ? tp_dump_line(l.text, NULL) : TP_LINE_OTHER;
		struct tp_scan raw = {l.start + l.offset, l.start + l.offset + l.bytes};

		if (!left && l.number != looked_at &&
		    (l.utf16 ? tp_log_is_binary(l.text.at, tp_scan_left(&l.text))
			     : tp_log_is_binary(raw.at, tp_scan_left(&raw))))
			break;
		looked_at = left ? looked_at : l.number;
		if (kind == TP_LINE_HEADER || kind == TP_LINE_HEADER_CUT) {
			/* At the beginning of a line, a header needs no stack after it. */
			found = kind == TP_LINE_HEADER && l.text.at == raw.at;
			left = EVIDENCE;
			call = false;
			continue;
		}
		if (!left)
			continue;
		left--;
		call |= kind == TP_LINE_CALL || kind == TP_LINE_CALL_CUT || kind == TP_LINE_CREATOR;
		found = kind == TP_LINE_NO_STACK ||
			(call && (kind == TP_LINE_WHERE || kind == TP_LINE_WHERE_CUT));
	}
	tp_log_release(&l);
	/* When out of memory, let the decoder report it. */
	return found || code < 0;
}
