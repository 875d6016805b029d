/* Samples of OpenTelemetry's profiles. A Sample is one stack with its attributes and any number of
 * observations: values with times, times alone (each counts as 1), or a sum without times.
 * tp_otlp_check has checked the message. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/many.h"
#include "decode/profile/otlp.h"

static int lose(struct tp_otlp *o, struct tp_slice where, const char *why)
{
	struct tp_loss loss = {.bytes = where.size, .events = 1};

	if (o->data)
		loss.offset = (uint64_t)(where.data - o->data);
	else
		loss.bytes = 0;

	return tp_profile_lose(o->p, o->err, o->strict ? TP_EFORMAT : 0, loss, "%s", why);
}

static int add_values(struct tp_otlp *o, struct tp_otlp_place *place, const struct tp_field *f)
{
	struct tp_otlp_numbers list = tp_otlp_numbers(f);
	uint64_t v;

	while (tp_otlp_next(&list, &v)) {
		if (tp_grow_raw(&place->values, &place->values_room, place->nvalues,
				sizeof(*place->values)))
			return tp_nomem(o->err);
		place->values[place->nvalues++] = (int64_t)v;
	}
	return 0;
}

static int add_times(struct tp_otlp *o, struct tp_otlp_place *place, struct tp_slice bytes)
{
	for (size_t i = 0; i + 8 <= bytes.size; i += 8) {
		if (tp_grow_raw(&place->times, &place->times_room, place->ntimes,
				sizeof(*place->times)))
			return tp_nomem(o->err);
		place->times[place->ntimes++] =
		    (int64_t)tp_otlp_le64((struct tp_slice){bytes.data + i, 8});
	}
	return 0;
}

/* Appends the labels of a link, whose texts are 0 if it is empty. */
static int add_link(struct tp_otlp *o, struct tp_otlp_place *place, uint64_t index)
{
	struct tp_label trace = {.key = place->trace_id}, span = {.key = place->span_id};
	int code = 0;

	if (index >= o->table[TP_OTLP_LINKS].n)
		return 0;
	trace.text = o->link[index][0];
	span.text = o->link[index][1];
	if (trace.text)
		code = tp_otlp_add_label(o, &place->labels, &trace);
	if (!code && span.text)
		code = tp_otlp_add_label(o, &place->labels, &span);
	return code;
}

static int read_fields(struct tp_otlp *o, struct tp_otlp_place *place, struct tp_slice bytes,
		       uint32_t *stack)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	uint64_t index = 0, link = 0;
	struct tp_field f;
	int code = 0;

	place->labels.n = place->nprofile;
	place->nvalues = place->ntimes = 0;
	while (!code && tp_field_next(&c, &f)) {
		if (f.number == 1)
			index = f.value;
		else if (f.number == 2)
			code = tp_otlp_add_attributes(o, &place->labels, &f);
		else if (f.number == 3)
			link = f.value;
		else if (f.number == 4)
			code = add_values(o, place, &f);
		else
			code = add_times(o, place, f.bytes);
	}
	*stack = o->table[TP_OTLP_STACKS].n ? o->stack[index] : 0;
	return code ? code : add_link(o, place, link);
}

static int label_set(struct tp_otlp *o, const struct tp_otlp_place *place, uint32_t *set)
{
	size_t n = place->labels.n;
	int code;

	if (n > o->labels_left || o->p->nlabels + n > o->labels_most)
		return tp_err_set(o->err, TP_ELIMIT, TP_OFFSET_NONE,
				  "the profile's attributes would make more labels than a file of "
				  "its size may have");
	o->labels_left -= n;
	code = tp_profile_label_set(o->p, place->labels.item, n, set);
	return tp_otlp_checked(o, code);
}

/* Adds a value of one type. A profile has one type, and the next one mostly has the other type of the same
 * samples: those become one. */
static int put_value(struct tp_otlp *o, struct tp_otlp_place *place, uint32_t stack, uint32_t set,
		     size_t type, int64_t value)
{
	uint64_t key = (uint64_t)stack << 32 | set;
	struct tp_profile *p = o->p;
	uint32_t at = place->several ? tp_ids_get(&place->samples, key) : TP_NO_ID;
	int code;

	if (at != TP_NO_ID && !p->value[at * p->ntypes + type]) {
		p->value[at * p->ntypes + type] = value;
		return 0;
	}
	if ((uint64_t)p->nsamples * p->ntypes > o->values_most)
		return tp_err_set(
		    o->err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the profiles have too many sample types for their samples; split "
		    "the file");
	place->value[type] = value;
	code = tp_profile_add_sample(p, stack, set, place->value);
	place->value[type] = 0;
	if (!code && place->several)
		code = tp_ids_put(&place->samples, key, (uint32_t)(p->nsamples - 1));
	return tp_otlp_checked(o, code);
}

/* Adds a sample for each time. */
static int put_times(struct tp_otlp *o, struct tp_otlp_place *place, uint32_t stack, size_t type)
{
	struct tp_label time = {.key = place->time, .numeric = true, .unit = place->nanoseconds};
	int code = tp_otlp_add_label(o, &place->labels, &time);
	uint32_t set;

	for (size_t i = 0; i < place->ntimes && !code; i++) {
		place->labels.item[place->labels.n - 1].number = place->times[i];
		code = label_set(o, place, &set);
		if (!code)
			code = put_value(o, place, stack, set, type,
					 place->nvalues ? place->values[i] : 1);
	}
	return code;
}

/* Returns whether a sample has attributes, but no list of values or times, not even an empty one: up to
 * v1.9 values had the number that attributes have now. */
static bool is_before_110(struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	bool attributes = false, lists = false;
	struct tp_field f;

	while (tp_field_next(&c, &f)) {
		attributes |= f.number == 2;
		lists |= f.number > 3;
	}
	return attributes && !lists;
}

int tp_otlp_read_sample(struct tp_otlp *o, struct tp_otlp_place *place, struct tp_slice bytes,
			size_t type)
{
	uint32_t stack, set = 0;
	int64_t sum = 0;
	int code = read_fields(o, place, bytes, &stack);

	if (code)
		return code;
	if (!place->nvalues && !place->ntimes && is_before_110(bytes))
		return tp_otlp_refuse(o, bytes.data, TP_OTLP_SAMPLE, NULL,
				      "has attributes, but neither values nor times, as before "
				      "v1.10");
	if (!place->nvalues && !place->ntimes)
		return lose(o, bytes, "a sample has neither values nor times");
	if (place->ntimes && place->nvalues && place->ntimes != place->nvalues)
		return lose(o, bytes, "a sample has other numbers of values and of times");
	if (place->ntimes)
		return put_times(o, place, stack, type);
	for (size_t i = 0; i < place->nvalues; i++)
		if (__builtin_add_overflow(sum, place->values[i], &sum))
			return lose(o, bytes, "the values of a sample do not fit 64 bits");
	code = label_set(o, place, &set);
	return code ? code : put_value(o, place, stack, set, type, sum);
}

void tp_otlp_release_place(struct tp_otlp_place *place)
{
	tp_ids_release(&place->samples);
	free(place->labels.item);
	free(place->value);
	free(place->values);
	free(place->times);
}
