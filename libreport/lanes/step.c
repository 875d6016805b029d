/* Event by event, for replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/inside.h"
#include "order/listing.h"

/* Reads a block of events, unless it was the last one read. */
static int load_events(struct rep_lanes *l, int64_t block, struct tp_err *err)
{
	const struct tp_event_range range = {
	    .from_ns = INT64_MIN,
	    .to_ns = INT64_MAX,
	    .first_block = block,
	    .nblocks = 1,
	};
	struct tp_event_reader *r;
	int code;

	if (l->nevents && l->at_block == block)
		return 0;
	if (!l->event)
		l->event = malloc(TP_BLOCK_EVENTS * sizeof(*l->event));
	if (!l->event)
		return tp_nomem(err);
	l->nevents = 0;
	code = rep_view_load(&l->v, TP_TABLE_GOROUTINE,
			     REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, goid), err);
	if (!code && !l->life &&
	    rep_goids_lives(&l->v.goids, REP_COL(&l->v, GOROUTINE, id), l->ng, &l->life))
		code = tp_nomem(err);
	if (!code)
		code = tp_events_open(&r, l->v.store, l->v.run->row.id, &range, err);
	if (code)
		return code;
	code = tp_events_read(r, l->event, &l->nevents, err);
	tp_events_close(r);
	if (code != 1)
		l->nevents = 0;
	l->at_block = block;
	return code < 0 ? code : 0;
}

/* ---- descriptions ---- */

static struct tp_listing listing(const struct rep_lanes *l)
{
	return (struct tp_listing){
	    .dict = l->v.dict,
	    .g_id = (const uint64_t *)REP_COL(&l->v, GOROUTINE, goid),
	    .m_id = (const uint64_t *)REP_COL(&l->v, THREAD, id),
	    .p_id = REP_COL(&l->v, PROC, id),
	    .ng = l->ng,
	    .nm = l->nm,
	    .np = l->np,
	    .g_life = l->life,
	};
}

static int put(struct tp_buf *out, const char *text)
{
	return tp_buf_put(out, text, strlen(text));
}

static int put_frame(const struct rep_lanes *l, struct tp_buf *out, const char *before,
		     uint32_t frame, bool line)
{
	struct tp_text name = tp_dict_text(l->v.dict, tp_dict_frame_name(l->v.dict, frame));
	char number[32] = "";

	if (!name.size)
		return 0;
	if (line)
		snprintf(number, sizeof(number), ":%lld",
			 (long long)tp_dict_frame_at(l->v.dict, frame).line);
	return put(out, before) || tp_buf_put(out, name.text, name.size) || put(out, number)
		   ? TP_ENOMEM
		   : 0;
}

/* Describes an event: its name on the wire, its details as in the listing of events, the entry
 * function of a created goroutine, and its place. */
static int in_words(const struct rep_lanes *l, const struct tp_event *ev, struct tp_buf *out)
{
	const struct tp_listing names = listing(l);
	bool creates = ev->type == TP_EV_GO_CREATE || ev->type == TP_EV_GO_CREATE_BLOCKED;
	struct tp_event event = *ev;
	int code;

	if (ev->type >= TP_NEVENT_TYPES || !tp_event_descs[ev->type].wire)
		return put(out, "(unknown)");
	if (put(out, tp_event_descs[ev->type].wire) || put(out, " "))
		return TP_ENOMEM;
	if (creates)
		event.str2 = 0; /* the new goroutine's stack: its entry function is enough */
	code = tp_listing_detail(&names, &event, out);
	if (!code && creates)
		code = put_frame(l, out, " of ", tp_dict_stack_root(l->v.dict, ev->str2), false);
	if (!code && ev->stack)
		code =
		    put_frame(l, out, " at ", tp_dict_stack_at(l->v.dict, ev->stack).frame, true);
	return code;
}

