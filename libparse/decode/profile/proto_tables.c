/* Reads mappings, functions and locations of profile.proto. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/profile/proto.h"

int tp_proto_out_of_memory(struct tp_proto *d)
{
	return tp_nomem(d->err);
}

int tp_proto_checked(struct tp_proto *d, int code)
{
	if (code == TP_ENOMEM)
		return tp_proto_out_of_memory(d);
	return code ? tp_err_set(d->err, code, TP_OFFSET_NONE, "the profile has too many entries")
		    : 0;
}

int tp_proto_lose(struct tp_proto *d, struct tp_slice where, uint64_t samples, const char *fmt, ...)
{
	struct tp_loss loss = {
	    .offset = where.data ? (uint64_t)(where.data - d->data) : 0,
	    .bytes = where.size,
	    .events = samples,
	};
	char why[sizeof(loss.reason)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return tp_profile_lose(d->p, d->err, d->opt->strict ? TP_EFORMAT : 0, loss, "%s", why);
}

static const char *const kinds[TP_PROTO_KINDS] = {"string", "function", "location"};

int tp_proto_miss(struct tp_proto *d, enum tp_proto_missing kind, uint64_t id,
		  struct tp_slice where)
{
	if (d->opt->strict)
		return tp_proto_lose(d, where, 0, "refers to %s %llu, which does not exist",
				     kinds[kind], (unsigned long long)id);
	if (!d->missing[kind].n++) {
		d->missing[kind].first = where;
		d->missing[kind].id = id;
	}
	return 0;
}

int tp_proto_lose_missing(struct tp_proto *d)
{
	int code = 0;

	for (int k = 0; k < TP_PROTO_KINDS && !code; k++) {
		if (!d->missing[k].n)
			continue;
		code = tp_proto_lose(d, d->missing[k].first, 0,
				     "%llu references are to a %s that does not exist, first %llu",
				     (unsigned long long)d->missing[k].n, kinds[k],
				     (unsigned long long)d->missing[k].id);
	}
	return code;
}

int tp_proto_list_add(struct tp_proto *d, struct tp_proto_list *list, struct tp_slice item)
{
	if (tp_grow_raw(&list->item, &list->room, list->n, sizeof(*list->item)))
		return tp_proto_out_of_memory(d);
	if (list->n >= (size_t)1 << 30)
		return tp_proto_checked(d, TP_ELIMIT);
	list->item[list->n++] = item;
	return 0;
}

int tp_proto_string(struct tp_proto *d, uint64_t index, struct tp_slice where, uint32_t *id)
{
	struct tp_slice text;
	int code;

	*id = 0;
	if (!index)
		return 0;
	if (index >= d->strings.n)
		return tp_proto_miss(d, TP_PROTO_STRINGS, index, where);
	if (d->string[index]) {
		*id = d->string[index] - 1;
		return 0;
	}
	text = d->strings.item[index];
	code = tp_proto_checked(d, tp_dict_string(d->p->dict, text.data, text.size, id));
	if (!code)
		d->string[index] = *id + 1;
	return code;
}

/* ---- ids ---- */

/* Enters an entry; sets *fresh to whether it may be used: an id must be unique (pprof:
 * profile.CheckValid). Id 0 is reserved: settle_zero() decides about entries that have it. */
static int enter(struct tp_proto *d, struct tp_proto_ids *ids, uint64_t id, size_t place,
		 struct tp_slice where, const char *kind, bool *fresh)
{
	*fresh = false;
	if (!id && d->opt->strict)
		return tp_proto_lose(d, where, 0, "a %s has the id 0", kind);
	if (!id) {
		*fresh = true;
		ids->zero = ids->zeros ? ids->zero : where;
		ids->zeros++;
		ids->zero_bytes += where.size;
		ids->zero_place = (uint32_t)place;
		return 0;
	}
	if (tp_proto_ids_find(ids, id) != TP_NO_ID)
		return tp_proto_lose(d, where, 0, "two %ss have the id %llu", kind,
				     (unsigned long long)id);
	*fresh = true;
	if (id == ids->ordered + 1 && place == ids->ordered) {
		ids->ordered++;
		return 0;
	}
	return tp_ids_put(&ids->others, id, (uint32_t)place) ? tp_proto_out_of_memory(d) : 0;
}

/* Decides about entries with the id 0, after a table has been read. A single one gets that id, as
 * in profiles of Julia's PProf.jl, whose ids begin with 0; several are ambiguous. */
static int settle_zero(struct tp_proto *d, struct tp_proto_ids *ids, const char *kind)
{
	if (!ids->zeros)
		return 0;
	if (ids->zeros == 1 && tp_ids_put(&ids->others, 0, ids->zero_place))
		return tp_proto_out_of_memory(d);
	if (ids->zeros == 1)
		return tp_proto_checked(
		    d,
		    tp_profile_add_notice(d->p, TP_WARNING, (uint64_t)(ids->zero.data - d->data),
					  "a %s has the id 0, which is reserved; references to 0 "
					  "are taken to mean it",
					  kind));
	return tp_proto_lose(d, (struct tp_slice){ids->zero.data, ids->zero_bytes}, 0,
			     "%zu %ss have the id 0", ids->zeros, kind);
}

