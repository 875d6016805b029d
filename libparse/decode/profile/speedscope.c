/* speedscope's JSON (github.com/jlfwong/speedscope, src/lib/file-format-spec.ts), which many profilers
 * write:
 *
 *   {"$schema": "https://www.speedscope.app/file-format-schema.json",
 *    "shared": {"frames": [{"name": "main", "file": "a.c", "line": 3, "col": 5}, …]},
 *    "profiles": [PROFILE, …], "name": …, "exporter": …, "activeProfileIndex": 0}
 *
 *   {"type": "sampled", "name": …, "unit": UNIT, "startValue": 0, "endValue": 9,
 *    "samples": [[0, 1], …], "weights": [4, …]}            stacks of frames, root first
 *   {"type": "evented", "name": …, "unit": UNIT, "startValue": 0, "endValue": 9,
 *    "events": [{"type": "O", "frame": 0, "at": 2}, {"type": "C", "frame": 0, "at": 6}, …]}
 *
 * Members come in any order. A frame has the time from an event to the next one while it is the
 * innermost open frame, as in speedscope's own reader (src/lib/profile.ts), which refuses whole files for what
 * is a loss here: closing a frame that is not the innermost, frames that are still open at the end, weights
 * below 0, and fewer weights than samples.
 *
 * Each kind of unit is a sample type. The profiles of a file are added up, and told apart by a label. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/many.h"
#include "decode/profile/kinds.h"

/* Frames of all stacks together: a limit for calls nested in each other, whose text is short. */
#define FRAMES_PER_BYTE	  32
#define MAX_FRAMES_ANYWAY 1000000

enum measure { TIME, SIZE, COUNT, NMEASURES };

/* The units of the format; all times become nanoseconds. */
static const struct unit {
	const char *name;
	enum measure measure;
	unsigned places; /* digits behind the point that are kept */
} units[] = {
    {"nanoseconds", TIME, 0}, {"microseconds", TIME, 3}, {"milliseconds", TIME, 6},
    {"seconds", TIME, 9},     {"bytes", SIZE, 0},	 {"none", COUNT, 0},
};

static const struct {
	const char *type, *unit;
} types[NMEASURES] = {
    [TIME] = {"time", "nanoseconds"}, [SIZE] = {"space", "bytes"}, [COUNT] = {"samples", "count"}};

#define FINEST 2 /* in tp_fractions: of counts, if some have fractions and the sum of all fits */

/* A profile of the file that has samples or events. */
struct part {
	struct tp_json name, samples, weights, events, start, end;
	const struct unit *unit;
	bool active; /* shown first */
};

/* The sample that a stack has in a profile. */
struct cell {
	uint32_t part; /* index + 1 */
	uint32_t sample;
};

struct speedscope {
	struct tp_profile *p;
	struct tp_err *err;
	bool strict;
	const char *data;
	size_t size;
	bool damaged; /* the text ends early; reported */

	struct part *parts;
	size_t nparts, parts_room;
	size_t column[NMEASURES]; /* of the sample types; + 1 */
	size_t fraction;	  /* index of the unit of counts in tp_fractions */
	uint32_t label;		  /* key; 0: profiles need none */

	uint32_t *frames; /* in the order of the file */
	uint32_t *open;	  /* how often each is open, in events */
	size_t nframes, frames_room;

	struct cell *cells; /* by stack */
	size_t cells_room;
	uint64_t depths; /* of all samples together */

	/* The profile that is being read. */
	const struct part *part;
	unsigned places;
	uint32_t set; /* its labels */

	uint64_t rounded, back; /* values; events that go back in time */
	uint64_t back_at;	/* offset of the first one */
	struct tp_buf text;
};

static int failed(struct speedscope *f, int code)
{
	if (code == TP_ELIMIT)
		return tp_err_set(f->err, code, TP_OFFSET_NONE,
				  "the profile has more than 2^30 entries");
	return code ? tp_nomem(f->err) : 0;
}

