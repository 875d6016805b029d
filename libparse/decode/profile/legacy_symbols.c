/* Symbolized profiles, as google-pprof --raw and jeprof --raw write them (PrintSymbolizedProfile): names
 * of addresses, then a profile of another format:
 *
 *   --- symbol
 *   binary=/usr/bin/server
 *   0x00000000004010f0 CALLER--INLINED CALLEE--…
 *   ---
 *   --- heap            or profile, growth, contention
 *   the profile
 *
 * The names belong to the addresses of calls. A CPU profile that google-pprof wrote has these addresses, one
 * that was fetched from a server has return addresses, which are one above. */
#include <string.h>

#include "decode/profile/legacy.h"

/* Takes the first name off "CALLER--CALLEE"; the "--" of "operator--" belongs to the name. */
static struct tp_scan take_name(struct tp_scan *s)
{
	struct tp_scan name = *s, rest = *s;
	const char *at;

	while ((at = tp_scan_find(rest, "--")) != NULL) {
		struct tp_scan before = {s->at, at};
		size_t n = tp_scan_left(&before);

		rest.at = at + 2;
		if (n >= 8 && !memcmp(at - 8, "operator", 8))
			continue;
		name.end = at;
		s->at = rest.at;
		return name;
	}
	s->at = s->end;
	return name;
}

/* Adds the names of a place, innermost first. */
static int add_names(struct tp_legacy *l, struct tp_legacy_place *place, struct tp_scan s)
{
	size_t first = l->names.size / sizeof(struct tp_frame), n = 0;
	struct tp_frame *frames;
	int code = 0;

	for (s = tp_scan_trim(s); !code && s.at < s.end;) {
		struct tp_scan name = take_name(&s);
		struct tp_frame frame = {0};
		struct tp_function f = {0};

		if (name.at == name.end)
			continue;
		code = tp_legacy_string(l, name.at, tp_scan_left(&name), &f.name);
		f.system_name = f.name;
		if (!code)
			code = tp_legacy_fail(l, tp_dict_function(l->p->dict, &f, &frame.function));
		if (!code)
			code = tp_legacy_fail(l, tp_buf_put(&l->names, &frame, sizeof(frame)));
		n++;
	}
	if (code || first + n > UINT32_MAX)
		return code;
	frames = (struct tp_frame *)(void *)l->names.data + first;
	for (size_t i = 0; i < n / 2; i++) {
		struct tp_frame frame = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = frame;
	}
	place->line = (uint32_t)first;
	place->nlines = (uint32_t)n;
	return 0;
}

/* Returns the place at this address that has no name yet, or NULL. */
static struct tp_legacy_place *find(struct tp_legacy *l, uint64_t address)
{
	uint32_t i = tp_ids_get(&l->by_address, address);
	struct tp_legacy_place *place = i == TP_NO_ID ? NULL : tp_legacy_place_at(l, i);

	return place && !place->nlines ? place : NULL;
}

/* Reads the next line "0x4010f0 main". Returns false at the end of the names, or after an error. */
static bool next_name(struct tp_legacy *l, bool tell, uint64_t *address, struct tp_scan *name,
		      int *code)
{
	while (!*code && tp_lines_next(&l->lines)) {
		struct tp_scan s = tp_scan_trim(l->lines.line);

		if (tp_scan_begins(s, "---"))
			return false;
		if (s.at == s.end)
			continue;
		if (tp_scan_text(&s, "binary=")) {
			*code = tp_legacy_string(l, s.at, tp_scan_left(&s), &l->binary);
		} else if (!tp_scan_text(&s, "0x") || tp_scan_hex(&s, address) != TP_NUMBER_OK) {
			if (tell)
				*code = tp_legacy_lose(
				    l, 0, "is not an address and its name (0x4010f0 main)");
		} else {
			/* An address in place of a name: it has no name. */
			*name = tp_scan_trim(s);
			if (!tp_scan_begins(*name, "0x"))
				return true;
		}
	}
	return false;
}

int tp_legacy_symbols(struct tp_legacy *l)
{
	struct tp_lines now = l->lines, begin = tp_lines(l->data, l->body);
	uint64_t address, calls = 0, returns = 0;
	struct tp_legacy_place *place;
	struct tp_scan name;
	int code = 0;

	tp_lines_next(&begin);
	for (l->lines = begin; next_name(l, false, &address, &name, &code);) {
		calls += find(l, address) != NULL;
		returns += find(l, address + 1) != NULL;
	}
	for (l->lines = begin; next_name(l, true, &address, &name, &code);) {
		place = find(l, address);
		if (place)
			code = add_names(l, place, name);
		place = returns > calls ? find(l, address + 1) : NULL;
		if (place && !code)
			code = add_names(l, place, name);
	}
	l->lines = now;
	return code;
}
