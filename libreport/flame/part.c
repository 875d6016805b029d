#include "flame/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "flame/words.h"
#include "output/ops.h"
#include "task/inside.h"

const struct rep_profile_traits rep_flame_traits = {.no_trim = true, .all_nodes = true};

static struct tp_value_type type_of(const struct rep_profile_view *v)
{
	return v->profile->types[v->index];
}

static const char *text_of(const struct rep_profile_view *v, uint32_t string)
{
	return tp_dict_text(v->profile->dict, string).text;
}

/* ---- adding ---- */

/* A rep_flame_source.name. */
static int frame_name(void *ctx, uint32_t frame, struct tp_buf *name)
{
	const struct rep_profile_view *v = ctx;
	struct rep_node_info info;
	int code = rep_view_frame(v, frame, &info);

	return code ? code : rep_node_info_name(&info, name);
}

/* Returns the total of a side before filters. */
static double total_of(const struct rep_flame_part *parts, size_t n, enum rep_flame_side side)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		if (parts[i].side == side)
			total += (double)parts[i].view.total;
	return total;
}

static bool has_type(const struct tp_profile *p, const char *name)
{
	struct tp_err err;
	size_t index;

	return !rep_profile_sample_index(p, name, &index, &err);
}

/* Lists the sample types that all parts have; "" also if memory is out. */
static void common_types(const struct rep_flame_part *parts, size_t n, char text[REP_TYPE_NAMES])
{
	const struct tp_profile **profiles = calloc(n, sizeof(*profiles));

	text[0] = '\0';
	if (!profiles)
		return;
	for (size_t i = 0; i < n; i++)
		profiles[i] = parts[i].profile;
	rep_profile_types_common(profiles, n, text);
	free(profiles);
}

static int unlike(const struct rep_flame_part *parts, size_t n, const struct rep_flame_part *other,
		  const char *type, struct tp_err *err)
{
	char own[REP_TYPE_NAMES], all[REP_TYPE_NAMES];
	bool trace = other->trace != parts[0].trace;

	rep_profile_type_names(other->profile, own);
	common_types(parts, n, all);
	return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			  "%.60s has no sample type %.40s, but %.70s, so it cannot be %s %.60s; "
			  "%s%.60s",
			  other->name, type, *own ? own : "some without names",
			  other->side == parts[0].side ? "added to" : "compared with",
			  parts[0].name,
			  *all	  ? "--sample-index picks one that all have: "
			  : trace ? "--view picks what is counted of a trace"
				  : "they have no sample type in common",
			  all);
}

int rep_flame_common_type(const struct rep_flame_part *parts, size_t n, const char *wanted,
			  const char **type, struct tp_err *err)
{
	const struct tp_profile *first = parts[0].profile;
	const char *name;
	size_t index;
	int code = rep_profile_sample_index(first, wanted, &index, err);

	*type = wanted;
	if (code)
		return code;
	name = tp_dict_text(first->dict, first->types[index].type).text;
	/* A type without a name is identified by its index. */
	if (!*name)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (!has_type(parts[i].profile, name))
			return unlike(parts, n, &parts[i], name, err);
	*type = name;
	return 0;
}

static int check_units(const struct rep_flame_part *parts, size_t n, struct tp_err *err)
{
	const struct rep_profile_view *first = &parts[0].view;

	for (size_t i = 1; i < n; i++) {
		const struct rep_profile_view *v = &parts[i].view;
		const char *unit = text_of(v, type_of(v).unit);
		const char *wanted = text_of(first, type_of(first).unit);

		if (strcmp(unit, wanted) != 0)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "%s counts %s (%s), but %s counts %s (%s); "
					  "--sample-index picks what is counted",
					  parts[i].name, text_of(v, type_of(v).type), unit,
					  parts[0].name, text_of(first, type_of(first).type),
					  wanted);
	}
	return 0;
}

int rep_flame_parts_view(struct rep_flame_part *parts, size_t n,
			 const struct rep_profile_options *opt, size_t *failed, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		*failed = i;
		code = rep_profile_view_init(&parts[i].view, parts[i].profile, opt,
					     &rep_flame_traits, err);
	}
	return code;
}

void rep_flame_parts_release(struct rep_flame_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rep_profile_view_release(&parts[i].view);
}

static int add_parts(struct rep_flame_tree *t, const struct rep_flame_part *parts, size_t n,
		     bool normalize, struct tp_err *err)
{
	double now = total_of(parts, n, REP_FLAME_NEW), old = total_of(parts, n, REP_FLAME_OLD);
	double ratio = normalize && now > 0 && old > 0 ? old / now : 1;
	int code = check_units(parts, n, err);

	for (size_t i = 0; i < n && !code; i++) {
		const struct rep_profile_view *v = &parts[i].view;
		struct rep_flame_source source = {
		    .profile = v->profile,
		    .type = v->index,
		    .ratio = parts[i].side == REP_FLAME_NEW ? ratio : 1,
		    .no_inlines = v->opt.no_inlines,
		    .name = frame_name,
		    .ctx = (void *)(uintptr_t)v,
		};

		code = rep_flame_tree_add(t, &source, parts[i].side, err);
	}
	return code;
}

