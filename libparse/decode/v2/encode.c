/* See wire.h for the grammar. Limits of Go's reader: 64 KiB per batch, 128 frames per stack
 * (further callers are left out), 1 KiB per string (longer ones are cut). It identifies frames by
 * PC (internal/trace/generation.go, addStacks), so the encoder gives unique PCs to frames that
 * share one, such as inlined calls. */
#include "decode/v2/encode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/many.h"
#include "decode/period.h"

#define VERSION	    26
#define TABLE_M	    UINT64_MAX /* the M of batches of tables */
#define BORROWED_PC ((uint64_t)1 << 63)
#define ENTRY_ROOM  16 /* bytes of numbers before a string */

/* Ids of the dictionary that the generation uses, with their numbers in it. */
struct used {
	uint32_t *number; /* by id of the dictionary: 0 not used */
	size_t room;
	uint32_t *id; /* by number, from 1 on */
	size_t id_room;
	uint32_t n;
};

struct lane { /* the batch of an M that is being filled */
	uint64_t m;
	uint64_t first, last; /* times of its events */
	struct tp_buf data;
};

struct tp_v2_encoder {
	const struct tp_dict *dict;
	struct tp_out out;
	bool open; /* a generation has begun */
	uint64_t generation;
	struct tp_v2_clock clock;
	struct used strings, stacks;
	struct lane *lanes;
	uint32_t nlanes;
	size_t room_lanes;
	struct tp_ids by_m; /* of lanes */
	uint32_t latest;    /* last result of lane_of() */
	struct tp_buf samples, head;
	uint32_t
	    period; /* string that says that of the samples, or from where on there may be one */
	struct tp_ids by_pc; /* PC → frame, of this generation */
};

int tp_v2_encoder_new(struct tp_v2_encoder **out, const struct tp_dict *dict,
		      const struct tp_out *to, struct tp_err *err)
{
	struct tp_v2_encoder *e = calloc(1, sizeof(*e));
	char header[TP_V2_HEADER_SIZE] = {0};
	int code;

	*out = NULL;
	if (!e)
		return tp_nomem(err);
	e->dict = dict;
	e->out = *to;
	snprintf(header, sizeof(header), "go 1.%d trace", VERSION);
	code = e->out.write(e->out.ctx, header, sizeof(header), err);
	if (code)
		tp_v2_encoder_free(e);
	else
		*out = e;
	return code;
}

void tp_v2_encoder_free(struct tp_v2_encoder *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->room_lanes; i++)
		tp_buf_release(&e->lanes[i].data);
	free(e->lanes);
	tp_ids_release(&e->by_m);
	free(e->strings.number);
	free(e->strings.id);
	free(e->stacks.number);
	free(e->stacks.id);
	tp_ids_release(&e->by_pc);
	tp_buf_release(&e->samples);
	tp_buf_release(&e->head);
	free(e);
}

/* ---- ids ---- */

/* Sets *number to the generation's number for an id of the dictionary, which has n ids; 0 for 0 and
 * for ids out of range. */
static int use(struct used *u, uint64_t id, uint32_t n, uint32_t *number)
{
	*number = 0;
	if (!id || id >= n)
		return 0;
	if (tp_grow(&u->number, &u->room, (size_t)id, sizeof(*u->number)))
		return TP_ENOMEM;
	if (!u->number[id]) {
		if (tp_grow_raw(&u->id, &u->id_room, u->n + 1, sizeof(*u->id)))
			return TP_ENOMEM;
		u->id[++u->n] = (uint32_t)id;
		u->number[id] = u->n;
	}
	*number = u->number[id];
	return 0;
}

static int use_string(struct tp_v2_encoder *e, uint64_t id, uint32_t *number)
{
	return use(&e->strings, id, tp_dict_strings(e->dict), number);
}

static int use_stack(struct tp_v2_encoder *e, uint64_t id, uint32_t *number)
{
	return use(&e->stacks, id, tp_dict_stacks(e->dict), number);
}

