#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sum.h"
#include "base/units.h"
#include "leak/parts.h"
#include "stack.h"

enum {
	COLUMN_LABEL, /* only if asked for */
	COLUMN_FIRST,
	COLUMN_COUNT,
	COLUMN_GROWTH,
	COLUMN_TREND,
	COLUMN_CREATED,
	COLUMN_WAITS,
	COLUMN_WAITED,
	COLUMN_SURE,
	COLUMN_ALLOWED,
	COLUMN_BY,
	COLUMN_WHERE,
	COLUMN_WAITED_LEAST,
	COLUMN_GROWS,
	COLUMN_CREATED_STACK,
	COLUMN_STACK,
	COLUMN_IDS,
	NCOLUMNS
};

static const struct rep_column all_columns[NCOLUMNS] = {
    [COLUMN_LABEL] = {.name = "label",
		      .doc = "with --by: the value of the label",
		      .title = "LABEL",
		      .kind = REP_TEXT,
		      .least = 8},
    [COLUMN_FIRST] = {.name = "first",
		      .doc = "goroutines in the first file",
		      .title = "FIRST",
		      .kind = REP_COUNT,
		      .drop = 5},
    [COLUMN_COUNT] = {.name = "goroutines",
		      .doc = "goroutines in the last file",
		      .title = "COUNT",
		      .kind = REP_COUNT},
    [COLUMN_GROWTH] = {.name = "growth",
		       .doc = "last minus first",
		       .title = "GROWTH",
		       .kind = REP_COUNT},
    [COLUMN_TREND] = {.name = "counts",
		      .doc = "goroutines in each file",
		      .title = "TREND",
		      .kind = REP_TEXT,
		      .least = 5},
    [COLUMN_CREATED] = {.name = "created",
			.doc = "of them, those that the trace saw being created",
			.title = "NEW",
			.kind = REP_COUNT},
    [COLUMN_WAITS] = {.name = "waits_for",
		      .doc = "what they wait for",
		      .title = "WAITS FOR",
		      .kind = REP_TEXT,
		      .least = 12},
    [COLUMN_WAITED] = {.name = "waits_ns",
		       .doc = "how long the longest has waited",
		       .title = "FOR",
		       .kind = REP_NS},
    [COLUMN_SURE] = {.name = "certain",
		     .doc = "Go's collector, or tprof-record, found that nothing can wake them",
		     .title = "CERTAIN",
		     .kind = REP_BOOL,
		     .drop = 2},
    [COLUMN_ALLOWED] = {.name = "allowed",
			.doc = "--allow names them",
			.title = "ALLOWED",
			.kind = REP_BOOL},
    [COLUMN_BY] = {.name = "created_by",
		   .doc = "function that created them",
		   .title = "CREATED BY",
		   .kind = REP_TEXT,
		   .shorten = REP_SHORTEN_FUNCTION,
		   .drop = 4,
		   .least = 16},
    [COLUMN_WHERE] = {.name = "where",
		      .doc = "function and callers",
		      .title = "WHERE",
		      .shorten = REP_SHORTEN_WHERE,
		      .kind = REP_TEXT,
		      .least = 24},
    [COLUMN_WAITED_LEAST] = {.name = "least_wait_ns",
			     .doc = "how long the shortest has waited",
			     .kind = REP_NS,
			     .raw_only = true},
    [COLUMN_GROWS] = {.name = "grows",
		      .doc = "of three files or more: there are more from file to file",
		      .kind = REP_BOOL,
		      .raw_only = true},
    [COLUMN_CREATED_STACK] = {.name = "created_stack",
			      .doc = "where they were created, leaf first",
			      .kind = REP_TEXT,
			      .raw_only = true},
    [COLUMN_STACK] = {.name = "stack",
		      .doc = "where they are, leaf first",
		      .kind = REP_TEXT,
		      .raw_only = true},
    [COLUMN_IDS] = {.name = "ids",
		    .doc = "the first eight of them",
		    .kind = REP_TEXT,
		    .raw_only = true},
};

