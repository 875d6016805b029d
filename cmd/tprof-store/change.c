/* rename, label, delete, prune: which runs a store has, and how they are called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/many.h"
#include "base/sum.h"
#include "store/edit.h"
#include "tprof-store/store.h"

/* Runs that are changed. They are known by the hashes of their dumps, as others may number runs anew
 * before that. */
struct picked {
	struct rep_runs all;  /* of the store, as it was */
	struct rep_runs runs; /* some of these; texts are theirs */
};

static void picked_release(struct picked *p)
{
	rep_runs_release(&p->runs);
	rep_runs_release(&p->all);
}

static int by_id(const void *a, const void *b)
{
	const struct rep_run *x = a, *y = b;

	return (x->row.id > y->row.id) - (x->row.id < y->row.id);
}

/* Adds what a word names. */
static int add_word(struct store_args *args, const char *word, struct rep_runs *picked)
{
	struct rep_runs more = {0};
	struct rep_run *grown;
	int status = store_pick(args, word, &more);

	if (!status && more.n) {
		grown = tp_more(picked->run, picked->n + more.n, sizeof(*grown));
		if (grown) {
			memcpy(grown + picked->n, more.run, more.n * sizeof(*grown));
			picked->run = grown;
			picked->n += more.n;
		} else {
			status = cmd_nomem(&args->cmd);
		}
	}
	rep_runs_release(&more);
	return status;
}

/* Picks what the words name, each run once, and closes the store: readers stand in the way of
 * writers. Returns an exit status; *p is to be released in every case. */
static int pick(struct store_args *args, const char *const *word, size_t nwords, struct picked *p)
{
	struct rep_runs *runs = &p->runs;
	size_t n = 0;
	int status = CMD_OK;

	*p = (struct picked){.runs.shared = true};
	for (size_t i = 0; i < nwords && !status; i++)
		status = add_word(args, word[i], runs);
	if (runs->n)
		qsort(runs->run, runs->n, sizeof(*runs->run), by_id);
	for (size_t i = 0; i < runs->n; i++)
		if (!n || runs->run[i].row.id != runs->run[n - 1].row.id)
			runs->run[n++] = runs->run[i];
	runs->n = n;
	p->all = args->cmd.all;
	args->cmd.all = (struct rep_runs){0};
	cmd_close(&args->cmd);
	return status;
}

