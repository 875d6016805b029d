/* rename, label, delete, prune: which runs a store has, and how they are called. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sum.h"
#include "store/edit.h"
#include "tprof-store/store.h"

/* Exactly one run. */
static int pick_one(struct store_args *args, int64_t *id)
{
	struct rep_runs runs = {0};
	int status = store_pick(args, args->word[0], &runs);

	if (!status && runs.n != 1) {
		cmd_error(&args->cmd, "'%s' names %zu runs; give an id (tprof-store list %s)",
			  args->word[0], runs.n, args->path);
		status = CMD_USAGE;
	}
	if (!status)
		*id = runs.run[0].row.id;
	rep_runs_release(&runs);
	/* Readers stand in the way of writers. */
	cmd_close(&args->cmd);
	return status;
}

int store_rename(struct store_args *args)
{
	struct tp_err err;
	int64_t id = 0;
	int status = *args->word[1] ? pick_one(args, &id) : CMD_USAGE;

	if (!*args->word[1])
		cmd_error(&args->cmd, "a name may not be empty");
	if (!status && tp_store_rename(args->path, STORE_WAIT_MS, id, args->word[1], &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	return status;
}

int store_label(struct store_args *args)
{
	const char **set = calloc(args->nwords, sizeof(*set)),
		   **gone = calloc(args->nwords, sizeof(*gone));
	size_t nset = 0, ngone = 0, n = 0;
	struct tp_relabelled r;
	struct tp_err err;
	int64_t id = 0;
	int code = 0, status = set && gone ? CMD_OK : CMD_SYSTEM;

	if (status)
		cmd_error(&args->cmd, "out of memory");
	for (size_t i = 1; i < args->nwords && !status; i++) {
		char *word = (char *)(uintptr_t)args->word[i], *eq = strchr(word, '=');

		if (!eq || eq == word) {
			cmd_error(&args->cmd,
				  "'%s' is no label; it is KEY=VALUE, or KEY= to take one away",
				  word);
			status = CMD_USAGE;
		} else if (!eq[1]) {
			*eq = '\0';
			gone[ngone++] = word;
		} else {
			set[nset++] = word;
		}
	}
	if (!status)
		status = pick_one(args, &id);
	if (!status && nset)
		code = tp_store_relabel(args->path, STORE_WAIT_MS, id, set, nset, &r, &err);
	if (!status && !code && ngone)
		code = tp_store_unlabel(args->path, STORE_WAIT_MS, id, gone, ngone, &n, &err);
	if (code)
		status = cmd_fail(&args->cmd, NULL, &err);
	else if (!status && n < ngone)
		cmd_note(&args->cmd, "%zu of these labels were not there", ngone - n);
	free(set);
	free(gone);
	return status;
}

/* ---- deleting ---- */

struct doomed {
	int64_t *id;
	size_t n;
};

static bool is_doomed(const struct doomed *d, int64_t id)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->id[i] == id)
			return true;
	return false;
}

static int delete_doomed(struct store_args *args, struct doomed *d)
{
	struct tp_err err;
	int status = CMD_OK;
	size_t total = args->cmd.all.n;

	for (size_t i = 0; i < args->cmd.all.n; i++) {
		const struct tp_run *r = &args->cmd.all.run[i].row;

		if (is_doomed(d, r->id))
			cmd_print(&args->cmd, "%s run %lld (%s)\n",
				  args->dry_run ? "would delete" : "deleting", (long long)r->id,
				  r->name);
	}
	cmd_close(&args->cmd);
	if (args->dry_run || !d->n) {
		if (!d->n)
			cmd_note(&args->cmd, "there is nothing to delete");
		return CMD_OK;
	}
	if (tp_store_delete(args->path, STORE_WAIT_MS, d->id, d->n, &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	else
		cmd_note(&args->cmd,
			 "%zu of %zu runs deleted; tprof-store compact %s gives their room back",
			 d->n, total, args->path);
	return status;
}

int store_delete(struct store_args *args)
{
	struct doomed d = {0};
	int status = CMD_OK;

	for (size_t i = 0; i < args->nwords && !status; i++) {
		struct rep_runs runs = {0};

		status = store_pick(args, args->word[i], &runs);
		if (!status && !d.id && !(d.id = calloc(args->cmd.all.n + 1, sizeof(*d.id)))) {
			cmd_error(&args->cmd, "out of memory");
			status = CMD_SYSTEM;
		}
		for (size_t k = 0; k < runs.n && !status; k++)
			if (!is_doomed(&d, runs.run[k].row.id))
				d.id[d.n++] = runs.run[k].row.id;
		rep_runs_release(&runs);
	}
	if (!status)
		status = delete_doomed(args, &d);
	free(d.id);
	return status;
}

static int last_imported_first(const void *a, const void *b)
{
	const struct rep_run *x = a, *y = b;

	if (x->row.imported_ns != y->row.imported_ns)
		return x->row.imported_ns < y->row.imported_ns ? 1 : -1;
	return x->row.id < y->row.id ? 1 : -1;
}

/* Of the runs beyond the last N, those that are old enough. */
int store_prune(struct store_args *args)
{
	struct rep_runs runs = {0};
	struct doomed d = {0};
	struct timespec clock;
	int64_t now;
	int status = store_pick(args, "all", &runs);

	clock_gettime(CLOCK_REALTIME, &clock);
	now = (int64_t)clock.tv_sec * 1000000000 + clock.tv_nsec;
	if (!status && !(d.id = calloc(runs.n + 1, sizeof(*d.id)))) {
		cmd_error(&args->cmd, "out of memory");
		status = CMD_SYSTEM;
	}
	if (!status && runs.n)
		qsort(runs.run, runs.n, sizeof(*runs.run), last_imported_first);
	for (size_t i = 0; i < runs.n && !status; i++) {
		bool kept = args->keep_last >= 0 && (int64_t)i < args->keep_last;
		bool young = args->older_than_ns >= 0 &&
			     tp_minus(now, runs.run[i].row.imported_ns) < args->older_than_ns;

		if (!kept && !young)
			d.id[d.n++] = runs.run[i].row.id;
	}
	rep_runs_release(&runs);
	if (!status)
		status = delete_doomed(args, &d);
	free(d.id);
	return status;
}
