#include "conformance/top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/raw.h"
#include "profile/top.h"

#define SECTION "== sample_index="

/* Lines of our heading, each with its end. */
static int collect(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	struct tp_buf *lines = ctx;

	return tp_buf_put(lines, text, size) || tp_buf_put(lines, "\n", 1) ? tp_nomem(err) : 0;
}

static bool has_line(const struct tp_buf *lines, struct tp_slice line)
{
	struct tp_slice text = (struct tp_slice){lines->data, lines->size}, one;

	while (raw_next_line(&text, &one))
		if (one.size == line.size && !memcmp(one.data, line.data, line.size))
			return true;
	return false;
}

/* The rows of one side. */
struct rows {
	struct tp_buf text;
	struct row {
		size_t at, size, flat, name; /* in the text; flat and name begin there */
	} * row;
	size_t n, room;
};

static void release_rows(struct rows *r)
{
	tp_buf_release(&r->text);
	free(r->row);
}

/* Ends the row that was put into the text. */
static int end_row(struct rows *r, struct tp_err *err)
{
	struct row row = {.at = r->n ? r->row[r->n - 1].at + r->row[r->n - 1].size : 0};
	size_t at = row.at;

	row.size = r->text.size - at;
	/* Five columns, of which the first is flat, two blanks, the name. */
	for (int column = 0; column < 5; column++) {
		while (at < r->text.size && r->text.data[at] == ' ')
			at++;
		row.flat = column ? row.flat : at;
		while (at < r->text.size && r->text.data[at] != ' ')
			at++;
	}
	row.name = at;
	if (r->n == r->room) {
		void *p = realloc(r->row, (r->room * 2 + 64) * sizeof(*r->row));

		if (!p)
			return tp_nomem(err);
		r->row = p;
		r->room = r->room * 2 + 64;
	}
	r->row[r->n++] = row;
	return 0;
}

static int compare_bytes(const struct rows *r, size_t a, size_t na, size_t b, size_t nb)
{
	int c = memcmp(r->text.data + a, r->text.data + b, na < nb ? na : nb);

	return c ? c : (na > nb) - (na < nb);
}

/* Rows of the same flat value and name: pprof has them in any order. */
static bool tied(const struct rows *r, const struct row *a, const struct row *b)
{
	const uint8_t *text = r->text.data;
	size_t n = 0, inlined = sizeof("partial-inline") + 2;

	while (text[a->flat + n] != ' ' && text[a->flat + n] == text[b->flat + n])
		n++;
	if (text[a->flat + n] != ' ' || text[b->flat + n] != ' ')
		return false;
	/* "(inline)" behind the name is not part of it. */
	for (n = 0; a->name + n < a->at + a->size && b->name + n < b->at + b->size; n++)
		if (text[a->name + n] != text[b->name + n])
			break;
	return a->at + a->size - a->name - n <= inlined &&
	       b->at + b->size - b->name - n <= inlined &&
	       (a->name + n == a->at + a->size || !memcmp(text + a->name + n, " (", 2)) &&
	       (b->name + n == b->at + b->size || !memcmp(text + b->name + n, " (", 2));
}

static void put_rows(struct facts *f, enum facts_side side, struct rows *r, const char *type)
{
	for (size_t i = 1; i < r->n; i++)
		for (size_t k = i; k && tied(r, &r->row[k - 1], &r->row[k]); k--) {
			struct row *a = &r->row[k - 1], *b = &r->row[k], swap = *a;

			if (compare_bytes(r, a->at, a->size, b->at, b->size) <= 0)
				break;
			*a = *b;
			*b = swap;
		}
	for (size_t i = 0; i < r->n; i++)
		facts_put_text(f, side, (const char *)r->text.data + r->row[i].at, r->row[i].size,
			       "top of %s, row %lld", type, (long long)i + 1);
}

/* Our rows as pprof prints them. */
static int find_row(struct rows *r, const struct rep_profile_top *top, size_t i, int64_t sum,
		    struct tp_err *err)
{
	const struct rep_top_row *row = &top->row[i];
	char flat[REP_MEASURE_SIZE], cum[REP_MEASURE_SIZE], text[4 * REP_MEASURE_SIZE];
	char share[3][REP_PERCENTAGE_SIZE];

