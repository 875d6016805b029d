/* Classifies a line of a goroutine dump by its own text. Used by recognition, the log reader
 * (open/log.h) and the decoder (decode/profile/goroutines.c). The line is passed without its end
 * and without the prefix of a logger. */
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
	TP_LINE_NAME,	     /* my_c_function: a C function, if a place follows */
	TP_LINE_FOREIGN,     /* non-Go function, with or without " at pc=0x…" */
	TP_LINE_WHERE,	     /* /src/x.go:17 +0x1d, usually after blanks */
	TP_LINE_WHERE_CUT,   /* /src/x.> */
	TP_LINE_CREATOR,     /* created by main.main in goroutine 7 */
	TP_LINE_CREATOR_CUT, /* created by main.ma> */
	TP_LINE_ELIDED,	     /* ...23 frames elided... */
	TP_LINE_NO_STACK,    /* goroutine running on other thread; stack unavailable */
	TP_LINE_ANCESTOR,    /* [originating from goroutine 7]: */
	TP_LINE_OTHER
};

struct tp_where;

/* Returns the kind of a line. If it is a place, fills *w (may be NULL). */
enum tp_dump_line tp_dump_line(struct tp_scan line, struct tp_where *w);
/* Returns whether lines of this kind occur only in stacks. */
bool tp_dump_is_stack(enum tp_dump_line kind);

/* Returns whether a trimmed line begins a goroutine's stack, with or without the text that newer
 * versions of Go print before and after the state. */
bool tp_is_goroutine_line(const char *line, size_t size);
/* Returns where "goroutine 18 [", or goleak's "Goroutine 18 in state ", begins in a text, or NULL.
 */
const char *tp_find_goroutine(struct tp_scan text);
/* Parses "Goroutine 18 in state chan receive, with main.f on top of the stack:". Returns false if
 * the line has another form. */
bool tp_goleak_line(struct tp_scan line, struct tp_scan *id, struct tp_scan *state);

/* Removes the mark with which a pager or logger shows that it cut the line. Returns whether there
 * was one. */
bool tp_scan_cut_mark(struct tp_scan *s);

/* A place in the source code. Texts point into the line. */
struct tp_where {
	struct tp_scan file; /* NULL if the line has only a pc */
	struct tp_scan all;  /* the file, a colon and the line */
	int64_t line;
	uint64_t pc;
	bool offset; /* " +0x1d": the function was called, not inlined */
};

enum tp_dump_line tp_dump_where(struct tp_scan line, struct tp_where *w);

/* Returns the name before the arguments of a call; the whole text if it is not a call. */
struct tp_scan tp_call_name(struct tp_scan call);

#endif
