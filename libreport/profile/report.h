/* Text reports on profiles: tree, peek, traces … Each has a file in report/ and an entry in
 * rep_profile_reports[] (report/reports.c). */
#ifndef REP_PROFILE_REPORT_H
#define REP_PROFILE_REPORT_H

#include "output/output.h"
#include "profile/graph.h"

struct rep_profile_report {
	const char
	    *name;	 /* of the option: "--tree", "--peek=REGEX"; of --format=NAME for formats */
	const char *arg; /* "REGEX" if it takes one, else NULL */
	const char *doc;
	bool format; /* selected by --format=NAME, not by --NAME */
	bool binary; /* not for terminals */
	struct rep_profile_traits traits;
	/* Writes the report. `arg` is the option's argument. Texts of the profile are escaped
	 * (text.h) unless the format has its own rules. A report on the graph makes it with
	 * rep_graph_new(&g, v, err). TP_ENOENT with a sentence if a REGEX matches nothing. */
	int (*print)(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		     struct tp_err *err);
	/* Writes the report as rows, for --format=json, csv …; NULL: it has only the text. */
	int (*table)(struct rep_profile_view *v, const char *arg, struct rep_output *out,
		     struct tp_err *err);
};

/* All reports; a NULL ends the list. */
extern const struct rep_profile_report *const rep_profile_reports[];

const struct rep_profile_report *rep_profile_report_find(const char *name);

#endif
