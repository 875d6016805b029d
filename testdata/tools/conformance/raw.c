/* The text (pprof: profile.String):
 *
 *	…                                lines of the heading
 *	Samples:
 *	samples/count cpu/nanoseconds
 *	         1   10000000: 1 2 3     values, ids of locations from the leaf
 *	                tier:[gold]      its labels, 16 blanks in front
 *	Locations
 *	     1: 0x44565f M=1 FUNCTION …  id, address, id of the mapping, [F] when folded, first line
 *	             …                   further lines, 13 blanks in front
 *	Mappings
 *	1: 0x400000/0x688000/0x0 …
 */
#include "conformance/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "decode/dict.h"

struct location {
	uint64_t id;
	uint32_t content; /* string in the dictionary */
};

struct raw {
	struct facts *f;
	enum facts_side side;
	bool names;
	struct tp_slice heading, samples, locations, mappings;
	uint64_t *mapping; /* ids, in order */
	size_t nmappings;
	struct location *location; /* by id */
	size_t nlocations;
	struct tp_dict *contents;
	uint32_t *number; /* by string: of the location with this content, 0 not named yet */
	long long named;
	struct tp_buf text;
};

/* ---- lines ---- */

bool raw_next_line(struct tp_slice *text, struct tp_slice *line)
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

bool raw_is(struct tp_slice line, const char *text)
{
	return line.size == strlen(text) && !memcmp(line.data, text, line.size);
}

bool raw_begins(struct tp_slice line, const char *text)
{
	size_t n = strlen(text);

	return line.size >= n && !memcmp(line.data, text, n);
}

/* A number at the head of the line, taken off it with the blanks before; false: none. */
static bool take_number(struct tp_slice *line, uint64_t *v)
{
	size_t n = 0;

	while (n < line->size && line->data[n] == ' ')
		n++;
	if (n == line->size || line->data[n] < '0' || line->data[n] > '9')
		return false;
	for (*v = 0; n < line->size && line->data[n] >= '0' && line->data[n] <= '9'; n++)
		*v = *v * 10 + (uint64_t)(line->data[n] - '0');
	line->data += n;
	line->size -= n;
	return true;
}

static void skip(struct tp_slice *line, size_t n)
{
	n = n < line->size ? n : line->size;
	line->data += n;
	line->size -= n;
}

/* A word and the blank behind it, taken off. */
static struct tp_slice take_word(struct tp_slice *line)
{
	const uint8_t *end = line->size ? memchr(line->data, ' ', line->size) : NULL;
	struct tp_slice word = {line->data, end ? (size_t)(end - line->data) + 1 : line->size};

	skip(line, word.size);
	return word;
}

/* Everything up to the line `title`, taken off with it. */
static struct tp_slice take_until(struct tp_slice *text, const char *title)
{
	struct tp_slice part = *text, line;

	while (raw_next_line(text, &line))
		if (raw_is(line, title)) {
			part.size = (size_t)(line.data - part.data);
			break;
		}
	return part;
}

/* ---- mappings ---- */

static int read_mappings(struct raw *r, struct tp_err *err)
{
	struct tp_slice text = r->mappings, line;
	uint64_t id;

	while (raw_next_line(&text, &line)) {
		void *p = realloc(r->mapping, (r->nmappings + 1) * sizeof(*r->mapping));

		if (!p)
			return tp_nomem(err);
		r->mapping = p;
		if (!take_number(&line, &id))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "raw: no mapping: %.*s",
					  (int)line.size, (const char *)line.data);
		r->mapping[r->nmappings++] = id;
		facts_put_text(r->f, r->side, (const char *)line.data, line.size,
			       "raw, mapping %lld", (long long)r->nmappings);
	}
	return 0;
}

static unsigned long long mapping_number(const struct raw *r, uint64_t id)
{
	for (size_t i = 0; i < r->nmappings; i++)
		if (r->mapping[i] == id)
			return i + 1;
	return 0;
}

/* ---- locations ---- */

static int put(struct raw *r, const void *data, size_t size, struct tp_err *err)
{
	return tp_buf_put(&r->text, data, size) ? tp_nomem(err) : 0;
}

/* What the first line of a location says, into r->text. */
static int put_first_line(struct raw *r, struct tp_slice line, struct tp_err *err)
{
	struct tp_slice word = take_word(&line);
	char number[32];
	uint64_t id;
	int code = put(r, word.data, word.size, err);

	if (!code && raw_begins(line, "M=")) {
		skip(&line, 2);
		if (!take_number(&line, &id))
			id = 0;
		snprintf(number, sizeof(number), "M=%llu", mapping_number(r, id));
		code = put(r, number, strlen(number), err);
		if (!code)
			word = take_word(&line);
		if (!code)
			code = put(r, word.data, word.size, err);
	}
	if (!code && raw_begins(line, "[F] ")) {
		word = take_word(&line);
		code = put(r, word.data, word.size, err);
	}
	return code || !r->names ? code : put(r, line.data, line.size, err);
}

