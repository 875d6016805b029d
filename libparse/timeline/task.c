/* The tasks of a run, by id.
 * A trace may have a task per request, and logs and regions may follow long after a task's end, so
 * rows are written when the run ends. Until then tasks are in chunks, which are packed into varints
 * at the end of a segment if all their tasks have ended, like those of goroutines. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/parts.h"

#define PACKED_MAX (12 * 10 + 1)

enum { HAS_START = 1, HAS_END = 2, HAS_PARENT = 4 };

static uint8_t *pack(uint8_t *p, const struct tp_task *x)
{
	*p++ = (uint8_t)((x->has_start ? HAS_START : 0) | (x->has_end ? HAS_END : 0) |
			 (x->has_parent ? HAS_PARENT : 0));
	p = tp_put_uvarint(p, x->parent);
	p = tp_put_uvarint(p, x->name);
	p = tp_put_uvarint(p, (uint64_t)x->goroutine + 1);
	p = tp_put_uvarint(p, x->stack);
	p = tp_put_uvarint(p, tp_zigzag(x->start));
	p = tp_put_uvarint(p, tp_zigzag(x->end));
	p = tp_put_uvarint(p, x->regions);
	p = tp_put_uvarint(p, x->logs);
	p = tp_put_uvarint(p, x->goroutines);
	p = tp_put_uvarint(p, (uint64_t)x->member[0] + 1);
	p = tp_put_uvarint(p, (uint64_t)x->member[1] + 1);
	return p;
}

static struct tp_task unpack(struct tp_cursor *c)
{
	struct tp_task x = {0};
	uint8_t has = tp_cursor_u8(c);

	x.has_start = has & HAS_START;
	x.has_end = has & HAS_END;
	x.has_parent = has & HAS_PARENT;
	x.parent = tp_cursor_uvarint(c);
	x.name = (uint32_t)tp_cursor_uvarint(c);
	x.goroutine = (uint32_t)(tp_cursor_uvarint(c) - 1);
	x.stack = (uint32_t)tp_cursor_uvarint(c);
	x.start = tp_unzigzag(tp_cursor_uvarint(c));
	x.end = tp_unzigzag(tp_cursor_uvarint(c));
	x.regions = (uint32_t)tp_cursor_uvarint(c);
	x.logs = (uint32_t)tp_cursor_uvarint(c);
	x.goroutines = (uint32_t)tp_cursor_uvarint(c);
	x.member[0] = (uint32_t)(tp_cursor_uvarint(c) - 1);
	x.member[1] = (uint32_t)(tp_cursor_uvarint(c) - 1);
	return x;
}

/* Returns the tasks of a chunk, which it unpacks if necessary; NULL when memory is out. */
static struct tp_task *chunk_tasks(struct tp_task_chunk *c)
{
	struct tp_cursor in = tp_cursor(c->packed, c->size);

	if (c->tasks)
		return c->tasks;
	c->tasks = calloc(TP_CHUNK, sizeof(*c->tasks));
	if (!c->tasks)
		return NULL;
	for (uint32_t i = 0; c->packed && i < TP_CHUNK; i++)
		c->tasks[i] = unpack(&in);
	free(c->packed);
	c->packed = NULL;
	return c->tasks;
}

static int pack_chunk(struct tp_task_chunk *c)
{
	uint8_t buffer[TP_CHUNK * PACKED_MAX], *p = buffer;

	for (uint32_t i = 0; i < TP_CHUNK; i++)
		p = pack(p, &c->tasks[i]);
	c->size = (uint32_t)(p - buffer);
	c->packed = malloc(c->size);
	if (!c->packed)
		return TP_ENOMEM;
	memcpy(c->packed, buffer, c->size);
	free(c->tasks);
	c->tasks = NULL;
	return 0;
}

/* Adds a task. Returns 0 or TP_ENOMEM. */
static int add(struct tp_tasks *s, uint64_t id)
{
	uint32_t c = s->n >> TP_CHUNK_BITS;
	struct tp_task *tasks;

	if (s->n == TP_NO_ID || tp_grow_raw(&s->id, &s->room, s->n, sizeof(*s->id)) ||
	    tp_grow(&s->chunk, &s->room_chunks, c, sizeof(*s->chunk)))
		return TP_ENOMEM;
	tasks = chunk_tasks(&s->chunk[c]);
	if (!tasks || tp_ids_put(&s->number_of, id, s->n))
		return TP_ENOMEM;
	tasks[s->n & (TP_CHUNK - 1)].goroutine = TP_NONE;
	s->id[s->n++] = id;
	return 0;
}

