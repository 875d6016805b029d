/* Spans in the order of run, state and reason. SQLite's own sorting of a row costs several times
 * what making it does, and these columns have few values. So all rows are read once and kept by
 * group, of each row only the columns that the query uses; then they come group by group. Rows of
 * a group stay in the order of the trace.
 *
 * A kept row is a series of varints: the start as a zigzag difference to the row before, the
 * duration, indices and ids + 1 (0 is TP_NONE), state, flags; each only if a column needs it.
 *
 * Memory is bounded, however many groups there are. When groups and rows take many bytes, they are
 * written to a temporary file in their order, and reading goes on without any group. In the end the
 * parts of the file are merged. */
#include "sql/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/idmap.h"
#include "base/many.h"
#include "open/input.h"
#include "store/describe.h"

#define WITHOUT_FILE ((size_t)256 << 20) /* most bytes in memory if there can be no file */
#define BATCH	     1024		 /* rows of out[] */
#define ROW_BYTES    128		 /* most bytes of a row */
#define GROUP_BYTES  512		 /* of a group, with room for its first rows */
#define WRITE_BYTES  ((size_t)64 << 10)	 /* bytes of groups that are written together */

size_t tp_span_groups_most = (size_t)2 << 20;

/* Rows of one run with the same keys. In the file this is in front of them. */
struct chunk {
	size_t run_pos;
	size_t size; /* bytes of the rows */
	uint64_t rows;
	uint32_t reason, state; /* 0 if it is no key */
};

struct group {
	struct chunk chunk;
	struct tp_buf rows;
	int64_t last_start;
};

/* A part of the file: chunks in order. */
struct section {
	struct chunk next;
	uint32_t number;
	int64_t offset, end; /* of the rows of `next`; of the section */
};

/* A run with rows. */
struct held_run {
	struct tp_sql_run *run;	    /* a reference; NULL: no row yet */
	const struct tp_dict *dict; /* if the reason is a key */
};

/* 32-bit members of a span that are kept as they are. */
static const struct kept {
	unsigned column;
	size_t at;
} kept_ids[] = {
    {TP_SQL_SPAN_goroutine, offsetof(struct tp_span, goroutine)},
    {TP_SQL_SPAN_reason, offsetof(struct tp_span, reason)},
    {TP_SQL_SPAN_stack, offsetof(struct tp_span, stack)},
    {TP_SQL_SPAN_m, offsetof(struct tp_span, m)},
    {TP_SQL_SPAN_p, offsetof(struct tp_span, p)},
    {TP_SQL_SPAN_waker, offsetof(struct tp_span, waker)},
    {TP_SQL_SPAN_waker_stack, offsetof(struct tp_span, waker_stack)},
};

struct tp_span_groups {
	bool by_run, by_state, by_reason;
	bool starts, durations, states, flags; /* are kept */
	size_t id[TP_COUNT_OF(kept_ids)];
	size_t nids; /* members of a span that are kept */

	struct group *group; /* those in memory */
	size_t n, room;
	uint32_t *order;
	struct tp_ids known;   /* groups of the run, by reason and state */
	size_t known_run;      /* its position + 1 */
	struct held_run *held; /* by position */
	size_t nheld;
	size_t bytes;		 /* of groups and rows in memory */
	size_t most;		 /* from which they move to the file */
	int fd;			 /* -1: all rows are in memory */
	int64_t end;		 /* of the file */
	struct section *section; /* when rows are given back, a heap */
	size_t nsections, sections_room;

	/* the position */
	size_t at;	    /* next of order[] */
	struct chunk chunk; /* the current one, and its rows that are left */
	uint64_t left;
	uint64_t given; /* rows */
	struct tp_cursor rows;
	int64_t last_start;
	struct tp_buf io; /* to or from the file */
};

void tp_span_groups_free(struct tp_span_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		tp_buf_release(&g->group[i].rows);
	for (size_t i = 0; i < g->nheld; i++)
		tp_sql_run_put(g->held[i].run);
	free(g->group);
	free(g->order);
	free(g->held);
	free(g->section);
	tp_ids_release(&g->known);
	tp_buf_release(&g->io);
	if (g->fd >= 0)
		close(g->fd);
	free(g);
}

static bool uses(const struct tp_span_cursor *c, unsigned column)
{
	return c->used >> column & 1;
}

