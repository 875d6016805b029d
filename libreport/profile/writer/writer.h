/* The output of a text report. It is collected and passed to the sink in large pieces.
 *
 * The reports here write pprof's text formats, for people and tools. Text from a dump is written by
 * rep_writer_text() and the functions beside it, never by printf.
 *
 * After the first error all calls are ignored; rep_writer_finish returns that error.
 *
 *	struct rep_writer writer;
 *
 *	rep_writer_init(&writer, &sink);
 *	rep_writer_printf(&writer, "%10d   ", n);
 *	rep_writer_text(&writer, name.text, name.size);
 *	rep_writer_put(&writer, "\n");
 *	return rep_writer_finish(&writer, err);
 */
#ifndef REP_PROFILE_WRITER_H
#define REP_PROFILE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"
#include "output/output.h"

struct rep_writer {
	const struct rep_sink *sink;
	struct tp_buf buf;
	struct tp_buf scratch; /* of rep_writer_column */
	struct tp_err err;     /* code 0: no error */
};

void rep_writer_init(struct rep_writer *p, const struct rep_sink *sink);
/* Writes the rest and releases everything. Returns the first error, if there was one. */
int rep_writer_finish(struct rep_writer *p, struct tp_err *err);
/* Records an error from elsewhere, unless `code` is 0. */
void rep_writer_fail(struct rep_writer *p, int code);
bool rep_writer_failed(const struct rep_writer *p);

/* Text that is not from a dump: */
void rep_writer_put(struct rep_writer *p, const char *text);
void rep_writer_printf(struct rep_writer *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Bytes that are already escaped. */
void rep_writer_raw(struct rep_writer *p, const void *data, size_t size);
/* `n` spaces. */
void rep_writer_space(struct rep_writer *p, size_t n);

/* Text from a dump, which is escaped: */
void rep_writer_text(struct rep_writer *p, const char *text, size_t size);
void rep_writer_string(struct rep_writer *p, struct tp_text text);
/* Does the same, but keeps newlines and tabs. */
void rep_writer_prose(struct rep_writer *p, struct tp_text text);
/* Does the same, right-aligned in `width` characters (code points, as in Go's fmt). */
void rep_writer_column(struct rep_writer *p, size_t width, const char *text, size_t size);

/* Counts the code points of valid UTF-8. */
size_t rep_writer_runes(const char *text, size_t size);

#endif
