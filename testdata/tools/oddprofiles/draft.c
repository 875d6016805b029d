#include "oddprofiles/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool done)
{
	if (done)
		return;
	fprintf(stderr, "oddprofiles: out of memory\n");
	exit(4);
}

static void put_number(struct tp_buf *b, uint32_t field, uint64_t value)
{
	need(!tp_wire_put_number(b, field, value));
}

static void put_bytes(struct tp_buf *b, uint32_t field, const void *data, size_t size)
{
	need(!tp_wire_put_bytes(b, field, data, size));
}

/* Ends a message. */
static void put_message(const struct draft *d, struct tp_buf *to, uint32_t field, struct tp_buf *m)
{
	/* A number, eight bytes, a string, four bytes: fields 100 to 103. */
	static const uint8_t unknown[] = {0xa0, 6,    1, 0xa9, 6,   1,	 2,    3, 4, 5, 6, 7,
					  8,	0xb2, 6, 2,    'h', 'i', 0xbd, 6, 9, 9, 9, 9};

	if (d->unknown)
		need(!tp_buf_put(m, unknown, sizeof(unknown)));
	put_bytes(to, field, m->data, m->size);
	tp_buf_release(m);
}

static void put_numbers(const struct draft *d, struct tp_buf *b, uint32_t field, const uint64_t *v,
			size_t n)
{
	struct tp_buf packed = {0};

	for (size_t i = 0; i < n; i++) {
		if (d->unpacked)
			need(!tp_buf_put_uvarint(b, (uint64_t)field << 3));
		need(!tp_buf_put_uvarint(d->unpacked ? b : &packed, v[i]));
	}
	if (n && !d->unpacked)
		put_bytes(b, field, packed.data, packed.size);
	tp_buf_release(&packed);
}

uint64_t draft_string(struct draft *d, const char *text)
{
	if (!*text)
		return 0;
	for (size_t i = 0; i < d->ntext && !d->unshared; i++)
		if (!strcmp(d->text[i], text))
			return i + 1;
	if (d->ntext == d->room) {
		d->room = d->room * 2 + 64;
		d->text = realloc(d->text, d->room * sizeof(*d->text));
		need(d->text);
	}
	d->text[d->ntext] = strdup(text);
	need(d->text[d->ntext]);
	return ++d->ntext;
}

void draft_type(struct draft *d, const char *type, const char *unit)
{
	struct tp_buf m = {0};

	put_number(&m, 1, draft_string(d, type));
	put_number(&m, 2, draft_string(d, unit));
	put_message(d, &d->types, 1, &m);
}

void draft_period_type(struct draft *d, const char *type, const char *unit)
{
	struct tp_buf m = {0};

	put_number(&m, 1, draft_string(d, type));
	put_number(&m, 2, draft_string(d, unit));
	put_message(d, &d->rest, 11, &m);
}

void draft_function(struct draft *d, uint64_t id, const char *name, const char *system,
		    const char *file, int64_t start)
{
	struct tp_buf m = {0};

	put_number(&m, 1, id);
	put_number(&m, 2, draft_string(d, name));
	put_number(&m, 3, draft_string(d, system));
	put_number(&m, 4, draft_string(d, file));
	put_number(&m, 5, (uint64_t)start);
	put_message(d, &d->functions, 5, &m);
}

void draft_mapping(struct draft *d, uint64_t id, uint64_t start, uint64_t limit, uint64_t offset,
		   const char *file, const char *build, unsigned flags)
{
	struct tp_buf m = {0};

	put_number(&m, 1, id);
	put_number(&m, 2, start);
	put_number(&m, 3, limit);
	put_number(&m, 4, offset);
	put_number(&m, 5, draft_string(d, file));
	put_number(&m, 6, draft_string(d, build));
	for (uint32_t i = 0; i < 4; i++)
		put_number(&m, 7 + i, flags >> i & 1);
	put_message(d, &d->mappings, 3, &m);
}

void draft_location(struct draft *d, uint64_t id, uint64_t mapping, uint64_t address, bool folded,
		    const struct draft_line *line, size_t n)
{
	struct tp_buf m = {0};

	put_number(&m, 1, id);
	put_number(&m, 2, mapping);
	put_number(&m, 3, address);
	for (size_t i = 0; i < n; i++) {
		struct tp_buf l = {0};

		put_number(&l, 1, line[i].function);
		put_number(&l, 2, (uint64_t)line[i].line);
		put_number(&l, 3, (uint64_t)line[i].column);
		put_message(d, &m, 4, &l);
	}
	put_number(&m, 5, folded);
	put_message(d, &d->locations, 4, &m);
}

void draft_add_sample(struct draft *d, const struct draft_sample *s)
{
	struct tp_buf m = {0};

	put_numbers(d, &m, 1, s->location, s->nlocations);
	put_numbers(d, &m, 2, (const uint64_t *)s->value, s->nvalues);
	for (size_t i = 0; i < s->nlabels; i++) {
		const struct draft_label *l = &s->label[i];
		struct tp_buf b = {0};

		put_number(&b, 1, draft_string(d, l->key));
		if (l->text) {
			put_number(&b, 2, draft_string(d, l->text));
		} else {
			put_number(&b, 3, (uint64_t)l->number);
			put_number(&b, 4, draft_string(d, l->unit ? l->unit : ""));
		}
		put_message(d, &m, 3, &b);
	}
	put_message(d, &d->samples, 2, &m);
}

void draft_number(struct draft *d, uint32_t field, int64_t value)
{
	put_number(&d->rest, field, (uint64_t)value);
}

void draft_text(struct draft *d, uint32_t field, const char *text)
{
	uint64_t index = draft_string(d, text);

	need(!tp_buf_put_uvarint(&d->rest, (uint64_t)field << 3));
	need(!tp_buf_put_uvarint(&d->rest, index));
}

static void take(struct tp_buf *out, struct tp_buf *part)
{
	need(!tp_buf_put(out, part->data, part->size));
	part->size = 0;
}

void draft_finish(struct draft *d, struct tp_buf *out)
{
	/* By order: which part comes when. */
	struct tp_buf *const orders[][7] = {
	    [DRAFT_PLAIN] = {&d->types, &d->samples, &d->mappings, &d->locations, &d->functions,
			     &d->strings, &d->rest},
	    [DRAFT_TABLES_LAST] = {&d->samples, &d->rest, &d->types, &d->functions, &d->locations,
				   &d->mappings, &d->strings},
	    [DRAFT_STRINGS_FIRST] = {&d->strings, &d->rest, &d->functions, &d->mappings,
				     &d->locations, &d->samples, &d->types},
	};

	put_bytes(&d->strings, 6, "", 0);
	for (size_t i = 0; i < d->ntext; i++) {
		put_bytes(&d->strings, 6, d->text[i], strlen(d->text[i]));
		free(d->text[i]);
	}
	free(d->text);
	for (size_t i = 0; i < 7; i++)
		take(out, orders[d->order][i]);
	for (size_t i = 0; i < 7; i++)
		tp_buf_release(orders[d->order][i]);
	*d = (struct draft){0};
}
