/* raw: the whole profile as text (pprof's profile.String):
 *
 *	Comment: …                       one line each, if there are any
 *	Doc: URL
 *	PeriodType: cpu nanoseconds
 *	Period: 10000000
 *	Time: 2026-11-21 10:18:16.75 +0000 UTC
 *	Duration: 18.7                   its first four characters, as pprof has it
 *	Samples:
 *	samples/count cpu/nanoseconds    [dflt] after the default one
 *	         1   10000000: 1 2 3     values, locations from the leaf
 *	                tier:[gold]      labels, if it has any, then numeric ones
 *	Locations
 *	     1: 0x44565f M=1 FUNCTION FILE:LINE:COLUMN s=START(SYSTEM NAME)
 *	             …                   the function that this is inlined into
 *	Mappings
 *	1: 0x400000/0x688000/0x0 /app/webapp BUILD_ID [FN][FL][LN][IN]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "profile/writer/lines.h"
#include "profile/report/location.h"
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

/* ---- times ---- */

#define TIME_SIZE 80
#define SECOND	  1000000000

/* Writes a fraction: ".5" for 500,000,000 of 10^9, "" for 0. */
static void put_fraction(char text[16], uint64_t part, int digits)
{
	size_t n;

	text[0] = 0;
	if (!part)
		return;
	snprintf(text, 16, ".%0*" PRIu64, digits, part);
	for (n = strlen(text); text[n - 1] == '0'; n--)
		;
	text[n] = 0;
}

/* Writes a time as Go's Time.String does, in UTC: "2026-11-21 10:18:16.751040898 +0000 UTC".
 * Returns text. */
