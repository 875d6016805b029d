#include "profile/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profile/labels.h"
#include "profile/node.h"
#include "profile/whole.h"
#include "sourcepath.h"

static const char *text_of(const struct tp_profile *p, uint32_t string)
{
	return tp_dict_text(p->dict, string).text;
}

/* ---- sample types ---- */

size_t rep_profile_type_find(const struct tp_profile *p, const char *name)
{
	size_t i = 0;

	while (i < p->ntypes && strcmp(text_of(p, p->types[i].type), name) != 0)
		i++;
	return i < p->ntypes ? i : SIZE_MAX;
}

const char *rep_profile_types_common(const struct tp_profile *const *profiles, size_t n,
				     char text[REP_TYPE_NAMES])
{
	const struct tp_profile *first = profiles[0];
	size_t used = 0;

	text[0] = '\0';
	for (size_t t = 0; t < first->ntypes && used < REP_TYPE_NAMES; t++) {
		const char *name = text_of(first, first->types[t].type);
		bool all = *name;

		for (size_t i = 1; i < n && all; i++)
			all = rep_profile_type_find(profiles[i], name) != SIZE_MAX;
		if (all)
			used += (size_t)snprintf(text + used, REP_TYPE_NAMES - used, "%s%s",
						 used ? ", " : "", name);
	}
	return text;
}

const char *rep_profile_type_names(const struct tp_profile *p, char text[REP_TYPE_NAMES])
{
	return rep_profile_types_common(&p, 1, text);
}

static int no_such_type(const struct tp_profile *p, const char *text, struct tp_err *err)
{
	char list[REP_TYPE_NAMES];

	if (!*rep_profile_type_names(p, list))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the profile has no sample type '%s', as its types have no "
				  "names; --sample-index takes a number from 0 to %zu",
				  text, p->ntypes - 1);
	return tp_err_set(
	    err, TP_ENOENT, TP_OFFSET_NONE,
	    "the profile has no sample type '%s'; --sample-index takes one of %s, or a "
	    "number from 0 to %zu",
	    text, list, p->ntypes - 1);
}

int rep_profile_sample_index(const struct tp_profile *p, const char *text, size_t *index,
			     struct tp_err *err)
{
	const char *short_name;
	char *end;
	long number;

	if (!p->ntypes)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the profile has no sample types");
	*index = p->ntypes - 1;
	if (!text || !*text) {
		for (size_t i = p->ntypes; i-- > 0 && p->default_type;)
			if (p->types[i].type == p->default_type)
				*index = i;
		return 0;
	}
	errno = 0;
	number = strtol(text, &end, 10);
	if (end != text && !*end && !errno) {
		*index = (size_t)number;
		return number >= 0 && *index < p->ntypes ? 0 : no_such_type(p, text, err);
	}
	if (!strcmp(text, "total_delay") || !strcmp(text, "mean_delay"))
		text += strcspn(text, "_") + 1;
	/* Old heap profiles have "space" and "objects". */
	short_name = strncmp(text, "inuse_", 6) ? text : text + 6;
	for (*index = 0; *index < p->ntypes; ++*index) {
		const char *type = text_of(p, p->types[*index].type);

		if (!strcmp(type, text) || !strcmp(type, short_name))
			return 0;
	}
	return no_such_type(p, text, err);
}

static bool has_values(const struct tp_profile *p, size_t index)
{
	for (size_t i = 0; i < p->nsamples; i++)
		if (p->value[i * p->ntypes + index])
			return true;
	return false;
}

size_t rep_profile_type_instead(const struct tp_profile *p, size_t index)
{
	static const char *const names[][2] = {{"inuse_space", "peak_space"},
					       {"inuse_space", "alloc_space"},
					       {"inuse_objects", "peak_objects"},
					       {"inuse_objects", "alloc_objects"}};
	const char *type = text_of(p, p->types[index].type);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t at = strcmp(type, names[i][0]) != 0 ? SIZE_MAX
							   : rep_profile_type_find(p, names[i][1]);

		if (at != SIZE_MAX && has_values(p, at))
			return has_values(p, index) ? SIZE_MAX : at;
	}
	return SIZE_MAX;
}

const char *rep_profile_all_zero(const struct tp_profile *p, size_t index, char text[REP_ZERO_SIZE])
{
	size_t first = rep_profile_type_instead(p, index);
	char name[32];

	text[0] = '\0';
	if (has_values(p, index))
		return text;
	/* The last type comes first: it is the usual default. */
	for (size_t i = first < p->ntypes ? first + 1 : p->ntypes; i-- > 0;) {
		const char *type = text_of(p, p->types[i].type);

		if (!has_values(p, i))
			continue;
		snprintf(name, sizeof(name), "type %zu", i);
		snprintf(text, REP_ZERO_SIZE,
			 "%.60s is 0 in every sample; %.60s has values (--sample-index=%.60s)",
			 text_of(p, p->types[index].type), *type ? type : name,
			 *type ? type : name + strlen("type "));
		break;
	}
	return text;
}