static uint64_t offset_of(const struct speedscope *f, const char *at)
{
	return at ? (uint64_t)(at - f->data) : 0;
}

/* Reports a part of the text, and `samples` with it, as lost. */
static int lose(struct speedscope *f, struct tp_json text, uint64_t samples, const char *why)
{
	struct tp_loss loss = {.offset = offset_of(f, text.at),
			       .bytes = (uint64_t)(text.end - text.at),
			       .events = samples};

	return tp_profile_lose(f->p, f->err, f->strict ? TP_EFORMAT : 0, loss, "%s", why);
}

/* ---- members ---- */

struct want {
	const char *name;
	struct tp_json *value;
};

static bool is_container(struct tp_json value)
{
	return value.at < value.end && (*value.at == '[' || *value.at == '{');
}

/* Sets the values of members by their names; others are skipped. Of a text that is damaged, an object or
 * array that is cut off counts, but not a string or number. */
static int take_members(struct speedscope *f, struct tp_json_walk *w, const struct want *want,
			size_t n)
{
	int code = 0;

	while (!code && tp_json_next(w)) {
		if (w->wrong && !is_container(w->value))
			break;
		for (size_t i = 0; i < n; i++) {
			if (!tp_json_is(w->key, want[i].name))
				continue;
			if (want[i].value->at)
				code = lose(f, *want[i].value, 0,
					    "a member of an object occurs again; the last counts");
			*want[i].value = w->value;
			break;
		}
	}
	return code;
}

static int members_of(struct speedscope *f, struct tp_json object, const struct want *want,
		      size_t n)
{
	struct tp_json_walk w = tp_json_walk(object);

	return take_members(f, &w, want, n);
}

/* Begins a walk over an array. A value of another type counts as an empty array. */
static struct tp_json_walk items_of(struct tp_json value)
{
	bool array = value.at < value.end && *value.at == '[';

	return tp_json_walk(array ? value : (struct tp_json){0});
}

/* Reads the next item of an array. Returns false at its end, and where it is cut off within the item. */
static bool next_item(struct tp_json_walk *w)
{
	return tp_json_next(w) && !w->wrong;
}

/* Interns a string; what is no string is 0. */
static int string(struct speedscope *f, struct tp_json value, uint32_t *id)
{
	int code;

	*id = 0;
	if (value.at == value.end || *value.at != '"')
		return 0;
	f->text.size = 0;
	code = tp_json_text(value, &f->text, f->err);
	if (code == TP_EFORMAT)
		return lose(f, value, 0, "a string has an escape that is not JSON");
	if (code)
		return code;
	return failed(f, tp_dict_string(f->p->dict, (const char *)f->text.data, f->text.size, id));
}

static bool number(struct tp_json value, int64_t *n)
{
	bool rounded;

	return tp_json_scaled(value, 0, n, &rounded) && !rounded;
}

/* Reads a value of the current profile. */
static bool value_of(struct speedscope *f, struct tp_json value, int64_t *n)
{
	bool rounded;

	if (!tp_json_scaled(value, f->places, n, &rounded))
		return false;
	f->rounded += rounded;
	return true;
}

/* ---- frames ---- */

