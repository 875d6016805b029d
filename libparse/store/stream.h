/* Reads the parts of a stream of a run, which are rows of table `block`, one by one. */
#ifndef TP_STORE_STREAM_H
#define TP_STORE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_store;
struct tp_stream;

struct tp_part {
	int64_t part;
	int64_t rows;		   /* as the table says; not trusted */
	int64_t first_ts, last_ts; /* TP_NULL if it has none */
	const void *data;	   /* the blob; valid until the next call */
	size_t size;
};

/* Selects at most `parts` parts from first_part on, and of these the ones that overlap [from_ns, to_ns). */
struct tp_stream_range {
	int64_t first_part, parts;
	int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: all */
};

/* range NULL selects all parts. An open stream is a read transaction. Close it before the store. */
int tp_stream_open(struct tp_stream **s, struct tp_store *store, int64_t run, const char *stream,
		   const struct tp_stream_range *range, struct tp_err *err);
/* Returns 1 and the next part, in the order of numbers; 0 at the end; or an error code. */
int tp_stream_next(struct tp_stream *s, struct tp_part *part, struct tp_err *err);
void tp_stream_close(struct tp_stream *s);

/* Counts the parts and sums up their rows, without reading them. */
int tp_stream_count(struct tp_store *store, int64_t run, const char *stream, int64_t *rows,
		    int64_t *parts, struct tp_err *err);

#endif
