/* Reads OpenTelemetry's profiles (otlp_schema.c has the messages). Several messages one after the other,
 * with or without their sizes (open/otlp.h), each have a dictionary of their own; their profiles become
 * one, as do those of one message: each sample type is one of ours, and resources, attributes, links and
 * times are labels. So all samples of a file are seen together, and told apart by labels.
 *
 * Every message is checked first: types of fields, indices, fields of other layouts. Then the types are
 * collected, as a profile needs them before its samples, and then everything is read. */
#include "decode/profile/otlp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

#define MAX_TYPES	64
#define MAX_COMMENTS	64
#define SETS_PER_BYTE	8 /* labels of all sets: 64 for each time, which has 8 bytes */
#define VALUES_PER_BYTE 8
#define ANYWAY		1000000

struct reader {
	struct tp_otlp o;
	struct tp_otlp_list messages;
	struct tp_otlp_place place;
	bool types; /* only these are read */
	int64_t end_ns;
	uint64_t dropped; /* attributes, by the producer */
	uint64_t payloads;
};

/* ---- the messages within ---- */

/* Reads the type of a profile's values or of its period. */
static int read_type(struct reader *r, struct tp_slice bytes, struct tp_value_type *t)
{
	uint64_t v[3] = {0};
	int code;

	*t = (struct tp_value_type){0};
	tp_wire_numbers(bytes, v, 3);
	code = tp_otlp_string(&r->o, v[1], &t->type);
	return code ? code : tp_otlp_string(&r->o, v[2], &t->unit);
}

static size_t find_type(const struct tp_profile *p, struct tp_value_type t)
{
	size_t i = 0;

	while (i < p->ntypes && (p->types[i].type != t.type || p->types[i].unit != t.unit))
		i++;
	return i;
}

static int add_type(struct reader *r, struct tp_value_type t)
{
	struct tp_profile *p = r->o.p;

	if (find_type(p, t) < p->ntypes)
		return 0;
	if (p->ntypes == MAX_TYPES)
		return tp_err_set(r->o.err, TP_ELIMIT, TP_OFFSET_NONE,
				  "the profiles have more than %d sample types", MAX_TYPES);
	/* The first profile is the one to show. */
	if (!p->ntypes)
		p->default_type = t.type;
	return tp_otlp_checked(&r->o, tp_profile_add_type(p, t.type, t.unit));
}

/* The fields of a profile that are not samples. */
struct header {
	struct tp_value_type type, period_type;
	int64_t time_ns, duration_ns, period;
};

static int read_header_field(struct reader *r, const struct tp_field *f, struct header *h)
{
	switch (f->number) {
	case 1:
		return read_type(r, f->bytes, &h->type);
	case 3:
		h->time_ns = (int64_t)tp_otlp_le64(f->bytes);
		return 0;
	case 4:
		h->duration_ns = (int64_t)f->value;
		return 0;
	case 5:
		return read_type(r, f->bytes, &h->period_type);
	case 6:
		h->period = (int64_t)f->value;
		return 0;
	case 8:
		r->dropped += r->types ? f->value : 0;
		return 0;
	case 10:
		r->payloads += r->types && f->bytes.size;
		return 0;
	case 11:
		return r->types ? 0 : tp_otlp_add_attributes(&r->o, &r->place.labels, f);
	default:
		return 0;
	}
}

/* Takes over what a profile says of its time and period: the earliest beginning, the latest end, and the
 * first period. */
static void apply_header(struct reader *r, const struct header *h)
{
	struct tp_profile *p = r->o.p;
	int64_t end;

	if (h->time_ns > 0 && (!p->time_ns || h->time_ns < p->time_ns))
		p->time_ns = h->time_ns;
	if (!__builtin_add_overflow(h->time_ns, h->duration_ns, &end) && h->duration_ns >= 0 &&
	    end > r->end_ns)
		r->end_ns = end;
	if (!p->period && !p->period_type.type) {
		p->period_type = h->period_type;
		p->period = h->period;
	}
}

/* Adds a comment unless the profile has it. */
static int add_comment(struct reader *r, uint32_t text)
{
	struct tp_profile *p = r->o.p;

	for (size_t i = 0; i < p->ncomments; i++)
		if (p->comments[i] == text)
			return 0;
	return p->ncomments < MAX_COMMENTS ? tp_otlp_checked(&r->o, tp_profile_add_comment(p, text))
					   : 0;
}