	rep_percentage(share[0], row->flat, top->total);
	rep_percentage(share[1], sum, top->total);
	rep_percentage(share[2], row->cum, top->total);
	snprintf(text, sizeof(text), "%10s %s %s %10s %s  ",
		 rep_view_label(&top->view, row->flat, flat), share[0], share[1],
		 rep_view_label(&top->view, row->cum, cum), share[2]);
	if (tp_buf_put(&r->text, text, strlen(text)) ||
	    tp_buf_put(&r->text, row->name.text, row->name.size) ||
	    (*row->inlined && tp_buf_put(&r->text, " ", 1)) ||
	    tp_buf_put(&r->text, row->inlined, strlen(row->inlined)))
		return tp_nomem(err);
	return end_row(r, err);
}

static int find_rows(struct facts *f, const struct rep_profile_top *top, const char *type,
		     struct tp_err *err)
{
	struct rows rows = {0};
	int64_t sum = 0;
	int code = 0;

	for (size_t i = 0; i < top->n && !code; i++) {
		sum += top->row[i].flat;
		code = find_row(&rows, top, i, sum, err);
	}
	if (!code)
		put_rows(f, FACTS_FOUND, &rows, type);
	release_rows(&rows);
	return code;
}

/* The lines of one section: what stands above the titles, and the rows beneath. */
static int put_section(struct facts *f, struct tp_slice lines, const struct tp_buf *heading,
		       const char *type, struct tp_err *err)
{
	struct rows rows = {0};
	struct tp_slice line;
	bool beneath = false;
	int code = 0;

	while (!code && raw_next_line(&lines, &line)) {
		if (beneath) {
			code = tp_buf_put(&rows.text, line.data, line.size) ? tp_nomem(err)
									    : end_row(&rows, err);
			continue;
		}
		beneath = raw_begins(line, "      flat  flat%");
		if (!beneath)
			facts_check(f, has_line(heading, line), "top of %s: '%.*s'", type,
				    (int)line.size, (const char *)line.data);
	}
	if (!code)
		put_rows(f, FACTS_EXPECTED, &rows, type);
	release_rows(&rows);
	return code;
}

/* "Showing top 500 nodes out of 23038": how many rows there are, 0 all. */
static int64_t rows_shown(struct tp_slice lines)
{
	struct tp_slice line;
	long long n;

	while (raw_next_line(&lines, &line))
		if (raw_begins(line, "Showing top ") && line.size < 80) {
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
	opt.pprof_units = true;
	opt.node_count = rows_shown(lines);
	opt.node_fraction = opt.edge_fraction = 0;
	code = rep_profile_top(&top, p, &opt, err);
	if (!code)
		code = rep_graph_heading(top.graph, &top.view, false, collect, &heading, err);
	if (!code) {
		code = put_section(f, lines, &heading, type, err);
		if (!code)
			code = find_rows(f, &top, type, err);
	} else if (code != TP_ENOMEM) {
		facts_check(f, false, "top of %s: %s", type, err->msg);
		code = 0;
	}
	tp_buf_release(&heading);
	rep_profile_top_release(&top);
	tp_profile_free(p);
	return code;
}

int top_facts(struct facts *f, const struct profile_run *run, const struct tp_buf *expected,
	      struct tp_err *err)
{
	struct tp_slice text = (struct tp_slice){expected->data, expected->size}, line, next;
	bool more = raw_next_line(&text, &line);
	int code = 0;

	while (more && !code) {
		struct tp_slice section = {text.data, 0};
		char type[200];

		if (!raw_begins(line, SECTION)) {
			facts_check(f, false, "top: '%.*s' heads no section", (int)line.size,
				    (const char *)line.data);
			return 0;
		}
		snprintf(type, sizeof(type), "%.*s", (int)(line.size - strlen(SECTION)),
			 (const char *)line.data + strlen(SECTION));
		while ((more = raw_next_line(&text, &next)) && !raw_begins(next, SECTION))
			section.size = (size_t)(text.data - section.data);
		code = top_section(f, run, type, section, err);
		line = next;
	}
	return code;
}