struct printing {
	struct rep_leaks *l;
	const struct tp_dict *d;
	struct rep_output *out;
	struct rep_column column[NCOLUMNS];
	struct tp_arena texts; /* of the row being written */
	struct tp_buf text;
	bool failed;
};

/* ---- texts ---- */

static void put(struct printing *p, const char *text, size_t size)
{
	p->failed |= tp_buf_put(&p->text, text, size) != 0;
}

static struct rep_value take(struct printing *p)
{
	char *copy = tp_arena_strndup(&p->texts, p->text.data, p->text.size);
	size_t size = p->text.size;

	p->text.size = 0;
	p->failed |= !copy;
	return copy ? rep_text(copy, size) : rep_null();
}

/* "http.(*Server).Serve:3604"; `whole`: "net/http.(*Server).Serve server.go:3604". */
static void put_frame(struct printing *p, uint32_t frame, bool whole)
{
	struct tp_frame f = tp_dict_frame_at(p->d, frame);
	struct tp_function function = tp_dict_function_at(p->d, f.function);
	struct tp_text name = tp_dict_text(p->d, function.name);
	struct tp_text file = tp_dict_text(p->d, function.file);
	char line[24];

	if (!name.size)
		name = (struct tp_text){"(unknown)", 9};
	if (!whole)
		name = rep_stack_short(name);
	put(p, name.text, name.size);
	if (whole && file.size) {
		put(p, " ", 1);
		put(p, file.text, file.size);
	}
	if (f.line)
		put(p, line, (size_t)snprintf(line, sizeof(line), ":%" PRId64, f.line));
}

#define WHERE_FRAMES 3

/* The stack from its first frame on that is of nobody's locks: what it waits for says as much. */
static uint32_t site_of(struct printing *p, uint32_t stack)
{
	for (uint32_t at = stack; at;) {
		struct tp_stack_node node = tp_dict_stack_at(p->d, at);
		struct tp_text name = tp_dict_text(p->d, tp_dict_frame_name(p->d, node.frame));

		if (!tp_text_begins(name, "sync.") && !tp_text_begins(name, "internal/") &&
		    !tp_text_begins(name, "time.Sleep"))
			return at;
		at = node.parent < at ? node.parent : 0;
	}
	return stack;
}

/* From the site on, as rep_stack_where() has it but with lines. */
static struct rep_value where_text(struct printing *p, uint32_t stack)
{
	uint32_t site = site_of(p, stack);
	uint32_t below = rep_stack_below(&p->l->own, p->d, site), at = site;

	for (unsigned n = 0; at && n < WHERE_FRAMES; n++) {
		struct tp_stack_node node = tp_dict_stack_at(p->d, at);
		bool gap = at == site && below;

		put_frame(p, node.frame, false);
		at = gap ? below : node.parent < at ? node.parent : 0;
		if (at && n + 1 < WHERE_FRAMES)
			put(p, gap ? REP_WHERE_GAP : " < ", gap ? strlen(REP_WHERE_GAP) : 3);
	}
	return stack ? take(p) : rep_str("(no stack)");
}

static struct rep_value stack_text(struct printing *p, uint32_t stack)
{
	for (uint32_t at = stack; at;) {
		struct tp_stack_node node = tp_dict_stack_at(p->d, at);

		put(p, "; ", at == stack ? 0 : 2);
		put_frame(p, node.frame, true);
		at = node.parent < at ? node.parent : 0;
	}
	return stack ? take(p) : rep_str("(no stack)");
}

static struct rep_value creator_text(struct printing *p, const struct rep_leak_site *s)
{
	if (!s->creator)
		return rep_null();
	put_frame(p, s->creator, false);
	return take(p);
}

#define TREND_SHOWN 6 /* counts in a table; of more, the ends */

/* "3 6 9"; of many "3 6 9 … 40 41 45". */
static struct rep_value trend_text(struct printing *p, const struct rep_leak_site *s)
{
	size_t n = p->l->nsources;
	bool some = rep_output_for_people(p->out) && n > TREND_SHOWN;

