#include "conformance/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "conformance/sha256.h"
#include "profile/report.h"
#include "profile/top.h"

static int out_of_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

/* ---- lines ---- */

/* Takes the next line off a text, without its end; false when there is none. */
static bool next_line(struct tp_slice *text, struct tp_slice *line)
{
	const uint8_t *end;

	if (!text->size)
		return false;
	end = memchr(text->data, '\n', text->size);
	line->data = text->data;
	line->size = end ? (size_t)(end - text->data) : text->size;
	text->data += line->size + (end != NULL);
	text->size -= line->size + (end != NULL);
	return true;
}

static struct tp_slice all_of(const struct tp_buf *b)
{
	return (struct tp_slice){b->data, b->size};
}

static bool is(struct tp_slice line, const char *text)
{
	return line.size == strlen(text) && !memcmp(line.data, text, line.size);
}

static bool begins(struct tp_slice line, const char *text)
{
	size_t n = strlen(text);

	return line.size >= n && !memcmp(line.data, text, n);
}

/* The part of a location's line that is there without names: "     1: 0x485149 M=1 ". 0: it goes on
 * with a line of an inlined call. */
static size_t nameless(struct tp_slice line)
{
	size_t n = 0;

	while (n < line.size && line.data[n] == ' ')
		n++;
	if (n == line.size || line.data[n] < '0' || line.data[n] > '9')
		return 0;
	for (int words = 0; n < line.size && words < 2; n++)
		words += line.data[n] == ' ';
	for (const char *more[] = {"M=", "[F]"}, **m = more; m < more + 2; m++) {
		struct tp_slice rest = {line.data + n, line.size - n};

		if (!begins(rest, *m))
			continue;
		while (n < line.size && line.data[n] != ' ')
			n++;
		n += n < line.size;
	}
	return n;
}

/* ---- raw ---- */

static bool has_names(struct tp_slice raw)
{
	struct tp_slice line;
	bool locations = false;

	while (next_line(&raw, &line)) {
		if (is(line, "Mappings"))
			return false;
		if (locations && nameless(line) != line.size)
			return true;
		locations |= is(line, "Locations");
	}
	return false;
}

static void put_raw(struct facts *f, enum facts_side side, struct tp_slice raw, bool names)
{
	struct tp_slice line;
	bool locations = false;
	long long n = 0;

	while (next_line(&raw, &line)) {
		if (is(line, "Mappings"))
			locations = false;
		if (locations && !names) {
			line.size = nameless(line);
			if (!line.size)
				continue;
		}
		locations |= is(line, "Locations");
		facts_put_text(f, side, (const char *)line.data, line.size, "raw, line %lld", ++n);
	}
}

static void hash_samples(struct tp_slice raw, char hex[65])
{
	struct tp_slice line;
	struct sha256 sha;
	bool samples = false;

	sha256_init(&sha);
	while (next_line(&raw, &line)) {
		samples |= is(line, "Samples:");
		if (!samples)
			continue;
		sha256_update(&sha, line.data, line.size);
		sha256_update(&sha, "\n", 1);
		if (is(line, "Locations"))
			break;
	}
	sha256_hex(&sha, hex);
}

/* Without the labels that a text dump has in its comments; its numeric ones come from elsewhere. */
static int hide_texts(struct tp_profile *p, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < p->nsamples && !code; i++) {
		struct tp_label_set s = p->sets[p->label_set[i]];

		/* Texts come before numbers. */
		while (s.n && !p->labels[s.first].numeric) {
			s.first++;
			s.n--;
		}
		if (s.n == p->sets[p->label_set[i]].n)
			continue;
		if (!s.n)
			p->label_set[i] = 0;
		else
			code = tp_profile_label_set(p, p->labels + s.first, s.n, &p->label_set[i]);
	}
	return code ? out_of_memory(err) : 0;
}

/* What tprof-top --raw prints. */
static int print_raw(const struct profile_run *run, bool names, struct tp_buf *out,
		     struct tp_err *err)
{
	const struct rep_profile_report *raw = rep_profile_report_find("raw");
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_sink sink = rep_sink_buf(out);
	struct rep_profile_view v = {0};
	struct tp_profile *p;
	int code = tp_profile_load(run->store, run->run, &p, err);

	if (code)
		return code;
	/* pprof, which has no names in text dumps, finds nothing to drop in them. */
	opt.all_frames = strcmp(p->format, "pprof") != 0;
	if (!names && opt.all_frames)
		code = hide_texts(p, err);
	if (!code)
		code = rep_profile_view_init(&v, p, &opt, &raw->traits, err);
	if (!code)
		code = raw->print(&v, NULL, &sink, err);
	rep_profile_view_release(&v);
	tp_profile_free(p);
	return code;
}

