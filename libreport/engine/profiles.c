/* Profiles from the engine: what each says of itself, the stacks that are needed, and samples, run
 * by run in order. Sums are the engine's where that is what is wanted (fetch.h). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "engine/fetching.h"

#define HEADERS 5

static const enum tp_table_id headers[HEADERS] = {
    TP_TABLE_PROFILE, TP_TABLE_SAMPLE_TYPE, TP_TABLE_MAPPING, TP_TABLE_COMMENT, TP_TABLE_COUNTER};

/* Rows as they came, one after the other. */
struct header {
	struct tp_buf rows[HEADERS];
};

struct known_stack {
	uint8_t hash[REP_STACK_HASH];
	size_t at; /* in `rows`, behind the hash */
	size_t size;
	bool there;
};

/* A sample's row, and the number that its stack had where it came from. */
struct place {
	size_t at, size;
	uint32_t node;
};

/* The profile that samples are put into. */
struct current {
	struct tp_profile *profile; /* NULL: none yet */
	size_t run;
	struct rep_mapping_place *place;
	uint32_t *node;	      /* by known stack: its node + 1 */
	struct tp_buf rows;   /* of its samples, as they came */
	struct place *sample; /* nsamples of them */
	size_t nsamples, room;
};

struct rep_profiles {
	const struct rep_fetching *f;
	struct header *header; /* by run */
	size_t *group;	       /* by run: those that are alike are one */
	bool add_up;
	struct tp_buf rows; /* of stacks */
	struct known_stack *slot;
	size_t nslots, nstacks;
	uint64_t seed;
	int (*each)(void *ctx, size_t run, struct tp_profile *profile, struct tp_err *err);
	void *each_ctx;
	size_t next; /* run that is to be made */
	struct current now;
	enum tp_table_id table;
	struct tp_buf spool; /* an answer that is read when it is complete */
};

/* ---- headers ---- */

static void skip_row(struct tp_cursor *c, enum tp_table_id table)
{
	const struct tp_table_desc *t = &tp_tables[table];

	for (unsigned i = 0; i < t->ncolumns; i++) {
		if (t->columns[i].kind == TP_COL_STR)
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
	size_t which = 0;

	skip_row(c, p->table);
	if (c->failed)
		return 0;
	if (run >= p->f->runs->n)
		return rep_fetch_odd(err, "a row of no run");
	while (headers[which] != p->table)
		which++;
	return tp_buf_put(&p->header[run].rows[which], from, (size_t)(c->at - from))
		   ? rep_engine_no_memory(err)
		   : 0;
}

static int load_headers(struct rep_profiles *p, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < HEADERS && !code; i++) {
		enum rep_engine_table_id table =
		    (enum rep_engine_table_id)(REP_ENGINE_PACKED + (int)headers[i]);
		struct rep_sql s = {0};

		p->table = headers[i];
		rep_sql_put(&s, "SELECT ");
		rep_fetch_put_number(&s, p->f, rep_fetch_is_profile);
		rep_sql_put(&s, " AS number, ");
		rep_engine_put_columns(&s, table, 3);
		rep_sql_put(&s, " FROM ");
		rep_engine_put_table(&s, p->f->at, table, false);
		rep_fetch_put_loads(&s, p->f, rep_fetch_is_profile);
		rep_sql_put(&s, " ORDER BY number, row FORMAT RowBinary");
		code = rep_fetch_ask(p->f->link, &s, on_header, p, err);
	}
	return code;
}

/* ---- stacks ---- */

static struct known_stack *find_stack(const struct rep_profiles *p, const uint8_t *hash)
{
	uint64_t h;
	size_t at;

	memcpy(&h, hash, sizeof(h));
	at = (size_t)tp_mix64(p->seed, h) & (p->nslots - 1);
	while (p->slot[at].there && memcmp(p->slot[at].hash, hash, REP_STACK_HASH) != 0)
		at = (at + 1) & (p->nslots - 1);
	return &p->slot[at];
}

static int grow_stacks(struct rep_profiles *p)
{
	struct rep_profiles more = {.nslots = p->nslots ? 2 * p->nslots : 1024, .seed = p->seed};

	more.slot = calloc(more.nslots, sizeof(*more.slot));
	if (!more.slot)
		return TP_ENOMEM;
	for (size_t i = 0; i < p->nslots; i++)
		if (p->slot[i].there)
			*find_stack(&more, p->slot[i].hash) = p->slot[i];
	free(p->slot);
	p->slot = more.slot;
	p->nslots = more.nslots;
	return 0;
}

