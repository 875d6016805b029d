/* Lines that begin with '#' in what Go writes (Go: runtime/pprof/pprof.go):
 *
 *   #\t0x4a4d1f\tmain.f+0x3f\t/src/x.go:17   a name for an address of the sample above
 *   # labels: {"key":"value"}                  of the sample above
 *   # runtime.MemStats                         then: # Name = value, # Name = [list],
 *                                              # Name = a / b
 *
 * The address of a name is that of the call, one below the return address on the stack; before
 * go 1.9 it was the return address. Lines of one address are a chain of inlined calls, innermost
 * first. Functions of the runtime at the leaf are left out, so one address may have fewer lines in
 * one sample than in another: the longest chain counts. */
#include <string.h>

#include "decode/profile/legacy.h"

#define NO_ITEM	  INT64_MIN /* as in tables: no value */
#define MAX_DEPTH 1024	    /* of Go's profiles (GODEBUG=profstackdepth) */
/* Limit on steps of searches: a fixed allowance plus so many per byte. A name mostly belongs to the
 * next place. */
#define FREE_STEPS ((uint64_t)1 << 30)
#define BYTE_STEPS 8

bool tp_legacy_is_comment(struct tp_scan line)
{
	tp_scan_blanks(&line);
	return line.at == line.end || *line.at == '#';
}

/* ---- names ---- */

static const struct tp_legacy_sample *last_sample(const struct tp_legacy *l)
{
	return tp_legacy_sample_at(l, tp_legacy_nsamples(l) - 1);
}

int tp_legacy_end_names(struct tp_legacy *l)
{
	const struct tp_legacy_sample *s;
	struct tp_legacy_place *place;
	const uint32_t *stack;
	size_t n, again = 1;

	if (!l->naming.open)
		return 0;
	l->naming.open = false;
	s = last_sample(l);
	stack = (const uint32_t *)(void *)l->stack.data + s->at;
	place = tp_legacy_place_at(l, stack[l->naming.at]);
	n = l->names.size / sizeof(struct tp_frame) - l->naming.first;
	/* A function that calls itself from one place repeats its address and lines. */
	while (l->naming.at + again < s->n && stack[l->naming.at + again] == stack[l->naming.at])
		again++;
	l->naming.next = l->naming.at + (uint32_t)again;
	n = (n + again - 1) / again;
	if (n > place->nlines && l->naming.first <= UINT32_MAX) {
		place->line = (uint32_t)l->naming.first;
		place->nlines = (uint32_t)n;
	} else {
		n = 0;
	}
	l->names.size = (l->naming.first + n) * sizeof(struct tp_frame);
	return 0;
}

/* Finds the address on the sample's stack, from the last named one on. Returns 1 if found, 0 if
 * not, or an error code. */
static int find_on_stack(struct tp_legacy *l, uint64_t address)
{
	const struct tp_legacy_sample *s = last_sample(l);
	const uint32_t *stack;

	if (!s->n)
		return 0;
	stack = (const uint32_t *)(void *)l->stack.data + s->at;
	for (uint64_t back = 0; back < 2; back++) {
		uint32_t place = tp_ids_get(&l->by_address, address - back);

		if (place == TP_NO_ID)
			continue;
		for (uint32_t i = l->naming.next; i < s->n && i - l->naming.next < MAX_DEPTH;
		     i++, l->spent.name_steps++) {
			if (stack[i] == place) {
				l->naming.at = i;
				return 1;
			}
		}
	}
	if (l->spent.name_steps <= FREE_STEPS + BYTE_STEPS * (uint64_t)l->size)
		return 0;
	return tp_err_set(l->err, TP_ELIMIT, TP_OFFSET_NONE,
			  "too many lines name addresses that are not on the stack above them");
}

/* Returns the end of the name in "main.f+0x3f", blanks, "/src/x.go:17". */
static const char *end_of_name(struct tp_scan s)
{
	for (const char *plus; (plus = tp_scan_find(s, "+0x")) != NULL; s.at = plus + 1) {
		struct tp_scan offset = {plus + 3, s.end};

		tp_scan_run(&offset, TP_HEXITS);
		if (offset.at == offset.end || tp_scan_blanks(&offset))
			return plus;
	}
	return NULL;
}

static int add_name(struct tp_legacy *l, struct tp_scan name, struct tp_scan where)
{
	struct tp_frame frame = {0};
	struct tp_function f = {0};
	struct tp_scan file = where, digits;
	int64_t line = 0;
	int code;

	while (file.end > file.at && file.end[-1] != ':')
		file.end--;
	if (file.end > file.at) {
		digits = (struct tp_scan){file.end, where.end};
		if (tp_scan_int(&digits, false, &line) == TP_NUMBER_OK && digits.at == digits.end)
			file.end--;
		else
			file = where;
	} else {
		file = where;
	}
	code = tp_legacy_string(l, name.at, tp_scan_left(&name), &f.name);
	if (!code)
		code = tp_legacy_string(l, file.at, tp_scan_left(&file), &f.file);
	f.system_name = f.name;
	if (!code)
		code = tp_legacy_fail(l, tp_dict_function(l->p->dict, &f, &frame.function));
	frame.line = line;
	return code ? code : tp_legacy_fail(l, tp_buf_put(&l->names, &frame, sizeof(frame)));
}

