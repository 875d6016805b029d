/* Text on its way out of a report: collected, and handed to the sink in large pieces.
 *
 * The reports here write pprof's own text formats, whose readers are people and tools alike. What
 * comes from a dump goes through rep_paper_text() (or one of its kin), never through printf.
 *
 * Errors are kept: after the first everything is ignored, and finish returns it.
 *
 *	struct rep_paper paper;
 *
 *	rep_paper_init(&paper, &sink);
 *	rep_paper_printf(&paper, "%10d   ", n);
 *	rep_paper_text(&paper, name.text, name.size);
 *	rep_paper_put(&paper, "\n");
 *	return rep_paper_finish(&paper, err);
 */
#ifndef REP_PROFILE_PAPER_H
#define REP_PROFILE_PAPER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"
#include "output/output.h"

struct rep_paper {
	const struct rep_sink *sink;
	struct tp_buf buf;
	struct tp_buf scratch; /* of rep_paper_column */
	struct tp_err err;     /* code 0: none */
};

void rep_paper_init(struct rep_paper *p, const struct rep_sink *sink);
/* Writes what is left and releases everything; the first error, if there was one. */
int rep_paper_finish(struct rep_paper *p, struct tp_err *err);
/* Keeps an error that arose elsewhere; `code` 0 is none. */
void rep_paper_fail(struct rep_paper *p, int code);
bool rep_paper_failed(const struct rep_paper *p);

/* Of our own making: */
void rep_paper_put(struct rep_paper *p, const char *text);
void rep_paper_printf(struct rep_paper *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Bytes that are fit to be shown, or quoted, already. */
void rep_paper_raw(struct rep_paper *p, const void *data, size_t size);
/* `n` spaces. */
void rep_paper_space(struct rep_paper *p, size_t n);

/* From a dump, escaped: */
void rep_paper_text(struct rep_paper *p, const char *text, size_t size);
void rep_paper_string(struct rep_paper *p, struct tp_text text);
/* Newlines and tabs stay: prose. */
void rep_paper_prose(struct rep_paper *p, struct tp_text text);
/* Right-aligned in `width` characters (code points, as Go's fmt counts). */
void rep_paper_column(struct rep_paper *p, size_t width, const char *text, size_t size);

/* Code points in valid UTF-8. */
size_t rep_paper_runes(const char *text, size_t size);

#endif