enum { TEXTS = 0, WIDE = 8, NARROW = 4, BYTES = 1 };

/* functions, files, lines, columns, marks, system_names, start_lines, mappings, addresses, flags */
static const int stack_column[] = {TEXTS, TEXTS, WIDE, WIDE, BYTES,
				   TEXTS, WIDE,	 WIDE, WIDE, NARROW};
enum {
	FUNCTIONS,
	FILES,
	LINES,
	COLUMNS,
	MARKS,
	SYSTEM_NAMES,
	START_LINES,
	MAPPINGS,
	ADDRESSES,
	FLAGS,
	NCOLUMNS
};

/* The columns of a stack's row, each ready to be read value by value; *n of them in each. False
 * where they are not of one length. */
static bool split_stack(struct tp_cursor *c, struct tp_cursor column[NCOLUMNS], uint64_t *n)
{
	bool same = true;

	*n = 0;
	for (int i = 0; i < NCOLUMNS; i++) {
		int width = stack_column[i];
		uint64_t count = rep_row_get_count(c, width ? (unsigned)width : 1);

		if (!i)
			*n = count;
		same = same && count == *n;
		column[i] = *c;
		if (width)
			tp_cursor_bytes(c, count * (unsigned)width);
		for (uint64_t k = 0; k < count && !width && !c->failed; k++)
			rep_row_get_text(c);
	}
	return same;
}

static int on_stack(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_profiles *p = ctx;
	struct tp_cursor column[NCOLUMNS];
	struct tp_slice hash = tp_cursor_bytes(c, REP_STACK_HASH);
	const uint8_t *from = c->at;
	struct known_stack *s;
	uint64_t n;
	bool same = split_stack(c, column, &n);

	if (c->failed)
		return 0;
	if (!same)
		return rep_fetch_odd(err, "a stack whose columns differ in length");
	if (p->nstacks * 2 >= p->nslots && grow_stacks(p))
		return rep_engine_no_memory(err);
	s = find_stack(p, hash.data);
	if (s->there)
		return 0;
	*s =
	    (struct known_stack){.at = p->rows.size, .size = (size_t)(c->at - from), .there = true};
	memcpy(s->hash, hash.data, REP_STACK_HASH);
	p->nstacks++;
	return tp_buf_put(&p->rows, from, s->size) ? rep_engine_no_memory(err) : 0;
}

static int load_stacks(struct rep_profiles *p, struct tp_err *err)
{
	struct rep_sql s = {0};

	p->seed = tp_seed();
	if (grow_stacks(p))
		return rep_engine_no_memory(err);
	rep_sql_put(&s, "SELECT ");
	rep_engine_put_columns(&s, REP_ENGINE_STACK, 0);
	rep_sql_put(&s, " FROM ");
	rep_engine_put_table(&s, p->f->at, REP_ENGINE_STACK, false);
	rep_sql_put(&s, " WHERE stack GLOBAL IN (SELECT DISTINCT stack FROM ");
	rep_engine_put_table(&s, p->f->at, REP_ENGINE_BUCKET, false);
	rep_fetch_put_loads(&s, p->f, rep_fetch_is_profile);
	rep_sql_put(&s, ") FORMAT RowBinary");
	return rep_fetch_ask(p->f->link, &s, on_stack, p, err);
}

/* ---- a profile without its samples ---- */

struct texts {
	struct tp_profile *profile;
	int code;
};

static uint32_t intern(struct texts *t, struct tp_slice s)
{
	uint32_t id = 0;

	if (!t->code && s.data)
		t->code = tp_dict_string(t->profile->dict, s.data, s.size, &id);
	return id;
}

static void read_profile(struct tp_cursor *c, struct texts *t)
{
	struct tp_profile *p = t->profile;

	p->period_type.type = intern(t, rep_row_get_text_or_null(c));
	p->period_type.unit = intern(t, rep_row_get_text_or_null(c));
	p->period = rep_row_get_int(c);
	p->time_ns = rep_row_get_int(c);
	if (p->time_ns == TP_NULL)
		p->time_ns = 0;
	p->duration_ns = rep_row_get_int(c);
	p->default_type = intern(t, rep_row_get_text_or_null(c));
	p->drop_frames = intern(t, rep_row_get_text_or_null(c));
	p->keep_frames = intern(t, rep_row_get_text_or_null(c));
	p->doc_url = intern(t, rep_row_get_text_or_null(c));
}