/* Takes attributes that pprof has as fields off the labels of a profile. */
static int take_fields(struct reader *r)
{
	struct tp_profile *p = r->o.p;
	const struct {
		const char *key;
		uint32_t *to; /* NULL: a comment */
	} fields[] = {
	    {"pprof.profile.drop_frames", &p->drop_frames},
	    {"pprof.profile.keep_frames", &p->keep_frames},
	    {"pprof.profile.doc_url", &p->doc_url},
	    {"pprof.profile.comment", NULL},
	};
	struct tp_otlp_labels *labels = &r->place.labels;
	size_t n = r->place.nresource;
	int code = 0;

	for (size_t i = n; i < labels->n && !code; i++) {
		struct tp_label l = labels->item[i];
		const char *key = tp_dict_text(p->dict, l.key).text;
		size_t k = 0;

		while (k < TP_COUNT_OF(fields) && strcmp(key, fields[k].key) != 0)
			k++;
		if (k == TP_COUNT_OF(fields))
			labels->item[n++] = l;
		else if (fields[k].to)
			*fields[k].to = l.text;
		else
			code = add_comment(r, l.text);
	}
	labels->n = n;
	return code;
}

static int read_profile(struct reader *r, struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct header h = {0};
	struct tp_field f;
	size_t type;
	int code = 0;

	r->place.labels.n = r->place.nresource;
	while (!code && tp_field_next(&c, &f))
		code = read_header_field(r, &f, &h);
	if (code)
		return code;
	if (r->types)
		return add_type(r, h.type);
	code = take_fields(r);
	r->place.nprofile = r->place.labels.n;
	apply_header(r, &h);
	type = find_type(r->o.p, h.type);
	c = tp_cursor(bytes.data, bytes.size);
	while (!code && tp_field_next(&c, &f))
		if (f.number == 2)
			code = tp_otlp_read_sample(&r->o, &r->place, f.bytes, type);
	return code;
}

/* Reads the attributes of a scope, of which one says what pprof shows first. */
static int read_scope_attribute(struct reader *r, struct tp_slice bytes)
{
	struct tp_profile *p = r->o.p;
	struct tp_label l;
	int code = tp_otlp_pair(&r->o, TP_OTLP_KEY_VALUE, bytes, &l);

	if (code ||
	    strcmp(tp_dict_text(p->dict, l.key).text, "pprof.scope.default_sample_type") != 0)
		return code;
	for (size_t i = 0; i < p->ntypes; i++)
		if (p->types[i].type == l.text)
			p->default_type = l.text;
	return 0;
}

/* Adds the scope, which made the profiles, as a comment. */
static int add_scope(struct reader *r, struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct tp_slice name = {0}, version = {0};
	struct tp_buf text = {0};
	struct tp_field f;
	uint32_t id = 0;
	int code = 0;

	while (!r->types && !code && tp_field_next(&c, &f)) {
		name = f.number == 1 ? f.bytes : name;
		version = f.number == 2 ? f.bytes : version;
		if (f.number == 3)
			code = read_scope_attribute(r, f.bytes);
	}
	if (!name.size || code)
		return code;
	tp_buf_put(&text, name.data, name.size);
	if (version.size) {
		tp_buf_text(&text, " ");
		tp_buf_put(&text, version.data, version.size);
	}
	code = text.failed ? TP_ENOMEM : tp_dict_string(r->o.p->dict, text.data, text.size, &id);
	tp_buf_release(&text);
	return code ? tp_otlp_checked(&r->o, code) : add_comment(r, id);
}

static int read_scope(struct reader *r, struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	size_t profiles = 0;
	struct tp_field f;
	int code = 0;

	while (!code && tp_field_next(&c, &f)) {
		if (f.number == 1)
			code = add_scope(r, f.bytes);
		profiles += f.number == 2;
	}
	r->place.several = profiles > 1;
	tp_ids_release(&r->place.samples);
	c = tp_cursor(bytes.data, bytes.size);
	while (!code && tp_field_next(&c, &f))
		if (f.number == 2)
			code = read_profile(r, f.bytes);
	return code;
}

/* Makes labels of the attributes of a resource. */
static int read_resource(struct reader *r, struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct tp_label label;
	struct tp_field f;
	int code = 0;

	while (!code && tp_field_next(&c, &f)) {
		if (f.number == 2)
			r->dropped += r->types ? f.value : 0;
		if (f.number != 1 || r->types)
			continue;
		code = tp_otlp_pair(&r->o, TP_OTLP_KEY_VALUE, f.bytes, &label);
		if (!code)
			code = tp_otlp_add_label(&r->o, &r->place.labels, &label);
	}
	return code;
}

static int read_resource_profiles(struct reader *r, struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct tp_field f;
	int code = 0;

	r->place.labels.n = 0;
	while (!code && tp_field_next(&c, &f))
		if (f.number == 1)
			code = read_resource(r, f.bytes);
	r->place.nresource = r->place.labels.n;
	c = tp_cursor(bytes.data, bytes.size);
	while (!code && tp_field_next(&c, &f))
		if (f.number == 2)
			code = read_scope(r, f.bytes);
	return code;
}

/* ---- a message ---- */