static int add_frame(struct speedscope *f, struct tp_json value)
{
	struct tp_json name = {0}, file = {0}, line = {0}, col = {0};
	const struct want want[] = {
	    {"name", &name}, {"file", &file}, {"line", &line}, {"col", &col}};
	struct tp_function function = {0};
	struct tp_frame frame = {0};
	size_t n;
	int code = members_of(f, value, want, TP_COUNT_OF(want));

	if (!code && (name.at == name.end || *name.at != '"'))
		code = lose(f, value, 0, "a frame has no name");
	if (!code)
		code = string(f, file, &function.file);
	if (!code)
		code = string(f, name, &function.name);
	if (code)
		return code;
	if (function.name &&
	    tp_profile_is_mangled((struct tp_scan){(const char *)f->text.data,
						   (const char *)f->text.data + f->text.size}))
		function.system_name = function.name;
	if (!number(line, &frame.line) || frame.line < 0)
		frame.line = 0;
	if (!number(col, &frame.column) || frame.column < 0)
		frame.column = 0;
	if (function.name || function.file)
		code = tp_dict_function(f->p->dict, &function, &frame.function);
	if (!code)
		code = tp_grow_raw(&f->frames, &f->frames_room, f->nframes, sizeof(*f->frames));
	if (!code)
		code = tp_profile_location(f->p, &(struct tp_location){0}, &frame, 1,
					   &f->frames[f->nframes], &n);
	f->nframes += !code;
	return failed(f, code);
}

static int read_frames(struct speedscope *f, struct tp_json shared)
{
	struct tp_json frames = {0};
	const struct want want[] = {{"frames", &frames}};
	struct tp_json_walk w;
	int code = members_of(f, shared, want, TP_COUNT_OF(want));

	w = items_of(frames);
	while (!code && next_item(&w))
		code = add_frame(f, w.value);
	f->open = calloc(f->nframes + 1, sizeof(*f->open));
	return code || f->open ? code : tp_nomem(f->err);
}

/* Sets *index to the index of a frame. */
static bool frame_of(const struct speedscope *f, struct tp_json value, size_t *index)
{
	int64_t n;

	if (!number(value, &n) || n < 0 || (uint64_t)n >= f->nframes)
		return false;
	*index = (size_t)n;
	return true;
}

/* ---- samples ---- */

/* Adds a value to a stack of the current profile. */
static int add(struct speedscope *f, uint32_t node, int64_t value)
{
	size_t ntypes = f->p->ntypes, column = f->column[f->part->unit->measure] - 1;
	uint32_t part = (uint32_t)(f->part - f->parts) + 1;
	int64_t values[NMEASURES] = {0}, sum, *old;
	struct cell *cell;
	int code;

	if (!value)
		return 0;
	if (tp_grow(&f->cells, &f->cells_room, node, sizeof(*f->cells)))
		return tp_nomem(f->err);
	cell = &f->cells[node];
	if (cell->part == part) {
		old = &f->p->value[cell->sample * ntypes + column];
		/* What does not fit is a sample of its own. */
		if (!__builtin_add_overflow(*old, value, &sum)) {
			*old = sum;
			return 0;
		}
	}
	*cell = (struct cell){part, (uint32_t)f->p->nsamples};
	f->depths += tp_dict_stack_at(f->p->dict, node).depth;
	if (f->depths > MAX_FRAMES_ANYWAY + (uint64_t)f->size * FRAMES_PER_BYTE)
		return tp_err_set(
		    f->err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the profile's nested calls would make more than %d frames per byte",
		    FRAMES_PER_BYTE);
	values[column] = value;
	code = tp_profile_add_sample(f->p, node, f->set, values);
	return failed(f, code);
}

static int read_sample(struct speedscope *f, struct tp_json stack, struct tp_json weight)
{
	struct tp_json_walk w = items_of(stack);
	uint32_t node = 0;
	int64_t value;
	size_t i;
	int code = 0;

	if (!value_of(f, weight, &value))
		return lose(f, weight, 1, "a weight is not a number, or does not fit 64 bits");
	if (value < 0)
		return lose(f, weight, 1, "a weight is less than 0");
	if (*stack.at != '[')
		return lose(f, stack, 1, "a sample is not a list of frames");
	while (!code && tp_json_next(&w)) {
		if (!frame_of(f, w.value, &i))
			return lose(f, w.value, 1, "a sample has a frame that the file lacks");
		code = tp_profile_push(f->p, &node, &f->frames[i], 1);
	}
	return code ? failed(f, code) : add(f, node, value);
}