int store_rename(struct store_args *args)
{
	struct picked p;
	struct tp_err err;
	int status;

	if (!*args->word[1])
		return cmd_reject(&args->cmd, CMD_USAGE, "a run's name must not be empty");
	status = pick(args, args->word, 1, &p);
	if (!status && p.runs.n != 1)
		status = cmd_reject(&args->cmd, CMD_USAGE,
				    "'%s' names %zu runs; give an id (tprof-store list %s)",
				    args->word[0], p.runs.n, args->path);
	if (!status &&
	    tp_store_rename(args->path, STORE_WAIT_MS, p.runs.run->row.hash, args->word[1], &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	picked_release(&p);
	return status;
}

/* What is done to the labels of the runs that are picked. */
struct labelling {
	const char **set, **gone; /* labels, and keys; in args->word */
	size_t nset, ngone;
};

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

static int change_labels(struct store_args *args, const struct labelling *l,
			 const struct rep_runs *picked, struct tp_err *err)
{
	struct tp_labelled *runs = calloc(picked->n, sizeof(*runs));
	size_t found = 0, changed = 0, removed = 0;
	int code = runs ? 0 : tp_nomem(err);

	for (size_t i = 0; i < picked->n && runs; i++)
		runs[i] = (struct tp_labelled){.hash = picked->run[i].row.hash,
					       .set = l->set,
					       .nset = l->nset,
					       .remove = l->gone,
					       .nremove = l->ngone};
	if (!code)
		code = tp_store_label(args->path, STORE_WAIT_MS, runs, picked->n, false, err);
	for (size_t i = 0; i < picked->n && !code; i++) {
		found += runs[i].result.run != 0;
		changed += runs[i].result.now[0] != 0;
		removed += runs[i].result.removed;
	}
	free(runs);
	if (code)
		return code;
	if (l->nset && picked->n > 1)
		cmd_note(&args->cmd, "%zu of %zu runs have other labels now", changed, picked->n);
	if (l->ngone && picked->n > 1)
		cmd_note(&args->cmd, "%zu label%s removed from %zu runs", removed,
			 removed == 1 ? "" : "s", picked->n);
	else if (removed < l->ngone * found)
		cmd_note(&args->cmd, "%zu of these labels were not there",
			 l->ngone * found - removed);
	return 0;
}

int store_label(struct store_args *args)
{
	struct labelling l = {.set = calloc(args->nwords, sizeof(*l.set)),
			      .gone = calloc(args->nwords, sizeof(*l.gone))};
	struct picked p = {0};
	struct tp_err err;
	int status = l.set && l.gone ? sort_words(args, &l) : cmd_nomem(&args->cmd);

	if (!status)
		status = pick(args, args->word, 1, &p);
	if (!status && p.runs.n && change_labels(args, &l, &p.runs, &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	picked_release(&p);
	free(l.set);
	free(l.gone);
	return status;
}

/* ---- deleting ---- */

static void tell(const struct store_args *args, const struct rep_runs *runs, const char *what)
{
	for (size_t i = 0; i < runs->n; i++)
		cmd_print(&args->cmd, "%s run %lld (%s)\n", what, (long long)runs->run[i].row.id,
			  runs->run[i].row.name);
}

static int delete_all(struct store_args *args, const struct picked *p)
{
	const struct rep_runs *runs = &p->runs;
	const char **hashes = calloc(runs->n, sizeof(*hashes));
	struct tp_err err;
	size_t deleted;
	int status = CMD_OK;

	if (!hashes)
		return cmd_nomem(&args->cmd);
	for (size_t i = 0; i < runs->n; i++)
		hashes[i] = runs->run[i].row.hash;
	if (tp_store_delete(args->path, STORE_WAIT_MS, hashes, runs->n, &deleted, &err)) {
		status = cmd_fail(&args->cmd, NULL, &err);
	} else {
		tell(args, runs, "deleted");
		if (deleted < runs->n)
			cmd_note(&args->cmd, "%zu of them had been deleted already",
				 runs->n - deleted);
		cmd_note(&args->cmd,
			 "%zu of %zu runs deleted; tprof-store compact %s frees their space",
			 deleted, p->all.n, args->path);
	}
	free(hashes);
	return status;
}

static int delete_picked(struct store_args *args, struct picked *p)
{
	int status = CMD_OK;

	if (!p->runs.n)
		cmd_note(&args->cmd, "there is nothing to delete");
	else if (args->dry_run)
		tell(args, &p->runs, "would delete");
	else
		status = delete_all(args, p);
	return status;
}

int store_delete(struct store_args *args)
{
	struct picked p;
	int status = pick(args, args->word, args->nwords, &p);

	if (!status)
		status = delete_picked(args, &p);
	picked_release(&p);
	return status;
}

static int last_imported_first(const void *a, const void *b)
{
	const struct rep_run *x = a, *y = b;

	if (x->row.imported_ns != y->row.imported_ns)
		return x->row.imported_ns < y->row.imported_ns ? 1 : -1;
	return by_id(b, a);
}

/* Deletes runs beyond the last N, those that are old enough. */
int store_prune(struct store_args *args)
{
	static const char *const all[] = {"all"};
	struct picked p;
	struct rep_runs *runs = &p.runs;
	struct timespec clock;
	int64_t now;
	size_t n = 0;
	int status = pick(args, all, 1, &p);

	clock_gettime(CLOCK_REALTIME, &clock);
	now = (int64_t)clock.tv_sec * 1000000000 + clock.tv_nsec;
	if (runs->n)
		qsort(runs->run, runs->n, sizeof(*runs->run), last_imported_first);
	for (size_t i = 0; i < runs->n; i++) {
		bool kept = args->keep_last >= 0 && (int64_t)i < args->keep_last;
		bool young = args->older_than_ns >= 0 &&
			     tp_minus(now, runs->run[i].row.imported_ns) < args->older_than_ns;

		if (!kept && !young)
			runs->run[n++] = runs->run[i];
	}
	runs->n = n;
	if (n)
		qsort(runs->run, n, sizeof(*runs->run), by_id);
	if (!status)
		status = delete_picked(args, &p);
	picked_release(&p);
	return status;
}