/* Handles functions without ids, which .NET profilers wrote: one per location, in the same order.
 */
static int settle_functions(struct tp_proto *d)
{
	struct tp_proto_ids *ids = &d->function_ids;

	d->by_place = ids->zeros && ids->zeros == d->functions.n && ids->zeros == d->locations.n;
	if (!d->by_place)
		return settle_zero(d, ids, "function");
	return tp_proto_checked(
	    d, tp_profile_add_notice(d->p, TP_WARNING, (uint64_t)(ids->zero.data - d->data),
				     "the functions have no ids; the n-th is taken to be that of "
				     "the n-th location"));
}

/* ---- mappings: id 1, start 2, limit 3, offset 4, file 5, build_id 6, and what is known of the
 * code: functions 7, filenames 8, lines 9, inlined frames 10 ---- */

static bool same_mapping(const struct tp_mapping *a, const struct tp_mapping *b)
{
	return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
	       a->file == b->file && a->build_id == b->build_id && a->flags == b->flags;
}

static int read_mapping(struct tp_proto *d, size_t place)
{
	static const uint32_t flags[] = {TP_MAPPING_FUNCTIONS, TP_MAPPING_FILENAMES,
					 TP_MAPPING_LINES, TP_MAPPING_INLINES};
	struct tp_slice where = d->mappings.item[place];
	struct tp_mapping m = {0};
	uint64_t v[11] = {0};
	bool fresh;
	int code;

	if (!tp_wire_numbers(where, v, 11))
		return tp_proto_lose(d, where, 0, "a mapping is damaged");
	code = enter(d, &d->mapping_ids, v[1], place, where, "mapping", &fresh);
	if (code || !fresh)
		return code;
	m.start = v[2];
	m.limit = v[3];
	m.offset = v[4];
	code = tp_proto_string(d, v[5], where, &m.file);
	if (!code)
		code = tp_proto_string(d, v[6], where, &m.build_id);
	for (size_t i = 0; i < 4; i++)
		m.flags |= v[7 + i] ? flags[i] : 0;
	if (code)
		return code;
	/* Later profiles mostly have the mappings of the first. */
	if (!d->first && place < d->p->nmappings && same_mapping(&d->p->mappings[place], &m)) {
		d->mapping[place] = (uint32_t)place + 1;
		return 0;
	}
	return tp_proto_checked(d, tp_profile_add_mapping(d->p, &m, &d->mapping[place]));
}

/* ---- functions: id 1, name 2, system_name 3, filename 4, start_line 5 ---- */

static int read_function(struct tp_proto *d, size_t place)
{
	struct tp_slice where = d->functions.item[place];
	struct tp_function f = {0};
	uint64_t v[6] = {0};
	bool fresh;
	int code;

	if (!tp_wire_numbers(where, v, 6))
		return tp_proto_lose(d, where, 0, "a function is damaged");
	code = enter(d, &d->function_ids, v[1], place, where, "function", &fresh);
	if (code || !fresh)
		return code;
	code = tp_proto_string(d, v[2], where, &f.name);
	if (!code)
		code = tp_proto_string(d, v[3], where, &f.system_name);
	if (!code)
		code = tp_proto_string(d, v[4], where, &f.file);
	f.start_line = (int64_t)v[5];
	return code ? code
		    : tp_proto_checked(d, tp_dict_function(d->p->dict, &f, &d->function[place]));
}

/* ---- locations: id 1, mapping_id 2, address 3, line 4 (innermost first), is_folded 5; line:
 * function_id 1, line 2, column 3 ---- */

/* The lines of the location being read. */
struct lines {
	struct tp_frame *line;
	size_t n, room;
};

static int read_line(struct tp_proto *d, struct tp_slice message, size_t location,
		     struct lines *lines)
{
	struct tp_frame f = {0};
	uint64_t v[4] = {0};
	uint32_t place;
	int code = 0;

	if (!tp_wire_numbers(message, v, 4))
		return tp_proto_lose(d, message, 0, "a line of a location is damaged");
	place = tp_proto_ids_find(&d->function_ids, v[1]);
	if (d->by_place)
		place = lines->n ? TP_NO_ID : (uint32_t)location;
	if (place != TP_NO_ID)
		f.function = d->function[place];
	else
		code = tp_proto_miss(d, TP_PROTO_FUNCTIONS, v[1], d->locations.item[location]);
	if (code)
		return code;
	f.line = (int64_t)v[2];
	f.column = (int64_t)v[3];
	if (tp_grow_raw(&lines->line, &lines->room, lines->n, sizeof(*lines->line)))
		return tp_proto_out_of_memory(d);
	lines->line[lines->n++] = f;
	return 0;
}