	for (size_t i = 0; i < n; i++) {
		char text[24];
		size_t size;

		if (some && i == TREND_SHOWN / 2) {
			put(p, " ...", 4);
			i = n - TREND_SHOWN / 2;
		}
		size = (size_t)snprintf(text, sizeof(text), "%s%" PRId64, i ? " " : "",
					s->count[i].goroutines);
		put(p, text, size);
	}
	return take(p);
}

static struct rep_value ids_text(struct printing *p, const struct rep_leak_site *s)
{
	for (size_t i = 0; i < s->nids; i++) {
		char text[REP_GOID_SIZE];

		if (i)
			put(p, " ", 1);
		put(p, text, strlen(rep_goid_text(&s->id[i], text)));
	}
	return take(p);
}

/* ---- columns ---- */

static struct rep_value cell(struct printing *p, const struct rep_leak_site *s, int column)
{
	const struct rep_leak_count *last = &s->count[p->l->nsources - 1];
	struct tp_text t;

	switch (column) {
	case COLUMN_LABEL:
		t = tp_dict_text(p->d, s->label);
		return t.size ? rep_text(t.text, t.size) : rep_null();
	case COLUMN_FIRST:
		return rep_int(s->count[0].goroutines);
	case COLUMN_COUNT:
		return rep_int(last->goroutines);
	case COLUMN_GROWTH:
		return rep_int(last->goroutines - s->count[0].goroutines);
	case COLUMN_TREND:
		return trend_text(p, s);
	case COLUMN_CREATED:
		return last->created < 0 ? rep_null() : rep_int(last->created);
	case COLUMN_WAITS:
		t = tp_dict_text(p->d, s->waits);
		return t.size ? rep_text(t.text, t.size) : rep_null();
	case COLUMN_WAITED:
		return last->most_ns < 0 ? rep_null() : rep_int(last->most_ns);
	case COLUMN_WAITED_LEAST:
		return last->least_ns < 0 ? rep_null() : rep_int(last->least_ns);
	case COLUMN_SURE:
		return rep_int(s->certain);
	case COLUMN_ALLOWED:
		return rep_int(s->allowed);
	case COLUMN_BY:
		return creator_text(p, s);
	case COLUMN_WHERE:
		return where_text(p, s->stack);
	case COLUMN_GROWS:
		return rep_int(s->grows);
	case COLUMN_CREATED_STACK:
		return s->created ? stack_text(p, s->created) : rep_null();
	case COLUMN_STACK:
		return stack_text(p, s->stack);
	default:
		return ids_text(p, s);
	}
}

/* Tables have the columns that say something of these sources; other formats have all. Ticks are
 * only numbers. */
static void pick_columns(struct printing *p, bool allowed)
{
	bool people = rep_output_for_people(p->out), several = p->l->nsources > 1;
	bool fresh = false, waited = false, certain = false, by = false;
	size_t last = p->l->nsources - 1;
	const struct rep_leak_site *s = p->l->site;

	for (size_t i = 0; i < p->l->nsites; i++) {
		fresh = fresh || s[i].count[last].created >= 0;
		waited = waited || s[i].count[last].most_ns > 0;
		certain = certain || s[i].certain;
		by = by || s[i].creator;
	}
	for (int c = 0; c < NCOLUMNS; c++) {
		bool wanted = c == COLUMN_FIRST || c == COLUMN_GROWTH || c == COLUMN_TREND ? several
			      : c == COLUMN_CREATED					   ? fresh
			      : c == COLUMN_WAITED					   ? waited
			      : c == COLUMN_SURE					   ? certain
			      : c == COLUMN_ALLOWED					   ? allowed
			      : c == COLUMN_BY						   ? by
											   : true;

		p->column[c] = all_columns[c];
		if (p->l->source[last].ticks && p->column[c].kind == REP_NS)
			p->column[c].kind = REP_COUNT;
		p->column[c].raw_only |= people && !wanted;
	}
}

