/* Samples of profile.proto: stacks, values and labels.
 *
 *   Sample    location_id 1* (leaf first), value 2* (one per sample type), label 3* Label
 *   Label     key 1 string, str 2 string, num 3, num_unit 4 string */
#include <stdlib.h>
#include <string.h>

#include "decode/profile/proto.h"

/* What frames a profile expands to: locations of many inlined calls that many samples name could
 * make a small file a huge tree. True ones have about one frame for each byte or two of samples. */
#define MAX_FRAMES_PER_BYTE 16
#define MAX_FRAMES_ANYWAY   1000000
#define MOST_STACKS	    ((size_t)1 << 24) /* that room is made for beforehand */

/* The sample being read, and the path of the one before: neighbours often share their callers. */
struct sampler {
	uint64_t *id, *last; /* of locations, leaf first */
	uint32_t *node;	     /* by depth from the root: what the locations of `last` led to */
	size_t *end;	     /* of `id`, likewise: behind their frames in `frame` */
	size_t nid, nlast, room;
	uint32_t *frame, *path; /* of `id` as far as it is not shared, and the nodes they become */
	size_t nframe, frame_room;
	uint64_t budget;  /* frames that may still come */
	uint32_t unknown; /* frame of a location that is not there, 0 not made yet */
	int64_t *value;
	size_t nvalue; /* may be more than there is room for */
	struct tp_label *label;
	size_t nlabel, label_room;
};

/* *array becomes one of n items. */
static bool resize(void *array, size_t n, size_t size)
{
	void **items = array, *p = n <= SIZE_MAX / size ? realloc(*items, n * size) : NULL;

	if (p)
		*items = p;
	return p;
}

static int grow_ids(struct tp_proto *d, struct sampler *s)
{
	size_t room = s->room ? s->room * 2 : 256;

	if (!resize(&s->id, room, sizeof(*s->id)) || !resize(&s->last, room, sizeof(*s->last)) ||
	    !resize(&s->node, room, sizeof(*s->node)) || !resize(&s->end, room, sizeof(*s->end)))
		return tp_proto_out_of_memory(d);
	s->room = room;
	return 0;
}

static int grow_frames(struct tp_proto *d, struct sampler *s, size_t more)
{
	size_t room = s->frame_room ? s->frame_room : 512;

	while (room < s->nframe + more)
		room *= 2;
	if (!resize(&s->frame, room, sizeof(*s->frame)) ||
	    !resize(&s->path, room, sizeof(*s->path)))
		return tp_proto_out_of_memory(d);
	s->frame_room = room;
	return 0;
}

static int add_id(struct tp_proto *d, struct sampler *s, uint64_t id)
{
	int code = s->nid == s->room ? grow_ids(d, s) : 0;

	if (!code)
		s->id[s->nid++] = id;
	return code;
}

static void add_value(struct tp_proto *d, struct sampler *s, uint64_t value)
{
	if (s->nvalue < d->p->ntypes)
		s->value[s->nvalue] = (int64_t)value;
	s->nvalue++;
}

/* pprof: Profile.postDecode. A text wins over a number; one that says neither is no label. */
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
	if (s->nlabel == s->label_room) {
		size_t room = s->label_room ? s->label_room * 2 : 16;
		void *p = realloc(s->label, room * sizeof(*s->label));

		if (!p)
			return tp_proto_out_of_memory(d);
		s->label = p;
		s->label_room = room;
	}
	s->label[s->nlabel++] = l;
	return 0;
}

/* The fields of a sample; *sound false when it is damaged. */
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
		else if (f.number == 1)
			while (!code && list.at < list.end && !list.failed)
				code = add_id(d, s, tp_cursor_uvarint(&list));
		*sound &= !list.failed;
	}
	*sound &= !c.failed;
	return code;
}

/* A sample's location that is not there: pprof refuses the profile; here the sample keeps its
 * values, and the place of the location is one of which nothing is known. */
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