static int read_samples(struct speedscope *f)
{
	struct tp_json_walk samples = items_of(f->part->samples),
			    weights = items_of(f->part->weights);
	struct tp_json from = f->part->samples;
	uint64_t more = 0;
	bool weighed = true;
	int code = 0;

	while (!code && next_item(&samples)) {
		weighed = weighed && next_item(&weights);
		if (weighed) {
			code = read_sample(f, samples.value, weights.value);
			continue;
		}
		from.at = more++ ? from.at : samples.value.at;
	}
	if (!code && more)
		code = lose(f, from, more, "samples have no weight");
	if (code || !weighed || !next_item(&weights))
		return code;
	from = (struct tp_json){weights.value.at, f->part->weights.end};
	for (more = 1; next_item(&weights); more++)
		;
	return lose(f, from, more, "weights have no sample");
}

/* ---- events ---- */

/* A frame that is open. */
struct level {
	uint32_t node;
	uint32_t frame; /* index */
};

struct replay {
	struct level *levels; /* root first */
	size_t depth, room;
	int64_t now;
	bool begun;
};

static int open_frame(struct speedscope *f, struct replay *r, size_t frame)
{
	uint32_t node = r->depth ? r->levels[r->depth - 1].node : 0;
	int code = tp_profile_push(f->p, &node, &f->frames[frame], 1);

	if (!code)
		code = tp_grow_raw(&r->levels, &r->room, r->depth, sizeof(*r->levels));
	if (code)
		return failed(f, code);
	r->levels[r->depth++] = (struct level){node, (uint32_t)frame};
	f->open[frame]++;
	return 0;
}

/* Closes a frame. One that is not the innermost takes those within it along. */
static int close_frame(struct speedscope *f, struct replay *r, size_t frame, struct tp_json event)
{
	uint64_t n = 0;

	if (!f->open[frame])
		return lose(f, event, 1, "an event closes a frame that is not open");
	for (;; n++) {
		uint32_t top = r->levels[--r->depth].frame;

		f->open[top]--;
		if (top == frame)
			break;
	}
	return n ? lose(f, event, n, "an event closes a frame while others in it are open") : 0;
}

static int read_event(struct speedscope *f, struct replay *r, struct tp_json event)
{
	struct tp_json type = {0}, index = {0}, at = {0};
	const struct want want[] = {{"type", &type}, {"frame", &index}, {"at", &at}};
	int64_t now, passed = 0;
	size_t frame;
	int code = members_of(f, event, want, TP_COUNT_OF(want));
	bool opens = tp_json_is(type, "\"O\"");

	if (code)
		return code;
	if (!opens && !tp_json_is(type, "\"C\""))
		return lose(f, event, 1, "an event neither opens nor closes a frame");
	if (!frame_of(f, index, &frame))
		return lose(f, event, 1, "an event has a frame that the file lacks");
	if (!value_of(f, at, &now) || (r->begun && __builtin_sub_overflow(now, r->now, &passed)))
		return lose(f, event, 1, "an event has no time, or one that does not fit 64 bits");
	if (passed < 0) {
		f->back_at = f->back++ ? f->back_at : offset_of(f, event.at);
		passed = 0;
		now = r->now;
	}
	if (r->depth)
		code = add(f, r->levels[r->depth - 1].node, passed);
	r->now = now;
	r->begun = true;
	if (code)
		return code;
	return opens ? open_frame(f, r, frame) : close_frame(f, r, frame, event);
}

