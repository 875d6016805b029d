/* Decodes profile.proto (github.com/google/pprof, proto/profile.proto), which Go writes since 1.8,
 * and perf converters, Java, Rust … write as well. libparse/open has decompressed it.
 *
 *   Profile   sample_type 1*  ValueType      time_nanos 9
 *             sample 2*       Sample         duration_nanos 10
 *             mapping 3*      Mapping        period_type 11   ValueType
 *             location 4*     Location       period 12
 *             function 5*     Function       comment 13*      string
 *             string_table 6* bytes          default_sample_type 14  string
 *             drop_frames 7   string         doc_url 15       string
 *             keep_frames 8   string
 *   ValueType type 1 string, unit 2 string
 *   Sample, Label: see proto_sample.c; Mapping, Location, Line, Function: see proto_tables.c
 *
 * `string` is an index into string_table, whose first entry is "". Messages come in any order, so
 * the input is walked twice: once to find the tables, then for the samples. Rules beyond the
 * grammar are those of pprof's own reader (profile/encode.go postDecode, profile/profile.go
 * CheckValid): what it refuses is an error if strict, otherwise a loss, and the rest is kept.
 *
 * Profiles one after the other (files that were joined, or a file that is appended to) would read
 * as one with wrong strings: each is read with its own tables, and their samples are added up, as
 * profile.Merge does with files. */
#include "decode/profile/proto.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_GUESSES 16 /* each looks ahead */

/* Fields of Profile that are single numbers, by number. */
enum {
	DROP_FRAMES = 7,
	KEEP_FRAMES,
	TIME_NANOS,
	DURATION_NANOS,
	PERIOD = 12,
	DEFAULT_SAMPLE_TYPE = 14,
	DOC_URL,
	NNUMBERS,
};

/* Results of the first walk, besides the tables. */
struct outline {
	struct tp_proto_list types, comments;
	struct tp_slice period_type;
	uint64_t number[NNUMBERS];
	size_t nsamples, sample_bytes;
	uint32_t seen;	      /* numbers of fields, as bits */
	uint32_t first, last; /* numbers of the first field and of the one before */
	unsigned guesses;     /* wrong guesses that another profile begins */
	size_t more;	      /* bytes of the profiles that follow this one */
};

/* ---- the first walk ---- */

/* Returns whether the rest consists of whole profiles: each has sample types and a string table
 * that begins with the empty string, which only a truncated one may lack. */
static bool begins_profile(const uint8_t *at, size_t size)
{
	struct tp_cursor c = tp_cursor(at, size);
	bool types = false, strings = false;
	struct tp_field f;

	while (!(types && strings) && tp_field_next(&c, &f)) {
		if (f.number == 6 && !strings && (f.wire != TP_WIRE_BYTES || f.bytes.size))
			return false;
		types |= f.number == 1;
		strings |= f.number == 6;
	}
	return types && (strings || c.failed == TP_CURSOR_END);
}

/* Returns whether the field is the first of another profile. Encoders write a list without gaps (at
 * least the first one, types and strings) and other fields once; so another profile begins if this
 * one has types and strings and its first field appears again. */
static bool begins_anew(struct outline *o, const struct tp_field *f, const uint8_t *at,
			const uint8_t *end)
{
	const uint32_t once =
	    1u << 7 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 14 | 1u << 15;
	const uint32_t whole = 1u << 1 | 1u << 6;
	bool empty = f->number == 6 && f->wire == TP_WIRE_BYTES && !f->bytes.size;
	uint32_t last = o->last, bit;

	o->last = f->number;
	if ((f->number == last && !empty) || f->number >= NNUMBERS)
		return false;
	bit = 1u << f->number;
	o->first = o->first ? o->first : f->number;
	if (!(o->seen & bit) || (o->seen & whole) != whole) {
		o->seen |= bit;
		return false;
	}
	if (!(bit & once) && f->number != o->first && f->number != 1 && !empty)
		return false;
	return o->guesses++ < MAX_GUESSES && begins_profile(at, (size_t)(end - at));
}

/* Returns the list of messages with this field number. */
static struct tp_proto_list *list_of(struct tp_proto *d, struct outline *o, uint32_t number)
{
	switch (number) {
	case 1:
		return &o->types;
	case 3:
		return &d->mappings;
	case 4:
		return &d->locations;
	case 5:
		return &d->functions;
	case 6:
		return &d->strings;
	case 13:
		return &o->comments;
	default:
		return NULL;
	}
}

