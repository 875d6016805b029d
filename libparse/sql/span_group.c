/* Spans in the order of run, state and reason. SQLite's own sorting of a row costs several times
 * what making it does, and these columns have few values. So all rows are read once and kept by
 * group, of each row only the columns that the query uses; then they come group by group. Rows of
 * a group stay in the order of the trace.
 *
 * A kept row is a series of varints: the start as a zigzag difference to the row before, the
 * duration, indices and ids + 1 (0 is TP_NONE), state, flags; each only if a column needs it. When the
 * rows of all groups take many bytes, they move to a temporary file. */
#include "sql/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/idmap.h"
#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "base/table.h"
#include "open/input.h"
#include "store/describe.h"

#define WITHOUT_FILE ((size_t)256 << 20) /* most bytes in memory if there can be no file */
#define BATCH	     1024		 /* rows of out[] */
#define ROW_BYTES    128		 /* most bytes of a row */

size_t tp_span_groups_most = (size_t)2 << 20;

/* Rows of one run that are together in memory or in the file. */
struct part {
	size_t run_pos;
	uint32_t reason; /* of all, if it is a key */
	uint64_t rows;
	int64_t offset; /* of the first */
	size_t size;	/* bytes */
};

struct group {
	int64_t run; /* of the keys, those that are none are 0 or "" */
	uint8_t state;
	struct tp_text reason; /* text NULL: NULL */
	struct part *part;
	size_t nparts, room;
	size_t nwritten; /* parts in the file; those after them are in `rows` */
	struct tp_buf rows;
	int64_t last_start;
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

	struct group *group;
	size_t n, room;
	struct tp_table by_key;
	uint64_t seed;
	struct tp_ids known; /* groups of the run, by reason and state */
	size_t known_run;    /* its position + 1 */
	uint32_t *order;
	size_t bytes; /* of the rows in memory */
	size_t most;  /* from which they move to the file */
	int fd;	      /* -1: all rows are in memory */
	int64_t end;  /* of the file */

	/* the position: the group, the part, its rows that are left */
	size_t at, at_part;
	uint32_t reason; /* of the part */
	uint64_t left;
	struct tp_cursor rows;
	int64_t last_start;
	struct tp_buf read; /* from the file */
};

void tp_span_groups_free(struct tp_span_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++) {
		free(g->group[i].part);
		tp_buf_release(&g->group[i].rows);
	}
	free(g->group);
	free(g->order);
	tp_table_release(&g->by_key);
	tp_ids_release(&g->known);
	tp_buf_release(&g->read);
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
	g->fd = -1;
	g->most = tp_span_groups_most;
	g->seed = tp_seed();
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

/* ---- keeping ---- */