static int read_events(struct speedscope *f)
{
	struct tp_json_walk w = items_of(f->part->events);
	struct tp_json end = {f->part->events.end, f->part->events.end};
	struct replay r = {0};
	int64_t from, to, duration;
	int code = 0;

	while (!code && next_item(&w))
		code = read_event(f, &r, w.value);
	if (!code && r.depth && !w.wrong)
		code =
		    lose(f, end, r.depth,
			 "frames are open at the end; their time is counted up to the last event");
	while (r.depth)
		f->open[r.levels[--r.depth].frame] = 0;
	free(r.levels);
	if (!code && f->part->unit->measure == TIME && value_of(f, f->part->start, &from) &&
	    value_of(f, f->part->end, &to) && !__builtin_sub_overflow(to, from, &duration) &&
	    duration > f->p->duration_ns)
		f->p->duration_ns = duration;
	return code;
}

/* ---- profiles ---- */

static int set_label(struct speedscope *f)
{
	struct tp_label label = {.key = f->label};
	int code = f->label ? string(f, f->part->name, &label.text) : 0;

	f->set = 0;
	if (!code && label.text)
		code = failed(f, tp_profile_label_set(f->p, &label, 1, &f->set));
	return code;
}

static int read_part(struct speedscope *f)
{
	int code = set_label(f);

	f->places = f->part->unit->measure == COUNT ? tp_fractions[f->fraction].places
						    : f->part->unit->places;
	if (code)
		return code;
	return f->part->events.at ? read_events(f) : read_samples(f);
}

/* Sets the unit of a profile. One that speedscope does not know has its values as they are, as there. */
static int set_unit(struct speedscope *f, struct part *part, struct tp_json unit)
{
	part->unit = &units[TP_COUNT_OF(units) - 1];
	for (size_t i = 0; i < TP_COUNT_OF(units); i++)
		if ((size_t)(unit.end - unit.at) == strlen(units[i].name) + 2 &&
		    tp_json_is((struct tp_json){unit.at + 1, unit.end - 1}, units[i].name)) {
			part->unit = &units[i];
			return 0;
		}
	return failed(f, tp_profile_add_notice(
			     f->p, TP_WARNING, offset_of(f, unit.at),
			     "a profile has no unit that speedscope knows; its values are counts"));
}

static int add_part(struct speedscope *f, struct tp_json value, bool active)
{
	struct tp_json type = {0}, unit = {0};
	struct part part = {.active = active};
	const struct want want[] = {
	    {"type", &type},
	    {"name", &part.name},
	    {"unit", &unit},
	    {"startValue", &part.start},
	    {"endValue", &part.end},
	    {"samples", &part.samples},
	    {"weights", &part.weights},
	    {"events", &part.events},
	};
	int code = members_of(f, value, want, TP_COUNT_OF(want));
	bool evented = tp_json_is(type, "\"evented\""), sampled = tp_json_is(type, "\"sampled\"");

	/* A text that is cut off may lack the type. */
	if (!type.at && f->damaged)
		evented = part.events.at, sampled = part.samples.at;
	if (!evented)
		part.events = (struct tp_json){0};
	if (!code && !evented && !sampled)
		return lose(f, value, 1, "a profile is neither sampled nor evented");
	if (!code && !is_container(evented ? part.events : part.samples))
		return lose(f, value, 1, "a profile has no samples or events");
	if (!code)
		code = set_unit(f, &part, unit);
	if (!code && tp_grow(&f->parts, &f->parts_room, f->nparts, sizeof(part)))
		code = tp_nomem(f->err);
	if (!code)
		f->parts[f->nparts++] = part;
	return code;
}

static int find_parts(struct speedscope *f, struct tp_json profiles, struct tp_json active)
{
	struct tp_json_walk w = items_of(profiles);
	int64_t first = 0;
	int code = 0;

	if (!number(active, &first))
		first = 0;
	for (int64_t i = 0; !code && tp_json_next(&w); i++)
		if (!w.wrong || is_container(w.value))
			code = add_part(f, w.value, i == first);
	return code;
}

/* Returns whether one of the numbers has a point or an exponent. */
static bool has_fractions(struct tp_json values)
{
	for (const char *at = values.at; values.end - at > 1; at++)
		if (*at >= '0' && *at <= '9' && (at[1] == '.' || at[1] == 'e' || at[1] == 'E'))
			return true;
	return false;
}

