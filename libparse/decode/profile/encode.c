/* See proto.c for the grammar. Messages are in the order of pprof, except that the string table
 * follows all messages that use strings. Ids and indices of strings are given in order of first
 * use. */
#include "decode/profile/encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/many.h"
#include "base/wire.h"

#define MAX_ENTRIES ((size_t)1 << 30)

/* A location is the chain of its frames, innermost first. Chains form a tree. */
struct chain {
	uint32_t before; /* the chain without its last frame */
	uint32_t frame;	 /* the last one: the outermost */
	uint32_t id;	 /* of its location, 0 if it is only a part of others */
};

struct encoder {
	const struct tp_profile *p;
	struct tp_encode_options opt;
	const struct tp_stack_node *nodes;
	struct tp_buf *out;
	struct tp_buf message, part; /* being written */
	uint32_t *string;	     /* by id: index in the table, 0 not in it yet */
	uint32_t *strings;	     /* by index in the table: id */
	uint32_t nstrings;
	uint32_t *alone; /* by frame: the chain that begins with it */
	struct chain *chain;
	size_t nchain, chain_room;
	struct tp_ids longer; /* chains of more than one frame */
	uint32_t *location;   /* by id - 1: its chain */
	uint32_t nlocations;
	size_t location_room;
	uint32_t *function;  /* by id: its number, 0: no location uses it */
	uint32_t *functions; /* by number - 1: id */
	uint32_t nfunctions;
	bool nameless; /* a line lacks a function, so a nameless one is written */
};

/* ---- strings ---- */

static uint32_t string_of(struct encoder *e, uint32_t id)
{
	if (!id)
		return 0;
	if (!e->string[id]) {
		e->string[id] = e->nstrings;
		e->strings[e->nstrings++] = id;
	}
	return e->string[id];
}

static int put_string_number(struct encoder *e, struct tp_buf *b, uint32_t field, uint32_t id)
{
	return tp_wire_put_number(b, field, string_of(e, id));
}

/* Ends the message being written. */
static int put_message(struct encoder *e, struct tp_buf *b, uint32_t field)
{
	int code = tp_wire_put_bytes(b, field, e->message.data, e->message.size);

	e->message.size = 0;
	return code;
}

/* ---- locations ---- */

static int add_chain(struct encoder *e, uint32_t before, uint32_t frame, uint32_t *chain)
{
	if (e->nchain >= MAX_ENTRIES)
		return TP_ELIMIT;
	if (tp_grow_raw(&e->chain, &e->chain_room, e->nchain, sizeof(*e->chain)))
		return TP_ENOMEM;
	*chain = (uint32_t)e->nchain++;
	e->chain[*chain] = (struct chain){before, frame, 0};
	return 0;
}

/* Sets *chain to the chain `before` (0: empty) plus one frame. */
static int extend(struct encoder *e, uint32_t before, uint32_t frame, uint32_t *chain)
{
	uint64_t key = (uint64_t)before << 32 | frame;
	int code;

	if (!before) {
		*chain = e->alone[frame];
		if (*chain)
			return 0;
		code = add_chain(e, 0, frame, chain);
		e->alone[frame] = code ? 0 : *chain;
		return code;
	}
	*chain = tp_ids_get(&e->longer, key);
	if (*chain != TP_NO_ID)
		return 0;
	code = add_chain(e, before, frame, chain);
	return code ? code : tp_ids_put(&e->longer, key, *chain);
}

/* Sets *id to the location whose innermost frame is *node, and moves *node to the next location. */
static int location_of(struct encoder *e, uint32_t *node, uint32_t *id)
{
	uint32_t chain = 0;
	int code = 0;
	bool more = true;

	while (!code && more && *node) {
		uint32_t frame = e->nodes[*node].frame;

		more = tp_dict_frame_at(e->p->dict, frame).inlined && e->nodes[*node].parent;
		if (!more || !e->opt.no_inlines)
			code = extend(e, chain, frame, &chain);
		*node = e->nodes[*node].parent;
	}
	if (code)
		return code;
	if (!e->chain[chain].id) {
		if (tp_grow_raw(&e->location, &e->location_room, e->nlocations,
				sizeof(*e->location)))
			return TP_ENOMEM;
		e->location[e->nlocations++] = chain;
		e->chain[chain].id = e->nlocations;
	}
	*id = e->chain[chain].id;
	return 0;
}