static int compare_texts(struct tp_text a, struct tp_text b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order;

	if (!a.text || !b.text) /* NULLs come first */
		return (a.text != NULL) - (b.text != NULL);
	order = n ? memcmp(a.text, b.text, n) : 0;
	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool same_key(const struct group *a, const struct group *b)
{
	return a->run == b->run && a->state == b->state && !compare_texts(a->reason, b->reason);
}

/* Finds or adds the group of a row that no row of its run had before. */
static int find_group(struct tp_span_cursor *c, const struct tp_span *span, uint32_t *at,
		      struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct group key = {.reason = {"", 0}};
	const struct tp_dict *dict;
	uint64_t hash;

	if (g->by_run)
		key.run = c->run_id;
	if (g->by_state)
		key.state = span->state;
	if (g->by_reason) {
		if (tp_sql_dict(c->run_ref, &dict, err))
			return err->code;
		key.reason = span->reason < tp_dict_strings(dict) ? tp_dict_text(dict, span->reason)
								  : (struct tp_text){NULL, 0};
	}
	hash = tp_mix64(tp_mix64(g->seed, (uint64_t)key.run), key.state);
	hash = tp_hash_bytes(hash, key.reason.text, key.reason.size);
	for (struct tp_probe p = {0}; tp_table_next(&g->by_key, hash, &p);)
		if (same_key(&g->group[p.row], &key)) {
			*at = p.row;
			return 0;
		}
	if (tp_grow(&g->group, &g->room, g->n, sizeof(*g->group)) ||
	    tp_table_add(&g->by_key, hash, g->n))
		return tp_nomem(err);
	g->group[g->n] = key;
	*at = (uint32_t)g->n++;
	return 0;
}

static int group_of(struct tp_span_cursor *c, const struct tp_span *span, uint32_t *at,
		    struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	uint64_t id = (g->by_reason ? (uint64_t)span->reason * TP_NSTATES : 0) +
		      (g->by_state ? span->state : 0);
	int code;

	if (g->known_run != c->run_pos + 1)
		tp_ids_clear(&g->known);
	g->known_run = c->run_pos + 1;
	*at = tp_ids_get(&g->known, id);
	if (*at != TP_NO_ID)
		return 0;
	code = find_group(c, span, at, err);
	return code || !tp_ids_put(&g->known, id, *at) ? code : tp_nomem(err);
}

static int write_rows(struct tp_span_groups *g, struct group *group, struct tp_err *err)
{
	const struct tp_buf *rows = &group->rows;

	for (size_t done = 0; done < rows->size;) {
		ssize_t n = pwrite(g->fd, rows->data + done, rows->size - done,
				   (off_t)(g->end + (int64_t)done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "cannot write a temporary file: %s",
					  n ? strerror(errno) : "it does not grow");
		done += (size_t)n;
	}
	for (; group->nwritten < group->nparts; group->nwritten++)
		group->part[group->nwritten].offset += g->end;
	g->end += (int64_t)rows->size;
	tp_buf_release(&group->rows);
	return 0;
}

/* Moves all rows to the file. */
static int leave_memory(struct tp_span_groups *g, struct tp_err *err)
{
	int code = 0;

	if (g->fd < 0)
		g->fd = tp_input_temporary(NULL, err);
	/* A process in a jail cannot make files. */
	if (g->fd < 0 && g->most < WITHOUT_FILE) {
		g->most = WITHOUT_FILE;
		return 0;
	}
	if (g->fd < 0)
		return g->fd;
	for (size_t i = 0; i < g->n && !code; i++)
		code = write_rows(g, &g->group[i], err);
	g->bytes = 0;
	return code;
}

/* Returns the part that the next row of the group belongs to, or NULL when memory is out. */
static struct part *part_of(const struct tp_span_cursor *c, struct group *group,
			    const struct tp_span *span)
{
	struct part *part = group->nparts ? &group->part[group->nparts - 1] : NULL;

	if (part && part->run_pos == c->run_pos && group->nparts > group->nwritten)
		return part;
	if (tp_grow(&group->part, &group->room, group->nparts, sizeof(*part)))
		return NULL;
	part = &group->part[group->nparts++];
	*part = (struct part){
	    .run_pos = c->run_pos, .reason = span->reason, .offset = (int64_t)group->rows.size};
	group->last_start = 0;
	return part;
}

static uint32_t *id_at(const struct tp_span *span, size_t at)
{
	return (uint32_t *)((char *)(uintptr_t)span + at);
}

static int keep_row(struct tp_span_cursor *c, const struct tp_span *span, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct group *group;
	struct part *part;
	uint32_t at;
	uint8_t *p, *from;

	if (group_of(c, span, &at, err))
		return err->code;
	group = &g->group[at];
	part = part_of(c, group, span);
	if (!part || tp_buf_reserve(&group->rows, ROW_BYTES))
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
	part->rows++;
	part->size += (size_t)(p - from);
	group->rows.size += (size_t)(p - from);
	g->bytes += (size_t)(p - from);
	return g->bytes < g->most ? 0 : leave_memory(g, err);
}

/* ---- the order of groups ---- */

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct tp_span_cursor *c = ctx;
	const struct group *x = &c->groups->group[*(const uint32_t *)a];
	const struct group *y = &c->groups->group[*(const uint32_t *)b];

	for (unsigned i = 0; i < c->nkeys; i++) {
		int order = c->key[i].column == TP_SQL_SPAN_run
				? (x->run > y->run) - (x->run < y->run)
			    : c->key[i].column == TP_SQL_SPAN_state
				? strcmp(tp_state_names[x->state], tp_state_names[y->state])
				: compare_texts(x->reason, y->reason);

		if (order)
			return c->key[i].desc ? -order : order;
	}
	return 0;
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
	g->order = code ? NULL : tp_many(g->n + 1, sizeof(*g->order));
	if (!code && (!g->order || tp_grow(&c->out, &c->room, BATCH - 1, sizeof(*c->out))))
		code = tp_nomem(err);
	for (uint32_t i = 0; i < g->n && !code; i++)
		g->order[i] = i;
	if (!code)
		qsort_r(g->order, g->n, sizeof(*g->order), compare_groups, c);
	return code;
}

/* ---- giving back ---- */

static int read_part(struct tp_span_groups *g, const struct part *part, struct tp_err *err)
{
	g->read.size = 0;
	if (tp_buf_reserve(&g->read, part->size))
		return tp_nomem(err);
	while (g->read.size < part->size) {
		ssize_t n = pread(g->fd, g->read.data + g->read.size, part->size - g->read.size,
				  (off_t)(part->offset + (int64_t)g->read.size));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "cannot read a temporary file: %s",
					  n ? strerror(errno) : "it became shorter");
		g->read.size += (size_t)n;
	}
	g->rows = tp_cursor(g->read.data, part->size);
	return 0;
}