static int read_mapping(struct tp_cursor *c, struct texts *t)
{
	struct tp_mapping m = {.start = (uint64_t)rep_row_get_int(c)};
	uint32_t number;

	m.limit = (uint64_t)rep_row_get_int(c);
	m.offset = (uint64_t)rep_row_get_int(c);
	m.file = intern(t, rep_row_get_text_or_null(c));
	m.build_id = intern(t, rep_row_get_text_or_null(c));
	m.flags = (uint32_t)rep_row_get_int(c);
	return t->code ? t->code : tp_profile_add_mapping(t->profile, &m, &number);
}

static int read_counter(struct tp_cursor *c, struct texts *t)
{
	struct tp_counter counter = {.name = intern(t, rep_row_get_text_or_null(c))};

	counter.item = rep_row_get_int(c);
	counter.value = rep_row_get_int(c);
	counter.text = intern(t, rep_row_get_text_or_null(c));
	return t->code ? t->code : tp_profile_add_counter(t->profile, &counter);
}

static int read_header(struct tp_cursor *c, enum tp_table_id table, struct texts *t)
{
	uint32_t a, b;

	switch (table) {
	case TP_TABLE_PROFILE:
		read_profile(c, t);
		return t->code;
	case TP_TABLE_SAMPLE_TYPE:
		a = intern(t, rep_row_get_text_or_null(c));
		b = intern(t, rep_row_get_text_or_null(c));
		return t->code ? t->code : tp_profile_add_type(t->profile, a, b);
	case TP_TABLE_MAPPING:
		return read_mapping(c, t);
	case TP_TABLE_COMMENT:
		a = intern(t, rep_row_get_text_or_null(c));
		return t->code ? t->code : tp_profile_add_comment(t->profile, a);
	default:
		return read_counter(c, t);
	}
}

static int checked(int code, struct tp_err *err)
{
	return code == TP_ENOMEM ? rep_engine_no_memory(err)
	       : code		 ? rep_fetch_odd(err, "a profile with too much in it")
				 : 0;
}

static void release_current(struct rep_profiles *p)
{
	tp_profile_free(p->now.profile);
	free(p->now.place);
	free(p->now.node);
	free(p->now.sample);
	tp_buf_release(&p->now.rows);
	p->now = (struct current){0};
}

static int start_profile(struct rep_profiles *p, size_t run, struct tp_err *err)
{
	struct current *now = &p->now;
	struct texts t = {0};
	int code = 0;

	*now = (struct current){.run = run, .profile = tp_profile_new()};
	t.profile = now->profile;
	if (!t.profile)
		return rep_engine_no_memory(err);
	for (size_t i = 0; i < HEADERS && !code; i++) {
		const struct tp_buf *b = &p->header[run].rows[i];
		struct tp_cursor c = tp_cursor(b->data, b->size);

		while (c.at < c.end && !c.failed && !code)
			code = read_header(&c, headers[i], &t);
	}
	if (code)
		return checked(code, err);
	now->place = rep_mapping_places(t.profile->dict, t.profile->mappings, t.profile->nmappings);
	now->node = calloc(p->nslots, sizeof(*now->node));
	return now->place && now->node ? 0 : rep_engine_no_memory(err);
}

/* ---- stacks of a profile ---- */

static int find_location(const struct current *now, uint64_t mapping, uint64_t address,
			 uint32_t flags, uint32_t *id)
{
	struct tp_location l = {.address = address, .flags = flags};

	for (size_t i = 1; mapping && i <= now->profile->nmappings && !l.mapping; i++) {
		if (now->place[i].key != mapping)
			continue;
		l.mapping = (uint32_t)i;
		l.address += now->place[i].start;
	}
	return tp_dict_location(now->profile->dict, &l, id);
}

static int next_frame(const struct current *now, struct tp_cursor column[NCOLUMNS],
		      struct tp_frame *f)
{
	struct texts t = {.profile = now->profile};
	struct tp_function function = {.name = intern(&t, rep_row_get_text(&column[FUNCTIONS]))};
	uint64_t marks, mapping, address;
	uint32_t flags;
	int code;