/* Records one field. `whole` is the field with its tag; f->bytes is set only for that wire type. */
static int outline_field(struct tp_proto *d, struct outline *o, const struct tp_field *f,
			 struct tp_slice whole)
{
	struct tp_proto_list *list = list_of(d, o, f->number);
	bool number =
	    f->number < NNUMBERS && f->number >= DROP_FRAMES && f->number != 11 && f->number != 13;

	if (f->number >= NNUMBERS)
		return 0;
	if (f->number == 13 && f->wire == TP_WIRE_VARINT) {
		/* An item without bytes is a comment by itself. */
		return tp_proto_list_add(d, list, (struct tp_slice){NULL, (size_t)f->value});
	}
	if (f->wire != (number ? TP_WIRE_VARINT : TP_WIRE_BYTES))
		return tp_proto_lose(d, whole, 0, "field %u is of the wrong type", f->number);
	/* pprof takes this as a sign of several profiles. */
	if (f->number == TIME_NANOS && o->number[TIME_NANOS])
		return tp_proto_lose(d, whole, 0, "the time of collection is given twice");
	if (number) {
		o->number[f->number] = f->value;
		return 0;
	}
	if (list)
		return tp_proto_list_add(d, list, f->bytes);
	if (f->number == 2) {
		o->nsamples++;
		o->sample_bytes += f->bytes.size;
	} else {
		o->period_type = f->bytes;
	}
	return 0;
}

/* Walks the first profile in d->part and shortens d->part to its whole fields. */
static int outline(struct tp_proto *d, struct outline *o)
{
	struct tp_cursor c = tp_cursor(d->part.data, d->part.size);
	struct tp_field f;
	int code = 0;

	for (const uint8_t *at = c.at; !code && tp_field_next(&c, &f); at = c.at) {
		if (begins_anew(o, &f, at, c.end)) {
			o->more = (size_t)(c.end - at);
			d->part.size -= o->more;
			return 0;
		}
		code = outline_field(d, o, &f, (struct tp_slice){at, (size_t)(c.at - at)});
	}
	d->part.size = (size_t)(c.at - d->part.data);
	if (code || !c.failed)
		return code;
	if (d->opt->strict)
		return tp_err_set(d->err, c.failed == TP_CURSOR_END ? TP_ETRUNC : TP_EFORMAT,
				  (uint64_t)(c.at - d->data), "%s",
				  c.failed == TP_CURSOR_END
				      ? "the profile ends in the middle of a field"
				      : "the profile is damaged: this is not one of its fields");
	return tp_proto_lose(d, (struct tp_slice){c.at, (size_t)(c.end - c.at)}, 0, "%s%s",
			     c.failed == TP_CURSOR_END ? "the profile ends in the middle of a field"
						       : "the rest is damaged",
			     d->strings.n ? "" : "; the names that follow the samples are lost");
}

/* ---- fields that are not lists of messages ---- */

static int read_value_type(struct tp_proto *d, struct tp_slice where, struct tp_value_type *t)
{
	uint64_t v[3] = {0};
	int code;

	*t = (struct tp_value_type){0};
	if (!tp_wire_numbers(where, v, 3))
		return tp_proto_lose(d, where, 0, "a value type is damaged");
	code = tp_proto_string(d, v[1], where, &t->type);
	return code ? code : tp_proto_string(d, v[2], where, &t->unit);
}

static int read_comments(struct tp_proto *d, const struct outline *o)
{
	int code = 0;

	for (size_t i = 0; i < o->comments.n && !code; i++) {
		struct tp_slice s = o->comments.item[i];
		struct tp_cursor c = tp_cursor(s.data, s.data ? s.size : 0);
		/* A single number has no position (its size is the number). */
		struct tp_slice where = s.data ? s : (struct tp_slice){d->data, 0};
		uint64_t index = s.size;
		uint32_t id;

		/* The numbers of a packed list, or the one from outline_field(). */
		while (!code && (!s.data || c.at < c.end)) {
			if (s.data)
				index = tp_cursor_uvarint(&c);
			if (c.failed) {
				code = tp_proto_lose(d, s, 0, "a list of comments is damaged");
				break;
			}
			code = tp_proto_string(d, index, where, &id);
			/* Later profiles mostly have the comments of the first. */
			if (!code && (d->first || i >= d->p->ncomments || d->p->comments[i] != id))
				code = tp_proto_checked(d, tp_profile_add_comment(d->p, id));
			if (!s.data)
				break;
		}
	}
	return code;
}