/* Moves to the next part, or sets eof. */
static int next_part(struct tp_span_cursor *c, struct tp_err *err)
{
	struct tp_span_groups *g = c->groups;
	struct group *group;
	const struct part *part;
	int code = 0;

	tp_span_leave_run(c);
	while (g->at < g->n && g->at_part == g->group[g->order[g->at]].nparts) {
		tp_buf_release(&g->group[g->order[g->at]].rows);
		g->at_part = 0;
		g->at++;
	}
	c->eof = g->at == g->n;
	if (c->eof)
		return 0;
	group = &g->group[g->order[g->at]];
	part = &group->part[g->at_part];
	g->left = part->rows;
	g->reason = part->reason;
	g->last_start = 0;
	if (g->at_part < group->nwritten)
		code = read_part(g, part, err);
	else
		g->rows = tp_cursor(group->rows.data + part->offset, part->size);
	g->at_part++;
	c->run_pos = part->run_pos;
	c->run_id = tp_sql_run_id(c->sql, c->run_pos);
	return code ? code : tp_sql_run_get(c->sql, c->run_id, &c->run_ref, err);
}

static void take_row(struct tp_span_groups *g, struct tp_span *span)
{
	span->reason = g->reason;
	if (g->starts)
		g->last_start =
		    tp_time_plus(g->last_start, tp_unzigzag(tp_cursor_uvarint(&g->rows)));
	span->start = span->end = g->last_start;
	if (g->durations)
		span->end = tp_time_plus(span->start, tp_unzigzag(tp_cursor_uvarint(&g->rows)));
	for (size_t i = 0; i < g->nids; i++)
		*id_at(span, g->id[i]) = (uint32_t)tp_cursor_uvarint(&g->rows) - 1;
	span->state = g->states ? tp_cursor_u8(&g->rows) : g->group[g->order[g->at]].state;
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
		code = next_part(c, err);
	if (code || c->eof)
		return code;
	c->at = 0;
	c->n = g->left < BATCH ? (size_t)g->left : BATCH;
	g->left -= c->n;
	for (size_t i = 0; i < c->n; i++)
		take_row(g, &c->out[i]);
	return 0;
}