	function.file = intern(&t, rep_row_get_text(&column[FILES]));
	function.system_name = intern(&t, rep_row_get_text(&column[SYSTEM_NAMES]));
	function.start_line = (int64_t)rep_row_get(&column[START_LINES], 8);
	f->line = (int64_t)rep_row_get(&column[LINES], 8);
	f->column = (int64_t)rep_row_get(&column[COLUMNS], 8);
	marks = rep_row_get(&column[MARKS], 1);
	mapping = rep_row_get(&column[MAPPINGS], 8);
	address = rep_row_get(&column[ADDRESSES], 8);
	flags = (uint32_t)rep_row_get(&column[FLAGS], 4);
	f->inlined = marks & 1;
	f->function = f->location = 0;
	code = t.code;
	if (!code && marks & 2)
		code = tp_dict_function(now->profile->dict, &function, &f->function);
	if (!code && marks & 4)
		code = find_location(now, mapping, address, flags, &f->location);
	return code;
}

static int make_stack(struct rep_profiles *p, const uint8_t *hash, uint32_t *node)
{
	static const uint8_t none[REP_STACK_HASH];
	const struct known_stack *s = find_stack(p, hash);
	struct tp_cursor column[NCOLUMNS], c;
	struct current *now = &p->now;
	uint64_t n;
	int code = 0;

	*node = 0;
	if (!memcmp(hash, none, sizeof(none)))
		return 0;
	if (!s->there)
		return TP_EFORMAT;
	if (now->node[s - p->slot]) {
		*node = now->node[s - p->slot] - 1;
		return 0;
	}
	c = tp_cursor(p->rows.data + s->at, s->size);
	split_stack(&c, column, &n);
	for (uint64_t i = 0; i < n && !code; i++) {
		struct tp_frame f = {0};
		uint32_t id;

		code = next_frame(now, column, &f);
		if (!code)
			code = tp_dict_frame(now->profile->dict, &f, &id);
		if (!code)
			code = tp_dict_stack(now->profile->dict, *node, id, node);
	}
	now->node[s - p->slot] = *node + 1;
	return code;
}

/* ---- samples ---- */

struct sample {
	struct tp_slice hash;
	uint32_t node;
	struct tp_cursor labels[4]; /* keys, values, units, numeric */
	struct tp_cursor values;
	uint64_t nlabels, nvalues;
};

static bool read_sample(struct tp_cursor *c, struct sample *s)
{
	bool same = true;

	s->hash = tp_cursor_bytes(c, REP_STACK_HASH);
	s->node = (uint32_t)rep_row_get(c, 4);
	for (int i = 0; i < 4; i++) {
		uint64_t n = rep_row_get_count(c, 1);

		if (!i)
			s->nlabels = n;
		same = same && n == s->nlabels;
		s->labels[i] = *c;
		for (uint64_t k = 0; k < n && i < 3 && !c->failed; k++)
			rep_row_get_text(c);
		if (i == 3)
			tp_cursor_bytes(c, n);
	}
	s->nvalues = rep_row_get_count(c, 8);
	s->values = *c;
	tp_cursor_bytes(c, s->nvalues * 8);
	return same;
}

static bool parse_number(struct tp_slice s, int64_t *v)
{
	char digits[24] = "", *end;

	if (!s.size || s.size >= sizeof(digits))
		return false;
	memcpy(digits, s.data, s.size);
	*v = strtoll(digits, &end, 10);
	return !*end;
}

static int make_labels(struct tp_profile *p, struct sample *s, uint32_t *set)
{
	struct texts t = {.profile = p};
	struct tp_label *labels;
	int code = 0;

	*set = 0;
	if (!s->nlabels)
		return 0;
	labels = calloc(s->nlabels, sizeof(*labels));
	if (!labels)
		return TP_ENOMEM;
	for (uint64_t i = 0; i < s->nlabels && !code; i++) {
		struct tp_slice value;
		uint32_t unit;

		labels[i].key = intern(&t, rep_row_get_text(&s->labels[0]));
		value = rep_row_get_text(&s->labels[1]);
		unit = intern(&t, rep_row_get_text(&s->labels[2]));
		labels[i].numeric = rep_row_get(&s->labels[3], 1) != 0;
		if (!labels[i].numeric)
			labels[i].text = intern(&t, value);
		else if (parse_number(value, &labels[i].number))
			labels[i].unit = unit;
		else
			code = TP_EFORMAT;
		if (!code)
			code = t.code;
	}
	if (!code)
		code = tp_profile_label_set(p, labels, s->nlabels, set);
	free(labels);
	return code;
}