static size_t first_column(const struct printing *p)
{
	return p->l->opt.by ? COLUMN_LABEL : COLUMN_LABEL + 1;
}

static int print_row(struct printing *p, const struct rep_leak_site *s, struct tp_err *err)
{
	struct rep_value row[NCOLUMNS];
	int code;

	for (int c = 0; c < NCOLUMNS; c++)
		row[c] = cell(p, s, c);
	code = p->failed ? rep_leak_fail(err, TP_ENOMEM)
			 : rep_output_row(p->out, row + first_column(p), err);
	tp_arena_clear(&p->texts);
	return code;
}

/* Says what of the last source is left out. */
static int note_left_out(const struct rep_leaks *l, struct rep_output *out, struct tp_err *err)
{
	static const char *const names[REP_LEAK_NLEFT] = {
	    [REP_LEAK_LEFT_MAIN] = "main.main",
	    [REP_LEAK_LEFT_RUNNING] = "running or runnable",
	    [REP_LEAK_LEFT_LOST] = "in a state that is lost",
	    [REP_LEAK_LEFT_RUNTIME] = "of the runtime or writing the dump",
	};
	char text[300] = "", kinds[200] = "", count[28];
	int64_t all = 0;

	for (int k = 0; k < REP_LEAK_NLEFT; k++) {
		int64_t n = l->source[l->nsources - 1].left_out[k];
		bool bare = k == REP_LEAK_LEFT_MAIN && n == 1;
		size_t at = strlen(kinds);

		if (n)
			snprintf(kinds + at, sizeof(kinds) - at, "%s%s%s%s", all ? ", " : "",
				 bare ? "" : tp_fmt_count(count, n), bare ? "" : " ", names[k]);
		tp_sum(&all, n);
	}
	if (!all)
		return 0;
	snprintf(text, sizeof(text), "%s more %s left out: %s (--all shows %s)",
		 tp_fmt_count(count, all), all == 1 ? "is" : "are", kinds,
		 all == 1 ? "it" : "them");
	return rep_output_note(out, false, text, err);
}

int rep_leaks_print(struct rep_leaks *l, struct rep_output *out, size_t rows, bool allowed,
		    struct tp_err *err)
{
	struct printing p = {.l = l, .d = l->dict, .out = out};
	size_t shown = 0, wanted = 0;
	const struct rep_leak_site *s = l->site;
	int code;

	for (size_t i = 0; i < l->nsites; i++)
		wanted += allowed || !s[i].allowed;
	pick_columns(&p, allowed);
	code = rep_output_begin(out, "leaks", p.column + first_column(&p),
				NCOLUMNS - first_column(&p), err);
	for (size_t i = 0; i < l->nsites && !code && (!rows || shown < rows); i++) {
		if (s[i].allowed && !allowed)
			continue;
		code = print_row(&p, &s[i], err);
		shown++;
	}
	if (!code)
		code = rep_output_end(out, err);
	if (!code)
		code = rep_output_more(out, shown, wanted, "sites", err);
	/* What the list allows is counted in the heading. */
	if (!code && !l->nsites)
		code = rep_output_note(
		    out, false,
		    l->source[l->nsources - 1].unknown
			? "no goroutine is known to have waited that long; without --min-wait all "
			  "count"
			: "nothing stays",
		    err);
	if (!code && l->moved) {
		char text[120];

		snprintf(text, sizeof(text),
			 l->moved == 1
			     ? "the lines of 1 site have moved between the files; it is "
			       "matched by its functions"
			     : "the lines of %zu sites have moved between the files; they "
			       "are matched by their functions",
			 l->moved);
		code = rep_output_note(out, false, text, err);
	}
	if (!code)
		code = note_left_out(l, out, err);
	if (!code)
		code = rep_own_settle(&l->own, err);
	tp_buf_release(&p.text);
	tp_arena_clear(&p.texts);
	return code;
}
