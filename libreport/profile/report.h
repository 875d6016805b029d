/* The reports on profiles that are texts of their own: tree, peek, traces … One file each in
 * report/, and one line in rep_profile_reports[] (report/reports.c). */
#ifndef REP_PROFILE_REPORT_H
#define REP_PROFILE_REPORT_H

#include "output/output.h"
#include "profile/graph.h"

struct rep_profile_report {
	const char
	    *name;	 /* of the option: "--tree", "--peek=REGEX"; of --format=NAME for formats */
	const char *arg; /* "REGEX" where it takes one, else NULL */
	const char *doc;
	bool format; /* asked for by --format=NAME, not by --NAME */
	bool binary; /* not for terminals */
	struct rep_profile_traits traits;
	/* Writes all of it. `arg` is what the option was given. Texts of the profile are escaped
	 * (text.h) unless the format has rules of its own. Whoever prints a graph makes it with
	 * rep_graph_new(&g, v, err). TP_ENOENT with a sentence where a REGEX matches nothing. */
	int (*print)(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		     struct tp_err *err);
	/* The same as rows, for --format=json, csv …; NULL: it is a text only. */
	int (*table)(struct rep_profile_view *v, struct rep_output *out, struct tp_err *err);
};

/* All of them; ends with a NULL. */
extern const struct rep_profile_report *const rep_profile_reports[];

const struct rep_profile_report *rep_profile_report_find(const char *name);

#endif
