/* The runs of a store and how a user names them: what every command and report begins with.
 *
 * A spec names runs: "latest" (imported last), "all", an id, a label KEY=VALUE, several labels
 * KEY=VALUE,KEY=VALUE (runs that have all; values may hold commas), the same and a name
 * (KEY=VALUE,NAME), or a name. What comes first here wins over the same spelling of another. */
#ifndef REP_RUN_H
#define REP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* SQL for the text of a row of `notice`. A run of an earlier tprof may be a part of a trace, and its
 * notice then ends with an advice that does not hold any more. */
#define REP_NOTICE_TEXT                                                                            \
	"replace(text, 'tprof-merge joins the parts of a trace', 'import the whole trace to have " \
	"the others')"

/* Message for a store without runs. */
#define REP_NO_RUNS "the store has no runs"

struct rep_run {
	struct tp_run row; /* its texts are owned by the list that loaded it, never NULL */
	char **labels;	   /* "key=value", sorted, nlabels of them; owned likewise */
	size_t nlabels;
	int64_t losses; /* rows of `loss` */
	bool uncounted; /* one of them is a loss of unknown size */
	char *warning;	/* text of the first warning in `notice`, "" for none; owned likewise */
};

struct rep_runs {
	struct rep_run *run; /* by id */
	size_t n;
	bool shared; /* texts and labels belong to another list, which must outlive this one */
};

/* Every run of the store. TP_ESTORE, TP_ENOMEM; *runs is to be released in every case. */
int rep_runs_load(struct tp_store *s, struct rep_runs *runs, struct tp_err *err);
/* Those of `all` that spec names, at least one, sharing their texts with `all`. TP_ENOENT with a
 * sentence that lists what there is. */
int rep_runs_select(const struct rep_runs *all, const char *spec, struct rep_runs *picked,
		    struct tp_err *err);
void rep_runs_release(struct rep_runs *runs);

/* TP_EFORMAT with a sentence where some have no clock and others do: no numbers come of ticks and
 * times together. `verb` says what becomes of them: "added to". */
int rep_runs_check_clocks(const struct rep_run *run, size_t n, const char *verb,
			  struct tp_err *err);

/* Lengths of time that are typed, several with commas between them: of a run whose times are ticks
 * only "1000ns" is one, each for a tick, as csv has them. TP_EFORMAT with a sentence that names
 * `option`, and `others` ("" or "this, or ") as what could be given instead. */
int rep_run_check_time(const struct rep_run *run, const char *option, const char *text,
		       const char *others, struct tp_err *err);

/* What stands above a trace's reports: "pool.trace: format go 1.26, 64.1ms, 31 goroutines, 435 events".
 * Returns `text`. */
#define REP_RUN_HEADING 512
char *rep_run_heading(const struct rep_run *run, char text[REP_RUN_HEADING]);

#endif
