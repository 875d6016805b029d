#include "output/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "output/ops.h"

#define FLUSH_AT ((size_t)64 << 10)

const struct rep_format_desc rep_formats[REP_NFORMATS] = {
    [REP_FORMAT_TABLE] = {"table", "aligned columns that fit the terminal, numbers with units"},
    [REP_FORMAT_CSV] = {"csv", "RFC 4180; cells a spreadsheet would take for formulas get a '"},
    [REP_FORMAT_JSON] = {"json", "an array of objects; raw numbers, valid UTF-8"},
    [REP_FORMAT_TSV] = {"tsv", "tab-separated; tab, newline and backslash escaped"},
    [REP_FORMAT_MARKDOWN] = {"markdown", "what a table shows, for issues and comments"},
};

const char *const rep_kinds[REP_NKINDS] = {
    [REP_TEXT] = "text",   [REP_COUNT] = "count", [REP_ID] = "id",
    [REP_NS] = "ns",	   [REP_BYTES] = "bytes", [REP_SHARE] = "share",
    [REP_FLOAT] = "float", [REP_BOOL] = "bool",	  [REP_ANY] = "any",
};

static const struct rep_output_ops *const ops[REP_NFORMATS] = {
    [REP_FORMAT_TABLE] = &rep_output_table,	  [REP_FORMAT_CSV] = &rep_output_fields,
    [REP_FORMAT_JSON] = &rep_output_json,	  [REP_FORMAT_TSV] = &rep_output_fields,
    [REP_FORMAT_MARKDOWN] = &rep_output_markdown,
};

int rep_format_find(const char *name, enum rep_format *format, struct tp_err *err)
{
	for (int i = 0; i < REP_NFORMATS; i++) {
		if (!strcmp(name, rep_formats[i].name)) {
			*format = (enum rep_format)i;
			return 0;
		}
	}
	return tp_err_set(
	    err, TP_ENOENT, TP_OFFSET_NONE,
	    "'%s' is not an output format; formats are table, csv, json, tsv and markdown", name);
}

static int write_file(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	if (fwrite(data, 1, size, ctx) != size)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot write the output: %s",
				  strerror(errno));
	return 0;
}

struct rep_sink rep_sink_file(FILE *file)
{
	return (struct rep_sink){.write = write_file, .ctx = file};
}

static int write_buf(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	if (tp_buf_put(ctx, data, size))
		return tp_nomem(err);
	return 0;
}

struct rep_sink rep_sink_buf(struct tp_buf *buf)
{
	return (struct rep_sink){.write = write_buf, .ctx = buf};
}

int rep_put_int(struct tp_buf *buf, int64_t i)
{
	char text[24], *p = text + sizeof(text);
	uint64_t left = i < 0 ? -(uint64_t)i : (uint64_t)i;

	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (i < 0)
		*--p = '-';
	return tp_buf_put(buf, p, (size_t)(text + sizeof(text) - p));
}

int rep_put_double(struct tp_buf *buf, double f)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, f);
		if (strtod(text, NULL) == f)
			break;
	}
	for (char *c = text; *c; c++) {
		if (!strchr("0123456789+-e", *c))
			*c = '.';
	}
	return tp_buf_text(buf, text);
}

int rep_put_hex(struct tp_buf *buf, const char *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	if (tp_buf_reserve(buf, size > SIZE_MAX / 2 ? SIZE_MAX : 2 * size))
		return TP_ENOMEM;
	for (size_t i = 0; i < size; i++) {
		buf->data[buf->size++] = (uint8_t)digits[(unsigned char)data[i] >> 4];
		buf->data[buf->size++] = (uint8_t)digits[(unsigned char)data[i] & 15];
	}
	return 0;
}

int rep_output_flush(struct rep_output *out, size_t at_least)
{
	int code;

	if (!out->buf.size || out->buf.size < at_least)
		return 0;
	code = out->opt.sink.write(out->opt.sink.ctx, out->buf.data, out->buf.size, &out->err);
	out->buf.size = 0;
	return code;
}

int rep_output_piece(struct rep_output *out, enum rep_piece kind, const char *name)
{
	const struct rep_sink *sink = &out->opt.sink;
	int code = 0;

	if (!sink->mark || (!out->buf.size && kind != REP_PIECE_TABLE))
		return 0;
	if (tp_buf_text(&out->buf, ""))
		return TP_ENOMEM;
	/* What an aside has written before. */
	code = sink->mark(sink->ctx, REP_PIECE_NOTE, NULL, &out->err);
	if (!code)
		code = rep_output_flush(out, 0);
	return code ? code : sink->mark(sink->ctx, kind, name, &out->err);
}

/* Ends every call: adds a message for a failed allocation, flushes a full buffer, and keeps the
 * first error, which all later calls return. */