static char *format_time(char text[TIME_SIZE], int64_t unix_ns)
{
	int64_t ns = (unix_ns % SECOND + SECOND) % SECOND;
	time_t t = (time_t)(unix_ns / SECOND - (unix_ns % SECOND < 0));
	char date[32], fraction[16];
	struct tm tm;

	put_fraction(fraction, (uint64_t)ns, 9);
	if (!gmtime_r(&t, &tm) || !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		date[0] = 0;
	snprintf(text, TIME_SIZE, "%s%s +0000 UTC", date, fraction);
	return text;
}

/* Writes a duration as Go's Duration.String does: "1h2m3.5s", "12.5ms", "0s". Returns text. */
static char *format_duration(char text[TIME_SIZE], int64_t ns)
{
	uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, s = u / SECOND;
	const char *sign = ns < 0 ? "-" : "";
	char fraction[16];

	if (!u) {
		snprintf(text, TIME_SIZE, "0s");
	} else if (u < 1000) {
		snprintf(text, TIME_SIZE, "%s%" PRIu64 "ns", sign, u);
	} else if (u < 1000000) {
		put_fraction(fraction, u % 1000, 3);
		snprintf(text, TIME_SIZE, "%s%" PRIu64 "%sµs", sign, u / 1000, fraction);
	} else if (u < SECOND) {
		put_fraction(fraction, u % 1000000, 6);
		snprintf(text, TIME_SIZE, "%s%" PRIu64 "%sms", sign, u / 1000000, fraction);
	} else {
		put_fraction(fraction, u % SECOND, 9);
		if (s >= 3600)
			snprintf(text, TIME_SIZE, "%s%" PRIu64 "h%" PRIu64 "m%" PRIu64 "%ss", sign,
				 s / 3600, s / 60 % 60, s % 60, fraction);
		else if (s >= 60)
			snprintf(text, TIME_SIZE, "%s%" PRIu64 "m%" PRIu64 "%ss", sign, s / 60,
				 s % 60, fraction);
		else
			snprintf(text, TIME_SIZE, "%s%" PRIu64 "%ss", sign, s, fraction);
	}
	return text;
}

/* ---- the profile ---- */

struct raw {
	const struct tp_profile *p;
	const struct rep_profile_options *opt;
	struct rep_writer out;
	struct rep_locations at;
	struct rep_lines lines;
};

static void put_string(struct rep_writer *out, const struct tp_profile *p, uint32_t id)
{
	rep_writer_string(out, tp_dict_text(p->dict, id));
}

static void put_head(struct rep_writer *out, const struct tp_profile *p)
{
	char text[TIME_SIZE];

	for (size_t i = 0; i < p->ncomments; i++) {
		rep_writer_put(out, "Comment: ");
		rep_writer_prose(out, tp_dict_text(p->dict, p->comments[i]));
		rep_writer_put(out, "\n");
	}
	if (p->doc_url) {
		rep_writer_put(out, "Doc: ");
		put_string(out, p, p->doc_url);
		rep_writer_put(out, "\n");
	}
	/* pprof writes this line even if the period is unknown. */
	rep_writer_put(out, "PeriodType: ");
	put_string(out, p, p->period_type.type);
	rep_writer_put(out, " ");
	put_string(out, p, p->period_type.unit);
	rep_writer_put(out, "\n");
	rep_writer_printf(out, "Period: %" PRId64 "\n", p->period);
	if (p->time_ns)
		rep_writer_printf(out, "Time: %s\n", format_time(text, p->time_ns));
	if (p->duration_ns) {
		size_t n = 0, runes = 0;

		format_duration(text, p->duration_ns);
		for (; text[n] && (runes < 4 || ((unsigned char)text[n] & 0xc0) == 0x80); n++)
			runes += ((unsigned char)text[n] & 0xc0) != 0x80;
		rep_writer_printf(out, "Duration: %.*s\n", (int)n, text);
	}
}

static void put_types(struct rep_writer *out, const struct tp_profile *p)
{
	rep_writer_put(out, "Samples:\n");
	for (size_t i = 0; i < p->ntypes; i++) {
		if (i)
			rep_writer_put(out, " ");
		put_string(out, p, p->types[i].type);
		rep_writer_put(out, "/");
		put_string(out, p, p->types[i].unit);
		/* Without a default type, which is the empty string, a type without a name counts
		 * as default. */
		if (p->types[i].type == p->default_type)
			rep_writer_put(out, "[dflt]");
	}
	rep_writer_put(out, "\n");
}

static void join_number(struct rep_lines *lines, const struct tp_profile *p,
			const struct tp_label *l, bool units)
{
	struct tp_text unit = tp_dict_text(p->dict, l->unit);

	tp_buf_printf(&lines->bytes, "%" PRId64, l->number);
	if (units) {
		tp_buf_text(&lines->bytes, " ");
		tp_buf_put(&lines->bytes, unit.text, unit.size);
	}
}

/* Joins labels as "key:[value value]". Numbers are written with units if one of them has a unit. */
static void join_labels(struct rep_lines *lines, const struct tp_profile *p,
			const struct tp_label *l, size_t n)
{
	struct tp_text key = tp_dict_text(p->dict, l->key);
	bool units = false;

	for (size_t i = 0; i < n; i++)
		units |= l[i].numeric && l[i].unit;
	rep_lines_begin(lines);
	tp_buf_put(&lines->bytes, key.text, key.size);
	tp_buf_text(&lines->bytes, ":[");
	for (size_t i = 0; i < n; i++) {
		struct tp_text text = tp_dict_text(p->dict, l[i].text);

		if (i)
			tp_buf_text(&lines->bytes, " ");
		if (l[i].numeric)
			join_number(lines, p, &l[i], units);
		else
			tp_buf_put(&lines->bytes, text.text, text.size);
	}
	tp_buf_text(&lines->bytes, "]");
}

static void put_labels(struct raw *r, const struct tp_label_set *set, bool numeric)
{
	const struct tp_profile *p = r->p;

	rep_lines_clear(&r->lines);
	for (size_t i = 0, n; i < set->n; i += n) {
		n = rep_labels_of_key(p, set, i);
		if (p->labels[set->first + i].numeric == numeric)
			join_labels(&r->lines, p, p->labels + set->first + i, n);
	}
	rep_writer_fail(&r->out, rep_lines_sort(&r->lines));
	for (size_t i = 0; i < rep_lines_n(&r->lines); i++) {
		rep_writer_put(&r->out, i ? " " : "                ");
		rep_writer_string(&r->out, rep_lines_at(&r->lines, i));
	}
	if (rep_lines_n(&r->lines))
		rep_writer_put(&r->out, "\n");
}

static void put_sample(struct raw *r, size_t sample)
{
	const struct tp_profile *p = r->p;
	const struct tp_label_set *set = &p->sets[p->label_set[sample]];

	for (size_t i = 0; i < p->ntypes; i++)
		rep_writer_printf(&r->out, " %10" PRId64, p->value[sample * p->ntypes + i]);
	rep_writer_put(&r->out, ": ");
	for (uint32_t at = p->stack[sample]; at; at = rep_location_caller(p, at))
		rep_writer_printf(&r->out, "%" PRIu32 " ", r->at.number[at]);
	rep_writer_put(&r->out, "\n");
	put_labels(r, set, false);
	put_labels(r, set, true);
}

static void put_line(struct raw *r, const struct tp_frame *f)
{
	struct tp_function fn = tp_dict_function_at(r->p->dict, f->function);
	/* With no_inlines, columns distinguish lines only with show_columns. */
	int64_t column = r->opt->no_inlines && !r->opt->show_columns ? 0 : f->column;

	put_string(&r->out, r->p, fn.name);
	rep_writer_put(&r->out, " ");
	put_string(&r->out, r->p, fn.file);
	rep_writer_printf(&r->out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, f->line, column,
			  fn.start_line);
	if (fn.system_name != fn.name) {
		rep_writer_put(&r->out, "(");
		put_string(&r->out, r->p, fn.system_name);
		rep_writer_put(&r->out, ")");
	}
}

static void put_location(struct raw *r, uint32_t number, uint32_t node)
{
	const struct tp_profile *p = r->p;
	struct tp_stack_node s = tp_dict_stack_at(p->dict, node);
	struct tp_frame f = tp_dict_frame_at(p->dict, s.frame);
	struct tp_location l = tp_dict_location_at(p->dict, f.location);
	uint32_t mapping = p->nmappings ? l.mapping : 1;
	bool first = true;

	rep_writer_printf(&r->out, "%6" PRIu32 ": 0x%" PRIx64 " ", number, l.address);
	if (mapping)
		rep_writer_printf(&r->out, "M=%" PRIu32 " ", mapping);
	if (l.flags & TP_LOCATION_FOLDED)
		rep_writer_put(&r->out, "[F] ");
	if (!tp_profile_lined(p, s.frame)) {
		rep_writer_put(&r->out, "\n");
		return;
	}
	for (;; f = tp_dict_frame_at(p->dict, s.frame)) {
		bool last = !f.inlined || !s.parent;

		if (last || !r->opt->no_inlines) {
			if (!first)
				rep_writer_put(&r->out, "             ");
			put_line(r, &f);
			rep_writer_put(&r->out, "\n");
			first = false;
		}
		if (last)
			return;
		s = tp_dict_stack_at(p->dict, s.parent);
	}
}

static void put_mapping(struct raw *r, size_t i)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} flags[] = {
	    {TP_MAPPING_FUNCTIONS, "[FN]"},
	    {TP_MAPPING_FILENAMES, "[FL]"},
	    {TP_MAPPING_LINES, "[LN]"},
	    {TP_MAPPING_INLINES, "[IN]"},
	};
	const struct tp_profile *p = r->p;
	const struct tp_mapping *m = &p->mappings[i];
	uint32_t known = m->flags & ~(r->opt->no_inlines ? (uint32_t)TP_MAPPING_INLINES : 0);
	struct rep_writer *out = &r->out;

	rep_writer_printf(out, "%zu: 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ", i + 1, m->start,
			  m->limit, m->offset);
	put_string(out, p, m->file);
	rep_writer_put(out, " ");
	put_string(out, p, m->build_id);
	rep_writer_put(out, " ");
	for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
		if (known & flags[k].flag)
			rep_writer_put(out, flags[k].text);
	rep_writer_put(out, "\n");
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct raw r = {.p = v->profile, .opt = &v->opt};

	(void)arg;
	rep_writer_init(&r.out, sink);
	rep_writer_fail(&r.out, rep_locations_make(&r.at, r.p));
	if (!rep_writer_failed(&r.out)) {
		put_head(&r.out, r.p);
		put_types(&r.out, r.p);
		for (size_t i = 0; i < r.p->nsamples && !rep_writer_failed(&r.out); i++)
			put_sample(&r, i);
		rep_writer_put(&r.out, "Locations\n");
		for (uint32_t i = 0; i < r.at.n && !rep_writer_failed(&r.out); i++)
			put_location(&r, i + 1, r.at.node[i]);
		rep_writer_put(&r.out, "Mappings\n");
		for (size_t i = 0; i < r.p->nmappings; i++)
			put_mapping(&r, i);
		/* Without mappings, pprof adds one for everything. */
		if (!r.p->nmappings)
			rep_writer_put(&r.out, "1: 0x0/0x0/0x0   \n");
	}
	rep_locations_release(&r.at);
	rep_lines_release(&r.lines);
	return rep_writer_finish(&r.out, err);
}

const struct rep_profile_report rep_profile_report_raw = {
    .name = "raw",
    .doc = "Everything that is in the profile, as text",
    .traits = {.no_trim = true,
	       .granularity_fixed = true,
	       .granularity = REP_ADDRESSES,
	       .whole_stacks = true},
    .print = print,
};