static struct tp_json time_of(struct tp_json event)
{
	struct tp_json_walk w = tp_json_walk(event);
	struct tp_json at = {0};

	while (tp_json_next(&w))
		at = tp_json_is(w.key, "at") ? w.value : at;
	return at;
}

/* Adds the values of a profile to *sum. Returns false if they do not fit with so many digits behind the point.
 * One that does not fit without any does not count. Sets *fraction to true if one is not whole. */
static bool add_up(const struct part *part, unsigned places, int64_t *sum, bool *fraction)
{
	bool evented = part->events.at, begun = !evented, rounded;
	struct tp_json_walk w = items_of(evented ? part->events : part->weights);
	int64_t last = 0, passed = 0, n;

	while (next_item(&w)) {
		struct tp_json value = evented ? time_of(w.value) : w.value;

		if (!tp_json_scaled(value, 0, &n, &rounded))
			continue;
		*fraction |= rounded;
		if (!tp_json_scaled(value, places, &n, &rounded) ||
		    (begun && __builtin_sub_overflow(n, last, &passed)) ||
		    (passed > 0 && __builtin_add_overflow(*sum, passed, sum)))
			return false;
		if (evented && (!begun || passed > 0))
			last = n;
		begun = true;
	}
	return true;
}

/* Chooses the unit of counts. */
static void choose_fraction(struct speedscope *f)
{
	bool written = false, fraction = false, fit = false;

	for (size_t i = 0; i < f->nparts; i++)
		if (f->parts[i].unit->measure == COUNT)
			written =
			    written || has_fractions(f->parts[i].events.at ? f->parts[i].events
									   : f->parts[i].weights);
	for (f->fraction = written ? FINEST : 0; f->fraction && !fit; f->fraction -= !fit) {
		int64_t sum = 0;

		fit = true;
		for (size_t i = 0; i < f->nparts && fit; i++)
			if (f->parts[i].unit->measure == COUNT)
				fit = add_up(&f->parts[i], tp_fractions[f->fraction].places, &sum,
					     &fraction);
	}
	if (!fraction)
		f->fraction = 0;
}

static int add_type(struct speedscope *f, enum measure measure, const char *unit)
{
	uint32_t type, id;
	int code =
	    tp_dict_string(f->p->dict, types[measure].type, strlen(types[measure].type), &type);

	if (!code)
		code = tp_dict_string(f->p->dict, unit, strlen(unit), &id);
	if (!code)
		code = tp_profile_add_type(f->p, type, id);
	f->column[measure] = f->p->ntypes;
	return failed(f, code);
}

/* Adds a sample type for each kind of unit, in the order of the profiles. */
static int add_types(struct speedscope *f)
{
	enum measure first = COUNT;
	int code = 0;

	for (size_t i = 0; i < f->nparts; i++) {
		const struct part *part = &f->parts[i];

		if (!i || part->active)
			first = part->unit->measure;
	}
	choose_fraction(f);
	for (size_t i = 0; i < f->nparts && !code; i++) {
		enum measure measure = f->parts[i].unit->measure;

		if (!f->column[measure])
			code = add_type(f, measure,
					measure == COUNT ? tp_fractions[f->fraction].unit
							 : types[measure].unit);
	}
	if (!code && !f->nparts)
		code = add_type(f, COUNT, types[COUNT].unit);
	if (!code)
		f->p->default_type = f->p->types[f->column[first] - 1].type;
	return code;
}

/* Returns whether a name has the word in any case. */
static bool has_word(struct tp_json name, const char *word)
{
	for (size_t n = strlen(word); (size_t)(name.end - name.at) >= n; name.at++)
		if (!strncasecmp(name.at, word, n))
			return true;
	return false;
}

/* Profiles of a file are told apart by a label, "thread" if their names all say so. Others may be of
 * things that are not to be added, so users are told. */
