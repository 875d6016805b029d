/* Folded stacks (github.com/brendangregg/FlameGraph, flamegraph.pl), which a dozen profilers write:
 *
 *   FRAME;FRAME;… COUNT           root first; 12 or 12.5
 *   FRAME;FRAME;… BEFORE AFTER    the difference of two runs (difffolded.pl)
 *   # comment
 * Every ';' separates frames, as in flamegraph.pl, speedscope and inferno. Names may have blanks in
 * them. What a frame may have behind its name:
 *
 *   NAME_[k] NAME_[i] NAME_[j] NAME_[0] NAME_[1]   kernel, inlined, compiled at run time,
 *                                  interpreted, compiled fast (FlameGraph, async-profiler)
 *   NAME (FILE:LINE)               py-spy
 *   NAME (FILE.EXTENSION)          heaptrack
 *   NAME - FILE:LINE               rbspy
 * A file has two columns if each line has two. (The last frame of one line may end in a number.) */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "decode/profile/kinds.h"
#include "open/folded.h"

/* A suffix of a name, and the mapping that its code is in. */
static const struct suffix {
	const char *text, *mapping; /* NULL: that of the caller, into which the frame is inlined */
} suffixes[] = {
    {"_[k]", "[kernel.kallsyms]"}, {"_[i]", NULL}, {"_[j]", "[jit]"}, {"_[1]", "[jit]"},
    {"_[0]", "[interpreted]"},
};
#define NSUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))

struct folded {
	struct tp_profile *p;
	struct tp_err *err;
	bool strict;
	struct tp_lines lines;
	bool two;    /* columns */
	bool mixed;  /* most lines have two counts, but not all */
	size_t unit; /* index in tp_fractions */
	bool rounded;
	uint32_t mappings[NSUFFIXES]; /* number of each suffix's mapping, 0 not used yet */
	struct tp_buf frames;	      /* struct tp_frame: the location being read, root first */
};

static int failed(struct folded *f, int code)
{
	return tp_profile_failed(f->err, &f->lines, code);
}

static int lose(struct folded *f, const char *why)
{
	return tp_profile_lose_line(f->p, f->err, f->strict, &f->lines, 1, why);
}

/* ---- frames ---- */

/* Tells "f (a.c)" from "operator() (int)", "f (a.b, c)" and "GC (1.2)". */
static bool is_file_name(struct tp_scan s)
{
	const char *dot = memrchr(s.at, '.', tp_scan_left(&s));

	if (!dot || dot == s.at || dot + 1 == s.end || strchr(TP_DIGITS, dot[-1]) ||
	    strchr(TP_DIGITS, dot[1]))
		return false;
	for (; s.at < s.end; s.at++)
		if (strchr(" ,<>()&*:", *s.at))
			return false;
	return true;
}

/* Takes FILE:LINE off the end of a name: "f (a.py:3)", "f - a.rb:3". */
static bool take_place(struct tp_scan *name, struct tp_scan *file, int64_t *line)
{
	struct tp_scan s = *name, number;
	bool in_brackets = s.at < s.end && s.end[-1] == ')';
	const char *open = in_brackets ? memrchr(s.at, '(', tp_scan_left(&s)) : NULL, *colon;

	if (!in_brackets)
		for (const char *at = s.at; (at = tp_scan_find((struct tp_scan){at, s.end}, " - "));
		     at += 2)
			open = at + 2;
	if (!open || open == s.at)
		return false;
	*file = (struct tp_scan){open + 1, s.end - in_brackets};
	colon = memrchr(file->at, ':', tp_scan_left(file));
	number = (struct tp_scan){colon ? colon + 1 : file->end, file->end};
	if (colon > file->at && tp_scan_int(&number, false, line) == TP_NUMBER_OK &&
	    number.at == number.end)
		file->end = colon;
	else if (!in_brackets || open[-1] != ' ' || !is_file_name(*file))
		return false;
	*name = tp_scan_trim((struct tp_scan){s.at, in_brackets ? open : open - 2});
	return name->at < name->end;
}

