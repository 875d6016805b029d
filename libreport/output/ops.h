/* Shared by the formats; private to libreport/output. */
#ifndef REP_OUTPUT_OPS_H
#define REP_OUTPUT_OPS_H

#include "base/buf.h"
#include "output/output.h"

/* One format. Each function appends to out->buf, whose failure the caller checks, and returns 0,
 * TP_ENOMEM (without a message), or an error in out->err. `end` is called once per `begin`,
 * `finish` once. */
struct rep_output_ops {
	int (*begin)(struct rep_output *out, const char *name);
	int (*row)(struct rep_output *out, const struct rep_value *values);
	int (*end)(struct rep_output *out); /* NULL: nothing to do */
	int (*note)(struct rep_output *out, bool strong, const char *text); /* NULL: not shown */
	/* Some rows were left out; NULL: a note says so. */
	int (*cut)(struct rep_output *out, size_t shown, size_t n, const char *rows);
	int (*finish)(struct rep_output *out); /* NULL: likewise */
	void (*free)(struct rep_output *out);  /* NULL: likewise */
};

extern const struct rep_output_ops rep_output_table, rep_output_fields, rep_output_json,
    rep_output_markdown;

struct rep_output {
	struct rep_output_options opt;
	const struct rep_output_ops *ops;
	const struct rep_column *columns;
	size_t ncolumns;
	const char *name;  /* of this table; as long as `columns` */
	struct tp_buf buf; /* to be written */
	size_t tables;	   /* begun so far */
	size_t rows;	   /* of this table */
	bool plain;	   /* the note being written is neither bold nor dim */
	void *priv;	   /* the format's own */
	struct tp_err err; /* of the first failed call; code 0: no failure */
};

/* Appends printable text, with line breaks in place of blanks so that lines have at most `room`
 * cells (0: no limit); words are not cut. */
int rep_put_wrapped(struct tp_buf *buf, const char *text, size_t size, size_t room);
/* Appends a number for JSON, CSV and TSV: the shortest text that reads back as the same double,
 * with a point in all locales. Not for NaN and infinities. */
int rep_put_double(struct tp_buf *buf, double f);
int rep_put_int(struct tp_buf *buf, int64_t i);
/* Appends a value as tables show it, with its unit; escaped (table.c). */
int rep_put_shown(struct tp_buf *buf, enum rep_kind kind, const struct rep_value *v);
/* Appends the heading of a column in tables; escaped (table.c). */
int rep_put_title(struct tp_buf *buf, const struct rep_column *column);
/* Appends printable text for Markdown, with a backslash before each character with a meaning there
 * or in HTML (markdown.c). */
void rep_put_marked(struct tp_buf *buf, const struct tp_buf *text);
/* Appends bytes as hexadecimal digits. */
int rep_put_hex(struct tp_buf *buf, const char *data, size_t size);
/* Passes the buffer to the sink if it has at least so many bytes. */
int rep_output_flush(struct rep_output *out, size_t at_least);
/* Tells a sink that has a budget what the bytes are for that were appended since the last piece;
 * does nothing if there are none, unless a table begins. `name` is that of the table. */
int rep_output_piece(struct rep_output *out, enum rep_piece kind, const char *name);

#endif
