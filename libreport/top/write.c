#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "task/inside.h"
#include "top/job.h"

static bool has_frames(const struct rep_job *job)
{
	return job->opt->whole && job->report->ops->stack;
}

/* The report's columns and the extra ones as the output takes them; a run without a clock has
 * ticks, which are only numbers. */
static struct rep_column *output_columns(struct rep_job *job)
{
	static const struct rep_column frames = {
	    .name = REP_TOP_FRAMES, .kind = REP_TEXT, .raw_only = true, .table_only = true};
	const struct rep_report *r = job->report;
	size_t n = r->ncolumns + job->nextra;
	struct rep_column *c = tp_arena_alloc(&job->texts.arena, (n + 1) * sizeof(*c));
	bool ticks = false;

	if (!c)
		return NULL;
	for (size_t i = 0; i < job->nruns; i++)
		ticks = ticks || job->runs[i].row.ticks;
	for (size_t i = 0; i < n; i++) {
		c[i] = i < r->ncolumns ? r->columns[i].column : job->extra[i - r->ncolumns];
		if (i < r->ncolumns)
			c[i].doc = r->columns[i].doc;
		if ((i < 64 && job->hidden >> i & 1) ||
		    (job->nruns == 1 && !strcmp(c[i].name, "run")))
			c[i].raw_only = true;
		if (ticks && c[i].kind == REP_NS)
			c[i].kind = REP_COUNT;
	}
	if (has_frames(job))
		c[n] = frames;
	return c;
}

/* Returns how "nothing to show: no goroutines" goes on if filters are set. */
static const char *advice(const struct rep_filter *filter)
{
	if (rep_filter_empty(filter))
		return "";
	return filter->text.goroutine ? " pass the filters; the report goroutines lists the "
					"goroutines there are"
	       : filter->text.reason  ? " pass the filters; the report breakdown lists the reasons "
					"there are"
				      : " pass the filters";
}

static int write_notes(struct rep_job *job, const struct rep_view *v, struct rep_output *out,
		       size_t shown, struct tp_err *err)
{
	char text[REP_MEMBERS_SIZE];
	int code = 0;

	if (!job->nrows) {
		snprintf(text, sizeof(text), "nothing to show: no %s%s", job->report->rows,
			 advice(v->filter));
		code = rep_output_note(out, false, text, err);
	} else {
		code =
		    rep_output_more(out, shown, job->nrows + job->dropped, job->report->rows, err);
	}
	if (!code && job->note[0])
		code = rep_output_note(out, false, job->note, err);
	if (!code && *rep_members_say(&job->members, text, sizeof(text)))
		code = rep_output_note(out, false, text, err);
	return code;
}

int rep_job_write_lead(const struct rep_job *job, struct rep_output *out, struct tp_err *err)
{
	const char *from = job->lead;
	char line[sizeof(job->lead)];
	int code = 0;

	while (!code && *from) {
		size_t n = strcspn(from, "\n");

		memcpy(line, from, n);
		line[n] = '\0';
		code = rep_output_note(out, true, line, err);
		from += n + (from[n] != '\0');
	}
	return code ? code : rep_output_note(out, false, "", err);
}

/* A cell, as tables have it, or else the other formats. */
static struct rep_value cell_of(struct rep_job *job, const struct rep_column *column, uint32_t row,
				size_t c)
{
	const struct rep_top_options *opt = job->opt;
	struct rep_value v = {0}, other;
	bool both = !column->raw_only && !column->table_only;
	bool mine = !(opt->tables ? column->raw_only : column->table_only);

	if (mine)
		v = rep_job_value(job, row, c);
	if (!mine && opt->table_texts && !opt->tables) {
		job->texts.people = true;
		v = rep_job_value(job, row, c);
		job->texts.people = false;
		return v;
	}
	if (!opt->whole || (mine && (!both || v.type != REP_TYPE_TEXT)))
		return mine ? v : rep_null();
	job->texts.people = !opt->tables;
	other = rep_job_value(job, row, c);
	job->texts.people = opt->tables;
	if (!mine)
		return other;
	if (v.text.size && other.type == REP_TYPE_TEXT && !other.text.size)
		v.type = REP_TYPE_ABSENT;
	return v;
}

#define MOST_FRAMES ((size_t)64 << 20) /* bytes of them that are handed out */

static struct rep_value frames_of(struct rep_job *job, uint32_t row, size_t *given)
{
	struct rep_value v = *given < MOST_FRAMES
				 ? rep_stack_frames(&job->texts, job->report->ops->stack(job, row))
				 : rep_null();

	if (v.type == REP_TYPE_TEXT)
		*given += v.text.size;
	return v;
}

int rep_job_write_table(struct rep_job *job, struct rep_view *v, struct rep_output *out,
			size_t limit, struct tp_err *err)
{
	size_t n = 0, ncolumns = job->report->ncolumns + job->nextra, given = 0;
	struct rep_column *columns = output_columns(job);
	struct rep_value *values = calloc(ncolumns + 1, sizeof(*values));
	uint32_t *rows = NULL;
	int code = !columns || !values ? rep_job_fail(err, TP_ENOMEM) : 0;

	if (!code)
		code = rep_job_pick(job, v, limit, &rows, &n, err);
	if (!code && (job->nrows || !job->opt->tables)) {
		code = rep_output_begin(out, job->report->name, columns, ncolumns + has_frames(job),
					err);
		for (size_t i = 0; !code && i < n; i++) {
			for (size_t c = 0; c < ncolumns; c++)
				values[c] = cell_of(job, &columns[c], rows[i], c);
			if (has_frames(job))
				values[ncolumns] = frames_of(job, rows[i], &given);
			code = rep_output_row(out, values, err);
		}
		if (!code)
			code = rep_output_end(out, err);
	}
	if (!code)
		code = write_notes(job, v, out, n, err);
	free(values);
	free(rows);
	return code;
}

#define CHART_ROWS    16
#define CHART_COLUMNS 80
#define SVG_WIDTH     960
#define SVG_HEIGHT    420

int rep_job_write_chart(struct rep_job *job, struct rep_output *out, struct tp_err *err)
{
	const struct rep_top_options *opt = job->opt;
	struct rep_chart_terminal t = {.rows = CHART_ROWS};
	struct rep_chart chart = {0};
	unsigned width;
	int code;

	if (opt->chart == REP_CHART_AND_TABLE && (!opt->tables || !job->nrows))
		return 0;
	code = job->report->ops->chart(job, &chart, err);
	if (!code && !chart.nlines && opt->chart == REP_CHART_SVG)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the trace has no data for the chart of '%s'", job->report->name);
	if (!code && !chart.nlines && opt->chart == REP_CHART_ONLY) {
		return rep_output_note(out, false, "there is nothing to draw", err);
	}
	if (code || !chart.nlines)
		return code;
	if (opt->chart == REP_CHART_SVG)
		return rep_chart_svg(&chart, SVG_WIDTH, SVG_HEIGHT, opt->svg, err);
	code = rep_output_aside(out, &t.sink, &width, &t.colour, &t.ascii, err);
	/* What takes tables as they are has no place for it. */
	if (!code && !t.sink.write)
		return 0;
	t.columns = width && width < CHART_COLUMNS ? width : CHART_COLUMNS;
	if (!code)
		code = rep_chart_terminal(&chart, &t, err);
	return code ? code : rep_output_note(out, false, "", err);
}
