/* The page of a profile. */
#include <string.h>

#include "page/inside.h"
#include "profile/report.h"

static const struct page_section sections[] = {
    {"deadlock", "Suspected deadlocks", page_deadlock, PAGE_TEXT},
    {"functions", "Functions", page_functions, PAGE_TEXT},
    {"flames", "Flame graphs", page_profile_flames, PAGE_PICTURE},
    {"tags", "Labels", page_tags, PAGE_TEXT},
    {"commands", "Commands", page_profile_commands, PAGE_TEXT},
};

static void text_fact(struct tp_buf *h, const char *name, struct tp_text t)
{
	if (t.size)
		page_fact(h, name, REP_TEXT, rep_text(t.text, t.size));
}

static void write_facts(struct page *p, struct tp_buf *h)
{
	const struct tp_profile *profile = p->profile->profile;
	char zero[REP_ZERO_SIZE];
	struct tp_err err;
	size_t index;

	tp_buf_text(h, "<dl class=\"facts\">\n");
	page_fact(h, "Profile", REP_TEXT, rep_str(p->profile->name));
	page_fact(h, "Format", REP_TEXT, rep_str(profile->format));
	if (profile->time_ns > 0)
		page_fact_when(h, profile->time_ns);
	if (profile->duration_ns > 0)
		page_fact(h, "Length", REP_NS, rep_int(profile->duration_ns));
	for (size_t i = 0; i < profile->nmappings && i < 1; i++) {
		text_fact(h, "Program", tp_dict_text(profile->dict, profile->mappings[i].file));
		text_fact(h, "Build id",
			  tp_dict_text(profile->dict, profile->mappings[i].build_id));
	}
	page_fact(h, "Samples", REP_COUNT, rep_int((int64_t)profile->nsamples));
	page_profile_totals(p, h);
	tp_buf_printf(h, "<div><dt>Lost</dt><dd>%s</dd></div>\n</dl>\n",
		      profile->nlosses ? "<strong>some data: the dump is damaged</strong>"
				       : "nothing");
	if (profile->ntypes && !rep_profile_sample_index(profile, p->type, &index, &err) &&
	    *rep_profile_all_zero(profile, index, zero))
		page_note(h, zero, strlen(zero));
	for (size_t i = 0; i < profile->nlosses && i < 5; i++)
		page_note(h, profile->losses[i].reason, strlen(profile->losses[i].reason));
	for (size_t i = 0; i < profile->ncomments && i < 5; i++) {
		struct tp_text t = tp_dict_text(profile->dict, profile->comments[i]);

		page_note(h, t.text, t.size < 2000 ? t.size : 2000);
	}
}

int rep_page_profile(const struct rep_page_profile *profile, const struct rep_page_options *opt,
		     const struct rep_sink *sink, struct tp_err *err)
{
	struct page p = {.opt = opt, .profile = profile, .type = opt->sample_index};
	int code = 0;

	p.title = opt->title ? opt->title : profile->name;
	p.rows = rep_page_rows(opt);
	if (p.type) {
		size_t index;

		code = rep_profile_sample_index(profile->profile, p.type, &index, err);
	}
	if (!code)
		code = page_write(&p, sections, sizeof(sections) / sizeof(sections[0]), write_facts,
				  sink, err);
	return code;
}