static int end_location(struct raw *r, uint64_t id, struct tp_err *err)
{
	struct location l = {.id = id};
	void *p;

	if (tp_dict_string(r->contents, r->text.data, r->text.size, &l.content))
		return tp_nomem(err);
	if (!(r->nlocations & (r->nlocations - 1))) {
		p = realloc(r->location, (r->nlocations * 2 + 1) * sizeof(*r->location));
		if (!p)
			return tp_nomem(err);
		r->location = p;
	}
	r->location[r->nlocations++] = l;
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct location *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int read_locations(struct raw *r, struct tp_err *err)
{
	struct tp_slice text = r->locations, line;
	bool open = false;
	uint64_t id = 0;
	int code = 0;

	while (!code && raw_next_line(&text, &line)) {
		if (raw_begins(line, "             ")) {
			if (r->names && !(code = put(r, "\n", 1, err)))
				code = put(r, line.data + 13, line.size - 13, err);
			continue;
		}
		if (open)
			code = end_location(r, id, err);
		r->text.size = 0;
		open = take_number(&line, &id) && raw_begins(line, ": ");
		if (!open)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "raw: no location: %.*s",
					  (int)line.size, (const char *)line.data);
		skip(&line, 2);
		if (!code)
			code = put_first_line(r, line, err);
	}
	if (!code && open)
		code = end_location(r, id, err);
	if (r->nlocations)
		qsort(r->location, r->nlocations, sizeof(*r->location), compare_ids);
	return code;
}

/* Returns the number of the location `id` by its content, or 0 if there is no such location. */
static long long location_number(struct raw *r, uint64_t id)
{
	struct location key = {.id = id}, *l = NULL;
	struct tp_text content;

	if (r->nlocations)
		l = bsearch(&key, r->location, r->nlocations, sizeof(key), compare_ids);
	if (!l)
		return 0;
	if (!r->number[l->content]) {
		r->number[l->content] = (uint32_t)++r->named;
		content = tp_dict_text(r->contents, l->content);
		facts_put_text(r->f, r->side, content.text, content.size, "raw, location %lld",
			       r->named);
	}
	return r->number[l->content];
}

/* ---- samples ---- */

static int put_sample(struct raw *r, struct tp_slice line, long long n, struct tp_err *err)
{
	const uint8_t *colon = memchr(line.data, ':', line.size);
	size_t values = colon ? (size_t)(colon - line.data) + 1 : line.size;
	struct tp_slice ids = {line.data + values, line.size - values};
	char number[32];
	uint64_t id;
	int code;

	r->text.size = 0;
	code = put(r, line.data, values, err);
	while (!code && take_number(&ids, &id)) {
		snprintf(number, sizeof(number), " %lld", location_number(r, id));
		code = put(r, number, strlen(number), err);
	}
	if (!code)
		facts_put_text(r->f, r->side, (const char *)r->text.data, r->text.size,
			       "raw, sample %lld", n);
	return code;
}

static int read_samples(struct raw *r, struct tp_err *err)
{
	struct tp_slice text = r->samples, line;
	long long samples = 0, labels = 0;
	int code = 0;

	if (raw_next_line(&text, &line))
		facts_put_text(r->f, r->side, (const char *)line.data, line.size, "raw, types");
	while (!code && raw_next_line(&text, &line)) {
		if (raw_begins(line, "                ")) {
			facts_put_text(r->f, r->side, (const char *)line.data + 16, line.size - 16,
				       "raw, sample %lld, labels %lld", samples, ++labels);
			continue;
		}
		labels = 0;
		code = put_sample(r, line, ++samples, err);
	}
	return code;
}

/* ---- all of it ---- */

static void put_heading(struct raw *r)
{
	struct tp_slice text = r->heading, line;
	long long n = 0;

	while (raw_next_line(&text, &line))
		facts_put_text(r->f, r->side, (const char *)line.data, line.size,
			       "raw, heading %lld", ++n);
}

int raw_facts(struct facts *f, enum facts_side side, struct tp_slice raw, bool names,
	      struct tp_err *err)
{
	struct raw r = {.f = f, .side = side, .names = names};
	int code = 0;

	r.heading = take_until(&raw, "Samples:");
	r.samples = take_until(&raw, "Locations");
	r.locations = take_until(&raw, "Mappings");
	r.mappings = raw;
	r.contents = tp_dict_new();
	if (!r.contents)
		return tp_nomem(err);
	put_heading(&r);
	code = read_mappings(&r, err);
	if (!code)
		code = read_locations(&r, err);
	r.number = calloc(tp_dict_strings(r.contents), sizeof(*r.number));
	if (!code)
		code = r.number ? read_samples(&r, err) : tp_nomem(err);
	free(r.mapping);
	free(r.location);
	free(r.number);
	tp_dict_free(r.contents);
	tp_buf_release(&r.text);
	return code;
}

bool raw_has_names(struct tp_slice raw)
{
	struct tp_slice line;

	take_until(&raw, "Locations");
	raw = take_until(&raw, "Mappings");
	while (raw_next_line(&raw, &line)) {
		uint64_t id;

		if (!take_number(&line, &id))
			return true;
		skip(&line, 2);
		take_word(&line);
		if (raw_begins(line, "M="))
			take_word(&line);
		if (raw_begins(line, "[F]"))
			take_word(&line);
		if (line.size)
			return true;
	}
	return false;
}
