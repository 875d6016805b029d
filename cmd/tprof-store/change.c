/* rename, label, delete, prune: which runs a store has, and how they are called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sum.h"
#include "store/edit.h"
#include "tprof-store/store.h"

#define HASH_SIZE 33 /* 32 hex digits */

/* Exactly one run, by the hash of its dump: others may number runs anew before it is changed. */
static int pick_one(struct store_args *args, char hash[HASH_SIZE])
{
	struct rep_runs runs = {0};
	int status = store_pick(args, args->word[0], &runs);

	if (!status && runs.n != 1)
		status = cmd_reject(&args->cmd, CMD_USAGE,
				    "'%s' names %zu runs; give an id (tprof-store list %s)",
				    args->word[0], runs.n, args->path);
	if (!status)
		snprintf(hash, HASH_SIZE, "%s", runs.run[0].row.hash);
	rep_runs_release(&runs);
	/* Readers stand in the way of writers. */
	cmd_close(&args->cmd);
	return status;
}

int store_rename(struct store_args *args)
{
	struct tp_err err;
	char hash[HASH_SIZE];
	int status = *args->word[1] ? pick_one(args, hash) : CMD_USAGE;

	if (!*args->word[1])
		cmd_error(&args->cmd, "a run's name must not be empty");
	if (!status && tp_store_rename(args->path, STORE_WAIT_MS, hash, args->word[1], &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	return status;
}

/* What is done to the labels of the runs that are picked. */
struct labelling {
	const char **set, **gone; /* labels, and keys; in args->word */
	const char **hash;	  /* of runs */
	size_t nset, ngone, nruns;
};

static void labelling_release(struct labelling *l)
{
	for (size_t i = 0; i < l->nruns; i++)
		free((char *)(uintptr_t)l->hash[i]);
	free(l->set);
	free(l->gone);
	free(l->hash);
}

static int sort_words(struct store_args *args, struct labelling *l)
{
	for (size_t i = 1; i < args->nwords; i++) {
		char *word = (char *)(uintptr_t)args->word[i], *eq = strchr(word, '=');

		if (!eq || eq == word)
			return cmd_reject(
			    &args->cmd, CMD_USAGE,
			    "'%s' is not a label; give KEY=VALUE, or KEY= to remove a label", word);
		if (eq[1]) {
			l->set[l->nset++] = word;
		} else {
			*eq = '\0';
			l->gone[l->ngone++] = word;
		}
	}
	return CMD_OK;
}

/* By the hashes of their dumps, as others may number runs anew. */
static int pick_labelled(struct store_args *args, struct labelling *l)
{
	struct rep_runs runs = {0};
	int status = store_pick(args, args->word[0], &runs);

	if (!status) {
		l->hash = calloc(runs.n + 1, sizeof(*l->hash));
		while (l->hash && l->nruns < runs.n &&
		       (l->hash[l->nruns] = strdup(runs.run[l->nruns].row.hash)))
			l->nruns++;
		if (!l->hash || l->nruns < runs.n) {
			cmd_nomem(&args->cmd);
			status = CMD_SYSTEM;
		}
	}
	rep_runs_release(&runs);
	/* Readers stand in the way of writers. */
	cmd_close(&args->cmd);
	return status;
}

static int change_labels(struct store_args *args, const struct labelling *l, struct tp_err *err)
{
	struct tp_labelled *runs = calloc(l->nruns, sizeof(*runs));
	size_t found = 0, changed = 0, removed = 0;
	int code = runs ? 0 : tp_nomem(err);

	for (size_t i = 0; i < l->nruns && runs; i++)
		runs[i] = (struct tp_labelled){.hash = l->hash[i],
					       .set = l->set,
					       .nset = l->nset,
					       .remove = l->gone,
					       .nremove = l->ngone};
	if (!code)
		code = tp_store_label(args->path, STORE_WAIT_MS, runs, l->nruns, false, err);
	for (size_t i = 0; i < l->nruns && !code; i++) {
		found += runs[i].result.run != 0;
		changed += runs[i].result.now[0] != 0;
		removed += runs[i].result.removed;
	}
	free(runs);
	if (code)
		return code;
	if (l->nset && l->nruns > 1)
		cmd_note(&args->cmd, "%zu of %zu runs have other labels now", changed, l->nruns);
	if (l->ngone && l->nruns > 1)
		cmd_note(&args->cmd, "%zu label%s removed from %zu runs", removed,
			 removed == 1 ? "" : "s", l->nruns);
	else if (removed < l->ngone * found)
		cmd_note(&args->cmd, "%zu of these labels were not there",
			 l->ngone * found - removed);
	return 0;
}

int store_label(struct store_args *args)
{
	struct labelling l = {.set = calloc(args->nwords, sizeof(*l.set)),
			      .gone = calloc(args->nwords, sizeof(*l.gone))};
	struct tp_err err;
	int status = l.set && l.gone ? CMD_OK : CMD_SYSTEM;

	if (status)
		cmd_nomem(&args->cmd);
	if (!status)
		status = sort_words(args, &l);
	if (!status)
		status = pick_labelled(args, &l);
	if (!status && l.nruns && change_labels(args, &l, &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	labelling_release(&l);
	return status;
}

/* ---- deleting ---- */

struct doomed {
	char (*hash)[HASH_SIZE];
	size_t n;
};

static bool is_doomed(const struct doomed *d, const char *hash)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->hash[i], hash))
			return true;
	return false;
}

static void doom(struct doomed *d, const struct tp_run *row)
{
	snprintf(d->hash[d->n++], HASH_SIZE, "%s", row->hash);
}

static void tell_doomed(const struct store_args *args, const struct doomed *d,
			const struct rep_runs *all, const char *what)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct tp_run *r = &all->run[i].row;

		if (is_doomed(d, r->hash))
			cmd_print(&args->cmd, "%s run %lld (%s)\n", what, (long long)r->id,
				  r->name);
	}
}

