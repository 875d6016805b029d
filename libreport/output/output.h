/* Writes typed columns and rows as an aligned table, CSV, JSON, TSV or Markdown.
 *
 * A report (or a query) declares columns, then passes rows one by one. Tables and Markdown show
 * numbers with units ("1.25ms", "3.4MiB", "12.5%"); the other formats have raw ones (ns, bytes, a
 * share as a fraction of one). Text from a dump is escaped (text.h). All output goes to the
 * caller's sink.
 *
 * Lifecycle: new; for each table begin, row …, end; then finish, free. After an error, only free is
 * needed. Memory is bounded: only the first REP_TABLE_MEASURED rows determine a table's widths.
 *
 *	static const struct rep_column columns[] = {
 *		{.name = "function", .title = "FUNCTION", .kind = REP_TEXT,
 *		 .shorten = REP_SHORTEN_FUNCTION},
 *		{.name = "total_ns", .title = "TOTAL", .kind = REP_NS},
 *	};
 *	struct rep_output_options opt = {.width = 80, .sink = rep_sink_file(stdout)};
 *	struct rep_value row[2] = {rep_str("main.main"), rep_int(1250000)};
 *
 *	code = rep_output_new(&out, &opt, err);
 *	code = rep_output_begin(out, "functions", columns, 2, err);
 *	code = rep_output_row(out, row, err);
 *	code = rep_output_end(out, err);
 *	code = rep_output_finish(out, err);
 *	rep_output_free(out);
 */
#ifndef REP_OUTPUT_H
#define REP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "output/text.h"

enum rep_format {
	REP_FORMAT_TABLE,
	REP_FORMAT_CSV,
	REP_FORMAT_JSON,
	REP_FORMAT_TSV,
	REP_FORMAT_MARKDOWN, /* the content of a table, for issues and comments */
	REP_NFORMATS
};

/* Names of --format and their descriptions; for parsing, --help and completions. */
extern const struct rep_format_desc {
	const char *name, *doc;
} rep_formats[REP_NFORMATS];

/* Finds a format by name. Returns 0, or TP_ENOENT with a sentence that lists the names. */
int rep_format_find(const char *name, enum rep_format *format, struct tp_err *err);

/* What a piece of an output is for, which decides whether a budget (budget.h) keeps it. */
enum rep_piece {
	REP_PIECE_HEAD,	 /* headings and totals: kept from the first one on */
	REP_PIECE_TABLE, /* begins a table, with the headings of its columns */
	REP_PIECE_ROW,	 /* of the table that was begun last: kept from the first one on */
	REP_PIECE_NOTE,	 /* kept after the first rows of all tables */
	REP_PIECE_CUT,	 /* in JSON, ends where the list of what was left out goes on */
};

/* Receives output. Its functions return 0, or an error code with err filled in. `mark` says what all
 * that was written since the last mark is for, with the name of a table that begins; NULL if that
 * does not matter. */
struct rep_sink {
	int (*write)(void *ctx, const void *data, size_t size, struct tp_err *err);
	int (*mark)(void *ctx, enum rep_piece kind, const char *name, struct tp_err *err);
	void *ctx;
};

/* Returns a sink that writes to a borrowed stream; its error is TP_EIO with errno's message. */
struct rep_sink rep_sink_file(FILE *file);
/* Returns a sink that appends to a struct tp_buf (tests). */
struct tp_buf;
struct rep_sink rep_sink_buf(struct tp_buf *buf);

/* Kinds of columns, which determine how tables show numbers. tprof-json(5) describes them. */
enum rep_kind {
	REP_TEXT,
	REP_COUNT, /* 1,234,567 */
	REP_ID,	   /* 1234567 */
	REP_NS,	   /* 1.25ms */
	REP_BYTES, /* 3.4MiB */
	REP_SHARE, /* a float; 0.125 is 12.5% */
	REP_FLOAT,
	REP_BOOL, /* yes or no; true or false in JSON, 1 or 0 elsewhere */
	REP_ANY,  /* that of each value: columns of SQL */
	REP_NKINDS
};
/* Their names in JSON: "text", "count". */
extern const char *const rep_kinds[REP_NKINDS];

struct rep_column {
	const char *name;  /* for machines: "total_ns" */
	const char *title; /* heading in tables; NULL: the name */
	const char *doc;   /* what it holds, a phrase; NULL: of a column that the run names */
	enum rep_kind kind;
	enum rep_shorten shorten; /* where to cut a text that is too wide */
	/* If a table is too wide, texts are cut to a common width. Before that is less than the
	 * `least` of a text (0: 16), columns with drop > 0 are left out, the highest first. */
	uint8_t drop, least;
	/* Left out before all others if all its cells are "-"; so are such columns with drop > 0. */
	bool drop_blank;
	/* For a text that shows a number: the name of the raw_only column with that number, which
	 * it is sorted by; NULL for other texts. */
	const char *by;
	bool right;	 /* a text that is right-aligned like numbers, and never cut */
	bool raw_only;	 /* left out of tables */
	bool table_only; /* only in tables; with a doc also in JSON with a head */
};

enum rep_type {
	REP_TYPE_NULL,
	REP_TYPE_INT,
	REP_TYPE_FLOAT,
	REP_TYPE_TEXT,
	REP_TYPE_BLOB,
	/* An empty text, for which tables show `text`: "(unknown)". */
	REP_TYPE_ABSENT,
};