static int raw_facts(struct facts *f, const struct profile_run *run,
		     const struct profile_expected *e, struct tp_err *err)
{
	struct tp_buf raw = {0};
	char hex[65];
	bool names;
	int code;

	if (!e->raw.size && !e->hash.size)
		return 0;
	names = !e->raw.size || has_names(all_of(&e->raw));
	code = print_raw(run, names, &raw, err);
	if (!code && e->raw.size) {
		put_raw(f, FACTS_EXPECTED, all_of(&e->raw), names);
		put_raw(f, FACTS_FOUND, all_of(&raw), names);
	}
	if (!code && e->hash.size) {
		struct tp_slice hash = all_of(&e->hash), line = {0};

		next_line(&hash, &line);
		facts_put_text(f, FACTS_EXPECTED, (const char *)line.data, line.size,
			       "raw, hash of the samples");
		hash_samples(all_of(&raw), hex);
		facts_put_text(f, FACTS_FOUND, hex, 64, "raw, hash of the samples");
	}
	tp_buf_release(&raw);
	return code;
}

/* ---- top ---- */

#define SECTION "== sample_index="

/* Lines of our heading, each with its end. */
static int collect(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	struct tp_buf *lines = ctx;

	return tp_buf_put(lines, text, size) || tp_buf_put(lines, "\n", 1) ? out_of_memory(err) : 0;
}

static bool has_line(const struct tp_buf *lines, struct tp_slice line)
{
	struct tp_slice text = all_of(lines), one;

	while (next_line(&text, &one))
		if (one.size == line.size && !memcmp(one.data, line.data, line.size))
			return true;
	return false;
}

static void put_rows(struct facts *f, const struct rep_profile_top *top, const char *type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < top->n; i++) {
		const struct rep_top_row *row = &top->row[i];
		char flat[REP_MEASURE_SIZE], cum[REP_MEASURE_SIZE], text[4096];
		char share[3][REP_PERCENTAGE_SIZE];
		int n;

		sum += row->flat;
		rep_percentage(share[0], row->flat, top->total);
		rep_percentage(share[1], sum, top->total);
		rep_percentage(share[2], row->cum, top->total);
		n = snprintf(text, sizeof(text), "%10s %s %s %10s %s  %.*s%s%s",
			     rep_view_label(&top->view, row->flat, flat), share[0], share[1],
			     rep_view_label(&top->view, row->cum, cum), share[2],
			     (int)row->name.size, row->name.text, *row->inlined ? " " : "",
			     row->inlined);
		if (n >= (int)sizeof(text))
			n = sizeof(text) - 1;
		facts_put_text(f, FACTS_FOUND, text, (size_t)n, "top of %s, row %lld", type,
			       (long long)i + 1);
	}
}

/* The lines of one section: what stands above the titles, and the rows beneath. */
static void put_section(struct facts *f, struct tp_slice lines, const struct tp_buf *heading,
			const char *type)
{
	struct tp_slice line;
	bool rows = false;
	long long n = 0;

	while (next_line(&lines, &line)) {
		if (rows) {
			facts_put_text(f, FACTS_EXPECTED, (const char *)line.data, line.size,
				       "top of %s, row %lld", type, ++n);
			continue;
		}
		rows = begins(line, "      flat  flat%");
		if (!rows)
			facts_check(f, has_line(heading, line), "top of %s: '%.*s'", type,
				    (int)line.size, (const char *)line.data);
	}
}

/* "Showing top 500 nodes out of 23038": how many rows there are, 0 all. */
static int64_t rows_shown(struct tp_slice lines)
{
	struct tp_slice line;
	long long n;

	while (next_line(&lines, &line))
		if (begins(line, "Showing top ") && line.size < 80) {
			char text[81] = "";

			memcpy(text, line.data, line.size);
			if (sscanf(text, "Showing top %lld nodes", &n) == 1)
				return n;
		}
	return 0;
}

static int top_section(struct facts *f, const struct profile_run *run, const char *type,
		       struct tp_slice lines, struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_profile_top top = {0};
	struct tp_buf heading = {0};
	struct tp_profile *p;
	int code = tp_profile_load(run->store, run->run, &p, err);

	if (code)
		return code;
	opt.sample_index = type;
	opt.node_count = rows_shown(lines);
	opt.node_fraction = opt.edge_fraction = 0;
	code = rep_profile_top(&top, p, &opt, err);
	if (!code)
		code = rep_graph_heading(top.graph, &top.view, false, collect, &heading, err);
	if (!code) {
		put_section(f, lines, &heading, type);
		put_rows(f, &top, type);
	} else if (code != TP_ENOMEM) {
		facts_check(f, false, "top of %s: %s", type, err->msg);
		code = 0;
	}
	tp_buf_release(&heading);
	rep_profile_top_release(&top);
	tp_profile_free(p);
	return code;
}

static int top_facts(struct facts *f, const struct profile_run *run, const struct tp_buf *expected,
		     struct tp_err *err)
{
	struct tp_slice text = all_of(expected), line, next;
	bool more = next_line(&text, &line);
	int code = 0;

