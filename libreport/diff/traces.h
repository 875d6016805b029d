/* The rows of diffs of traces, and what gates on them have of their own (kind.h); private to
 * libreport/diff. */
#ifndef REP_DIFF_TRACES_H
#define REP_DIFF_TRACES_H

#include "diff/kind.h"
#include "diff/trace/set.h"

static inline const struct rep_metrics *rep_traces_run(const struct rep_diff_side *old,
						       const struct rep_diff_side *new, size_t r)
{
	return r < old->n ? old->run[r].metrics : new->run[r - old->n].metrics;
}

/* Checks that the runs can be compared, and sets what d has of traces but their lengths. The errors
 * of rep_diff_new. */
int rep_traces_begin(struct rep_diff *d, const struct rep_diff_side *old,
		     const struct rep_diff_side *new, struct tp_err *err);

/* Measures of all runs under the same name. Zero-initialised but for nruns, which is given. */
struct rep_traces_meeting {
	struct rep_keys keys;	       /* family, by, name in d->names */
	const struct rep_measure **of; /* keys.n times nruns, old runs first; NULL: it has none */
	size_t nruns, room;
};

/* Adds a measure of the r-th run. TP_ENOMEM, TP_ELIMIT. */
int rep_traces_meet(struct rep_traces_meeting *t, struct tp_dict *names, size_t r,
		    const struct rep_measure *x);
void rep_traces_meeting_release(struct rep_traces_meeting *t);
/* The name of the i-th as it is shown. */
const char *rep_traces_meeting_name(const struct rep_traces_meeting *t, const struct tp_dict *names,
				    size_t i);

/* Statistics (bit per enum rep_stat) of the i-th, compared: row[stat] for those in `stats`. Section,
 * weight, q, verdict and rank are the caller's. 0, TP_ENOMEM. */
int rep_traces_compare(const struct rep_diff *d, const struct rep_traces_meeting *t, size_t i,
		       const struct rep_diff_side *old, const struct rep_diff_side *new,
		       uint32_t stats, struct rep_diff_row row[REP_NSTATS]);
/* The statistic of a run's measure (NULL: it has none), as it is compared; NaN: nothing to tell. */
int rep_traces_value(const struct rep_metrics *m, const struct rep_measure *x, enum rep_stat stat,
		     const struct rep_per_options *per, double *value);

int rep_traces_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		       struct rep_output *out, struct tp_err *err);
int rep_traces_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		    struct rep_output *out, struct tp_err *err);
void rep_traces_texts(const struct rep_diff *d, const struct rep_diff_show *show,
		      const struct rep_diff_row *row, struct rep_diff_texts *t);
void rep_traces_cells(const struct rep_diff *d, const struct rep_diff_row *row,
		      struct rep_value *v);
int rep_traces_parse_metric(struct rep_gate *g, char *metric, struct tp_err *err);
int rep_traces_gate_rows(const struct rep_gate *g, const struct rep_diff_side *old,
			 const struct rep_diff_side *new, const struct rep_diff_options *opt,
			 struct rep_gate_rows *rows, struct tp_err *err);
const char *rep_traces_gate_unit(const struct rep_gate *g, const struct rep_diff *d,
				 char words[160]);
int rep_traces_gate_none(const struct rep_gate *g, const struct rep_diff_side *new,
			 struct tp_buf *why, bool *fine);

/* Three digits that tell: "0.123", "1,235". Returns text. */
char *rep_traces_number(char text[REP_DIFF_VALUE], double v);

#endif