static int done(struct rep_output *out, int code, struct tp_err *err)
{
	if (!out->err.code) {
		if (!code && tp_buf_text(&out->buf, ""))
			code = TP_ENOMEM;
		if (!code)
			code = rep_output_flush(out, FLUSH_AT);
		if (code == TP_ENOMEM)
			tp_nomem(&out->err);
		out->err.code = code;
	}
	if (out->err.code && err)
		*err = out->err;
	return out->err.code;
}

int rep_output_new(struct rep_output **out, const struct rep_output_options *opt,
		   struct tp_err *err)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return tp_nomem(err);
	(*out)->opt = *opt;
	(*out)->ops = ops[opt->format];
	/* All that will be written has marks. */
	return opt->sink.mark ? opt->sink.mark(opt->sink.ctx, REP_PIECE_NOTE, NULL, err) : 0;
}

int rep_output_begin(struct rep_output *out, const char *name, const struct rep_column *columns,
		     size_t ncolumns, struct tp_err *err)
{
	int code = 0;

	if (!out->err.code) {
		out->columns = columns;
		out->ncolumns = ncolumns;
		out->rows = 0;
		out->name = name;
		code = out->ops->begin(out, name);
		if (!code && out->opt.format != REP_FORMAT_TABLE)
			code = rep_output_piece(out, REP_PIECE_TABLE, name);
		out->tables++;
	}
	return done(out, code, err);
}

const char rep_lack_text[] = "out of memory";

int rep_output_row(struct rep_output *out, const struct rep_value *values, struct tp_err *err)
{
	int code = out->err.code;

	for (size_t i = 0; !code && i < out->ncolumns; i++)
		code = rep_is_lack(values[i]) ? TP_ENOMEM : 0;
	if (!code) {
		code = out->ops->row(out, values);
		if (!code && out->opt.format != REP_FORMAT_TABLE)
			code = rep_output_piece(out, REP_PIECE_ROW, NULL);
		out->rows++;
	}
	return done(out, code, err);
}

int rep_output_end(struct rep_output *out, struct tp_err *err)
{
	int code = out->err.code || !out->ops->end ? 0 : out->ops->end(out);

	return done(out, code ? code : rep_output_piece(out, REP_PIECE_NOTE, NULL), err);
}

int rep_output_note(struct rep_output *out, bool strong, const char *text, struct tp_err *err)
{
	bool shown = !out->err.code && out->ops->note;
	bool head = strong || out->plain || !out->tables;
	int code = shown ? out->ops->note(out, strong, text) : 0;

	/* A blank line belongs to what follows. */
	if (shown && !code && *text)
		code = rep_output_piece(out, head ? REP_PIECE_HEAD : REP_PIECE_NOTE, NULL);
	return done(out, code, err);
}

int rep_output_more(struct rep_output *out, size_t shown, size_t n, const char *rows,
		    struct tp_err *err)
{
	char text[120], a[TP_COUNT_SIZE], b[TP_COUNT_SIZE];

	if (shown >= n)
		return 0;
	if (out->ops->cut)
		return done(out, out->err.code ? 0 : out->ops->cut(out, shown, n, rows), err);
	snprintf(text, sizeof(text), "%s of %s %s; -n 0 shows all", tp_fmt_count(a, (int64_t)shown),
		 tp_fmt_count(b, (int64_t)n), rows);
	return rep_output_note(out, false, text, err);
}

int rep_output_say(struct rep_output *out, const char *text, struct tp_err *err)
{
	int code;

	out->plain = true;
	code = rep_output_note(out, false, text, err);
	out->plain = false;
	return code;
}

int rep_output_aside(struct rep_output *out, struct rep_sink *sink, unsigned *width, bool *colour,
		     bool *ascii, struct tp_err *err)
{
	/* A paragraph in markdown would join the lines of a chart. */
	*sink = out->opt.format == REP_FORMAT_MARKDOWN ? (struct rep_sink){0} : out->opt.sink;
	*width = out->opt.width;
	*colour = out->opt.colour;
	*ascii = out->opt.ascii;
	return done(out, out->err.code ? 0 : rep_output_flush(out, 0), err);
}

unsigned rep_output_width(const struct rep_output *out)
{
	return out->opt.width;
}

int rep_output_finish(struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	if (!out->err.code && out->ops->finish)
		code = out->ops->finish(out);
	if (!out->err.code && !code)
		code = rep_output_piece(out, REP_PIECE_NOTE, NULL);
	if (!done(out, code, err))
		done(out, rep_output_flush(out, 0), err);
	return out->err.code;
}

bool rep_output_for_people(const struct rep_output *out)
{
	return out->opt.format == REP_FORMAT_TABLE || out->opt.format == REP_FORMAT_MARKDOWN;
}

bool rep_output_has_raw(const struct rep_output *out)
{
	return out->opt.keeps_raw || !rep_output_for_people(out);
}

void rep_output_free(struct rep_output *out)
{
	if (!out)
		return;
	if (out->ops->free)
		out->ops->free(out);
	tp_buf_release(&out->buf);
	free(out);
}