static const struct suffix *take_suffix(struct tp_scan *name)
{
	for (size_t i = 0; i < NSUFFIXES; i++) {
		size_t n = strlen(suffixes[i].text);

		if (tp_scan_left(name) <= n || memcmp(name->end - n, suffixes[i].text, n) != 0)
			continue;
		name->end -= n;
		return &suffixes[i];
	}
	return NULL;
}

static int string(struct folded *f, struct tp_scan text, uint32_t *id)
{
	return tp_dict_string(f->p->dict, text.at, tp_scan_left(&text), id);
}

static int mapping_of(struct folded *f, const struct suffix *suffix, uint32_t *mapping)
{
	struct tp_mapping m = {0};
	uint32_t *number = suffix ? &f->mappings[suffix - suffixes] : NULL;
	int code = 0;

	/* Two suffixes may have one mapping. */
	for (size_t i = 0; suffix && i < NSUFFIXES && !*number; i++)
		if (suffixes[i].mapping && !strcmp(suffixes[i].mapping, suffix->mapping))
			*number = f->mappings[i];
	if (suffix && !*number) {
		/* The first mapping is taken for the program, whose name is not known. */
		if (!f->p->nmappings)
			code = tp_profile_add_mapping(f->p, &m, mapping);
		m.flags = TP_MAPPING_FUNCTIONS;
	}
	if (suffix && !*number && !code) {
		code =
		    tp_dict_string(f->p->dict, suffix->mapping, strlen(suffix->mapping), &m.file);
		if (!code)
			code = tp_profile_add_mapping(f->p, &m, number);
	}
	*mapping = suffix ? *number : 0;
	return code;
}

/* Puts the frames of the location that was read onto the stack. */
static int push(struct folded *f, uint32_t *node, const struct suffix *suffix)
{
	struct tp_frame *frames = (void *)f->frames.data;
	size_t n = f->frames.size / sizeof(*frames);
	struct tp_location where = {0};
	int code;

	if (!n)
		return 0;
	/* The innermost comes first in a location. */
	for (size_t i = 0; i < n / 2; i++) {
		struct tp_frame frame = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = frame;
	}
	code = mapping_of(f, suffix, &where.mapping);
	if (!code)
		code = tp_profile_push_location(f->p, node, &where, frames, n);
	f->frames.size = 0;
	return code;
}

static int read_stack(struct folded *f, struct tp_scan rest, uint32_t *node)
{
	const struct suffix *of = NULL; /* of the location being read */
	int code = 0;

	*node = 0;
	while (!code && rest.at < rest.end) {
		const char *end = memchr(rest.at, ';', tp_scan_left(&rest));
		struct tp_scan name = {rest.at, end ? end : rest.end}, whole = name, file;
		struct tp_function function = {0};
		struct tp_frame frame = {0};
		const struct suffix *suffix;
		bool inlined;

		rest.at = end ? end + 1 : rest.end;
		if (name.at == name.end)
			continue;
		suffix = take_suffix(&name);
		inlined = suffix && !suffix->mapping;
		if (take_place(&name, &file, &frame.line))
			code = string(f, file, &function.file);
		if (!code)
			code = string(f, name, &function.name);
		if (!code && (suffix || tp_profile_is_mangled(name)))
			code = string(f, tp_profile_is_mangled(name) ? name : whole,
				      &function.system_name);
		if (!code)
			code = tp_dict_function(f->p->dict, &function, &frame.function);
		if (!code && !inlined) {
			code = push(f, node, of);
			of = suffix;
		}
		if (!code)
			code = tp_buf_put(&f->frames, &frame, sizeof(frame));
	}
	return code ? code : push(f, node, of);
}

/* ---- counts ---- */

/* Finds out what one count of a file needs: its places, and its size in front of the point. */
static void look_at(struct folded *f, const struct tp_folded_count *count, unsigned *places,
		    int64_t *most)
{
	int64_t whole = count->digits;

	for (unsigned i = 0; i < count->places; i++)
		whole /= 10;
	*places = count->places > *places ? count->places : *places;
	*most = whole > *most ? whole : *most;
	f->rounded |= count->rounded;
}