static struct tp_span_groups *groups_new(const struct tp_span_cursor *c)
{
	struct tp_span_groups *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->nheld = tp_sql_nruns(c->sql);
	g->held = calloc(g->nheld + 1, sizeof(*g->held));
	if (!g->held) {
		free(g);
		return NULL;
	}
	g->fd = -1;
	g->most = tp_span_groups_most;
	g->starts = uses(c, TP_SQL_SPAN_start_ns) || uses(c, TP_SQL_SPAN_end_ns);
	g->durations = uses(c, TP_SQL_SPAN_dur_ns) || uses(c, TP_SQL_SPAN_end_ns);
	g->flags = uses(c, TP_SQL_SPAN_inferred) || uses(c, TP_SQL_SPAN_open);
	for (unsigned i = 0; i < c->nkeys; i++) {
		g->by_run |= c->key[i].column == TP_SQL_SPAN_run;
		g->by_state |= c->key[i].column == TP_SQL_SPAN_state;
		g->by_reason |= c->key[i].column == TP_SQL_SPAN_reason;
	}
	g->states = uses(c, TP_SQL_SPAN_state) && !g->by_state;
	for (size_t i = 0; i < TP_COUNT_OF(kept_ids); i++)
		if (uses(c, kept_ids[i].column) &&
		    !(g->by_reason && kept_ids[i].column == TP_SQL_SPAN_reason))
			g->id[g->nids++] = kept_ids[i].at;
	return g;
}

/* ---- the order ---- */

static int compare_texts(struct tp_text a, struct tp_text b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order;

	if (!a.text || !b.text) /* NULLs come first */
		return (a.text != NULL) - (b.text != NULL);
	order = n ? memcmp(a.text, b.text, n) : 0;
	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static struct tp_text reason_of(const struct tp_span_groups *g, const struct chunk *x)
{
	const struct tp_dict *dict = g->held[x->run_pos].dict;

	return x->reason < tp_dict_strings(dict) ? tp_dict_text(dict, x->reason)
						 : (struct tp_text){NULL, 0};
}

/* Reasons of a damaged store may differ and have the same text, or none. */
static int compare_chunks(const struct tp_span_cursor *c, const struct chunk *x,
			  const struct chunk *y)
{
	for (unsigned i = 0; i < c->nkeys; i++) {
		int order = c->key[i].column == TP_SQL_SPAN_run
				? (x->run_pos > y->run_pos) - (x->run_pos < y->run_pos)
			    : c->key[i].column == TP_SQL_SPAN_state
				? strcmp(tp_state_names[x->state], tp_state_names[y->state])
				: compare_texts(reason_of(c->groups, x), reason_of(c->groups, y));

		if (order)
			return c->key[i].desc ? -order : order;
	}
	if (x->run_pos != y->run_pos)
		return x->run_pos < y->run_pos ? -1 : 1;
	return (x->reason > y->reason) - (x->reason < y->reason);
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct tp_span_cursor *c = ctx;
	const struct group *group = c->groups->group;

	return compare_chunks(c, &group[*(const uint32_t *)a].chunk,
			      &group[*(const uint32_t *)b].chunk);
}

static int sort_groups(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	uint32_t *order = tp_more(g->order, g->n + 1, sizeof(*order));

	if (!order)
		return tp_nomem(err);
	g->order = order;
	for (uint32_t i = 0; i < g->n; i++)
		order[i] = i;
	qsort_r(order, g->n, sizeof(*order), compare_groups, c);
	return 0;
}

/* ---- keeping ---- */

static int hold_run(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct held_run *held = &g->held[c->run_pos];

	if (held->run)
		return 0;
	if (g->by_reason && tp_sql_dict(c->run_ref, &held->dict, err))
		return err->code;
	tp_sql_run_ref(c->run_ref);
	held->run = c->run_ref;
	return 0;
}

/* Sets *at to the group of a row. */
static int group_of(struct tp_span_cursor *c, const struct tp_span *span, uint32_t *at,
		    struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct group group = {.chunk = {
				  .run_pos = c->run_pos,
				  .reason = g->by_reason ? span->reason : 0,
				  .state = g->by_state ? span->state : 0,
			      }};
	uint64_t id = (uint64_t)group.chunk.reason * TP_NSTATES + group.chunk.state;

	if (g->known_run != c->run_pos + 1)
		tp_ids_clear(&g->known);
	g->known_run = c->run_pos + 1;
	*at = tp_ids_get(&g->known, id);
	if (*at != TP_NO_ID)
		return 0;
	*at = (uint32_t)g->n;
	if (hold_run(c, err))
		return err->code;
	if (tp_grow_raw(&g->group, &g->room, g->n, sizeof(group)) || tp_ids_put(&g->known, id, *at))
		return tp_nomem(err);
	g->group[g->n++] = group;
	g->bytes += GROUP_BYTES;
	return 0;
}

/* Appends io to the file. */
static int write_io(struct tp_span_groups *g, struct tp_err *err)
{
	for (size_t done = 0; done < g->io.size;) {
		ssize_t n = pwrite(g->fd, g->io.data + done, g->io.size - done, (off_t)g->end);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "cannot write a temporary file: %s",
					  n ? strerror(errno) : "it does not grow");
		done += (size_t)n;
		g->end += n;
	}
	g->io.size = 0;
	return 0;
}

