/* Reads the parts of a profile other than its samples. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "engine/profiles.h"

/* ---- headers ---- */

static void skip_row(struct tp_cursor *c, enum rep_engine_table_id table)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);

	for (unsigned i = 3; i < n; i++) {
		if (strcmp(column[i].type, REP_ENGINE_TEXT) == 0)
			rep_row_get_text_or_null(c);
		else
			rep_row_get_int(c);
	}
}

static int on_header(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_profiles *p = ctx;
	uint64_t run = rep_row_get(c, 4);
	const uint8_t *from = c->at;
	size_t which = (size_t)(p->table - REP_ENGINE_PROFILE);

	skip_row(c, p->table);
	if (c->failed)
		return 0;
	if (run >= p->f->runs->n)
		return rep_fetch_odd(err, "a row of no run");
	if (rep_held_add(p->f->held, (size_t)(c->at - from), err))
		return err->code;
	return tp_buf_put(&p->header[run].rows[which], from, (size_t)(c->at - from)) ? tp_nomem(err)
										     : 0;
}

int rep_fetch_headers(struct rep_profiles *p, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < REP_FETCH_HEADERS && !code; i++) {
		struct tp_buf s = {0};

		p->table = (enum rep_engine_table_id)(REP_ENGINE_PROFILE + i);
		rep_fetch_put_rows(&s, p->f, rep_fetch_is_profile, p->table);
		code = rep_engine_ask(p->f->link, &s, on_header, p, err);
	}
	return code;
}

/* ---- a profile without its samples ---- */

uint32_t rep_fetch_intern(struct texts *t, struct tp_slice s)
{
	uint32_t id = 0;

	if (!t->code && s.data)
		t->code = tp_dict_string(t->profile->dict, s.data, s.size, &id);
	return id;
}

static void read_profile(struct tp_cursor *c, struct texts *t)
{
	struct tp_profile *p = t->profile;

	p->period_type.type = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	p->period_type.unit = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	p->period = rep_row_get_int(c);
	p->time_ns = rep_row_get_int(c);
	if (p->time_ns == TP_NULL)
		p->time_ns = 0;
	p->duration_ns = rep_row_get_int(c);
	p->default_type = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	p->drop_frames = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	p->keep_frames = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	p->doc_url = rep_fetch_intern(t, rep_row_get_text_or_null(c));
}

static int read_mapping(struct tp_cursor *c, struct texts *t)
{
	struct tp_mapping m = {.start = (uint64_t)rep_row_get_int(c)};
	uint32_t number;

	m.limit = (uint64_t)rep_row_get_int(c);
	m.offset = (uint64_t)rep_row_get_int(c);
	m.file = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	m.build_id = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	m.flags = (uint32_t)rep_row_get_int(c);
	return t->code ? t->code : tp_profile_add_mapping(t->profile, &m, &number);
}

static int read_counter(struct tp_cursor *c, struct texts *t)
{
	struct tp_counter counter = {.name = rep_fetch_intern(t, rep_row_get_text_or_null(c))};

	counter.item = rep_row_get_int(c);
	counter.value = rep_row_get_int(c);
	counter.text = rep_fetch_intern(t, rep_row_get_text_or_null(c));
	return t->code ? t->code : tp_profile_add_counter(t->profile, &counter);
}

static int read_header(struct tp_cursor *c, enum rep_engine_table_id table, struct texts *t)
{
	uint32_t a, b;

	switch (table) {
	case REP_ENGINE_PROFILE:
		read_profile(c, t);
		return t->code;
	case REP_ENGINE_SAMPLE_TYPE:
		a = rep_fetch_intern(t, rep_row_get_text_or_null(c));
		b = rep_fetch_intern(t, rep_row_get_text_or_null(c));
		return t->code ? t->code : tp_profile_add_type(t->profile, a, b);
	case REP_ENGINE_MAPPING:
		return read_mapping(c, t);
	case REP_ENGINE_COMMENT:
		a = rep_fetch_intern(t, rep_row_get_text_or_null(c));
		return t->code ? t->code : tp_profile_add_comment(t->profile, a);
	default:
		return read_counter(c, t);
	}
}

int rep_fetch_checked(int code, struct tp_err *err)
{
	return code == TP_ENOMEM ? tp_nomem(err)
	       : code		 ? rep_fetch_odd(err, "a profile with too much in it")
				 : 0;
}

void rep_fetch_drop(struct rep_profiles *p)
{
	p->f->held->now -= p->now.held;
	tp_profile_free(p->now.profile);
	free(p->now.place);
	free(p->now.by_key);
	free(p->now.node);
	free(p->now.sample);
	tp_buf_release(&p->now.rows);
	p->now = (struct current){0};
}

static int compare_keys(const void *a, const void *b, void *ctx)
{
	const struct rep_mapping_place *place = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (place[x].key != place[y].key)
		return place[x].key < place[y].key ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int place_mappings(struct current *now, struct tp_err *err)
{
	const struct tp_profile *p = now->profile;

	now->place = rep_mapping_places(p->dict, p->mappings, p->nmappings);
	now->by_key = tp_many(p->nmappings + 1, sizeof(*now->by_key));
	if (!now->place || !now->by_key)
		return tp_nomem(err);
	for (size_t i = 0; i < p->nmappings; i++)
		now->by_key[i] = (uint32_t)i + 1;
	qsort_r(now->by_key, p->nmappings, sizeof(*now->by_key), compare_keys, now->place);
	return 0;
}

/* The most memory that a row becomes; the row itself may take only six bytes. */
#define ROW_BECOMES                                                                                \
	(sizeof(struct tp_mapping) + sizeof(struct rep_mapping_place) + sizeof(uint32_t))

static int hold_row(struct rep_profiles *p, struct tp_err *err)
{
	if (rep_held_add(p->f->held, ROW_BECOMES, err))
		return err->code;
	p->now.held += ROW_BECOMES;
	return 0;
}

int rep_fetch_start(struct rep_profiles *p, size_t run, struct tp_err *err)
{
	struct current *now = &p->now;
	struct texts t = {0};
	int code = 0;

	*now = (struct current){.run = run, .profile = tp_profile_new()};
	t.profile = now->profile;
	if (!t.profile)
		return tp_nomem(err);
	for (size_t i = 0; i < REP_FETCH_HEADERS && !code; i++) {
		const struct tp_buf *b = &p->header[run].rows[i];
		struct tp_cursor c = tp_cursor(b->data, b->size);

		while (c.at < c.end && !c.failed && !code) {
			if (hold_row(p, err))
				return err->code;
			code =
			    read_header(&c, (enum rep_engine_table_id)(REP_ENGINE_PROFILE + i), &t);
		}
	}
	if (code)
		return rep_fetch_checked(code, err);
	now->node = calloc(p->nstacks + 1, sizeof(*now->node));
	return now->node ? place_mappings(now, err) : tp_nomem(err);
}