static int read_name(struct tp_legacy *l, struct tp_scan s)
{
	struct tp_scan name;
	uint64_t address;
	const char *end;
	int code = 0;

	tp_scan_blanks(&s);
	if (!l->naming.any || !tp_scan_text(&s, "0x") || tp_scan_hex(&s, &address) != TP_NUMBER_OK)
		return 0;
	if (!tp_scan_blanks(&s)) {
		code = tp_legacy_end_names(l);
		if (!code)
			code = find_on_stack(l, address);
		if (code > 0)
			tp_legacy_place_at(l, ((const uint32_t *)(const void *)l->stack.data +
					       last_sample(l)->at)[l->naming.at])
			    ->nameless = true;
		return code < 0 ? code : 0;
	}
	end = end_of_name(s);
	if (!end)
		return 0;
	name = (struct tp_scan){s.at, end};
	s.at = end + 3;
	tp_scan_run(&s, TP_HEXITS);
	if (!l->naming.open || l->naming.address != address) {
		code = tp_legacy_end_names(l);
		if (!code)
			code = find_on_stack(l, address);
		if (code <= 0)
			return code;
		l->naming.open = true;
		l->naming.address = address;
		l->naming.first = l->names.size / sizeof(struct tp_frame);
	}
	return add_name(l, name, tp_scan_trim(s));
}

/* ---- counters ---- */

static int put_counter(struct tp_legacy *l, struct tp_scan name, int64_t item, struct tp_scan text)
{
	struct tp_counter c = {.item = item};
	int code = tp_legacy_string(l, name.at, tp_scan_left(&name), &c.name);

	if (!code)
		code = tp_legacy_string(l, text.at, tp_scan_left(&text), &c.text);
	if (!tp_scan_whole_int(text, &c.value))
		c.value = 0;
	return code ? code : tp_legacy_fail(l, tp_profile_add_counter(l->p, &c));
}

/* Unused entries of a ring are zeros at its end and are skipped. */
static int read_list(struct tp_legacy *l, struct tp_scan name, struct tp_scan list)
{
	int64_t item = 0;
	int code = 0;

	while (list.end > list.at && (list.end[-1] == '0' || list.end[-1] == ' ') &&
	       (list.end - list.at == 1 || list.end[-1] == ' ' || list.end[-2] == ' '))
		list.end--;
	while (!code) {
		struct tp_scan number;

		tp_scan_blanks(&list);
		if (list.at == list.end)
			break;
		number.at = list.at;
		while (list.at < list.end && *list.at != ' ')
			list.at++;
		number.end = list.at;
		code = put_counter(l, name, item++, number);
	}
	return code;
}

static int read_counter(struct tp_legacy *l, struct tp_scan s)
{
	/* Lines "# Name = a / b": bytes in use, bytes obtained from the system. */
	static const char *const pairs[][3] = {
	    {"Stack", "StackInuse", "StackSys"},
	    {"MSpan", "MSpanInuse", "MSpanSys"},
	    {"MCache", "MCacheInuse", "MCacheSys"},
	};
	const char *equals = tp_scan_find(s, " = "), *slash;
	struct tp_scan name, value;

	if (!equals)
		return 0;
	name = tp_scan_trim((struct tp_scan){s.at, equals});
	value = tp_scan_trim((struct tp_scan){equals + 3, s.end});
	if (value.end - value.at >= 2 && *value.at == '[' && value.end[-1] == ']')
		return read_list(l, name, (struct tp_scan){value.at + 1, value.end - 1});
	slash = tp_scan_find(value, " / ");
	for (size_t i = 0; slash && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct tp_scan use = {pairs[i][1], pairs[i][1] + strlen(pairs[i][1])};
		struct tp_scan sys = {pairs[i][2], pairs[i][2] + strlen(pairs[i][2])};
		int code;

		if (!tp_scan_is(name, pairs[i][0]))
			continue;
		code = put_counter(l, use, NO_ITEM, (struct tp_scan){value.at, slash});
		return code ? code
			    : put_counter(l, sys, NO_ITEM, (struct tp_scan){slash + 3, value.end});
	}
	return put_counter(l, name, NO_ITEM, value);
}

int tp_legacy_comment(struct tp_legacy *l, struct tp_scan line)
{
	int code;

	tp_scan_blanks(&line);
	if (!tp_scan_text(&line, "#"))
		return 0;
	if (l->memstats)
		return read_counter(l, line);
	if (tp_scan_is(tp_scan_trim(line), "runtime.MemStats")) {
		l->memstats = true;
		l->naming.any = false;
		return tp_legacy_end_names(l);
	}
	if (!tp_scan_text(&line, " labels: "))
		return read_name(l, line);
	if (!l->naming.any || l->kind != TP_KIND_COUNT)
		return 0;
	code =
	    tp_legacy_labels(l, line, &tp_legacy_sample_at(l, tp_legacy_nsamples(l) - 1)->labels);
	return code > 0 ? tp_legacy_lose(l, 0, "has labels that cannot be read") : code;
}
