/* The line that begins a goroutine's stack (Go: runtime/traceback.go, goroutineheader):
 *
 *   goroutine 18 gp=0x… m=0 mp=0x… [chan receive (leaked) (scan), 5 minutes, locked to thread,
 *             synctest bubble 7] {key: value, "other key": "other value"}:
 *
 * GOTRACEBACK=system and crash add the text between the number and the state;
 * GODEBUG=tracebacklabels=1 (go 1.26 and later) adds the labels. */
#include <string.h>

#include "decode/profile/goroutines.h"

/* Takes a word off the end of the state. */
static bool without(struct tp_scan *state, const char *end)
{
	size_t n = strlen(end);

	if (tp_scan_left(state) < n || memcmp(state->end - n, end, n) != 0)
		return false;
	state->end -= n;
	return true;
}

static void read_attribute(struct tp_scan s, struct tp_goroutine *g)
{
	int64_t n;

	if (tp_scan_is(s, "locked to thread"))
		g->locked = true;
	else if (tp_scan_text(&s, "synctest bubble ") && tp_scan_int(&s, false, &n) == TP_NUMBER_OK)
		g->bubble = n;
	else if (tp_scan_int(&s, false, &n) == TP_NUMBER_OK && tp_scan_begins(s, " minute"))
		g->minutes = n;
}

bool tp_goroutine_header(struct tp_scan s, enum tp_dump_line kind, struct tp_goroutine *g)
{
	struct tp_scan all;
	const char *end;

	if (kind != TP_LINE_HEADER && kind != TP_LINE_HEADER_CUT)
		return false;
	memset(g, 0, sizeof(*g));
	s = tp_scan_trim(s);
	g->cut = kind == TP_LINE_HEADER_CUT;
	tp_scan_text(&s, "goroutine ");
	tp_scan_int(&s, false, &g->id);
	s.at = (const char *)memchr(s.at, '[', tp_scan_left(&s)) + 1;
	end = memchr(s.at, ']', tp_scan_left(&s));
	if (!end) { /* whole words only */
		all = (struct tp_scan){s.at, s.at};
		for (struct tp_scan rest = s; (end = tp_scan_find(rest, ", ")) != NULL;
		     rest.at = end + 2)
			all.end = end;
		end = s.end - 1;
	} else {
		all = (struct tp_scan){s.at, end};
	}
	s.at = end + 1;
	if (tp_scan_text(&s, " {") && s.end - s.at >= 2 && !memcmp(s.end - 2, "}:", 2))
		g->labels = (struct tp_scan){s.at, s.end - 2};
	end = tp_scan_find(all, ", ");
	g->state = (struct tp_scan){all.at, end ? end : all.end};
	while (end) {
		struct tp_scan attribute = {end + 2, all.end};

		end = tp_scan_find(attribute, ", ");
		if (end)
			attribute.end = end;
		read_attribute(attribute, g);
	}
	without(&g->state, " (scan)");
	g->leaked = without(&g->state, " (leaked)");
	return true;
}

/* Reads a key or value: in quotes, or up to one of the characters `end`. */
static int word(struct tp_legacy *l, struct tp_scan *s, const char *end, uint32_t *string, bool *ok)
{
	struct tp_scan bare = *s;
	const char *at;

	if (tp_scan_begins(*s, "\""))
		return tp_legacy_unquote(l, s, string, ok);
	at = tp_scan_find(*s, end);
	bare.end = s->at = at ? at : s->end;
	*ok = true;
	return tp_legacy_string(l, bare.at, tp_scan_left(&bare), string);
}

int tp_goroutine_labels(struct tp_legacy *l, struct tp_scan s, struct tp_buf *labels)
{
	while (tp_scan_left(&s)) {
		struct tp_label label = {0};
		bool ok;
		int code = word(l, &s, ":", &label.key, &ok);

		if (!code && (!ok || !tp_scan_text(&s, ":") ||
			      labels->size > TP_LEGACY_LABELS * sizeof(label)))
			return 1;
		tp_scan_spaces(&s);
		if (!code)
			code = word(l, &s, ", ", &label.text, &ok);
		if (!code && (!ok || (tp_scan_left(&s) && !tp_scan_text(&s, ", "))))
			return 1;
		if (!code)
			code = tp_legacy_fail(l, tp_buf_put(labels, &label, sizeof(label)));
		if (code)
			return code;
	}
	return 0;
}