/* Moves all groups to the file, as a section. */
static int leave_memory(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	int code;

	if (g->fd < 0)
		g->fd = tp_input_temporary(NULL, err);
	/* A process in a jail cannot make files. */
	if (g->fd < 0 && g->most < WITHOUT_FILE) {
		g->most = WITHOUT_FILE;
		return 0;
	}
	if (g->fd < 0)
		return g->fd;
	if (tp_grow(&g->section, &g->sections_room, g->nsections, sizeof(*g->section)))
		return tp_nomem(err);
	g->section[g->nsections].offset = g->end;
	code = sort_groups(c, err);
	for (size_t i = 0; i < g->n && !code; i++) {
		struct group *group = &g->group[g->order[i]];

		tp_buf_put(&g->io, &group->chunk, sizeof(group->chunk));
		if (tp_buf_put(&g->io, group->rows.data, group->rows.size))
			return tp_nomem(err);
		tp_buf_release(&group->rows);
		if (g->io.size >= WRITE_BYTES || i == g->n - 1)
			code = write_io(g, err);
	}
	if (code)
		return code;
	g->section[g->nsections].end = g->end;
	g->section[g->nsections].number = (uint32_t)g->nsections;
	g->nsections++;
	g->n = g->bytes = g->known_run = 0;
	return 0;
}

static uint32_t *id_at(const struct tp_span *span, size_t at)
{
	return (uint32_t *)((char *)(uintptr_t)span + at);
}

static int keep_row(struct tp_span_cursor *c, const struct tp_span *span, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct group *group;
	uint32_t at;
	uint8_t *p, *from;

	if (group_of(c, span, &at, err))
		return err->code;
	group = &g->group[at];
	if (tp_buf_reserve(&group->rows, ROW_BYTES))
		return tp_nomem(err);
	p = from = group->rows.data + group->rows.size;
	if (g->starts) {
		p = tp_put_uvarint(p, tp_zigzag(tp_time_minus(span->start, group->last_start)));
		group->last_start = span->start;
	}
	if (g->durations)
		p = tp_put_uvarint(p, tp_zigzag(tp_time_minus(span->end, span->start)));
	for (size_t i = 0; i < g->nids; i++)
		p = tp_put_uvarint(p, *id_at(span, g->id[i]) + 1u);
	if (g->states)
		*p++ = span->state;
	if (g->flags)
		*p++ = (uint8_t)(span->inferred | span->open << 1);
	group->chunk.rows++;
	group->chunk.size += (size_t)(p - from);
	group->rows.size = group->chunk.size;
	g->bytes += (size_t)(p - from);
	return g->bytes < g->most ? 0 : leave_memory(c, err);
}

/* ---- giving back ---- */

/* Reads the next `size` bytes of a section into io. */
static int read_io(struct tp_span_groups *g, struct section *s, size_t size, struct tp_err *err)
{
	g->io.size = 0;
	if (tp_buf_reserve(&g->io, size))
		return tp_nomem(err);
	while (g->io.size < size) {
		ssize_t n =
		    pread(g->fd, g->io.data + g->io.size, size - g->io.size, (off_t)s->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "cannot read a temporary file: %s",
					  n ? strerror(errno) : "it became shorter");
		g->io.size += (size_t)n;
		s->offset += n;
	}
	return 0;
}

static bool comes_before(const struct tp_span_cursor *c, const struct section *a,
			 const struct section *b)
{
	int order = compare_chunks(c, &a->next, &b->next);

	return order ? order < 0 : a->number < b->number;
}

static void sift_down(struct tp_span_cursor *c, size_t at)
{
	struct tp_span_groups *g = c->groups;
	struct section *s = g->section, moved;

	for (size_t first; (first = 2 * at + 1) < g->nsections; at = first) {
		if (first + 1 < g->nsections && comes_before(c, &s[first + 1], &s[first]))
			first++;
		if (!comes_before(c, &s[first], &s[at]))
			return;
		moved = s[at];
		s[at] = s[first];
		s[first] = moved;
	}
}

/* Puts the groups, or the sections of the file, in order. */
static int order_all(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	int code;

	if (g->fd < 0)
		return sort_groups(c, err);
	code = g->n ? leave_memory(c, err) : 0;
	for (size_t i = 0; i < g->nsections && !code; i++) {
		code = read_io(g, &g->section[i], sizeof(struct chunk), err);
		if (!code)
			memcpy(&g->section[i].next, g->io.data, sizeof(struct chunk));
	}
	for (size_t i = g->nsections / 2; i-- > 0 && !code;)
		sift_down(c, i);
	return code;
}

