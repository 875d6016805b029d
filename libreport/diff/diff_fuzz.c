/* Diffs of whatever reads as a profile, of one run and of two that differ a little, by everything
 * there is, with names matched and exactly. */
#include <stdlib.h>
#include <string.h>

#include "diff/gate.h"
#include "diff/prepare.h"
#include "diff/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void diff(struct tp_profile *const *p, size_t n, const struct rep_diff_options *opt)
{
	struct rep_profile_options filters = REP_PROFILE_OPTIONS_INIT;
	struct rep_filter_notes notes = {0};
	struct rep_diff_prepared old = {0}, new = {0};
	struct rep_output_options how = {.width = 80};
	struct tp_buf text = {0};
	struct rep_output *out = NULL;
	struct rep_diff *d = NULL;
	struct tp_err err;

	how.sink = rep_sink_buf(&text);
	if (!rep_diff_prepare(p, n, &filters, &old, &notes, &err) &&
	    !rep_diff_prepare(p + n, n, &filters, &new, &notes, &err) &&
	    !rep_diff_new(&d, &old.side, &new.side, opt, &err) &&
	    !rep_output_new(&out, &how, &err)) {
		struct rep_diff_show show = {.old = "old", .new = "new", .rows = 50};

		if (!rep_diff_heading(d, &show, out, &err) && !rep_diff_rows(d, &show, out, &err))
			rep_output_finish(out, &err);
	}
	rep_output_free(out);
	rep_diff_free(d);
	rep_diff_prepared_release(&old);
	rep_diff_prepared_release(&new);
	rep_filter_notes_release(&notes);
	tp_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_profile_options opt = {0};
	struct tp_profile *p[4] = {NULL};
	struct tp_err err;
	bool all = true;

	/* The second of each side is what can be read of less of the input. */
	for (int i = 0; i < 4; i++)
		if (tp_profile_read(data, i & 1 ? size - size / 4 : size, &opt, &p[i], &err) &&
		    (!(i & 1) || tp_profile_read(data, size, &opt, &p[i], &err)))
			all = false;
	for (int i = 0; all && i < REP_NDIFF_BY * 2; i++) {
		struct rep_diff_options o = REP_DIFF_OPTIONS_INIT;

		o.keys.by = (enum rep_diff_by)(i / 2);
		o.keys.exact = i & 1;
		o.normalize = i & 2;
		o.cum = i & 1;
		o.mean = i == 3;
		diff(p, i & 1 ? 1 : 2, &o);
	}
	for (int i = 0; i < 4; i++)
		tp_profile_free(p[i]);
	return 0;
}
