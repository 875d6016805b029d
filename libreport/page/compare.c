/* Pages that compare: profiles with profiles, traces with traces. */
#include <string.h>

#include "page/inside.h"
#include "profile/view.h"

static const struct page_section profile_sections[] = {
    {"changes", "What changed", page_changed_types, PAGE_TEXT},
    {"functions", "Functions", page_changed_functions, PAGE_TEXT},
    {"flames", "Flame graphs", page_profile_flames, PAGE_PICTURE},
    {"commands", "Commands", page_diff_commands, PAGE_TEXT},
};

static void write_side(struct tp_buf *h, const char *which, const char *name, size_t n)
{
	tp_buf_printf(h, "<div><dt>%s</dt><dd>", which);
	html_str(h, name);
	if (n > 1)
		tp_buf_printf(h, " (%zu runs)", n);
	tp_buf_text(h, "</dd></div>\n");
}

/* Writes a note if the chosen sample type is 0 in every sample of all profiles. The note names a
 * type with values. */
static void write_zero(struct page *p, struct tp_buf *h)
{
	const struct rep_page_sides *s = p->sides;
	char zero[REP_ZERO_SIZE] = "";
	struct tp_err err;

	for (size_t i = 0; i < s->nold + s->nnew; i++) {
		const struct tp_profile *one = i < s->nold ? s->old[i] : s->new[i - s->nold];
		size_t index;

		if (!one->ntypes || rep_profile_sample_index(one, p->type, &index, &err) ||
		    !*rep_profile_all_zero(one, index, zero))
			return;
	}
	page_note(h, zero, strlen(zero));
}

static void profile_facts(struct page *p, struct tp_buf *h)
{
	tp_buf_text(h, "<dl class=\"facts\">\n");
	write_side(h, "Old", p->sides->old_name, p->sides->nold);
	write_side(h, "New", p->sides->new_name, p->sides->nnew);
	tp_buf_text(h, "</dl>\n");
	write_zero(p, h);
}

/* "b.heap against a.heap" */
static char *make_title(struct tp_buf *b, const char *new, const char *old)
{
	return tp_buf_printf(b, "%s against %s", new, old) ? NULL : (char *)b->data;
}

int rep_page_profiles(const struct rep_page_sides *sides, const struct rep_page_options *opt,
		      const struct rep_sink *sink, struct tp_err *err)
{
	struct page p = {.opt = opt, .sides = sides, .type = opt->sample_index};
	struct tp_buf title = {0};
	int code = page_changed_check(&p, err);

	if (code)
		return code;
	p.title = opt->title ? opt->title : make_title(&title, sides->new_name, sides->old_name);
	p.rows = rep_page_rows(opt);
	if (!p.title)
		code = tp_nomem(err);
	if (!code)
		code = page_write(&p, profile_sections,
				  sizeof(profile_sections) / sizeof(profile_sections[0]),
				  profile_facts, sink, err);
	tp_buf_release(&title);
	return code;
}

/* ---- traces ---- */

static const struct page_section trace_sections[] = {
    {"changes", "What changed", page_changed_metrics, PAGE_TEXT},
    {"charts", "Over time", page_changed_charts, PAGE_PICTURE},
    {"flames", "Flame graphs", page_flames, PAGE_PICTURE},
    {"commands", "Commands", page_diff_commands, PAGE_TEXT},
};

static void write_run(struct page *p, struct tp_buf *h, const char *which, size_t n)
{
	const struct tp_run *r = &p->run->row;

	tp_buf_text(h, "<dl class=\"facts\">\n");
	tp_buf_printf(h, "<div><dt>%s</dt><dd>", which);
	html_str(h, r->name);
	if (n > 1)
		tp_buf_printf(h, " (and %zu more)", n - 1);
	tp_buf_text(h, "</dd></div>\n");
	page_trace_facts(p, h);
	tp_buf_printf(h, "<div><dt>Lost</dt><dd>%s</dd></div>\n</dl>\n",
		      p->run->losses ? "<strong>some data</strong>" : "nothing");
}

static void trace_facts(struct page *p, struct tp_buf *h)
{
	write_run(p->old, h, "Old", p->runs->nold);
	write_run(p, h, "New", p->runs->nnew);
}

int rep_page_traces(const struct rep_page_runs *runs, const struct rep_page_options *opt,
		    const struct rep_sink *sink, struct tp_err *err)
{
	struct page before = {.opt = opt, .store = runs->old->store, .run = runs->old->run};
	struct page p = {.opt = opt,
			 .store = runs->new->store,
			 .run = runs->new->run,
			 .old = &before,
			 .runs = runs};
	struct tp_buf title = {0};
	int code = page_begin_trace(&before, err);

	p.title =
	    opt->title ? opt->title : make_title(&title, p.run->row.name, before.run->row.name);
	p.rows = rep_page_rows(opt);
	if (!code && !p.title)
		code = tp_nomem(err);
	if (!code)
		code = page_begin_trace(&p, err);
	if (!code)
		code = page_write(&p, trace_sections,
				  sizeof(trace_sections) / sizeof(trace_sections[0]), trace_facts,
				  sink, err);
	page_end_trace(&before);
	page_end_trace(&p);
	tp_buf_release(&title);
	return code;
}
