/* What tables of and gates on profiles have of their own; private to libreport/diff (kind.h). */
#ifndef REP_DIFF_PROFILES_H
#define REP_DIFF_PROFILES_H

#include "diff/kind.h"

int rep_profiles_heading(const struct rep_diff *d, const struct rep_diff_show *show,
			 struct rep_output *out, struct tp_err *err);
int rep_profiles_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		      struct rep_output *out, struct tp_err *err);
void rep_profiles_texts(const struct rep_diff *d, const struct rep_diff_show *show,
			const struct rep_diff_row *row, struct rep_diff_texts *t);
void rep_profiles_cells(const struct rep_diff *d, const struct rep_diff_row *row,
			struct rep_value *v);
int rep_profiles_parse_metric(struct rep_gate *g, char *metric, struct tp_err *err);
int rep_profiles_gate_rows(const struct rep_gate *g, const struct rep_diff_side *old,
			   const struct rep_diff_side *new, const struct rep_diff_options *opt,
			   struct rep_gate_rows *rows, struct tp_err *err);
const char *rep_profiles_gate_unit(const struct rep_gate *g, const struct rep_diff *d,
				   char words[160]);
int rep_profiles_gate_none(const struct rep_gate *g, const struct rep_diff_side *new,
			   struct tp_buf *why, bool *fine);

#endif
