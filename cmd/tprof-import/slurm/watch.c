#include "watch.h"

#include <stdlib.h>
#include <time.h>

#include "../report.h"
#include "base/units.h"
#include "common/progress.h"

/* Files are looked at more often than the scheduler is asked. */
#define FIRST_NS   200000000
#define LONGEST_NS 5000000000
#define ASK_NS	   3000000000 /* unless TPROF_SLURM_POLL is set */
#define PATIENCE   3 /* times that jobs have gone, and the folder has not: it may be seen late */

struct watch {
	const struct folder *f;
	bool *seen; /* of each part */
	struct report sum;
	struct cmd_progress progress;
};

bool watch_interval(const struct cmd *cmd, int64_t *ask_ns)
{
	const char *given = getenv("TPROF_SLURM_POLL");

	*ask_ns = ASK_NS;
	if (!given || !*given)
		return true;
	if (!tp_lacks_unit(given) && !tp_parse_ns(given, ask_ns) && *ask_ns > 0)
		return true;
	cmd_error(cmd, "TPROF_SLURM_POLL: '%s' is not a duration, such as 30s", given);
	return false;
}

static void nap(int64_t ns)
{
	struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = (long)(ns % 1000000000)};

	nanosleep(&t, NULL); /* a signal ends it */
}

/* Adds the parts that are new. */
static void look(struct watch *w)
{
	struct cmd_tally t = {.ndumps = w->f->dumps, .nbytes = w->f->bytes};

	for (size_t n = 1; n <= w->f->count[0]; n++) {
		struct tp_err ignored;
		char *path;

		if (w->seen[n - 1])
			continue;
		path = folder_file(w->f, 0, n, "report");
		w->seen[n - 1] = path && !report_read(&w->sum, path, &ignored);
		free(path);
	}
	t.dumps = w->sum.tally.dumps + w->sum.tally.others;
	t.bytes = w->sum.tally.read;
	t.failed = w->sum.tally.failed;
	if (t.dumps < t.ndumps)
		cmd_progress_tally(&w->progress, &t);
	else
		cmd_progress_step(&w->progress, "merge", 0, 0);
}

int watch(const struct folder *f, const struct jobs *jobs, int64_t ask_ns, const struct cmd *cmd,
	  struct tp_err *err)
{
	struct watch w = {.f = f, .seen = calloc(f->count[0], sizeof(bool))};
	int64_t first = FIRST_NS < ask_ns ? FIRST_NS : ask_ns, wait = first, asked = 0;
	int gone = 0, code = 0;
	bool told = false;

	if (!w.seen)
		return tp_nomem(err);
	cmd_progress_init(&w.progress, "");
	while (!code && !cmd_stopped() && folder_there(f)) {
		bool alive, unknown;

		look(&w);
		nap(wait);
		asked += wait;
		wait = wait + wait / 2 < LONGEST_NS ? wait + wait / 2 : LONGEST_NS;
		if (asked < ask_ns || cmd_stopped() || !folder_there(f))
			continue;
		asked = 0;
		code = jobs_alive(jobs, &alive, &unknown, err);
		if (!code && unknown && !told) {
			cmd_progress_end(&w.progress);
			cmd_note(cmd, "Slurm does not answer; waiting goes on");
			told = true;
		}
		gone = alive || unknown ? 0 : gone + 1;
		if (!code && gone == PATIENCE)
			code = 1;
		if (gone)
			wait = first;
	}
	cmd_progress_end(&w.progress);
	if (!code && cmd_stopped() && folder_there(f))
		code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	report_release(&w.sum);
	free(w.seen);
	return code;
}