/* Copies a text, cut between two characters if it is too long. */
static void copy_text(char *to, size_t room, const struct tp_buf *from)
{
	size_t n = from->size < room - 1 ? from->size : room - 1;

	while (n < from->size && n > 0 && (from->data[n] & 0xc0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++)
		to[i] = from->data[i] ? (char)from->data[i] : ' ';
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = 0;
}

/* ---- steps ---- */

static uint32_t about(const struct tp_event *ev)
{
	return ev->type < TP_NEVENT_TYPES && tp_event_descs[ev->type].subject == 'G' &&
		       ev->subject != TP_NONE
		   ? ev->subject
		   : ev->g;
}

/* Returns the first segment, in the direction of the step, that may have the event; v->nsegments or
 * SIZE_MAX if there is no such segment. */
static size_t first_segment(const struct rep_lanes *l, int step, const struct rep_event_at *at)
{
	const struct rep_view *v = &l->v;
	bool numbered = at->number != UINT64_MAX;
	int64_t block = (int64_t)(at->number / TP_BLOCK_EVENTS);
	size_t s = step > 0 ? 0 : v->nsegments;

	if (step > 0) {
		while (s < v->nsegments &&
		       (numbered ? v->segments[s].first_block + v->segments[s].blocks <= block
				 : v->segments[s].to_ns < at->ns))
			s++;
		return s;
	}
	while (s && (numbered ? v->segments[s - 1].first_block > block
			      : v->segments[s - 1].from_ns >= at->ns))
		s--;
	return s - 1;
}

/* Returns whether a goroutine has no events in a segment. A live goroutine may have some even while
 * it rests, because each generation lists all of them. */
static bool absent(const struct rep_lanes *l, uint32_t g, const struct tp_segment *s)
{
	int64_t created = REP_COL(&l->v, GOROUTINE, created_ns)[g];
	int64_t ended = REP_COL(&l->v, GOROUTINE, ended_ns)[g];

	return (created != TP_NULL && created > s->to_ns) ||
	       (ended != TP_NULL && ended < s->from_ns);
}

/* Returns the number of events in a block that come before the wanted one in the direction of the
 * step. */
static size_t passed(const struct rep_lanes *l, uint64_t base, int step, uint64_t number)
{
	uint64_t before = number > base ? number - base : 0;

	before += step > 0 && number >= base;
	before = before < l->nevents ? before : l->nevents;
	return step > 0 ? (size_t)before : l->nevents - (size_t)before;
}

/* Returns the place of the wanted event in a block, or the block's size. */
static size_t find(const struct rep_lanes *l, int step, uint32_t only,
		   const struct rep_event_at *at)
{
	uint64_t base = (uint64_t)l->at_block * TP_BLOCK_EVENTS;
	bool numbered = at->number != UINT64_MAX;

	for (size_t n = numbered ? passed(l, base, step, at->number) : 0; n < l->nevents; n++) {
		size_t i = step > 0 ? n : l->nevents - 1 - n;
		const struct tp_event *ev = &l->event[i];

		if (!numbered && (step > 0 ? ev->ts < at->ns : ev->ts >= at->ns))
			continue;
		if (only == TP_NONE || ev->g == only || about(ev) == only)
			return i;
	}
	return l->nevents;
}

/* Searches the blocks of a segment; *i is the event's place in the last block read, or the size of
 * that block. */
static int find_in(struct rep_lanes *l, const struct tp_segment *s, int step, uint32_t only,
		   const struct rep_event_at *at, size_t *i, struct tp_err *err)
{
	int64_t end = s->first_block + s->blocks, block = step > 0 ? s->first_block : end - 1;
	int64_t wanted = (int64_t)(at->number / TP_BLOCK_EVENTS);

	if (at->number != UINT64_MAX && wanted >= s->first_block && wanted < end)
		block = wanted;
	for (; block >= s->first_block && block < end; block += step) {
		int code = load_events(l, block, err);

		if (code)
			return code;
		*i = find(l, step, only, at);
		/* A store may lack blocks that it counts. */
		if (*i < l->nevents || !l->nevents)
			return 0;
	}
	return 0;
}

int rep_lanes_step(struct rep_lanes *l, int step, uint32_t only, struct rep_event_at *at,
		   struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	struct tp_buf text = {0};
	bool found = false;
	size_t i = 0;
	int code;

	if (only != TP_NONE && only >= l->ng)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the run does not have this goroutine");
	/* The segment before the first one is SIZE_MAX. */
	for (size_t s = first_segment(l, step, at); s < v->nsegments && !found;
	     s = step > 0 ? s + 1 : s - 1) {
		if (only != TP_NONE && absent(l, only, &v->segments[s]))
			continue;
		i = l->nevents;
		code = find_in(l, &v->segments[s], step, only, at, &i, err);
		if (code)
			return code;
		found = i < l->nevents;
	}
	if (!found)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  step > 0 ? "the run has no event after this one"
					   : "the run has no event before this one");
	code = in_words(l, &l->event[i], &text);
	at->number = (uint64_t)l->at_block * TP_BLOCK_EVENTS + i;
	at->ns = l->event[i].ts;
	at->goroutine = about(&l->event[i]);
	at->goroutine = at->goroutine < l->ng ? at->goroutine : TP_NONE;
	if (!code)
		copy_text(at->text, sizeof(at->text), &text);
	tp_buf_release(&text);
	return code ? tp_nomem(err) : 0;
}