/* Looks at all lines first: whether each has two counts, how many places they have, and in which unit the
 * largest still fits. */
static void look(struct folded *f)
{
	struct tp_lines lines = f->lines;
	struct tp_folded_line l;
	unsigned places = 0;
	int64_t most = 0, room;
	uint64_t one = 0, both = 0;

	while (tp_lines_next(&lines)) {
		if (tp_folded_is_comment(lines.line) || !tp_folded_line(lines.line, &l))
			continue;
		both += l.has_before;
		one += !l.has_before;
		look_at(f, &l.count, &places, &most);
		if (l.has_before && !one)
			look_at(f, &l.before, &places, &most);
	}
	f->mixed = one && both > one;
	f->two = both && !one;
	for (; f->unit + 1 < TP_FRACTIONS && tp_fractions[f->unit].places < places; f->unit++) {
		room = INT64_MAX - 1;
		for (unsigned i = 0; i < tp_fractions[f->unit + 1].places; i++)
			room /= 10;
		if (most >= room)
			break;
	}
	f->rounded |= places > tp_fractions[f->unit].places;
}

/* Returns false if the count has too many digits for its unit. */
static bool scale(const struct folded *f, const struct tp_folded_count *count, int64_t *value)
{
	unsigned places = tp_fractions[f->unit].places;
	int64_t digit = 0;

	*value = count->digits;
	for (unsigned i = count->places; i > places; i--) {
		digit = *value % 10;
		*value /= 10;
	}
	*value += digit >= 5;
	for (unsigned i = count->places; i < places; i++)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return !count->huge;
}

static int read_line(struct folded *f)
{
	struct tp_folded_line l;
	int64_t values[2];
	uint32_t node;
	int code;

	if (!tp_folded_line(f->lines.line, &l))
		return lose(f, "is not a stack and a count (main;f;g 12)");
	if ((f->two && !scale(f, &l.before, &values[0])) || !scale(f, &l.count, &values[f->two]))
		return lose(f, "has a count of more digits than fit 64 bits");
	code = read_stack(f, f->two ? l.stack_before : l.stack, &node);
	if (!code)
		code = tp_profile_add_sample(f->p, node, 0, values);
	return failed(f, code);
}

static int add_type(struct folded *f, const char *type)
{
	uint32_t unit, id;
	int code = tp_dict_string(f->p->dict, tp_fractions[f->unit].unit,
				  strlen(tp_fractions[f->unit].unit), &unit);

	if (!code)
		code = tp_dict_string(f->p->dict, type, strlen(type), &id);
	if (!code)
		code = tp_profile_add_type(f->p, id, unit);
	if (!code)
		f->p->default_type = id;
	return failed(f, code);
}

int tp_folded_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		   struct tp_profile *p, struct tp_err *err)
{
	struct folded f = {
	    .p = p, .err = err, .strict = opt->strict, .lines = tp_lines(data, size)};
	int code;

	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_FOLDED));
	look(&f);
	code = f.two ? add_type(&f, "before") : 0;
	if (!code)
		code = add_type(&f, f.two ? "after" : "samples");
	if (!code && (f.unit || f.rounded))
		code = failed(
		    &f, tp_profile_add_notice(p, f.rounded ? TP_WARNING : TP_INFO, TP_OFFSET_NONE,
					      "counts have fractions; values are in %s%s",
					      f.unit ? tp_fractions[f.unit].unit : "whole numbers",
					      f.rounded ? ", rounded" : ""));
	if (!code && f.mixed)
		code = failed(&f, tp_profile_add_notice(
				      p, TP_WARNING, TP_OFFSET_NONE,
				      "most lines have two counts, but not all: the first is taken "
				      "for a part of the last name"));
	while (!code && tp_lines_next(&f.lines))
		if (!tp_folded_is_comment(f.lines.line))
			code = read_line(&f);
	tp_buf_release(&f.frames);
	return code;
}