/* Adds the frames of the location `id`. */
static inline int add_frames(struct tp_proto *d, struct sampler *s, uint64_t id,
			     struct tp_slice where)
{
	uint32_t place = tp_proto_ids_find(&d->location_ids, id);
	struct tp_proto_location l;
	int code = 0;

	if (place != TP_PROTO_NONE)
		l = d->location[place];
	else
		code = unknown_location(d, s, id, where, &l);
	if (!code && l.n > s->frame_room - s->nframe)
		code = grow_frames(d, s, l.n);
	if (code)
		return code;
	if (l.n == 1)
		s->frame[s->nframe] = l.at;
	else
		memcpy(s->frame + s->nframe, d->frame + l.at, l.n * sizeof(*s->frame));
	s->nframe += l.n;
	if (s->nframe > s->budget)
		return tp_err_set(d->err, TP_ELIMIT, TP_OFFSET_NONE,
				  "its inlined calls would make more than %d frames of each byte",
				  MAX_FRAMES_PER_BYTE);
	return 0;
}

static int push(struct tp_proto *d, struct sampler *s, struct tp_slice where, uint32_t *stack)
{
	size_t same = 0, n = s->nid < s->nlast ? s->nid : s->nlast;
	uint64_t *swap = s->last;
	int code = 0;

	while (same < n && s->id[s->nid - 1 - same] == s->last[s->nlast - 1 - same])
		same++;
	s->nframe = 0;
	for (size_t i = same; i < s->nid && !code; i++) {
		code = add_frames(d, s, s->id[s->nid - 1 - i], where);
		s->end[i] = s->nframe;
	}
	if (!code)
		code =
		    tp_proto_checked(d, tp_dict_stack_path(d->p->dict, same ? s->node[same - 1] : 0,
							   s->frame, s->nframe, s->path));
	if (code)
		return code;
	for (size_t i = same; i < s->nid; i++)
		s->node[i] = s->path[s->end[i] - 1];
	*stack = s->nid ? s->node[s->nid - 1] : 0;
	s->budget -= s->nframe;
	s->last = s->id;
	s->nlast = s->nid;
	s->id = swap;
	return 0;
}

static int read_sample(struct tp_proto *d, struct sampler *s, struct tp_slice where)
{
	uint32_t stack, set = 0;
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
	code = push(d, s, where, &stack);
	if (!code && s->nlabel)
		code = tp_proto_checked(d, tp_profile_label_set(d->p, s->label, s->nlabel, &set));
	return code ? code : tp_proto_checked(d, tp_profile_add_sample(d->p, stack, set, s->value));
}

/* A location takes about two bytes, and most become a node. Only a hint, so it may fail. */
static void reserve_stacks(struct tp_proto *d, size_t bytes)
{
	size_t n = bytes / 2;

	tp_dict_reserve(d->p->dict,
			&(struct tp_dict_sizes){.stacks = n < MOST_STACKS ? n : MOST_STACKS});
}

int tp_proto_read_samples(struct tp_proto *d, const uint8_t *end, size_t nsamples, size_t bytes)
{
	struct tp_cursor c = tp_cursor(d->data, (size_t)(end - d->data));
	struct sampler s = {.budget = (uint64_t)(end - d->data) * MAX_FRAMES_PER_BYTE +
				      MAX_FRAMES_ANYWAY};
	struct tp_field f;
	int code;

	if (nsamples && !d->p->ntypes)
		return tp_err_set(d->err, TP_EFORMAT, TP_OFFSET_NONE,
				  "has samples, but does not say of what (no sample types)");
	reserve_stacks(d, bytes);
	code = grow_ids(d, &s);
	if (!code)
		code = grow_frames(d, &s, 1);
	s.value = calloc(d->p->ntypes + 1, sizeof(*s.value));
	if (!code && !s.value)
		code = tp_proto_out_of_memory(d);
	while (!code && tp_field_next(&c, &f))
		if (f.number == 2 && f.wire == TP_WIRE_BYTES)
			code = read_sample(d, &s, f.bytes);
	free(s.id);
	free(s.last);
	free(s.node);
	free(s.end);
	free(s.frame);
	free(s.path);
	free(s.value);
	free(s.label);
	return code;
}
