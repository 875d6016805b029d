/* Results as text: typed columns and rows become an aligned table, CSV, JSON, TSV or Markdown.
 *
 * A report (or a query) declares columns, then hands over rows one by one; the format decides what
 * is written. Tables and Markdown show numbers with units ("1.25ms", "3.4MiB", "12.5%"); the other
 * formats have raw ones (ns, bytes, a share as a fraction of one). Text from a dump is escaped
 * (text.h). Everything is written through the sink that the caller gives.
 *
 * Lifecycle: new; for each table begin, row …, end; then finish, free. Free is also right after an
 * error. Memory is bounded: a table measures its first rows only (REP_TABLE_MEASURED).
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
	REP_FORMAT_MARKDOWN, /* what a table shows, for issues and comments */
	REP_NFORMATS
};

/* Names as given to --format, and what they are; for parsing, --help and completions. */
extern const struct rep_format_desc {
	const char *name, *doc;
} rep_formats[REP_NFORMATS];

/* 0 and the format, or TP_ENOENT with a sentence that lists the names. */
int rep_format_find(const char *name, enum rep_format *format, struct tp_err *err);

/* Where bytes go: 0, or an error code with err filled in. */
struct rep_sink {
	int (*write)(void *ctx, const void *data, size_t size, struct tp_err *err);
	void *ctx;
};

/* A sink that writes to a stream the caller keeps and closes; TP_EIO with errno's sentence. */
struct rep_sink rep_sink_file(FILE *file);
/* A sink that collects in a struct tp_buf (tests). */
struct tp_buf;
struct rep_sink rep_sink_buf(struct tp_buf *buf);

/* What the numbers of a column are; decides on how tables show them. */
enum rep_kind {
	REP_TEXT,
	REP_COUNT, /* 1,234,567 */
	REP_ID,	   /* 1234567 */
	REP_NS,	   /* 1.25ms */
	REP_BYTES, /* 3.4MiB */
	REP_SHARE, /* a float; 0.125 is 12.5% */
	REP_FLOAT,
	REP_BOOL, /* yes or no; true or false in JSON, 1 or 0 elsewhere */
	REP_ANY,  /* by the value: columns of SQL, whose type is known only row by row */
};

struct rep_column {
	const char *name;  /* for machines: "total_ns" */
	const char *title; /* heads the column of a table; NULL: the name */
	enum rep_kind kind;
	enum rep_shorten shorten; /* what to cut from a text that is too wide */
	/* If a table is too wide, texts above a width that they share are cut. If that is less than
	 * the `least` of a text (0: 16), columns with drop > 0 go before, the highest first. */
	uint8_t drop, least;
	/* Left out before all others if all its cells are "-"; so are such columns with drop > 0. */
	bool drop_blank;
	/* Of a text that shows a number: the name of the raw_only column that has it, which is what
	 * it is sorted by; NULL: it is a text. */
	const char *by;
	bool right;	 /* a text that is set to the right, as numbers are, and never cut */
	bool raw_only;	 /* not in tables */
	bool table_only; /* only there */
};

enum rep_type {
	REP_TYPE_NULL,
	REP_TYPE_INT,
	REP_TYPE_FLOAT,
	REP_TYPE_TEXT,
	REP_TYPE_BLOB,
	/* The empty text, in whose place tables show what is in `text`: "(unknown)". */
	REP_TYPE_ABSENT,
};

struct rep_value {
	enum rep_type type;
	union {
		int64_t i;
		double f;
		struct {
			const char *data; /* any bytes; needed only during rep_output_row */
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

/* A column of a packed table: INT64_MIN stands for NULL. */
static inline struct rep_value rep_opt(int64_t i)
{
	return i == INT64_MIN ? rep_null() : rep_int(i);
}

/* NaN and infinities are NULL in JSON. */
static inline struct rep_value rep_float(double f)
{
	return (struct rep_value){.type = REP_TYPE_FLOAT, .f = f};
}

/* A part of a whole; NULL where there is no whole. */
static inline struct rep_value rep_share(int64_t part, int64_t whole)
{
	return whole > 0 ? rep_float((double)part / (double)whole) : rep_null();
}

static inline struct rep_value rep_text(const char *data, size_t size)
{
	return (struct rep_value){.type = REP_TYPE_TEXT, .text = {data, size}};
}

/* A text that there was no memory for: rep_output_row fails for it. */
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
	unsigned width; /* cells a table may take; 0: as many as it likes */
	bool colour;	/* tables may use bold and dim */
	bool ascii;	/* the terminal cannot show "…" */
	bool several; /* more than one table will come: JSON becomes an object of arrays, by name */
	bool no_header; /* csv, tsv and table: rows only */
	struct rep_sink sink;
};

#define REP_TABLE_MEASURED 4096 /* rows of a table whose widths decide on its columns */

struct rep_output;

/* Errors of all of these: TP_ENOMEM, and what the sink returns. After an error the others do nothing
 * and return the same, so that a row of calls needs one check. `columns` must live until end. */
int rep_output_new(struct rep_output **out, const struct rep_output_options *opt,
		   struct tp_err *err);
int rep_output_begin(struct rep_output *out, const char *name, const struct rep_column *columns,
		     size_t ncolumns, struct tp_err *err);
/* As many values as there are columns. */
int rep_output_row(struct rep_output *out, const struct rep_value *values, struct tp_err *err);
int rep_output_end(struct rep_output *out, struct tp_err *err);
/* A line for people before or after a table, never within one: written where the format is table or
 * markdown (escaped, shortened to nothing), ignored otherwise. `strong` lines are bold, others dim.
 */
int rep_output_note(struct rep_output *out, bool strong, const char *text, struct tp_err *err);
/* Writes the note "40 of 112 hops; -n 0 shows all", `rows` being "hops", unless all are shown. */
int rep_output_more(struct rep_output *out, size_t shown, size_t n, const char *rows,
		    struct tp_err *err);
/* Writes a line that is the answer itself, neither bold nor dim. */
int rep_output_say(struct rep_output *out, const char *text, struct tp_err *err);
/* Where something that is no table (a chart) can be written now, between tables (nowhere: the sink
 * has no function), and how: the cells a line may take (0: any number), and whether colours or
 * other characters than ASCII's may be used.
 */
int rep_output_aside(struct rep_output *out, struct rep_sink *sink, unsigned *width, bool *colour,
		     bool *ascii, struct tp_err *err);
/* The cells that a line may take, 0: any number. */
unsigned rep_output_width(const struct rep_output *out);
int rep_output_finish(struct rep_output *out, struct tp_err *err);
/* Does it show what tables show (else what programs read)? */
bool rep_output_for_people(const struct rep_output *out);
void rep_output_free(struct rep_output *out);

#endif