/* ---- the total (report.computeTotal) ---- */

/* Returns which label sets have the label that marks the base of a difference; NULL if none has it.
 */
static bool *base_sets(const struct tp_profile *p, bool *any, bool *failed)
{
	bool *base = NULL;

	*any = false;
	for (size_t s = 1; s < p->nsets; s++) {
		for (uint32_t i = 0; i < p->sets[s].n; i++) {
			const struct tp_label *l = &p->labels[p->sets[s].first + i];

			if (l->numeric || strcmp(text_of(p, l->key), "pprof::base") != 0 ||
			    strcmp(text_of(p, l->text), "true") != 0)
				continue;
			if (!base)
				base = calloc(p->nsets, sizeof(*base));
			if (!base) {
				*failed = true;
				return NULL;
			}
			base[s] = *any = true;
		}
	}
	return base;
}

static int add_up(struct rep_profile_view *v, struct tp_err *err)
{
	const struct tp_profile *p = v->profile;
	uint64_t total = 0, div = 0, base_total = 0, base_div = 0;
	bool any, failed = false;
	bool *base = base_sets(p, &any, &failed);

	if (failed)
		return tp_nomem(err);
	for (size_t i = 0; i < p->nsamples; i++) {
		int64_t value = rep_view_value(v, i);
		uint64_t size = (uint64_t)rep_abs(value);
		uint64_t d = (uint64_t)rep_view_divisor(v, i);

		total += size;
		div += d;
		if (any && base[p->label_set[i]]) {
			base_total += size;
			base_div += d;
		}
	}
	free(base);
	if ((int64_t)base_total > 0) {
		total = base_total;
		div = base_div;
	}
	v->total = rep_mean((int64_t)total, (int64_t)div);
	return 0;
}

/* ---- views ---- */

static void apply_traits(struct rep_profile_view *v)
{
	struct rep_profile_options *o = &v->opt;
	const struct rep_profile_traits *t = &v->traits;

	if (t->granularity_fixed)
		o->granularity = t->granularity;
	if (t->no_inlines)
		o->no_inlines = t->no_inlines > 0;
	if (o->node_count == -1)
		o->node_count = t->all_nodes ? 0 : 80;
	if (t->no_trim || o->no_trim) {
		o->node_count = 0;
		o->node_fraction = o->edge_fraction = 0;
	}
	o->call_tree = o->call_tree && t->call_tree;
	if (!o->unit)
		o->unit = "minimum";
	/* This alias stands for two options. */
	if (o->sample_index && !strcmp(o->sample_index, "mean_delay"))
		o->mean = true;
}

static int pick_values(struct rep_profile_view *v, struct tp_err *err)
{
	const struct tp_profile *p = v->profile;
	char zero[REP_ZERO_SIZE];
	int code = rep_profile_sample_index(p, v->opt.sample_index, &v->index, err);

	if (code)
		return code;
	v->unit = text_of(p, p->types[v->index].unit);
	snprintf(v->type, sizeof(v->type), "%s%s", v->opt.mean ? "mean_" : "",
		 text_of(p, p->types[v->index].type));
	snprintf(v->output_unit, sizeof(v->output_unit), "%s", v->opt.unit);
	v->ratio = 1 / v->opt.divide_by;
	if (*rep_profile_all_zero(p, v->index, zero))
		return rep_filter_note(&v->notes, zero, err);
	if (!*text_of(p, p->types[v->index].type) && !*v->unit)
		return rep_filter_note(
		    &v->notes,
		    "the profile has no names for its values: what they count, and in "
		    "which unit, is unknown",
		    err);
	return 0;
}

int rep_profile_view_init(struct rep_profile_view *v, struct tp_profile *p,
			  const struct rep_profile_options *opt,
			  const struct rep_profile_traits *traits, struct tp_err *err)
{
	int code;

	*v = (struct rep_profile_view){.profile = p, .opt = *opt, .traits = *traits};
	apply_traits(v);
	if (v->opt.divide_by == 0)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--divide-by takes a number that is not 0");
	code = pick_values(v, err);
	if (!code && !v->opt.all_frames)
		code = rep_profile_drop_frames(p, err);
	if (!code)
		code = rep_label_units_init(&v->units, p, &v->notes, err);
	if (!code)
		code = rep_profile_tag_frames(p, &v->opt, &v->notes, err);
	if (!code && v->opt.relative_percentages)
		code = rep_profile_filter(p, &v->opt, &v->notes, err);
	if (!code)
		code = add_up(v, err);
	if (!code && !v->opt.relative_percentages)
		code = rep_profile_filter(p, &v->opt, &v->notes, err);
	if (!code && traits->whole_stacks)
		code = rep_stacks_whole(p, err);
	return code;
}

void rep_profile_view_release(struct rep_profile_view *v)
{
	rep_label_units_release(&v->units);
	rep_filter_notes_release(&v->notes);
}