/* A sum of which nothing is left is a sample nevertheless, which adding up would not take: it gets
 * one more, and one less. */
static int add_sample(struct rep_profiles *p, struct sample *s)
{
	struct tp_profile *to = p->now.profile;
	int64_t *value = calloc(to->ntypes + 1, sizeof(*value));
	uint32_t stack, set;
	bool any = false;
	int code = value ? make_stack(p, s->hash.data, &stack) : TP_ENOMEM;

	for (size_t i = 0; i < to->ntypes && !code; i++) {
		value[i] = (int64_t)rep_row_get(&s->values, 8);
		any |= value[i] != 0;
	}
	if (!code)
		code = make_labels(to, s, &set);
	if (!code && p->add_up && !any && to->ntypes) {
		value[0] = 1;
		code = tp_profile_add_sample(to, stack, set, value);
		value[0] = -1;
	}
	if (!code)
		code = tp_profile_add_sample(to, stack, set, value);
	free(value);
	return code;
}

static int by_node(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

static struct sample sample_at(const struct current *now, const struct place *place)
{
	struct tp_cursor c = tp_cursor(now->rows.data + place->at, place->size);
	struct sample s;

	read_sample(&c, &s);
	return s;
}

/* Stacks get their numbers in the order that they had: what is drawn of them depends on it. */
static int add_samples(struct rep_profiles *p)
{
	struct current *now = &p->now;
	struct place *sorted = tp_many(now->nsamples + 1, sizeof(*sorted));
	uint32_t node;
	int code = sorted ? 0 : TP_ENOMEM;

	if (sorted && now->nsamples) {
		memcpy(sorted, now->sample, now->nsamples * sizeof(*sorted));
		qsort(sorted, now->nsamples, sizeof(*sorted), by_node);
	}
	for (size_t i = 0; i < now->nsamples && !code; i++) {
		struct sample s = sample_at(now, &sorted[i]);

		code = make_stack(p, s.hash.data, &node);
	}
	for (size_t i = 0; i < now->nsamples && !code; i++) {
		struct sample s = sample_at(now, &now->sample[i]);

		code = add_sample(p, &s);
	}
	free(sorted);
	return code;
}

static int keep_sample(struct current *now, const struct sample *s, const uint8_t *from,
		       size_t size)
{
	struct place *more;

	if (now->nsamples == now->room) {
		more = tp_more(now->sample, now->room ? 2 * now->room : 256, sizeof(*more));
		if (!more)
			return TP_ENOMEM;
		now->sample = more;
		now->room = now->room ? 2 * now->room : 256;
	}
	now->sample[now->nsamples++] = (struct place){now->rows.size, size, s->node};
	return tp_buf_put(&now->rows, from, size);
}

/* Hands on what is complete: the profiles before `run`, and those without samples among them. */
static int finish_until(struct rep_profiles *p, size_t run, struct tp_err *err)
{
	int code = 0;

	for (; p->next < run && !code; p->next++) {
		if (!rep_fetch_is_profile(p->f, p->next))
			continue;
		if (!p->now.profile)
			code = start_profile(p, p->next, err);
		if (!code)
			code = checked(add_samples(p), err);
		if (!code)
			code = p->each(p->each_ctx, p->next, p->now.profile, err);
		release_current(p);
	}
	return code;
}

static int on_sample(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_profiles *p = ctx;
	uint64_t run = rep_row_get(c, 4);
	const uint8_t *from = c->at;
	struct sample s;
	bool same = read_sample(c, &s);
	int code;

	if (c->failed)
		return 0;
	if (run >= p->f->runs->n || run < p->next || !rep_fetch_is_profile(p->f, (size_t)run))
		return rep_fetch_odd(err, "a sample of no run");
	code = finish_until(p, (size_t)run, err);
	if (!code && !p->now.profile)
		code = start_profile(p, (size_t)run, err);
	if (code)
		return code;
	if (!same || s.nvalues != p->now.profile->ntypes)
		return rep_fetch_odd(err, "a sample with too few values or labels");
	return keep_sample(&p->now, &s, from, (size_t)(c->at - from)) ? rep_engine_no_memory(err)
								      : 0;
}

/* ---- which ---- */

struct says {
	struct tp_slice default_type, drop, keep;
};

/* What it says of which frames and types are shown. */
static struct says what_it_says(const struct rep_profiles *p, size_t run)
{
	const struct tp_buf *b = &p->header[run].rows[0];
	struct tp_cursor c = tp_cursor(b->data, b->size);
	struct says s;

	rep_row_get_text_or_null(&c);
	rep_row_get_text_or_null(&c);
	for (int i = 0; i < 3; i++)
		rep_row_get_int(&c);
	s.default_type = rep_row_get_text_or_null(&c);
	s.drop = rep_row_get_text_or_null(&c);
	s.keep = rep_row_get_text_or_null(&c);
	return s;
}

static bool same_text(struct tp_slice a, struct tp_slice b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static bool same_kind(const struct rep_profiles *p, size_t x, size_t y)
{
	const struct rep_engine_run *a = &p->f->runs->run[x], *b = &p->f->runs->run[y];
	struct says s = what_it_says(p, x), t = what_it_says(p, y);

	if (!same_text(s.default_type, t.default_type) || !same_text(s.drop, t.drop) ||
	    !same_text(s.keep, t.keep))
		return false;
	if (a->ntypes != b->ntypes)
		return false;
	for (size_t i = 0; i < a->ntypes; i++)
		if (strcmp(a->type[i], b->type[i]) != 0 || strcmp(a->unit[i], b->unit[i]) != 0)
			return false;
	return true;
}

/* One type in two units: values are scaled before they are added up, and rounded. */
static bool units_differ(const struct rep_engine_run *a, const struct rep_engine_run *b)
{
	for (size_t i = 0; i < a->ntypes; i++)
		for (size_t k = 0; k < b->ntypes; k++)
			if (!strcmp(a->type[i], b->type[k]) && strcmp(a->unit[i], b->unit[k]) != 0)
				return true;
	return false;
}

#define MOST_GROUPS 64

/* Sums are of runs that are alike; who asked adds up the sums. Where values would have to be scaled
 * there are none. */
static int make_groups(struct rep_profiles *p)
{
	const struct rep_engine_runs *runs = p->f->runs;
	size_t first[MOST_GROUPS];
	size_t n = 0, nprofiles = 0, g;

	p->group = calloc(runs->n + 1, sizeof(*p->group));
	if (!p->group)
		return TP_ENOMEM;
	p->add_up = p->f->opt->add_up;
	for (size_t i = 0; i < runs->n && p->add_up; i++) {
		if (!rep_fetch_is_profile(p->f, i))
			continue;
		nprofiles++;
		for (g = 0; g < n && !same_kind(p, first[g], i); g++)
			if (units_differ(&runs->run[first[g]], &runs->run[i]))
				p->add_up = false;
		if (g == n && n == MOST_GROUPS)
			p->add_up = false;
		else if (g == n)
			first[n++] = i;
		p->group[i] = g;
	}
	/* One alone is what it is. */
	p->add_up = p->add_up && nprofiles > 1;
	return 0;
}

static void put_group(struct rep_sql *s, const struct rep_profiles *p)
{
	for (int list = 0; list < 2; list++) {
		const char *comma = "";

		rep_sql_put(s, list ? "], [" : "transform(load, [");
		for (size_t i = 0; i < p->f->runs->n; i++) {
			if (!rep_fetch_is_profile(p->f, i))
				continue;
			rep_sql_put(s, "%s%llu", comma,
				    list ? (unsigned long long)p->group[i]
					 : (unsigned long long)p->f->runs->run[i].load);
			comma = ",";
		}
	}
	rep_sql_put(s, "], toUInt32(4294967295))");
}

#define LABELS "label_keys, label_values, label_units, label_numeric"

static void put_each(struct rep_sql *s, const struct rep_profiles *p)
{
	rep_sql_put(s, "SELECT ");
	rep_fetch_put_number(s, p->f, rep_fetch_is_profile);
	rep_sql_put(s, " AS number, stack, node, " LABELS ", values FROM ");
	rep_engine_put_table(s, p->f->at, REP_ENGINE_BUCKET, false);
	rep_fetch_put_loads(s, p->f, rep_fetch_is_profile);
	rep_sql_put(s, " ORDER BY number, row FORMAT RowBinary");
}

/* As profiles are added up (profile/merge.h): samples whose values are all 0 are left out, the rest
 * stands where its stack and labels appear first. */
static void put_sum(struct rep_sql *s, const struct rep_profiles *p)
{
	rep_sql_put(s, "SELECT tupleElement(first, 1), stack, tupleElement(first, 3), " LABELS
		       ", total FROM (SELECT ");
	put_group(s, p);
	rep_sql_put(s, " AS alike, stack, " LABELS ", sumForEach(values) AS total, min((");
	rep_fetch_put_number(s, p->f, rep_fetch_is_profile);
	rep_sql_put(s, ", row, node)) AS first FROM ");
	rep_engine_put_table(s, p->f->at, REP_ENGINE_BUCKET, false);
	rep_fetch_put_loads(s, p->f, rep_fetch_is_profile);
	rep_sql_put(s, " AND arrayExists(v -> v != 0, values) GROUP BY alike, stack, " LABELS
		       ") ORDER BY first FORMAT RowBinary");
}

int rep_fetch_profiles_new(struct rep_profiles **out, const struct rep_fetching *f,
			   struct tp_err *err)
{
	struct rep_profiles *p = calloc(1, sizeof(*p));
	bool any = false;
	int code;

	*out = p;
	if (!p)
		return rep_engine_no_memory(err);
	p->f = f;
	p->header = calloc(f->runs->n + 1, sizeof(*p->header));
	if (!p->header)
		return rep_engine_no_memory(err);
	for (size_t i = 0; i < f->runs->n; i++)
		any |= rep_fetch_is_profile(f, i);
	code = any ? load_headers(p, err) : 0;
	return !code && make_groups(p) ? rep_engine_no_memory(err) : code;
}

#define SPOOL_MOST ((size_t)2 << 30)

static int on_spool(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct rep_profiles *p = ctx;

	if (size > SPOOL_MOST - p->spool.size)
		return tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the engine's answer is too long; ask for profiles and traces one "
		    "after the other");
	return tp_buf_put(&p->spool, data, size) ? rep_engine_no_memory(err) : 0;
}

/* Between two profiles a trace may have to be asked for, which one does when the last answer is
 * complete. */
static int ask_spooled(struct rep_profiles *p, struct rep_sql *s, struct tp_err *err)
{
	struct rep_answer answer = {.row = on_sample, .ctx = p};
	const char *sql = rep_sql_text(s);
	int code = sql ? p->f->link->ask(p->f->link->ctx, sql, NULL, 0, on_spool, p, err)
		       : rep_engine_no_memory(err);

	if (!code && p->spool.size)
		code = rep_answer_data(&answer, p->spool.data, p->spool.size, err);
	rep_sql_release(s);
	return rep_answer_end(&answer, code, err);
}

int rep_fetch_profiles_each(struct rep_profiles *p,
			    int (*each)(void *ctx, size_t run, struct tp_profile *profile,
					struct tp_err *err),
			    void *ctx, struct tp_err *err)
{
	struct rep_sql s = {0};
	bool any = false, traces = false;
	int code;

	for (size_t i = 0; i < p->f->runs->n; i++) {
		any |= rep_fetch_is_profile(p->f, i);
		traces |= rep_fetch_is_trace(p->f, i);
	}
	if (!any)
		return 0;
	p->each = each;
	p->each_ctx = ctx;
	code = load_stacks(p, err);
	if (code)
		return code;
	if (p->add_up)
		put_sum(&s, p);
	else
		put_each(&s, p);
	code = traces ? ask_spooled(p, &s, err) : rep_fetch_ask(p->f->link, &s, on_sample, p, err);
	return code ? code : finish_until(p, p->f->runs->n, err);
}

void rep_fetch_profiles_free(struct rep_profiles *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->header && i < p->f->runs->n; i++)
		for (size_t k = 0; k < HEADERS; k++)
			tp_buf_release(&p->header[i].rows[k]);
	release_current(p);
	free(p->header);
	free(p->group);
	free(p->slot);
	tp_buf_release(&p->rows);
	tp_buf_release(&p->spool);
	free(p);
}
