/* comments: the comments that the profile's producer wrote, one on each line (pprof:
 * printComments). */
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	const struct tp_profile *p = v->profile;
	struct rep_writer out;

	(void)arg;
	rep_writer_init(&out, sink);
	for (size_t i = 0; i < p->ncomments; i++) {
		rep_writer_prose(&out, tp_dict_text(p->dict, p->comments[i]));
		rep_writer_put(&out, "\n");
	}
	return rep_writer_finish(&out, err);
}

const struct rep_profile_report rep_profile_report_comments = {
    .name = "comments",
    .doc = "What the producer of the profile wrote down about it",
    .print = print,
};