/* ---- values as texts ---- */

static int64_t divided(const struct rep_profile_view *v, int64_t value)
{
	return v->ratio > 0 && v->ratio != 1 ? rep_truncate((double)value * v->ratio) : value;
}

char *rep_view_scaled(const struct rep_profile_view *v, int64_t value, const char *from,
		      const char *to, char text[REP_MEASURE_SIZE])
{
	return (v->opt.pprof_units ? rep_scaled_label : rep_binary_label)(text, value, from, to);
}

char *rep_view_label(const struct rep_profile_view *v, int64_t value, char text[REP_MEASURE_SIZE])
{
	return rep_view_scaled(v, divided(v, value), v->unit, v->output_unit, text);
}

char *rep_view_row_label(const struct rep_profile_view *v, int64_t value, int64_t cum,
			 char text[REP_MEASURE_SIZE])
{
	double size = cum < 0 ? -(double)cum : (double)cum;
	bool small = size < (double)v->total * v->opt.unit_fraction;

	return rep_view_scaled(v, divided(v, value), v->unit, small ? "auto" : v->output_unit,
			       text);
}

double rep_view_scale(const struct rep_profile_view *v, int64_t value)
{
	return rep_scale(value, v->unit, v->output_unit, NULL);
}

/* ---- the heading (report.ProfileLabels) ---- */

struct heading {
	rep_line_fn line;
	void *ctx;
	struct tp_err *err;
	struct tp_buf text;
	int code;
};

static void put_line(struct heading *h, const char *title, const char *text, size_t size)
{
	h->text.size = 0;
	if (h->code)
		return;
	tp_buf_text(&h->text, title);
	tp_buf_put(&h->text, text, size);
	if (tp_buf_put(&h->text, "", 1))
		h->code = tp_nomem(h->err);
	else
		h->code = h->line(h->ctx, (char *)h->text.data, h->text.size - 1, h->err);
}

static void put_string(struct heading *h, const char *title, const char *text)
{
	put_line(h, title, text, strlen(text));
}

static void put_duration(const struct rep_profile_view *v, struct heading *h)
{
	char duration[REP_MEASURE_SIZE], total[REP_MEASURE_SIZE], share[REP_PERCENTAGE_SIZE];
	char text[3 * REP_MEASURE_SIZE];
	const char *unit;
	double ns = rep_scale(v->total, v->unit, "nanoseconds", &unit);
	bool time = !strcmp(unit, "ns") && ns != 0;

	rep_scaled_label(duration, v->profile->duration_ns, "nanoseconds", "auto");
	rep_view_label(v, v->total, total);
	rep_percentage(share, ns < 9.2e18 ? (int64_t)ns : INT64_MAX, v->profile->duration_ns);
	snprintf(text, sizeof(text), "%s, Total samples = %s %s%s%s", duration, total,
		 time ? "(" : "", time ? share : "", time ? ")" : "");
	put_string(h, "Duration: ", text);
}

static void put_time(const struct rep_profile_view *v, struct heading *h)
{
	time_t seconds = (time_t)(v->profile->time_ns / 1000000000);
	char text[64];
	struct tm tm;

	if (v->profile->time_ns % 1000000000 < 0)
		seconds--;
	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		put_string(h, "Time: ", text);
}

int rep_view_heading(const struct rep_profile_view *v, rep_line_fn line, void *ctx,
		     struct tp_err *err)
{
	struct heading h = {.line = line, .ctx = ctx, .err = err};
	const struct tp_profile *p = v->profile;

	if (p->nmappings && p->mappings[0].file) {
		struct tp_text base = rep_path_base(tp_dict_text(p->dict, p->mappings[0].file));

		put_line(&h, "File: ", base.text, base.size);
	}
	if (p->nmappings && p->mappings[0].build_id)
		put_string(&h, "Build ID: ", text_of(p, p->mappings[0].build_id));
	for (size_t i = 0; i < p->ncomments; i++) {
		struct tp_text t = tp_dict_text(p->dict, p->comments[i]);

		if (!t.size || *t.text != '#')
			put_line(&h, "", t.text, t.size);
	}
	if (*v->type)
		put_string(&h, "Type: ", v->type);
	if (p->doc_url)
		put_string(&h, "Doc: ", text_of(p, p->doc_url));
	if (p->time_ns)
		put_time(v, &h);
	if (p->duration_ns)
		put_duration(v, &h);
	tp_buf_release(&h.text);
	return h.code;
}

int rep_profile_no_function(const struct rep_profile_view *v, const char *pattern,
			    struct tp_err *err)
{
	char names[REP_TYPE_NAMES];

	if (v->profile->ntypes < 2 || !*rep_profile_type_names(v->profile, names))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no function of the profile matches '%.100s'", pattern);
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "no function with %.40s matches '%.100s'; --sample-index takes %s",
			  v->type, pattern, names);
}
