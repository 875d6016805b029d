/* Samples of profile.proto: stacks, values and labels.
 *
 *   Sample    location_id 1* (leaf first), value 2* (one per sample type), label 3* Label
 *   Label     key 1 string, str 2 string, num 3, num_unit 4 string */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/profile/paths.h"
#include "decode/profile/proto.h"

/* The sample being read, and the stacks of all so far. */
struct sampler {
	uint64_t *id; /* of locations, leaf first */
	size_t nid, room;
	struct tp_paths paths;
	uint32_t *single; /* by place of a location: its frame if that is the only one, or 0 */
	uint32_t unknown; /* frame of a missing location, 0 not made yet */
	int64_t *value;
	size_t nvalue; /* may exceed the room of the array */
	struct tp_label *label;
	size_t nlabel, label_room;
};

/* Makes room for `more` ids, at least one. */
static int grow_ids(struct tp_proto *d, struct sampler *s, size_t more)
{
	return tp_grow_raw(&s->id, &s->room, s->nid + more - 1, sizeof(*s->id))
		   ? tp_proto_out_of_memory(d)
		   : 0;
}

static int add_id(struct tp_proto *d, struct sampler *s, uint64_t id)
{
	int code = grow_ids(d, s, 1);

	if (!code)
		s->id[s->nid++] = id;
	return code;
}

/* Adds a packed list of location ids. They are most of a profile, with one or two bytes each. */
static int add_ids(struct tp_proto *d, struct sampler *s, struct tp_cursor *list)
{
	size_t most = (size_t)(list->end - list->at);
	int code = most > s->room - s->nid ? grow_ids(d, s, most) : 0;
	uint64_t *id;

	if (code || !most)
		return code;
	id = s->id + s->nid;
	while (list->at < list->end && !list->failed) {
		const uint8_t *at = list->at, *last = list->end - 1;

		for (; at < last && at[0] >= 0x80 && at[1] < 0x80; at += 2)
			*id++ = (uint64_t)at[1] << 7 | (at[0] & 0x7f);
		list->at = at;
		if (at < list->end)
			*id++ = tp_cursor_uvarint(list);
	}
	s->nid = (size_t)(id - s->id);
	return 0;
}

static void add_value(struct tp_proto *d, struct sampler *s, uint64_t value)
{
	if (s->value && s->nvalue < d->p->ntypes)
		s->value[s->nvalue] = (int64_t)value;
	s->nvalue++;
}

/* Adds a label (pprof: Profile.postDecode): a text takes precedence over a number, and one with
 * neither is ignored. */
static int add_label(struct tp_proto *d, struct sampler *s, struct tp_slice where, bool *sound)
{
	struct tp_label l = {0};
	uint64_t v[5] = {0};
	int code;

	if (!tp_wire_numbers(where, v, 5)) {
		*sound = false;
		return 0;
	}
	if (!v[2] && !v[3] && !v[4])
		return 0;
	l.numeric = !v[2];
	code = tp_proto_string(d, v[1], where, &l.key);
	if (!code && !l.numeric)
		code = tp_proto_string(d, v[2], where, &l.text);
	if (!code && l.numeric)
		code = tp_proto_string(d, v[4], where, &l.unit);
	l.number = l.numeric ? (int64_t)v[3] : 0;
	if (code)
		return code;
	if (tp_grow_raw(&s->label, &s->label_room, s->nlabel, sizeof(*s->label)))
		return tp_proto_out_of_memory(d);
	s->label[s->nlabel++] = l;
	return 0;
}

/* Reads the fields of a sample; sets *sound to false if it is damaged. */
static int read_fields(struct tp_proto *d, struct sampler *s, struct tp_slice where, bool *sound)
{
	struct tp_cursor c = tp_cursor(where.data, where.size);
	struct tp_field f;
	int code = 0;

	s->nid = s->nvalue = s->nlabel = 0;
	*sound = true;
	while (!code && *sound && tp_field_next(&c, &f)) {
		struct tp_cursor list = tp_cursor(NULL, 0);

		if (f.number > 3)
			continue;
		if (f.wire == TP_WIRE_BYTES)
			list = tp_cursor(f.bytes.data, f.bytes.size);
		else if (f.wire != TP_WIRE_VARINT || f.number == 3)
			*sound = false;
		else if (f.number == 1)
			code = add_id(d, s, f.value);
		else
			add_value(d, s, f.value);
		if (f.number == 3 && *sound)
			code = add_label(d, s, f.bytes, sound);
		else if (f.number == 2)
			while (list.at < list.end && !list.failed)
				add_value(d, s, tp_cursor_uvarint(&list));
		else if (f.number == 1 && !code)
			code = add_ids(d, s, &list);
		*sound &= !list.failed;
	}
	*sound &= !c.failed;
	return code;
}

/* Handles a missing location of a sample. pprof refuses the profile; here the sample keeps its
 * values and gets an unknown frame. */