static void forget(struct used *u)
{
	for (uint32_t i = 1; i <= u->n; i++)
		u->number[u->id[i]] = 0;
	u->n = 0;
}

/* ---- batches ---- */

static int write_batch(struct tp_v2_encoder *e, uint64_t m, uint64_t time,
		       const struct tp_buf *data, struct tp_err *err)
{
	int code;

	if (!data->size)
		return 0;
	e->head.size = 0;
	if (tp_buf_put(&e->head, (uint8_t[]){TP_V2_EventBatch}, 1) ||
	    tp_buf_put_uvarint(&e->head, e->generation) || tp_buf_put_uvarint(&e->head, m) ||
	    tp_buf_put_uvarint(&e->head, time) || tp_buf_put_uvarint(&e->head, data->size))
		return tp_nomem(err);
	code = e->out.write(e->out.ctx, e->head.data, e->head.size, err);
	return code ? code : e->out.write(e->out.ctx, data->data, data->size, err);
}

/* Returns the lane of an M, NULL when memory is out. Lanes keep their buffers from one generation
 * to the next. */
static struct lane *lane_of(struct tp_v2_encoder *e, uint64_t m)
{
	uint32_t lane;

	if (e->latest < e->nlanes && e->lanes[e->latest].m == m)
		return &e->lanes[e->latest];
	lane = tp_ids_get(&e->by_m, m);
	if (lane != TP_NO_ID) {
		e->latest = lane;
		return &e->lanes[lane];
	}
	if (tp_grow(&e->lanes, &e->room_lanes, e->nlanes, sizeof(*e->lanes)) ||
	    tp_ids_put(&e->by_m, m, e->nlanes))
		return NULL;
	e->latest = e->nlanes++;
	e->lanes[e->latest].m = m;
	e->lanes[e->latest].data.size = 0;
	return &e->lanes[e->latest];
}

/* ---- events ---- */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

/* Go's reader converts a batch's time and each difference in it to float64 (internal/trace,
 * frequency.mul). From here on not every integer is exact, and batches would shift against each
 * other. */
#define EXACT ((uint64_t)1 << 53)

/* Returns the last time at or before ts that a float64 represents exactly. */
static uint64_t exact_time(uint64_t ts)
{
	unsigned lost = 0;

	while (ts >> lost >= EXACT)
		lost++;
	return ts >> lost << lost;
}

int tp_v2_encode_event(struct tp_v2_encoder *e, uint64_t m, uint64_t ts, enum tp_v2_wire type,
		       const uint64_t *args, struct tp_err *err)
{
	const struct tp_v2_wire_event *w = &tp_v2_wires[type];
	struct lane *l = lane_of(e, m);
	uint8_t bytes[TP_V2_MAX_EVENT], *p = bytes;
	int code;

	if (!l)
		return tp_nomem(err);
	if (l->data.size &&
	    (l->data.size + TP_V2_MAX_EVENT > TP_V2_MAX_BATCH || ts - l->last >= EXACT)) {
		code = write_batch(e, m, l->first, &l->data, err);
		if (code)
			return code;
		l->data.size = 0;
	}
	if (!l->data.size)
		l->first = l->last = exact_time(ts);
	*p++ = (uint8_t)type;
	p = tp_put_uvarint(p, ts - l->last);
	for (unsigned i = 1; i < w->nargs; i++) {
		uint64_t v = args[i - 1];
		bool stack = ends_in(w->args[i], "stack");
		uint32_t number;

		if (stack || ends_in(w->args[i], "string")) {
			if (stack ? use_stack(e, v, &number) : use_string(e, v, &number))
				return tp_nomem(err);
			v = number;
		}
		p = tp_put_uvarint(p, v);
	}
	l->last = ts;
	return tp_buf_put(&l->data, bytes, (size_t)(p - bytes)) ? tp_nomem(err) : 0;
}