static int delete_all(struct store_args *args, const struct doomed *d, const struct rep_runs *all)
{
	const char **hashes = calloc(d->n, sizeof(*hashes));
	struct tp_err err;
	size_t deleted;
	int status = CMD_OK;

	if (!hashes)
		return cmd_nomem(&args->cmd);
	for (size_t i = 0; i < d->n; i++)
		hashes[i] = d->hash[i];
	if (tp_store_delete(args->path, STORE_WAIT_MS, hashes, d->n, &deleted, &err)) {
		status = cmd_fail(&args->cmd, NULL, &err);
	} else {
		tell_doomed(args, d, all, "deleted");
		if (deleted < d->n)
			cmd_note(&args->cmd, "%zu of them had been deleted already",
				 d->n - deleted);
		cmd_note(&args->cmd,
			 "%zu of %zu runs deleted; tprof-store compact %s frees their space",
			 deleted, all->n, args->path);
	}
	free(hashes);
	return status;
}

static int delete_doomed(struct store_args *args, const struct doomed *d)
{
	struct rep_runs all = args->cmd.all;
	int status = CMD_OK;

	/* The runs as they were are told of when it is done; the store is written by another
	 * handle.
	 */
	args->cmd.all = (struct rep_runs){0};
	cmd_close(&args->cmd);
	if (!d->n)
		cmd_note(&args->cmd, "there is nothing to delete");
	else if (args->dry_run)
		tell_doomed(args, d, &all, "would delete");
	else
		status = delete_all(args, d, &all);
	rep_runs_release(&all);
	return status;
}

int store_delete(struct store_args *args)
{
	struct doomed d = {0};
	int status = CMD_OK;

	for (size_t i = 0; i < args->nwords && !status; i++) {
		struct rep_runs runs = {0};

		status = store_pick(args, args->word[i], &runs);
		if (!status && !d.hash &&
		    !(d.hash = calloc(args->cmd.all.n + 1, sizeof(*d.hash)))) {
			cmd_nomem(&args->cmd);
			status = CMD_SYSTEM;
		}
		for (size_t k = 0; k < runs.n && !status; k++)
			if (!is_doomed(&d, runs.run[k].row.hash))
				doom(&d, &runs.run[k].row);
		rep_runs_release(&runs);
	}
	if (!status)
		status = delete_doomed(args, &d);
	free(d.hash);
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
	if (!status && !(d.hash = calloc(runs.n + 1, sizeof(*d.hash)))) {
		cmd_nomem(&args->cmd);
		status = CMD_SYSTEM;
	}
	if (!status && runs.n)
		qsort(runs.run, runs.n, sizeof(*runs.run), last_imported_first);
	for (size_t i = 0; i < runs.n && !status; i++) {
		bool kept = args->keep_last >= 0 && (int64_t)i < args->keep_last;
		bool young = args->older_than_ns >= 0 &&
			     tp_minus(now, runs.run[i].row.imported_ns) < args->older_than_ns;

		if (!kept && !young)
			doom(&d, &runs.run[i].row);
	}
	rep_runs_release(&runs);
	if (!status)
		status = delete_doomed(args, &d);
	free(d.hash);
	return status;
}