static int unknown_location(struct tp_proto *d, struct sampler *s, uint64_t id,
			    struct tp_slice where, struct tp_proto_location *l)
{
	int code = tp_proto_miss(d, TP_PROTO_LOCATIONS, id, where);
	size_t n;

	if (!code && !s->unknown)
		code = tp_proto_checked(d, tp_profile_location(d->p, &(struct tp_location){0}, NULL,
							       0, &s->unknown, &n));
	*l = (struct tp_proto_location){1, s->unknown};
	return code;
}

/* Adds the frames of the location `id`, which may be any number of them. */
static int add_frames(struct tp_proto *d, struct sampler *s, uint64_t id, struct tp_slice where)
{
	uint32_t place = tp_proto_ids_find(&d->location_ids, id);
	struct tp_paths *paths = &s->paths;
	struct tp_proto_location l;
	int code = 0;

	if (place != TP_NO_ID)
		l = d->location[place];
	else
		code = unknown_location(d, s, id, where, &l);
	if (!code)
		code = tp_proto_checked(d, tp_paths_room(paths, l.n));
	if (code)
		return code;
	if (l.n == 1)
		paths->frame[paths->nframes] = l.at;
	else
		memcpy(paths->frame + paths->nframes, d->frame + l.at, l.n * sizeof(*paths->frame));
	paths->nframes += l.n;
	if (paths->nframes > *d->budget)
		return tp_err_set(
		    d->err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the profile's inlined calls would make more than %d frames per byte",
		    TP_PROTO_FRAMES_PER_BYTE);
	return 0;
}

static int add_path(struct tp_proto *d, struct sampler *s, struct tp_slice where)
{
	const uint32_t *single = s->single;
	const uint64_t ordered = d->location_ids.ordered, *id = s->id;
	struct tp_paths *paths = &s->paths;
	int code = 0;

	for (size_t i = s->nid; i && !code;) {
		uint32_t *out = paths->frame, frame;
		size_t n = paths->nframes, most = paths->frame_room;

		if (most > *d->budget)
			most = (size_t)*d->budget;
		/* Most locations have one frame, and their place for an id. */
		while (i && n < most && id[i - 1] - 1 < ordered &&
		       (frame = single[id[i - 1] - 1]) != 0) {
			out[n++] = frame;
			i--;
		}
		paths->nframes = n;
		if (i)
			code = add_frames(d, s, id[--i], where);
	}
	return code ? code : tp_proto_checked(d, tp_paths_end(&s->paths));
}

static int read_sample(struct tp_proto *d, struct sampler *s, struct tp_slice where)
{
	uint32_t set = 0;
	bool sound;
	int code = read_fields(d, s, where, &sound);

	if (code)
		return code;
	if (!sound)
		return tp_proto_lose(d, where, 1, "a sample is damaged");
	if (s->nvalue != d->p->ntypes)
		return tp_proto_lose(d, where, 1,
				     "a sample has %zu values, but there are %zu types", s->nvalue,
				     d->p->ntypes);
	code = add_path(d, s, where);
	if (!code && s->nlabel)
		code = tp_proto_checked(d, tp_profile_label_set(d->p, s->label, s->nlabel, &set));
	return code ? code : tp_proto_checked(d, tp_profile_add_sample(d->p, 0, set, s->value));
}

int tp_proto_read_samples(struct tp_proto *d, size_t nsamples, size_t bytes)
{
	struct tp_cursor c = tp_cursor(d->part.data, d->part.size);
	struct sampler s = {0};
	size_t before = d->p->nsamples;
	struct tp_field f;
	int code;

	if (nsamples && !d->p->ntypes)
		return tp_err_set(d->err, TP_EFORMAT, TP_OFFSET_NONE,
				  "has samples but no sample types");
	/* Hints: a value takes at least a byte; most locations take two, and have one frame. */
	if (nsamples <= bytes / (d->p->ntypes + 1))
		tp_profile_reserve_samples(d->p, nsamples);
	code = tp_proto_checked(d, tp_paths_room(&s.paths, bytes / 2 + 1));
	s.value = calloc(d->p->ntypes + 1, sizeof(*s.value));
	s.single = tp_many(d->locations.n + 1, sizeof(*s.single));
	if (!code && (!s.value || !s.single))
		code = tp_proto_out_of_memory(d);
	for (size_t i = 0; !code && i < d->locations.n; i++)
		s.single[i] = d->location[i].n == 1 ? d->location[i].at : 0;
	while (!code && tp_field_next(&c, &f))
		if (f.number == 2 && f.wire == TP_WIRE_BYTES)
			code = read_sample(d, &s, f.bytes);
	if (!code && d->p->nsamples > before)
		code =
		    tp_proto_checked(d, tp_paths_put(&s.paths, d->p->dict, d->p->stack + before));
	*d->budget -= s.paths.nframes < *d->budget ? s.paths.nframes : *d->budget;
	tp_paths_release(&s.paths);
	free(s.id);
	free(s.single);
	free(s.value);
	free(s.label);
	return code;
}