static int add_label(struct speedscope *f)
{
	bool threads = true;
	const char *key;
	int code;

	if (f->nparts < 2)
		return 0;
	for (size_t i = 0; i < f->nparts; i++)
		threads = threads && has_word(f->parts[i].name, "thread");
	key = threads ? "thread" : "profile";
	code = tp_dict_string(f->p->dict, key, strlen(key), &f->label);
	if (!code)
		code = tp_profile_add_notice(f->p, threads ? TP_INFO : TP_WARNING, TP_OFFSET_NONE,
					     "holds %zu profiles, whose samples are added up; the "
					     "label \"%s\" has their names",
					     f->nparts, key);
	return failed(f, code);
}

/* ---- the file ---- */

static int add_comment(struct speedscope *f, const char *what, struct tp_json value)
{
	struct tp_buf text = {0};
	uint32_t id;
	int code = string(f, value, &id);

	if (code || !id)
		return code;
	tp_buf_printf(&text, "%s: ", what);
	code = tp_buf_put(&text, f->text.data, f->text.size);
	if (!code)
		code = tp_dict_string(f->p->dict, (const char *)text.data, text.size, &id);
	if (!code)
		code = tp_profile_add_comment(f->p, id);
	tp_buf_release(&text);
	return failed(f, code);
}

static int add_notices(struct speedscope *f)
{
	int code = 0;

	if (f->rounded)
		code = tp_profile_add_notice(
		    f->p, TP_WARNING, TP_OFFSET_NONE,
		    "values with more digits than are kept: %llu; they are rounded to the "
		    "unit of their sample type",
		    (unsigned long long)f->rounded);
	if (f->back && !code)
		code = tp_profile_add_notice(f->p, TP_WARNING, f->back_at,
					     "events earlier than the one before: %llu; they count "
					     "as of the same time",
					     (unsigned long long)f->back);
	return failed(f, code);
}

/* Reads the outermost object, and reports where the text is damaged, which all that is inside ends at as well. */
static int read_file(struct speedscope *f, struct tp_json all, const struct want *want, size_t n)
{
	struct tp_json_walk w = tp_json_walk(all);
	struct tp_json rest;
	char why[120];
	int code = take_members(f, &w, want, n);

	rest = (struct tp_json){w.at, all.end};
	if (code || (!w.wrong && rest.at + 1 == rest.end))
		return code;
	f->damaged = w.wrong;
	rest.at += !w.wrong;
	snprintf(why, sizeof(why), "the text %s", w.wrong ? w.wrong : "goes on behind its end");
	return lose(f, rest, 0, why);
}

int tp_speedscope_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err)
{
	struct speedscope f = {
	    .p = p, .err = err, .strict = opt->strict, .data = (const char *)data, .size = size};
	struct tp_json shared = {0}, profiles = {0}, name = {0}, exporter = {0}, active = {0};
	const struct want want[] = {{"shared", &shared},
				    {"profiles", &profiles},
				    {"name", &name},
				    {"exporter", &exporter},
				    {"activeProfileIndex", &active}};
	int code;

	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_SPEEDSCOPE));
	code = read_file(&f, tp_json(data, size), want, TP_COUNT_OF(want));
	if (!code)
		code = find_parts(&f, profiles, active);
	if (!code)
		code = add_types(&f);
	if (!code)
		code = add_label(&f);
	if (!code)
		code = add_comment(&f, "name", name);
	if (!code)
		code = add_comment(&f, "exporter", exporter);
	if (!code)
		code = read_frames(&f, shared);
	for (size_t i = 0; i < f.nparts && !code; i++) {
		f.part = &f.parts[i];
		code = read_part(&f);
	}
	if (!code)
		code = add_notices(&f);
	free(f.parts);
	free(f.frames);
	free(f.open);
	free(f.cells);
	tp_buf_release(&f.text);
	return code;
}
