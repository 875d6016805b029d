#include "hostile/v2_trace.h"

#define MOST ((size_t)60000) /* bytes of a batch, whose most are 64 Ki */

void v2_end_batch(struct v2 *t)
{
	if (!t->batch.out.size)
		return;
	pen_byte(t->p, BATCH);
	PEN_NUMBERS(t->p, t->generation, t->m, t->time, t->batch.out.size);
	pen_append(t->p, &t->batch);
	t->time += t->events;
	t->events = 0;
}

void v2_batch(struct v2 *t, uint64_t m)
{
	v2_end_batch(t);
	t->m = m;
}

void v2_frequency(struct v2 *t, uint64_t per_second)
{
	v2_batch(t, V2_TABLE);
	pen_byte(&t->batch, FREQUENCY);
	pen_number(&t->batch, per_second);
	v2_end_batch(t);
}

void v2_head(struct pen *p)
{
	pen_bytes(p, "go 1.22 trace\0\0", 16);
}

void v2_begin_clock(struct v2 *t, struct pen *p, uint64_t per_second, uint64_t time)
{
	*t = (struct v2){.p = p, .generation = 1, .time = time};
	v2_head(p);
	v2_frequency(t, per_second);
}

void v2_begin(struct v2 *t, struct pen *p)
{
	v2_begin_clock(t, p, 1000000000, 1000);
}

bool v2_full(const struct v2 *t)
{
	return t->p->failed || t->batch.failed || t->p->out.size + t->batch.out.size >= t->p->size;
}

void v2_event(struct v2 *t, unsigned type, uint64_t ticks)
{
	if (t->batch.out.size > MOST)
		v2_end_batch(t);
	pen_byte(&t->batch, type);
	pen_number(&t->batch, ticks);
	t->events++;
}

void v2_line(struct v2 *t, unsigned table, unsigned type)
{
	if (t->batch.out.size > MOST)
		v2_end_batch(t);
	if (!t->batch.out.size)
		pen_byte(&t->batch, table);
	pen_byte(&t->batch, type);
}

void v2_string(struct v2 *t, uint64_t id, const void *text, size_t n)
{
	LINE(t, STRINGS, STRING, id, n);
	pen_bytes(&t->batch, text, n);
}

void v2_short_strings(struct v2 *t, uint64_t to)
{
	v2_batch(t, V2_TABLE);
	for (uint64_t n = 1; n < to && !v2_full(t); n++) {
		const char text[] = {(char)('0' + n % 75), (char)('0' + n / 75 % 75),
				     (char)('0' + n / 5625 % 75), (char)('0' + n / 421875 % 75)};

		v2_string(t, n, text, 4);
	}
	v2_end_batch(t);
}

void v2_run_one(struct v2 *t)
{
	v2_batch(t, 0);
	EVENT(t, PROC_STATUS, 0, P_RUNNING);
	EVENT(t, GO_STATUS, 1, 0, RUNNING);
}