static bool same_type(struct tp_value_type a, struct tp_value_type b)
{
	return a.type == b.type && a.unit == b.unit;
}

/* Reads sample types and period type; sets *alike to whether a later profile has those of the
 * first. */
static int read_types(struct tp_proto *d, const struct outline *o, bool *alike)
{
	struct tp_profile *p = d->p;
	struct tp_value_type t = {0};
	int code = 0;

	*alike = d->first || o->types.n == p->ntypes;
	for (size_t i = 0; i < o->types.n && !code && *alike; i++) {
		code = read_value_type(d, o->types.item[i], &t);
		if (!code && d->first)
			code = tp_proto_checked(d, tp_profile_add_type(p, t.type, t.unit));
		else if (!code)
			*alike = same_type(t, p->types[i]);
	}
	t = (struct tp_value_type){0};
	if (!code && o->period_type.data)
		code = read_value_type(d, o->period_type, &t);
	if (d->first)
		p->period_type = t;
	*alike &= same_type(t, p->period_type);
	return code;
}

static int read_header(struct tp_proto *d, const struct outline *o, bool *alike)
{
	struct tp_profile *p = d->p;
	struct {
		uint32_t number, *string;
	} strings[] = {
	    {DROP_FRAMES, &p->drop_frames},
	    {KEEP_FRAMES, &p->keep_frames},
	    {DEFAULT_SAMPLE_TYPE, &p->default_type},
	    {DOC_URL, &p->doc_url},
	};
	int64_t time = (int64_t)o->number[TIME_NANOS], period = (int64_t)o->number[PERIOD];
	int code = 0;

	if (d->strings.n && d->strings.item[0].size)
		code = tp_proto_lose(d, d->strings.item[0], 0,
				     "the string table does not begin with the empty string");
	if (!code)
		code = read_types(d, o, alike);
	if (code || !*alike)
		return code;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]) && !code; i++)
		if (!*strings[i].string)
			code = tp_proto_string(d, o->number[strings[i].number],
					       (struct tp_slice){d->data, 0}, strings[i].string);
	/* pprof: profile.Merge, combineHeaders */
	if (!p->time_ns || (time && time < p->time_ns))
		p->time_ns = time;
	if (__builtin_add_overflow(p->duration_ns, (int64_t)o->number[DURATION_NANOS],
				   &p->duration_ns))
		p->duration_ns = INT64_MAX;
	p->period = d->first || period > p->period ? period : p->period;
	return code ? code : read_comments(d, o);
}

/* Reads the first profile in d->part; sets *more to the bytes after it. *n counts the profiles
 * added up. */
static int read_part(struct tp_proto *d, size_t *more, size_t *n)
{
	struct outline o = {0};
	bool alike = true;
	int code = outline(d, &o);

	*more = o.more;
	if (!code && o.more && d->opt->strict)
		code =
		    tp_profile_several(d->err, (uint64_t)(d->part.data + d->part.size - d->data));
	d->string = code ? NULL : calloc(d->strings.n + 1, sizeof(*d->string));
	if (!code && !d->string)
		code = tp_proto_out_of_memory(d);
	if (!code)
		code = read_header(d, &o, &alike);
	*n += alike;
	if (!code && !alike) {
		code = tp_proto_lose(d, d->part, o.nsamples,
				     "a profile of other sample types follows; it must be in a "
				     "separate file");
	} else if (!code) {
		code = tp_proto_read_tables(d);
		if (!code)
			code = tp_proto_read_samples(d, o.nsamples, o.sample_bytes);
		if (!code)
			code = tp_proto_lose_missing(d);
	}
	tp_proto_release(d);
	free(o.types.item);
	free(o.comments.item);
	return code;
}

int tp_proto_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		  struct tp_profile *p, struct tp_err *err)
{
	uint64_t budget = (uint64_t)size * TP_PROTO_FRAMES_PER_BYTE + TP_PROTO_FRAMES_ANYWAY;
	size_t left = size, n = 0;
	int code = size ? 0 : tp_err_set(err, TP_EFORMAT, 0, "is empty");

	snprintf(p->format, sizeof(p->format), "pprof");
	while (!code && left) {
		struct tp_proto d = {
		    .data = data,
		    .part = {data + (size - left), left},
		    .first = left == size,
		    .budget = &budget,
		    .opt = opt,
		    .p = p,
		    .err = err,
		};

		code = read_part(&d, &left, &n);
	}
	return code ? code : tp_profile_added_up(p, n, err);
}