/* Makes room in a table's batch. Its time is the start of the generation: 0 would count as the
 * start of the trace. */
static int room_in_table(struct tp_v2_encoder *e, struct tp_buf *table, enum tp_v2_wire kind,
			 size_t more, struct tp_err *err)
{
	if (table->size + more > TP_V2_MAX_BATCH) {
		int code = write_batch(e, TABLE_M, e->clock.ts, table, err);

		if (code)
			return code;
		table->size = 0;
	}
	if (!table->size && tp_buf_put(table, (uint8_t[]){(uint8_t)kind}, 1))
		return tp_nomem(err);
	return 0;
}

int tp_v2_encode_sample(struct tp_v2_encoder *e, uint64_t ts, uint64_t m, uint64_t p, uint64_t g,
			uint32_t stack, struct tp_err *err)
{
	uint32_t number;
	int code = room_in_table(e, &e->samples, TP_V2_CPUSamples, TP_V2_MAX_EVENT, err);

	if (code)
		return code;
	if (use_stack(e, stack, &number) ||
	    tp_buf_put(&e->samples, (uint8_t[]){TP_V2_CPUSample}, 1) ||
	    tp_buf_put_uvarint(&e->samples, ts) || tp_buf_put_uvarint(&e->samples, m) ||
	    tp_buf_put_uvarint(&e->samples, p) || tp_buf_put_uvarint(&e->samples, g) ||
	    tp_buf_put_uvarint(&e->samples, number))
		return tp_nomem(err);
	return 0;
}

/* ---- tables ---- */

/* Chooses a unique PC for a frame: its own or, if it has none or an earlier frame has the same, one
 * that no program uses. */
static int pc_of(struct tp_v2_encoder *e, uint32_t frame, uint64_t *pc)
{
	struct tp_frame f = tp_dict_frame_at(e->dict, frame);
	uint32_t owner;

	*pc = tp_dict_location_at(e->dict, f.location).address;
	if (!*pc) {
		*pc = BORROWED_PC | frame;
		return 0;
	}
	owner = tp_ids_get(&e->by_pc, *pc);
	if (owner == TP_NO_ID)
		return tp_ids_put(&e->by_pc, *pc, frame);
	if (owner != frame)
		*pc = BORROWED_PC | frame;
	return 0;
}

static int put_frame(struct tp_v2_encoder *e, struct tp_buf *table, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(e->dict, frame);
	struct tp_function fn = tp_dict_function_at(e->dict, f.function);
	uint32_t name, file;
	uint64_t pc;

	if (pc_of(e, frame, &pc) || use_string(e, fn.name, &name) || use_string(e, fn.file, &file))
		return TP_ENOMEM;
	return tp_buf_put_uvarint(table, pc) || tp_buf_put_uvarint(table, name) ||
		       tp_buf_put_uvarint(table, file) ||
		       tp_buf_put_uvarint(table, (uint64_t)(f.line > 0 ? f.line : 0))
		   ? TP_ENOMEM
		   : 0;
}

static int write_stacks(struct tp_v2_encoder *e, struct tp_err *err)
{
	struct tp_buf table = {0};
	int code = 0;

	for (uint32_t i = 1; i <= e->stacks.n && !code; i++) {
		uint32_t node = e->stacks.id[i];
		struct tp_stack_node s = tp_dict_stack_at(e->dict, node);
		uint32_t n = s.depth < TP_V2_MAX_FRAMES ? s.depth : TP_V2_MAX_FRAMES;

		code = room_in_table(e, &table, TP_V2_Stacks, 24 + (size_t)n * 40, err);
		if (code)
			break;
		if (tp_buf_put(&table, (uint8_t[]){TP_V2_Stack}, 1) ||
		    tp_buf_put_uvarint(&table, i) || tp_buf_put_uvarint(&table, n))
			code = tp_nomem(err);
		for (uint32_t k = 0; k < n && !code; k++) {
			s = tp_dict_stack_at(e->dict, node);
			code = put_frame(e, &table, s.frame) ? tp_nomem(err) : 0;
			node = s.parent;
		}
	}
	if (!code)
		code = write_batch(e, TABLE_M, e->clock.ts, &table, err);
	tp_buf_release(&table);
	return code;
}