/* Reads all rows that match the query. */
static int read_all(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = groups_new(c);
	int code;

	c->groups = g;
	if (!g)
		return tp_nomem(err);
	while (!(code = tp_span_next_rows(c, err)) && !c->eof)
		for (size_t i = 0; i < c->n; i++) {
			code = keep_row(c, &c->out[i], err);
			if (code)
				return code;
		}
	c->eof = false;
	if (!code && tp_grow(&c->out, &c->room, BATCH - 1, sizeof(*c->out)))
		code = tp_nomem(err);
	return code ? code : order_all(c, err);
}

static void take_group(struct tp_span_cursor *c)
{
	struct tp_span_groups *g = c->groups;
	const struct group *group;

	if (g->at)
		tp_buf_release(&g->group[g->order[g->at - 1]].rows);
	c->eof = g->at == g->n;
	if (c->eof)
		return;
	group = &g->group[g->order[g->at++]];
	g->chunk = group->chunk;
	g->rows = tp_cursor(group->rows.data, group->rows.size);
}

/* Takes the first chunk of all sections. The chunk after it is read together with its rows. */
static int take_chunk(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct section *s = g->section;
	bool last;
	int code;

	c->eof = !g->nsections;
	if (c->eof)
		return 0;
	g->chunk = s->next;
	last = s->offset + (int64_t)g->chunk.size == s->end;
	code = read_io(g, s, g->chunk.size + (last ? 0 : sizeof(g->chunk)), err);
	if (code)
		return code;
	g->rows = tp_cursor(g->io.data, g->chunk.size);
	if (last)
		*s = g->section[--g->nsections];
	else
		memcpy(&s->next, g->io.data + g->chunk.size, sizeof(s->next));
	sift_down(c, 0);
	return 0;
}

/* Moves to the next chunk, or sets eof. */
static int next_chunk(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	int code = 0;

	tp_span_leave_run(c);
	if (g->fd < 0)
		take_group(c);
	else
		code = take_chunk(c, err);
	if (code || c->eof)
		return code;
	g->left = g->chunk.rows;
	g->last_start = 0;
	c->run_pos = g->chunk.run_pos;
	c->run_id = tp_sql_run_id(c->sql, c->run_pos);
	c->run_ref = g->held[c->run_pos].run;
	tp_sql_run_ref(c->run_ref);
	return 0;
}

static void take_row(struct tp_span_groups *g, struct tp_span *span)
{
	span->reason = g->chunk.reason;
	if (g->starts)
		g->last_start =
		    tp_time_plus(g->last_start, tp_unzigzag(tp_cursor_uvarint(&g->rows)));
	span->start = span->end = g->last_start;
	if (g->durations)
		span->end = tp_time_plus(span->start, tp_unzigzag(tp_cursor_uvarint(&g->rows)));
	for (size_t i = 0; i < g->nids; i++)
		*id_at(span, g->id[i]) = (uint32_t)tp_cursor_uvarint(&g->rows) - 1;
	span->state = g->states ? tp_cursor_u8(&g->rows) : (uint8_t)g->chunk.state;
	if (g->flags) {
		uint8_t flags = tp_cursor_u8(&g->rows);

		span->inferred = flags & 1;
		span->open = flags >> 1;
	}
}

int tp_span_next_grouped(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	int code = g ? 0 : read_all(c, err);

	g = c->groups;
	while (!code && !c->eof && (!g || !g->left))
		code = next_chunk(c, err);
	if (code || c->eof)
		return code;
	c->at = 0;
	c->n = g->left < BATCH ? (size_t)g->left : BATCH;
	g->left -= c->n;
	g->given += c->n;
	for (size_t i = 0; i < c->n; i++)
		take_row(g, &c->out[i]);
	return 0;
}

int tp_span_keep_key(struct tp_span_cursor *c, struct tp_err *err)
{
	static const uint32_t key = 1u << TP_SQL_SPAN_goroutine | 1u << TP_SQL_SPAN_start_ns |
				    1u << TP_SQL_SPAN_end_ns | 1u << TP_SQL_SPAN_state;
	uint64_t row = c->groups->given - (c->n - c->at);
	int code = 0;

	if ((c->used & key) == key)
		return 0;
	c->used |= key;
	tp_span_leave_run(c);
	tp_span_groups_free(c->groups);
	c->groups = NULL;
	c->run_pos = 0;
	do
		code = tp_span_next_grouped(c, err);
	while (!code && !c->eof && c->groups->given <= row);
	if (!code && c->eof)
		code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "the store has changed");
	if (!code)
		c->at = c->n - (size_t)(c->groups->given - row);
	return code;
}