/* The colour of a cell on a terminal. The cell has to say the same without it. */
enum rep_tone { REP_TONE_NORMAL, REP_TONE_MORE, REP_TONE_LESS };

struct rep_value {
	enum rep_type type;
	enum rep_tone tone;
	union {
		int64_t i;
		double f;
		struct {
			const char *data; /* any bytes; not used after rep_output_row() */
			size_t size;
		} text;
	};
};

static inline struct rep_value rep_null(void)
{
	return (struct rep_value){.type = REP_TYPE_NULL};
}

static inline struct rep_value rep_int(int64_t i)
{
	return (struct rep_value){.type = REP_TYPE_INT, .i = i};
}

/* INT64_MIN stands for NULL, as in packed tables. */
static inline struct rep_value rep_opt(int64_t i)
{
	return i == INT64_MIN ? rep_null() : rep_int(i);
}

/* NaN and infinities are NULL in JSON. */
static inline struct rep_value rep_float(double f)
{
	return (struct rep_value){.type = REP_TYPE_FLOAT, .f = f};
}

/* Returns part / whole; NULL if the whole is 0. */
static inline struct rep_value rep_share(int64_t part, int64_t whole)
{
	return whole > 0 ? rep_float((double)part / (double)whole) : rep_null();
}

static inline struct rep_value rep_text(const char *data, size_t size)
{
	return (struct rep_value){.type = REP_TYPE_TEXT, .text = {data, size}};
}

/* Stands for a text that could not be allocated: rep_output_row() fails for it. */
extern const char rep_lack_text[];
static inline struct rep_value rep_lack(void)
{
	return rep_text(rep_lack_text, 0);
}

static inline bool rep_is_lack(struct rep_value v)
{
	return v.type == REP_TYPE_TEXT && v.text.data == rep_lack_text;
}

/* NULL gives NULL. */
static inline struct rep_value rep_str(const char *s)
{
	return s ? rep_text(s, strlen(s)) : rep_null();
}

static inline struct rep_value rep_blob(const void *data, size_t size)
{
	return (struct rep_value){.type = REP_TYPE_BLOB, .text = {data, size}};
}

struct rep_output_options {
	enum rep_format format;
	unsigned width; /* most cells of a table's line; 0: no limit */
	bool colour;	/* tables may use bold, dim and the tones of cells */
	bool ascii;	/* the terminal cannot show "…" */
	bool several; /* more than one table will come: JSON becomes an object of arrays, by name */
	bool no_header; /* csv, tsv and table: rows only */
	bool keeps_raw; /* the table's columns for programs are kept, too (cells.h) */
	/* Members that JSON begins with, as `"run": 1, "kind": "trace"`; borrowed. The output is then one
	 * object, which also has the columns of each table, what was cut, and the notes. NULL: arrays
	 * of rows only. */
	const char *json_head;
	struct rep_sink sink;
};

#define REP_TABLE_MEASURED 4096 /* first rows, which determine the widths of columns */

struct rep_output;

/* These functions return 0, TP_ENOMEM, or an error of the sink. After an error they do nothing and
 * return the same error, so that a series of calls needs one check. `columns` and the table's
 * name must live until end. */
int rep_output_new(struct rep_output **out, const struct rep_output_options *opt,
		   struct tp_err *err);
int rep_output_begin(struct rep_output *out, const char *name, const struct rep_column *columns,
		     size_t ncolumns, struct tp_err *err);
/* Takes as many values as there are columns. */
int rep_output_row(struct rep_output *out, const struct rep_value *values, struct tp_err *err);
int rep_output_end(struct rep_output *out, struct tp_err *err);
/* Writes a line before or after a table, but not within one; ignored unless the format is table or
 * markdown, or JSON with a head. It is escaped, not shortened; bold if `strong`, otherwise dim. */
int rep_output_note(struct rep_output *out, bool strong, const char *text, struct tp_err *err);
/* Writes the note "40 of 112 hops; -n 0 shows all" (`rows` is "hops"), unless all are shown. */
int rep_output_more(struct rep_output *out, size_t shown, size_t n, const char *rows,
		    struct tp_err *err);
/* Writes a line that is the answer itself, neither bold nor dim. */
int rep_output_say(struct rep_output *out, const char *text, struct tp_err *err);
/* Sets *sink to one for content that is not a table (a chart), between tables; it has no function
 * if there is none. Also sets the most cells of a line (0: no limit), and whether colours and
 * characters beyond ASCII may be used. */
int rep_output_aside(struct rep_output *out, struct rep_sink *sink, unsigned *width, bool *colour,
		     bool *ascii, struct tp_err *err);
/* Returns the most cells of a line, 0: no limit. */
unsigned rep_output_width(const struct rep_output *out);
/* Has JSON with a head end with this list of messages, the text of an array's elements, which is borrowed
 * and may grow until rep_output_finish. Returns 0 or TP_ENOMEM. */
int rep_output_messages(struct rep_output *out, const struct tp_buf *list);
int rep_output_finish(struct rep_output *out, struct tp_err *err);
/* Returns whether the output is for people, like tables, not for programs. */
bool rep_output_for_people(const struct rep_output *out);
/* Returns whether columns for programs (raw_only) are used. */
bool rep_output_has_raw(const struct rep_output *out);
void rep_output_free(struct rep_output *out);
/* Appends a text as a JSON string, which has bytes that are not UTF-8 escaped, \xff. Returns 0 or TP_ENOMEM. */
int rep_put_json(struct tp_buf *buf, const char *text, size_t size);

#endif