static int write_strings(struct tp_v2_encoder *e, struct tp_err *err)
{
	struct tp_buf table = {0};
	uint32_t unused;
	int code = 0;

	if (e->samples.size && tp_cpu_period(e->dict, &e->period) &&
	    use_string(e, e->period, &unused))
		return tp_nomem(err);
	for (uint32_t i = 1; i <= e->strings.n && !code; i++) {
		struct tp_text t = tp_dict_text(e->dict, e->strings.id[i]);
		size_t size = t.size < TP_V2_MAX_STRING ? t.size : TP_V2_MAX_STRING;

		code = room_in_table(e, &table, TP_V2_Strings, size + ENTRY_ROOM, err);
		if (!code && (tp_buf_put(&table, (uint8_t[]){TP_V2_String}, 1) ||
			      tp_buf_put_uvarint(&table, i) || tp_buf_put_uvarint(&table, size) ||
			      tp_buf_put(&table, t.text, size)))
			code = tp_nomem(err);
	}
	if (!code)
		code = write_batch(e, TABLE_M, e->clock.ts, &table, err);
	tp_buf_release(&table);
	return code;
}

/* Writes Sync, Frequency and ClockSnapshot, from which Go's reader gets the rate of the clock. */
static int write_clock(struct tp_v2_encoder *e, struct tp_err *err)
{
	struct tp_buf b = {0};
	int code = 0;

	if (tp_buf_put(&b, (uint8_t[]){TP_V2_Sync, TP_V2_Frequency}, 2) ||
	    tp_buf_put_uvarint(&b, 1000000000) ||
	    tp_buf_put(&b, (uint8_t[]){TP_V2_ClockSnapshot, 0}, 2) ||
	    tp_buf_put_uvarint(&b, e->clock.mono_ns) || tp_buf_put_uvarint(&b, e->clock.wall_sec) ||
	    tp_buf_put_uvarint(&b, e->clock.wall_nsec))
		code = tp_nomem(err);
	if (!code)
		code = write_batch(e, TABLE_M, e->clock.ts, &b, err);
	tp_buf_release(&b);
	return code;
}

static int end_generation(struct tp_v2_encoder *e, struct tp_err *err)
{
	int code = 0;

	if (!e->open)
		return 0;
	for (uint32_t i = 0; i < e->nlanes && !code; i++)
		code = write_batch(e, e->lanes[i].m, e->lanes[i].first, &e->lanes[i].data, err);
	if (!code)
		code = write_batch(e, TABLE_M, e->clock.ts, &e->samples, err);
	/* Stacks before strings, because they use strings. */
	if (!code)
		code = write_stacks(e, err);
	if (!code)
		code = write_strings(e, err);
	if (!code)
		code = write_clock(e, err);
	if (!code)
		code = e->out.write(e->out.ctx, (uint8_t[]){TP_V2_EndOfGeneration}, 1, err);
	e->open = false;
	e->nlanes = 0;
	tp_ids_clear(&e->by_m);
	e->samples.size = 0;
	forget(&e->strings);
	forget(&e->stacks);
	tp_ids_clear(&e->by_pc);
	return code;
}

int tp_v2_encode_generation(struct tp_v2_encoder *e, const struct tp_v2_clock *clock,
			    struct tp_err *err)
{
	int code = end_generation(e, err);

	e->generation++;
	e->clock = *clock;
	e->open = true;
	return code;
}

int tp_v2_encode_finish(struct tp_v2_encoder *e, struct tp_err *err)
{
	return end_generation(e, err);
}