/* ---- messages ---- */

/* Writes numbers, packed if that is shorter. */
static int put_numbers(struct tp_buf *b, uint32_t field, const uint64_t *v, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += (70u - (unsigned)__builtin_clzll(v[i] | 1)) / 7;
	if (tp_buf_reserve(b, size + n + 20))
		return TP_ENOMEM;
	if (n > 2) {
		tp_buf_put_uvarint(b, (uint64_t)field << 3 | TP_WIRE_BYTES);
		tp_buf_put_uvarint(b, size);
	}
	for (size_t i = 0; i < n; i++) {
		if (n <= 2)
			tp_buf_put_uvarint(b, (uint64_t)field << 3 | TP_WIRE_VARINT);
		b->size = (size_t)(tp_put_uvarint(b->data + b->size, v[i]) - b->data);
	}
	return 0;
}

static int put_label(struct encoder *e, const struct tp_label *l)
{
	struct tp_buf *m = &e->part;
	int code;

	m->size = 0;
	code = put_string_number(e, m, 1, l->key);
	if (!code && !l->numeric)
		code = put_string_number(e, m, 2, l->text);
	if (!code && l->numeric)
		code = tp_wire_put_number(m, 3, (uint64_t)l->number);
	if (!code && l->numeric)
		code = put_string_number(e, m, 4, l->unit);
	return code ? code : tp_wire_put_bytes(&e->message, 3, m->data, m->size);
}

static int put_sample(struct encoder *e, size_t i)
{
	const struct tp_profile *p = e->p;
	const struct tp_label_set *set = &p->sets[p->label_set[i]];
	uint32_t node = p->stack[i];
	struct tp_buf *ids = &e->part;
	int code = 0;

	ids->size = 0;
	while (node && !code) {
		uint32_t id = 0;
		uint64_t wide;

		code = location_of(e, &node, &id);
		wide = id;
		if (!code)
			code = tp_buf_put(ids, &wide, sizeof(wide));
	}
	if (!code && ids->size)
		code = put_numbers(&e->message, 1, (const uint64_t *)(const void *)ids->data,
				   ids->size / sizeof(uint64_t));
	if (!code && p->ntypes)
		code = put_numbers(&e->message, 2, (const uint64_t *)p->value + i * p->ntypes,
				   p->ntypes);
	for (uint32_t l = 0; l < set->n && !code; l++)
		code = put_label(e, &p->labels[set->first + l]);
	return code ? code : put_message(e, e->out, 2);
}

static int put_value_type(struct encoder *e, uint32_t field, const struct tp_value_type *t)
{
	int code = put_string_number(e, &e->message, 1, t->type);

	if (!code)
		code = put_string_number(e, &e->message, 2, t->unit);
	return code ? code : put_message(e, e->out, field);
}

static int put_mapping(struct encoder *e, size_t i)
{
	const struct tp_mapping *m = &e->p->mappings[i];
	const uint64_t v[] = {
	    i + 1,
	    m->start,
	    m->limit,
	    m->offset,
	    string_of(e, m->file),
	    string_of(e, m->build_id),
	    (m->flags & TP_MAPPING_FUNCTIONS) != 0,
	    (m->flags & TP_MAPPING_FILENAMES) != 0,
	    (m->flags & TP_MAPPING_LINES) != 0,
	    (m->flags & TP_MAPPING_INLINES) != 0 && !e->opt.no_inlines,
	};
	int code = 0;

	for (uint32_t f = 0; f < sizeof(v) / sizeof(v[0]) && !code; f++)
		code = tp_wire_put_number(&e->message, f + 1, v[f]);
	return code ? code : put_message(e, e->out, 3);
}