/* Returns the number of the task of an id, added if new; TP_NONE when memory is out. */
static uint32_t number_of(struct tp_tasks *s, uint64_t id)
{
	uint32_t number;

	if (s->latest < s->n && s->id[s->latest] == id)
		return s->latest;
	number = tp_ids_get(&s->number_of, id);
	if (number == TP_NO_ID && add(s, id))
		return TP_NONE;
	return s->latest = number == TP_NO_ID ? s->n - 1 : number;
}

static struct tp_task *numbered(struct tp_tasks *s, uint32_t number)
{
	struct tp_task *tasks = chunk_tasks(&s->chunk[number >> TP_CHUNK_BITS]);

	return tasks ? &tasks[number & (TP_CHUNK - 1)] : NULL;
}

struct tp_task *tp_task_at(struct tp_tasks *s, uint64_t id)
{
	uint32_t number = number_of(s, id);

	return number == TP_NONE ? NULL : numbered(s, number);
}

struct tp_task *tp_task_join(struct tp_tasks *s, uint64_t id, uint32_t g)
{
	uint32_t number = number_of(s, id);
	struct tp_task *task = number == TP_NONE ? NULL : numbered(s, number);
	uint64_t member;

	if (!task)
		return NULL;
	for (uint32_t i = 0; i < 2; i++) {
		if (i == task->goroutines)
			task->member[task->goroutines++] = g;
		if (task->member[i] == g)
			return task;
	}
	member = (uint64_t)number << 32 | g;
	if (tp_idmap_get(&s->members, member))
		return task;
	if (tp_idmap_add(&s->members, member, s)) /* the value is not used */
		return NULL;
	task->goroutines++;
	return task;
}

void tp_task_end(struct tp_tasks *s, struct tp_task *task, int64_t ts)
{
	/* The end is the latest event of its task. */
	if (!task->has_end)
		s->chunk[s->latest >> TP_CHUNK_BITS].ended++;
	task->has_end = true;
	task->end = ts;
}

int tp_task_settle(struct tp_tasks *s)
{
	for (uint32_t c = 0; c < s->n >> TP_CHUNK_BITS; c++) {
		struct tp_task_chunk *chunk = &s->chunk[c];

		if (!chunk->tasks || chunk->ended != TP_CHUNK || chunk->settled)
			continue;
		if (s->unpacked < TP_UNPACKED) {
			s->unpacked++;
			chunk->settled = true;
		} else if (pack_chunk(chunk)) {
			return TP_ENOMEM;
		}
	}
	return 0;
}

static int put_task(struct tp_timeline *t, uint64_t id, const struct tp_task *task,
		    struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(TASK, id)] = (int64_t)id;
	v[TP_COL(TASK, parent)] = task->has_parent ? (int64_t)task->parent : 0;
	v[TP_COL(TASK, name)] = task->name;
	v[TP_COL(TASK, start_ns)] = task->has_start ? tp_time_value(t, task->start) : TP_NULL;
	v[TP_COL(TASK, end_ns)] = task->has_end ? tp_time_value(t, task->end) : TP_NULL;
	v[TP_COL(TASK, goroutine)] = tp_index_value(task->goroutine);
	v[TP_COL(TASK, stack)] = task->stack;
	v[TP_COL(TASK, regions)] = task->regions;
	v[TP_COL(TASK, logs)] = task->logs;
	v[TP_COL(TASK, goroutines)] = task->goroutines;
	return tp_timeline_put(t, TP_TABLE_TASK, v, err);
}

int tp_task_finish(struct tp_timeline *t, struct tp_err *err)
{
	struct tp_tasks *s = &t->annotations.tasks;
	struct tp_cursor in = {0};

	for (uint32_t i = 0; i < s->n; i++) {
		const struct tp_task_chunk *c = &s->chunk[i >> TP_CHUNK_BITS];
		struct tp_task task;
		int code;

		if (!(i & (TP_CHUNK - 1)))
			in = tp_cursor(c->packed, c->size);
		task = c->tasks ? c->tasks[i & (TP_CHUNK - 1)] : unpack(&in);
		code = put_task(t, s->id[i], &task, err);
		if (code)
			return code;
	}
	return 0;
}

void tp_task_release(struct tp_tasks *s)
{
	for (uint32_t c = 0; c < s->room_chunks; c++) {
		free(s->chunk[c].tasks);
		free(s->chunk[c].packed);
	}
	free(s->chunk);
	free(s->id);
	tp_ids_release(&s->number_of);
	tp_idmap_release(&s->members);
}
