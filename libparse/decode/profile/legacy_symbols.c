/* Symbolized profiles, as google-pprof --raw and jeprof --raw write them (PrintSymbolizedProfile): names
 * of addresses, then a profile of another format, whose addresses are those of calls already:
 *
 *   --- symbol
 *   binary=/usr/bin/server
 *   0x00000000004010f0 CALLER--INLINED CALLEE--…
 *   ---
 *   --- heap            or profile, growth, contention
 *   the profile */
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

int tp_legacy_symbols(struct tp_legacy *l)
{
	struct tp_lines now = l->lines;
	int code = 0;

	l->lines = tp_lines(l->data, l->body);
	tp_lines_next(&l->lines);
	while (!code && tp_lines_next(&l->lines)) {
		struct tp_scan s = tp_scan_trim(l->lines.line);
		uint64_t address;
		uint32_t place;

		if (tp_scan_begins(s, "---"))
			break;
		if (s.at == s.end)
			continue;
		if (tp_scan_text(&s, "binary=")) {
			code = tp_legacy_string(l, s.at, tp_scan_left(&s), &l->binary);
			continue;
		}
		if (!tp_scan_text(&s, "0x") || tp_scan_hex(&s, &address) != TP_NUMBER_OK) {
			code =
			    tp_legacy_lose(l, 0, "is not an address and its name (0x4010f0 main)");
			continue;
		}
		place = tp_ids_get(&l->by_address, address);
		/* A name "0x4010f0" says that there is none. */
		if (place != TP_NO_ID && !tp_legacy_place_at(l, place)->nlines &&
		    !tp_scan_begins(tp_scan_trim(s), "0x"))
			code = add_names(l, tp_legacy_place_at(l, place), s);
	}
	l->lines = now;
	return code;
}