static int put_line(struct encoder *e, const struct tp_frame *f)
{
	struct tp_buf *m = &e->part;
	uint32_t function = e->function[f->function];
	int code;

	/* pprof rejects lines without a function. */
	if (!f->function) {
		e->nameless = true;
		function = e->nfunctions + 1;
	}
	m->size = 0;
	code = tp_wire_put_number(m, 1, function);
	if (!code)
		code = tp_wire_put_number(m, 2, (uint64_t)f->line);
	if (!code)
		code = tp_wire_put_number(m, 3, e->opt.no_columns ? 0 : (uint64_t)f->column);
	return code ? code : tp_wire_put_bytes(&e->message, 4, m->data, m->size);
}

/* Sets `lines` to the frames of the chain that ends with `last`, innermost first. */
static int chain_frames(const struct encoder *e, uint32_t last, struct tp_buf *lines)
{
	uint32_t *frame;
	size_t n = 0, i;

	for (uint32_t c = last; c; c = e->chain[c].before)
		n++;
	lines->size = 0;
	if (tp_buf_reserve(lines, n * sizeof(*frame)))
		return TP_ENOMEM;
	frame = (uint32_t *)(void *)lines->data;
	i = n;
	for (uint32_t c = last; c; c = e->chain[c].before)
		frame[--i] = e->chain[c].frame;
	lines->size = n * sizeof(*frame);
	return 0;
}

static int put_location(struct encoder *e, uint32_t id, struct tp_buf *lines)
{
	int code = chain_frames(e, e->location[id - 1], lines);
	size_t n = code ? 0 : lines->size / sizeof(uint32_t);
	const uint32_t *frame = (const uint32_t *)(const void *)lines->data;
	struct tp_location l;

	if (code)
		return code;
	l = tp_dict_location_at(e->p->dict, tp_dict_frame_at(e->p->dict, frame[0]).location);
	code = tp_wire_put_number(&e->message, 1, id);
	if (!code)
		code = tp_wire_put_number(&e->message, 2, l.mapping);
	if (!code)
		code = tp_wire_put_number(&e->message, 3, l.address);
	for (size_t i = 0; i < n && !code; i++) {
		struct tp_frame f = tp_dict_frame_at(e->p->dict, frame[i]);

		if (n > 1 || tp_profile_lined(e->p, frame[i]))
			code = put_line(e, &f);
	}
	if (!code)
		code = tp_wire_put_number(&e->message, 5, (l.flags & TP_LOCATION_FOLDED) != 0);
	return code ? code : put_message(e, e->out, 4);
}

static int put_function(struct encoder *e, uint32_t id, uint32_t number)
{
	/* The nameless function comes last and is not in the dictionary. */
	struct tp_function f = tp_dict_function_at(e->p->dict, id);
	const uint64_t v[] = {
	    number,
	    string_of(e, f.name),
	    string_of(e, f.system_name),
	    string_of(e, f.file),
	    (uint64_t)f.start_line,
	};
	int code = 0;

	for (uint32_t n = 0; n < sizeof(v) / sizeof(v[0]) && !code; n++)
		code = tp_wire_put_number(&e->message, n + 1, v[n]);
	return code ? code : put_message(e, e->out, 5);
}

/* ---- the parts of a profile ---- */

/* Numbers the functions in the order in which locations use them, so that equal profiles are equal bytes whatever
 * their dictionaries had before; these may have others, of filtered samples. pprof looks for
 * the names of other locations, and numbers what it finds from the count of functions on. */
static int number_functions(struct encoder *e)
{
	uint32_t n = tp_dict_functions(e->p->dict);

	e->function = calloc(n, sizeof(*e->function));
	e->functions = calloc(n, sizeof(*e->functions));
	if (!e->function || !e->functions)
		return TP_ENOMEM;
	for (size_t c = 1; c < e->nchain; c++) {
		uint32_t f = tp_dict_frame_at(e->p->dict, e->chain[c].frame).function;

		if (!f || e->function[f])
			continue;
		e->functions[e->nfunctions++] = f;
		e->function[f] = e->nfunctions;
	}
	return 0;
}

