/* What a line of a goroutine dump is, by itself: recognition, the unwrapping of logs (open/log.h)
 * and the decoder (decode/profile/goroutines.c) ask here. The text comes without its end and
 * without what a logger puts before it. */
#ifndef TP_OPEN_DUMPLINE_H
#define TP_OPEN_DUMPLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "open/lines.h"

enum tp_dump_line {
	TP_LINE_BLANK,
	TP_LINE_HEADER,	     /* goroutine 18 [chan receive]: */
	TP_LINE_HEADER_CUT,  /* goroutine 18 [chan rec> */
	TP_LINE_CALL,	     /* main.(*T).f(0x1, {0x2, 0x3}) */
	TP_LINE_CALL_CUT,    /* main.(*T).f(0x1, {0x2,> */
	TP_LINE_NAME,	     /* my_c_function: a function of C, if a place follows */
	TP_LINE_FOREIGN,     /* non-Go function, with or without " at pc=0x…" */
	TP_LINE_WHERE,	     /* a blank or several, /src/x.go:17 +0x1d */
	TP_LINE_WHERE_CUT,   /* /src/x.> */
	TP_LINE_CREATOR,     /* created by main.main in goroutine 7 */
	TP_LINE_CREATOR_CUT, /* created by main.ma> */
	TP_LINE_ELIDED,	     /* ...23 frames elided... */
	TP_LINE_NO_STACK,    /* goroutine running on other thread; stack unavailable */
	TP_LINE_ANCESTOR,    /* [originating from goroutine 7]: */
	TP_LINE_OTHER
};

struct tp_where;

/* *w (NULL: not asked for) is filled where the line is a place. */
enum tp_dump_line tp_dump_line(struct tp_scan line, struct tp_where *w);
/* Can it only be a line of a stack? */
bool tp_dump_is_stack(enum tp_dump_line kind);

/* The line that begins a goroutine's stack, with or without what newer versions put between and
 * behind. Trimmed. */
bool tp_is_goroutine_line(const char *line, size_t size);
/* Where "goroutine 18 [", or goleak's "Goroutine 18 in state ", begins in a text; NULL nowhere. */
const char *tp_find_goroutine(struct tp_scan text);
/* "Goroutine 18 in state chan receive, with main.f on top of the stack:" */
bool tp_goleak_line(struct tp_scan line, struct tp_scan *id, struct tp_scan *state);

/* Does a pager, or a logger, mark the end as cut? Takes the mark off. */
bool tp_scan_cut_mark(struct tp_scan *s);

/* A place: TP_LINE_WHERE, TP_LINE_WHERE_CUT or TP_LINE_OTHER. Texts point into the line. */
struct tp_where {
	struct tp_scan file; /* NULL where there is only a pc */
	struct tp_scan all;  /* with the line behind a colon */
	int64_t line;
	uint64_t pc;
	bool offset; /* " +0x1d": the function was called, not inlined */
};

enum tp_dump_line tp_dump_where(struct tp_scan line, struct tp_where *w);

/* The name before the arguments of a call; of what is none, all of it. */
struct tp_scan tp_call_name(struct tp_scan call);

#endif
