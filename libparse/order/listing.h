/* The listing of a trace: one line per ordered event, the form in which two readers of a trace are
 * compared. Fields are separated by tabs: time in ns, M, P, G (-1 for none), kind, detail, stack
 * (leaf first, FUNC:LINE joined by ';'). Strings in the detail are quoted as Go's %q does:
 *
 *   transition   G|P id from->to "reason" [stack of the new goroutine]
 *   range        "name" Goroutine(id)|Proc(id)|None ["attribute"=value …]
 *   metric       "name" value              label   "text" Goroutine(id)
 *   task         id parent "type"          region  task "type"
 *   log          task "category" "message"
 *   experimental "event" name=value …
 *
 * A goroutine whose id several had one after the other is written with its life, 17/2, where the
 * caller gives lives.
 *
 * Events may come straight from a read or back from a store: then times are relative to the start
 * of the run, which `start_ns` gives back. */
#ifndef TP_ORDER_LISTING_H
#define TP_ORDER_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "decode/dict.h"
#include "decode/event.h"

struct tp_listing {
	const struct tp_dict *dict;
	const uint64_t *g_id, *m_id; /* ids by index, as in struct tp_trace */
	const int64_t *p_id;
	uint32_t ng, nm, np;
	int64_t start_ns; /* added to every time */
	/* By index: the life of the goroutine; 0 if its id has only one. NULL: ids are written
	 * without lives. */
	const int64_t *g_life;
};

/* Appends the line of ev, with its newline. Returns 0 or TP_ENOMEM. An index without an id shows as
 * -1. */
int tp_listing_line(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out);

/* Appends only the detail, "" for kinds that have none. Returns 0, TP_ENOMEM or TP_EFORMAT. */
int tp_listing_detail(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out);

/* Appends text in double quotes as Go's strconv.Quote does. Returns 0 or TP_ENOMEM. */
int tp_quote(struct tp_buf *out, const void *text, size_t size);

/* Appends text as it is, except for bytes that a terminal would obey, that separate fields or
 * lines, or that are not text: each of these becomes \xff, its value in hexadecimal. Returns 0 or
 * TP_ENOMEM. */
int tp_escape(struct tp_buf *out, const void *text, size_t size);

/* Returns whether Go's %q leaves a code point unescaped (strconv.IsPrint). */
bool tp_is_print(uint32_t rune);

#endif