static int put_functions(struct encoder *e)
{
	uint32_t n = tp_dict_functions(e->p->dict);
	int code = 0;

	for (uint32_t i = 0; i < e->nfunctions && !code; i++)
		code = put_function(e, e->functions[i], i + 1);
	if (!code && e->nameless)
		code = put_function(e, n, e->nfunctions + 1);
	return code;
}

static int put_tables(struct encoder *e)
{
	struct tp_buf lines = {0};
	int code = number_functions(e);

	for (size_t i = 0; i < e->p->nmappings && !code; i++)
		code = put_mapping(e, i);
	for (uint32_t id = 1; id <= e->nlocations && !code; id++)
		code = put_location(e, id, &lines);
	tp_buf_release(&lines);
	return code ? code : put_functions(e);
}

static int put_rest(struct encoder *e)
{
	const struct tp_profile *p = e->p;
	uint32_t drop = string_of(e, p->drop_frames), keep = string_of(e, p->keep_frames);
	uint32_t type = string_of(e, p->default_type), url = string_of(e, p->doc_url);
	bool period = p->period_type.type || p->period_type.unit;
	int code = period ? put_value_type(e, 11, &p->period_type) : 0;

	for (size_t i = 0; i < p->ncomments && !code; i++) {
		uint64_t comment = string_of(e, p->comments[i]);

		code = put_numbers(e->out, 13, &comment, 1);
	}
	for (uint32_t i = 0; i < e->nstrings && !code; i++) {
		struct tp_text t = tp_dict_text(p->dict, e->strings[i]);

		code = tp_wire_put_bytes(e->out, 6, t.text, t.size);
	}
	if (!code)
		code = tp_wire_put_number(e->out, 7, drop);
	if (!code)
		code = tp_wire_put_number(e->out, 8, keep);
	if (!code)
		code = tp_wire_put_number(e->out, 9, (uint64_t)p->time_ns);
	if (!code)
		code = tp_wire_put_number(e->out, 10, (uint64_t)p->duration_ns);
	if (!code)
		code = tp_wire_put_number(e->out, 12, (uint64_t)p->period);
	if (!code)
		code = tp_wire_put_number(e->out, 14, type);
	return code ? code : tp_wire_put_number(e->out, 15, url);
}

static int encode(struct encoder *e)
{
	const struct tp_profile *p = e->p;
	uint32_t unused;
	int code = add_chain(e, 0, 0, &unused); /* chain 0 means no chain */

	for (size_t i = 0; i < p->ntypes && !code; i++)
		code = put_value_type(e, 1, &p->types[i]);
	for (size_t i = 0; i < p->nsamples && !code; i++)
		code = put_sample(e, i);
	if (!code)
		code = put_tables(e);
	return code ? code : put_rest(e);
}

int tp_profile_encode(const struct tp_profile *p, const struct tp_encode_options *opt,
		      struct tp_buf *out, struct tp_err *err)
{
	struct encoder e = {
	    .p = p,
	    .opt = opt ? *opt : (struct tp_encode_options){0},
	    .nodes = tp_dict_stack_nodes(p->dict),
	    .out = out,
	};
	int code;

	e.string = calloc(tp_dict_strings(p->dict), sizeof(*e.string));
	e.strings = calloc(tp_dict_strings(p->dict), sizeof(*e.strings));
	e.alone = calloc(tp_dict_frames(p->dict), sizeof(*e.alone));
	e.nstrings = 1;
	code = e.string && e.strings && e.alone ? encode(&e) : TP_ENOMEM;
	tp_buf_release(&e.message);
	tp_buf_release(&e.part);
	free(e.string);
	free(e.strings);
	free(e.alone);
	free(e.chain);
	free(e.location);
	free(e.function);
	free(e.functions);
	tp_ids_release(&e.longer);
	if (code == TP_ENOMEM)
		return tp_nomem(err);
	return code ? tp_err_set(err, code, TP_OFFSET_NONE,
				 "the profile has more than 2^30 locations; select a part of it")
		    : 0;
}