/* ---- title and subtitle ---- */

static void put_names(struct tp_buf *b, const struct rep_flame_part *parts, size_t n,
		      enum rep_flame_side side)
{
	size_t more = 0;

	for (size_t i = 0; i < n; i++)
		if (parts[i].side == side && !more++)
			tp_buf_text(b, parts[i].name);
	if (more > 1)
		tp_buf_printf(b, " and %zu more", more - 1);
}

static void put_count(struct tp_buf *b, size_t n, const char *what)
{
	char text[REP_FLAME_WORDS];

	tp_buf_printf(b, "%s %s%s", tp_fmt_count(text, (int64_t)n), what, n == 1 ? "" : "s");
}

/* Writes "2026-11-21 16:03:12 UTC" and "30s", as far as the first part has them. */
static void put_when(struct tp_buf *b, const struct tp_profile *p)
{
	time_t seconds = (time_t)(p->time_ns / 1000000000);
	char text[64], length[TP_UNITS_SIZE];
	struct tm tm;

	if (p->time_ns > 0 && gmtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		tp_buf_printf(b, " · %s", text);
	if (p->duration_ns > 0)
		tp_buf_printf(b, " · over %s", tp_fmt_ns(length, p->duration_ns));
}

static void put_totals(struct tp_buf *b, const struct rep_flame_tree *t,
		       const struct rep_flame_measure *m, double all)
{
	int64_t total[] = {rep_flame_total(t, 0, REP_FLAME_NEW),
			   rep_flame_total(t, 0, REP_FLAME_OLD)};
	char v[REP_FLAME_WORDS], share[REP_FLAME_WORDS];
	double now = (double)total[REP_FLAME_NEW], old = (double)total[REP_FLAME_OLD];

	if (t->opt.compared)
		tp_buf_printf(b, "%s → ", rep_flame_human(v, m, total[REP_FLAME_OLD]));
	tp_buf_text(b, rep_flame_human(v, m, total[REP_FLAME_NEW]));
	if (t->opt.compared && (old > 0 || old < 0))
		tp_buf_printf(b, " (%s%s)", now > old ? "+" : "",
			      rep_flame_percent(share, (now - old) / old));
	if (!t->opt.compared && all > now && now > 0)
		tp_buf_printf(b, " of %s (%s)", rep_flame_human(v, m, (int64_t)all),
			      rep_flame_percent(share, now / all));
}

static int put_heading(struct rep_flame_heading *h, const struct rep_flame_tree *t,
		       const struct rep_flame_part *parts, size_t n, const char *filters,
		       struct tp_err *err)
{
	const struct rep_profile_view *first = &parts[0].view;
	struct rep_flame_measure m;
	struct rep_members members = {0};
	struct tp_buf title = {0}, sub = {0};
	char text[REP_MEMBERS_SIZE];

	for (size_t i = 0; i < n; i++)
		if (parts[i].members)
			rep_members_add(&members, parts[i].members);

	h->type = text_of(first, type_of(first).type);
	h->unit = text_of(first, type_of(first).unit);
	m = rep_flame_measure(h->type, h->unit);
	put_names(&title, parts, n, REP_FLAME_NEW);
	if (t->opt.compared) {
		tp_buf_text(&title, " against ");
		put_names(&title, parts, n, REP_FLAME_OLD);
	}
	tp_buf_printf(&title, ": %s%s", h->type, t->opt.reverse ? ", by leaf" : "");
	put_totals(&sub, t, &m, total_of(parts, n, REP_FLAME_NEW));
	if (!t->opt.compared) {
		tp_buf_text(&sub, " · ");
		if (!parts[0].trace) {
			put_count(&sub, t->samples[REP_FLAME_NEW], "sample");
			tp_buf_text(&sub, ", ");
		}
		put_count(&sub, t->stacks[REP_FLAME_NEW], "stack");
	}
	if (n == 1)
		put_when(&sub, first->profile);
	if (filters && *filters)
		tp_buf_printf(&sub, " · only %s", filters);
	if (*rep_members_say(&members, text, sizeof(text)))
		tp_buf_printf(&sub, " · %s", text);
	tp_buf_put(&title, "", 1);
	tp_buf_put(&sub, "", 1);
	h->title = (char *)title.data;
	h->subtitle = (char *)sub.data;
	return m.failed || tp_buf_text(&title, "") || tp_buf_text(&sub, "") ? tp_nomem(err) : 0;
}

int rep_flame_build(struct rep_flame_tree *t, struct rep_flame_heading *h,
		    const struct rep_flame_tree_options *tree_options,
		    const struct rep_flame_part *parts, size_t n,
		    const struct rep_flame_build_options *opt, struct tp_err *err)
{
	int code = rep_flame_tree_init(t, tree_options, err);

	*h = (struct rep_flame_heading){0};
	if (!code)
		code = add_parts(t, parts, n, opt->normalize, err);
	if (!code)
		code = rep_flame_tree_sum(t, err);
	return code ? code : put_heading(h, t, parts, n, opt->filters, err);
}

void rep_flame_heading_release(struct rep_flame_heading *h)
{
	free(h->title);
	free(h->subtitle);
	h->title = h->subtitle = NULL;
}