static int put_location(struct tp_proto *d, size_t place, const struct tp_location *l,
			const struct lines *lines)
{
	size_t want = d->nframe + (lines->n ? lines->n : 1), n;
	int code;

	if (tp_grow_raw(&d->frame, &d->frame_room, want - 1, sizeof(*d->frame)))
		return tp_proto_out_of_memory(d);
	code = tp_profile_location(d->p, l, lines->line, lines->n, d->frame + d->nframe, &n);
	if (code)
		return tp_proto_checked(d, code);
	if (want > (size_t)1 << 30)
		return tp_proto_checked(d, TP_ELIMIT);
	d->location[place] = (struct tp_proto_location){(uint32_t)n, n == 1 ? d->frame[d->nframe]
									    : (uint32_t)d->nframe};
	d->nframe += n > 1 ? n : 0;
	return 0;
}

/* Returns whether a mapping may contain the address. A location without a mapping has mapping_id 0,
 * too, so a mapping with that id is used only if it may contain the address. */
static bool covers(const struct tp_proto *d, uint32_t place, uint64_t address)
{
	const struct tp_mapping *m = &d->p->mappings[d->mapping[place] - 1];

	return !m->limit || (m->start <= address && address < m->limit);
}

static int read_location(struct tp_proto *d, size_t place, struct lines *lines)
{
	struct tp_slice where = d->locations.item[place];
	struct tp_cursor c = tp_cursor(where.data, where.size);
	struct tp_location l = {0};
	struct tp_field f;
	uint64_t v[6] = {0};
	uint32_t mapping;
	bool fresh, sound = true;
	int code = 0;

	lines->n = 0;
	while (!code && tp_field_next(&c, &f)) {
		if (f.number == 4 && f.wire == TP_WIRE_BYTES)
			code = read_line(d, f.bytes, place, lines);
		else if (f.number <= 5 && f.number != 4 && f.wire == TP_WIRE_VARINT)
			v[f.number] = f.value;
		else if (f.number <= 5)
			sound = false;
	}
	if (code)
		return code;
	if (c.failed || !sound)
		return tp_proto_lose(d, where, 0, "a location is damaged");
	code = enter(d, &d->location_ids, v[1], place, where, "location", &fresh);
	if (code || !fresh)
		return code;
	/* A missing mapping counts as no mapping (pprof: Profile.postDecode). */
	mapping = tp_proto_ids_find(&d->mapping_ids, v[2]);
	if (!v[2] && mapping != TP_NO_ID && !covers(d, mapping, v[3]))
		mapping = TP_NO_ID;
	l.mapping = mapping == TP_NO_ID ? 0 : d->mapping[mapping];
	l.address = v[3];
	l.flags = v[5] ? TP_LOCATION_FOLDED : 0;
	return put_location(d, place, &l, lines);
}

/* Reserves room; a hint, so it may fail. Messages may be empty, so it is limited to the size of a
 * large profile. */
static void reserve(struct tp_proto *d)
{
	const size_t most = (size_t)1 << 18;
	size_t functions = d->functions.n < most ? d->functions.n : most;
	size_t locations = d->locations.n < most ? d->locations.n : most;

	tp_dict_reserve(d->p->dict, &(struct tp_dict_sizes){
					.strings = functions + functions / 8,
					.functions = functions + 1,
					.locations = locations + 1,
					.frames = locations + locations / 4,
				    });
}

int tp_proto_read_tables(struct tp_proto *d)
{
	struct lines lines = {0};
	int code = 0;

	d->mapping = calloc(d->mappings.n + 1, sizeof(*d->mapping));
	d->function = calloc(d->functions.n + 1, sizeof(*d->function));
	d->location = calloc(d->locations.n + 1, sizeof(*d->location));
	if (!d->mapping || !d->function || !d->location)
		return tp_proto_out_of_memory(d);
	reserve(d);
	for (size_t i = 0; i < d->mappings.n && !code; i++)
		code = read_mapping(d, i);
	if (!code)
		code = settle_zero(d, &d->mapping_ids, "mapping");
	for (size_t i = 0; i < d->functions.n && !code; i++)
		code = read_function(d, i);
	if (!code)
		code = settle_functions(d);
	for (size_t i = 0; i < d->locations.n && !code; i++)
		code = read_location(d, i, &lines);
	free(lines.line);
	return code ? code : settle_zero(d, &d->location_ids, "location");
}

void tp_proto_release(struct tp_proto *d)
{
	struct tp_proto_ids *ids[] = {&d->mapping_ids, &d->function_ids, &d->location_ids};
	struct tp_proto_list *lists[] = {&d->strings, &d->mappings, &d->functions, &d->locations};

	for (size_t i = 0; i < 3; i++)
		tp_ids_release(&ids[i]->others);
	for (size_t i = 0; i < 4; i++)
		free(lists[i]->item);
	free(d->string);
	free(d->mapping);
	free(d->function);
	free(d->location);
	free(d->frame);
}