	while (more && !code) {
		struct tp_slice section = {text.data, 0};
		char type[200];

		if (!begins(line, SECTION)) {
			facts_check(f, false, "top: '%.*s' heads no section", (int)line.size,
				    (const char *)line.data);
			return 0;
		}
		snprintf(type, sizeof(type), "%.*s", (int)(line.size - strlen(SECTION)),
			 (const char *)line.data + strlen(SECTION));
		while ((more = next_line(&text, &next)) && !begins(next, SECTION))
			section.size = (size_t)(text.data - section.data);
		code = top_section(f, run, type, section, err);
		line = next;
	}
	return code;
}

int profile_facts(struct facts *f, const struct profile_run *run, const struct profile_expected *e,
		  struct tp_err *err)
{
	int code = raw_facts(f, run, e, err);

	return code ? code : top_facts(f, run, &e->top, err);
}

/* ---- what pprof does not know ---- */

/* A name of an address, as an entry of a table that is sorted by both. */
struct name {
	uint64_t address;
	struct tp_text text;
};

static int compare_text(struct tp_text a, struct tp_text b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int c = n ? memcmp(a.text, b.text, n) : 0;

	return c ? c : (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *x, const void *y)
{
	const struct name *a = x, *b = y;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return compare_text(a->text, b->text);
}

/* All names of a profile's addresses, sorted; n of them. NULL when memory is out. */
static struct name *names_of(const struct tp_profile *p, size_t *n)
{
	struct name *names = malloc(tp_dict_frames(p->dict) * sizeof(*names));

	*n = 0;
	for (uint32_t i = 1; names && i < tp_dict_frames(p->dict); i++) {
		struct tp_frame f = tp_dict_frame_at(p->dict, i);
		struct tp_function fn = tp_dict_function_at(p->dict, f.function);
		uint64_t address = tp_dict_location_at(p->dict, f.location).address;

		if (fn.name && address)
			names[(*n)++] = (struct name){address, tp_dict_text(p->dict, fn.name)};
	}
	if (names)
		qsort(names, *n, sizeof(*names), compare_names);
	return names;
}

static size_t first_of(const struct name *names, size_t n, uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (names[middle].address < address)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* Text dumps abbreviate the type arguments of generic functions: "slices.Grow[...]" stands for
 * "slices.Grow[go.shape.[]uint8,go.shape.uint8]". */
static bool same_name(struct tp_text text, struct tp_text whole)
{
	static const char dots[] = "[...]";
	const char *at = memmem(text.text, text.size, dots, sizeof(dots) - 1);
	size_t before, behind;

	if (!at)
		return !compare_text(text, whole);
	before = (size_t)(at - text.text) + 1;
	behind = text.size - before - (sizeof(dots) - 2) + 1;
	return whole.size >= before + behind && !memcmp(whole.text, text.text, before) &&
	       !memcmp(whole.text + whole.size - behind, text.text + text.size - behind, behind);
}

static void check_name(struct facts *f, const struct name *name, const struct name *known,
		       size_t nknown, int64_t *compared)
{
	size_t at = first_of(known, nknown, name->address);
	bool found = false;

	/* Not every address of one dump is in the other. */
	if (at == nknown || known[at].address != name->address)
		return;
	for (; at < nknown && known[at].address == name->address; at++)
		found |= same_name(name->text, known[at].text);
	facts_check(f, found, "0x%llx is not %.*s", (unsigned long long)name->address,
		    (int)name->text.size, name->text.text);
	++*compared;
}

int profile_names(struct facts *f, const struct profile_run *text, const struct profile_run *proto,
		  int64_t *compared, struct tp_err *err)
{
	struct tp_profile *a = NULL, *b = NULL;
	struct name *names = NULL, *known = NULL;
	size_t nnames = 0, nknown = 0;
	int code = tp_profile_load(text->store, text->run, &a, err);

	*compared = 0;
	if (!code)
		code = tp_profile_load(proto->store, proto->run, &b, err);
	if (!code) {
		names = names_of(a, &nnames);
		known = names_of(b, &nknown);
		if (!names || !known)
			code = out_of_memory(err);
	}
	for (size_t i = 0; i < nnames && !code; i++)
		check_name(f, &names[i], known, nknown, compared);
	/* Two dumps of one program share most of their code. */
	if (!code)
		facts_check(f, *compared > 0, "no name is in both dumps");
	free(names);
	free(known);
	tp_profile_free(a);
	tp_profile_free(b);
	return code;
}

static int sum(const struct profile_run *run, int64_t *total, struct tp_err *err)
{
	struct tp_profile *p;
	int code = tp_profile_load(run->store, run->run, &p, err);

	*total = 0;
	if (code)
		return code;
	for (size_t i = 0; i < p->nsamples && p->ntypes; i++)
		*total += p->value[i * p->ntypes];
	tp_profile_free(p);
	return 0;
}

int profile_count(struct facts *f, const struct profile_run *stacks,
		  const struct profile_run *other, struct tp_err *err)
{
	int64_t found = 0, expected = 0;
	int code = sum(stacks, &found, err);

	if (!code)
		code = sum(other, &expected, err);
	if (code)
		return code;
	facts_put(f, FACTS_EXPECTED, expected, "goroutines");
	facts_put(f, FACTS_FOUND, found, "goroutines");
	return 0;
}