/* Finds the tables of a message and, the first time, checks it. */
static int open_message(struct reader *r, struct tp_slice message)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	struct tp_otlp *o = &r->o;
	const struct tp_otlp_list *strings = &o->table[TP_OTLP_STRINGS];
	bool dictionary = false, resources = false;
	struct tp_field f;
	int code = 0;

	while (!code && tp_field_next(&c, &f)) {
		dictionary |= f.number == 2;
		resources |= f.number == 1;
		if (f.number == 2 && f.wire == TP_WIRE_BYTES)
			code = tp_otlp_list_tables(o, f.bytes);
	}
	if (!code && resources && !dictionary)
		return tp_otlp_refuse(o, message.data, TP_OTLP_DATA, "dictionary",
				      "is missing: these are spans, metrics or logs, or profiles "
				      "of an older layout");
	if (!code && r->types)
		code = tp_otlp_check(o, TP_OTLP_DATA, message);
	if (!code && strings->n && strings->item[0].size)
		return tp_otlp_refuse(o, strings->item[0].data, TP_OTLP_DICTIONARY, "string_table",
				      "does not begin with the empty string");
	o->string = code ? NULL : calloc(strings->n + 1, sizeof(*o->string));
	return code || o->string ? code : tp_nomem(o->err);
}

static int read_message(struct reader *r, struct tp_slice message)
{
	struct tp_cursor c = tp_cursor(message.data, message.size);
	struct tp_field f;
	int code = open_message(r, message);

	if (!code && !r->types)
		code = tp_otlp_read_tables(&r->o);
	while (!code && tp_field_next(&c, &f))
		if (f.number == 1)
			code = read_resource_profiles(r, f.bytes);
	tp_otlp_release_tables(&r->o);
	return code;
}

static int read_messages(struct reader *r, bool types)
{
	int code = 0;

	r->types = types;
	for (size_t i = 0; i < r->messages.n && !code; i++)
		code = read_message(r, r->messages.item[i]);
	return code;
}

static int begin_samples(struct reader *r)
{
	struct {
		const char *text;
		uint32_t *id;
	} strings[] = {
	    {"trace_id", &r->place.trace_id},
	    {"span_id", &r->place.span_id},
	    {"time", &r->place.time},
	    {"nanoseconds", &r->place.nanoseconds},
	};
	int code = 0;

	for (size_t i = 0; i < TP_COUNT_OF(strings) && !code; i++)
		code = tp_dict_string(r->o.p->dict, strings[i].text, strlen(strings[i].text),
				      strings[i].id);
	r->place.value = calloc(r->o.p->ntypes + 1, sizeof(*r->place.value));
	return tp_otlp_checked(&r->o, r->place.value ? code : TP_ENOMEM);
}

static int add_notices(struct reader *r)
{
	const struct tp_otlp *o = &r->o;
	int code = 0;

	if (o->unknown)
		code = tp_profile_add_notice(
		    o->p, TP_WARNING, TP_OFFSET_NONE,
		    "fields that opentelemetry-proto did not have at commit " TP_OTLP_COMMIT
		    " are not read: %llu, first %s, field %s",
		    (unsigned long long)o->unknown, o->unknown_message, o->unknown_field);
	if (!code && r->dropped)
		code = tp_profile_add_notice(o->p, TP_WARNING, TP_OFFSET_NONE,
					     "the producer says that it dropped %llu attributes",
					     (unsigned long long)r->dropped);
	if (!code && r->payloads)
		code = tp_profile_add_notice(
		    o->p, TP_INFO, TP_OFFSET_NONE,
		    "%llu profiles have their original file within, which is not read",
		    (unsigned long long)r->payloads);
	if (!code && o->left_out)
		code = tp_profile_add_notice(o->p, TP_INFO, TP_OFFSET_NONE,
					     "attributes of locations are not kept, first %.80s",
					     o->left_out);
	return tp_otlp_checked(&r->o, code);
}

int tp_otlp_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		 struct tp_profile *p, struct tp_err *err)
{
	struct reader r = {.o = {.p = p, .err = err, .strict = opt->strict, .data = data}};
	struct tp_buf made = {0};
	uint64_t bytes;
	int code;

	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_OTLP));
	code = tp_otlp_find_messages(&r.o, data, size, &r.messages, &made);
	bytes = made.size > size ? made.size : size;
	r.o.frames_left = r.o.labels_left = bytes * TP_OTLP_PER_BYTE + ANYWAY;
	r.o.values_most = bytes * VALUES_PER_BYTE + ANYWAY;
	r.o.labels_most = bytes * SETS_PER_BYTE + ANYWAY;
	if (!code)
		code = read_messages(&r, true);
	if (!code)
		code = begin_samples(&r);
	if (!code)
		code = read_messages(&r, false);
	if (!code)
		code = add_notices(&r);
	p->duration_ns = p->time_ns && r.end_ns > p->time_ns ? r.end_ns - p->time_ns : 0;
	tp_otlp_release_place(&r.place);
	tp_table_release(&r.o.mappings);
	for (size_t i = 0; i < TP_OTLP_TABLES; i++)
		free(r.o.table[i].item);
	free(r.messages.item);
	tp_buf_release(&made);
	return code;
}
