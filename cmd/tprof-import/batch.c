#include "batch.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/many.h"
#include "common/common.h"
#include "common/decoder.h"
#include "common/limit.h"
#include "common/progress.h"
#include "open/input.h"
#include "store/edit.h"
#include "symbol/sidecar.h"

struct batch_shared {
	_Atomic int at; /* index of the current dump, -1 before the first */
	_Atomic uint64_t done, total;
	bool complete; /* the temporary store is complete */
	int code;      /* why it is not complete */
	struct tp_err err;
	int64_t runs;
	unsigned char materialized;
	struct verdict verdict[BATCH_DUMPS];
};

/* ---- in the decoding process ---- */

/* Hashes of dumps that the store and the temporary store have. */
struct seen {
	const struct tp_known *known;
	uint8_t hash[BATCH_DUMPS][16], last[16];
	size_t n;
};

static bool is_known(void *ctx, const uint8_t hash[16])
{
	struct seen *s = ctx;

	memcpy(s->last, hash, sizeof(s->last));
	for (size_t i = 0; i < s->n; i++)
		if (!memcmp(s->hash[i], hash, sizeof(s->hash[i])))
			return true;
	return tp_known_has(s->known, hash);
}

static int note_progress(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	struct batch_shared *s = ctx;

	if (!strcmp(stage, "unpack"))
		cmd_limit_stdin(done);
	atomic_store_explicit(&s->done, done, memory_order_relaxed);
	atomic_store_explicit(&s->total, total, memory_order_relaxed);
	return cmd_stopped();
}

/* Returns whether a file is empty but has the name of a dump, such as an unfinished recording or
 * copy. Only the name identifies it. */
static bool is_empty_dump(const struct path *path, const struct tp_err *err)
{
	static const char *const endings[] = {".gz",   ".heap", ".out",	  ".pb", ".pprof",
					      ".prof", ".cpu",	".trace", ".zst"};
	size_t n = strlen(path->name);

	for (size_t i = 0; strstr(err->msg, "is empty") && i < sizeof(endings) / sizeof(endings[0]);
	     i++) {
		size_t k = strlen(endings[i]);

		if (n > k && !strcmp(path->name + n - k, endings[i]))
			return true;
	}
	return false;
}

static void judge(struct verdict *v, const struct path *path, const struct tp_import_result *r,
		  int code)
{
	v->err.code = code;
	if (!code)
		v->outcome = r->known ? OUTCOME_KNOWN : OUTCOME_RUN;
	else if (code == TP_EUNKNOWN && !path->named && !is_empty_dump(path, &v->err))
		v->outcome = OUTCOME_OTHER;
	else
		v->outcome = OUTCOME_FAILED;
	v->lost = !code && r->losses;
}

/* Returns all labels of a dump in an array that the caller frees; NULL when memory is out. */
static const char **labels_of(const struct batch *b, size_t i, size_t *n)
{
	const struct path *p = &b->paths[i];
	const char **all = tp_many(p->nlabels + b->import.nlabels + 1, sizeof(*all));

	*n = all ? paths_labels(p, b->import.labels, b->import.nlabels, all) : 0;
	return all;
}

static int import_one(struct batch *b, struct tp_import_options *opt, struct seen *seen, size_t i)
{
	struct verdict *v = &b->shared->verdict[i];
	struct tp_import_result result;
	const char **labels = labels_of(b, i, &opt->nlabels);
	int code;

	if (!labels) {
		code = tp_nomem(&v->err);
		judge(v, &b->paths[i], NULL, code);
		return 0;
	}
	opt->labels = labels;
	opt->name = b->paths[i].as;
	atomic_store(&b->shared->total, 0);
	atomic_store(&b->shared->at, (int)i);
	/* Empty the temporary file again for this dump. */
	if (b->tmp_fd > 0 && (ftruncate(b->tmp_fd, 0) || lseek(b->tmp_fd, 0, SEEK_SET)))
		opt->tmp_fd = 0;
	code = tp_import(b->paths[i].name, b->store, opt, &result, &v->err);
	free(labels);
	for (int k = 0; k < 16; k++)
		snprintf(v->hash + 2 * k, 3, "%02x", seen->last[k]);
	if (!code && !result.known)
		memcpy(seen->hash[seen->n++], seen->last, sizeof(seen->last));
	judge(v, &b->paths[i], &result, code);
	/* Decoding without a process was stopped; a separate process would have ended instead. */
	if (code == TP_ECANCEL) {
		b->shared->err = v->err;
		return code;
	}
	/* After an error, the temporary store may contain some of its rows, so the other dumps need
	 * a new one. */
	return b->temp.err.code;
}

static int decode_all(struct batch *b)
{
	struct tp_import_options opt = b->import;
	struct seen seen = {.known = b->known};
	uint64_t bytes = 0;
	int code;

	for (size_t i = 0; i < b->n; i++)
		bytes += b->paths[i].bytes;
	opt.store.temp = &b->temp;
	opt.tmp_fd = b->tmp_fd;
	opt.progress = note_progress;
	opt.progress_ctx = b->shared;
	opt.known = is_known;
	opt.known_ctx = &seen;
	code = tp_temp_store_open(&b->temp, bytes, &b->shared->err);
	if (code)
		return code;
	for (size_t i = 0; i < b->n && !code; i++)
		if (b->verdict[i].outcome == OUTCOME_NONE)
			code = import_one(b, &opt, &seen, i);
	if (code == TP_ECANCEL)
		return code;
	if (tp_temp_store_close(&b->temp, b->materialize, &b->shared->err) && !code)
		return b->shared->err.code;
	return 0;
}

/* Closes the files of other batches: a process taken over by a hostile dump could change them. */
static void leave_others(const struct batch *b)
{
	for (struct batch *o = *b->first; o; o = o->next) {
		if (o == b)
			continue;
		if (o->running)
			close(o->process.end);
		if (o->has_temp && o->temp.fd >= 0)
			close(o->temp.fd);
		if (o->tmp_fd > 0)
			close(o->tmp_fd);
		cmd_child_unshare(o->shared, sizeof(*o->shared));
	}
}

static int work(void *ctx, unsigned has)
{
	struct batch *b = ctx;
	struct batch_shared *s = b->shared;

	(void)has;
	if (!b->inside) {
		const char *names[BATCH_DUMPS];

		leave_others(b);
		for (size_t i = 0; i < b->n; i++)
			names[i] = b->paths[i].name;
		cmd_limit_child(names, b->n, b->import.symbols.binaries,
				b->import.symbols.nbinaries);
	}
	s->code = decode_all(b);
	/* Lack of memory is the fault of one dump, but a full or broken disk would fail all dumps. */
	if (!s->code && b->temp.err.code && b->temp.err.code != TP_ENOMEM) {
		s->err = b->temp.err;
		s->code = s->err.code;
	}
	s->runs = b->temp.runs;
	s->materialized = b->temp.materialized;
	s->complete = !b->temp.err.code && !s->code;
	return 0;
}

/* ---- in the parent process ---- */

/* The files that the process may read. The texts have to outlive its start. */
struct allowed {
	char *sidecar[BATCH_DUMPS], *dirs;
};

static void allow(struct cmd_jail *jail, struct allowed *a, const struct batch *b)
{
	char sidecar[PATH_MAX];

	for (size_t i = 0; i < b->n; i++) {
		const char *name = b->paths[i].name;

		if (b->verdict[i].outcome != OUTCOME_NONE || !strcmp(name, "-"))
			continue;
		cmd_jail_allow(jail, name);
		if (tp_sidecar_find(name, sidecar, sizeof(sidecar)) &&
		    (a->sidecar[i] = strdup(sidecar)))
			cmd_jail_allow(jail, a->sidecar[i]);
	}
	cmd_allow_symbols(jail, &b->import.symbols, &a->dirs);
	jail->write = b->temp.file;
}

static int start(struct batch *b, struct tp_err *err)
{
	struct cmd_child child = {.require = b->require, .work = work, .ctx = b};
	struct allowed allowed = {0};
	int code;

	allow(&child.jail, &allowed, b);
	code = cmd_child_start(&child, &b->process, err);
	b->running = !code;
	for (size_t i = 0; i < b->n; i++)
		free(allowed.sidecar[i]);
	free(allowed.dirs);
	return code;
}

static void drop_temp(struct batch *b)
{
	if (b->has_temp)
		tp_temp_store_release(&b->temp);
	b->has_temp = false;
}

int batch_start(struct batch *b, struct tp_err *err)
{
	if (!b->shared) {
		b->shared = cmd_child_share(sizeof(*b->shared));
		if (!b->shared)
			return tp_nomem(err);
		b->tmp_fd = tp_input_temporary(b->import.tmp_dir, NULL);
	}
	memset(b->shared, 0, sizeof(*b->shared));
	b->shared->at = -1;
	drop_temp(b);
	b->has_temp = true;
	if (tp_temp_store_create(&b->temp, b->store)) {
		*err = b->temp.err;
		return err->code;
	}
	if (!b->inside)
		return start(b, err);
	return work(b, 0);
}

void batch_progress(const struct batch *b, size_t *dumps, uint64_t *bytes)
{
	const struct batch_shared *s = b->shared;
	uint64_t done = 0, total = 0;
	int at = (int)b->n;

	*dumps = 0;
	*bytes = 0;
	if (s) {
		done = atomic_load_explicit(&s->done, memory_order_relaxed);
		total = atomic_load_explicit(&s->total, memory_order_relaxed);
		at = atomic_load_explicit(&s->at, memory_order_relaxed);
	}
	for (; at > 0 && *dumps < (size_t)at && *dumps < b->n; ++*dumps)
		*bytes += b->paths[*dumps].bytes;
	if (s && *dumps < b->n && total && done <= total)
		*bytes += (uint64_t)((double)b->paths[*dumps].bytes * (double)done / (double)total);
}

/* Copies and checks the process's verdict on a dump, which may contain any bytes. */
static void take_verdict(struct verdict *v, const struct verdict *said)
{
	unsigned char lost;
	int outcome;

	memcpy(v->hash, said->hash, sizeof(v->hash));
	v->hash[sizeof(v->hash) - 1] = '\0';
	memcpy(&lost, &said->lost, 1);
	memcpy(&outcome, &said->outcome, sizeof(outcome));
	v->lost = lost != 0;
	v->outcome = outcome == OUTCOME_RUN	? OUTCOME_RUN
		     : outcome == OUTCOME_KNOWN ? OUTCOME_KNOWN
		     : outcome == OUTCOME_OTHER ? OUTCOME_OTHER
						: OUTCOME_FAILED;
	v->err = said->err;
	v->err.msg[sizeof(v->err.msg) - 1] = '\0';
	if (v->outcome == OUTCOME_FAILED && (v->err.code >= 0 || v->err.code < TP_EUNKNOWN))
		v->err.code = TP_EFORMAT;
}

static void fail(struct verdict *v, const struct tp_err *err)
{
	*v = (struct verdict){.outcome = OUTCOME_FAILED, .err = *err};
}

/* Marks the dump at which the process ended, or could not complete the temporary store, as failed.
 * Returns 1 if dumps are left, so the batch has to be started again. */
static int leave_out(struct batch *b, const struct tp_err *why)
{
	int at = b->shared->at;

	if (at < 0 || (size_t)at >= b->n)
		at = 0;
	while ((size_t)at < b->n && b->verdict[at].outcome != OUTCOME_NONE)
		at++;
	/* If the process claims to have done all, blame one of the dumps that still have no verdict. */
	for (size_t i = 0; (size_t)at >= b->n && i < b->n; i++)
		if (b->verdict[i].outcome == OUTCOME_NONE)
			at = (int)i;
	if ((size_t)at < b->n)
		fail(&b->verdict[at], why);
	for (size_t i = 0; i < b->n; i++)
		if (b->verdict[i].outcome == OUTCOME_NONE)
			return 1;
	drop_temp(b);
	return 0;
}

/* Releases what the batch does not need while it waits to be published. */
static void let_go(struct batch *b)
{
	if (b->tmp_fd > 0)
		close(b->tmp_fd);
	b->tmp_fd = 0;
	cmd_child_unshare(b->shared, sizeof(*b->shared));
	b->shared = NULL;
}

int batch_end(struct batch *b, struct tp_err *err)
{
	const struct batch_shared *s = b->shared;
	int code = 0, status = 0;

	if (!b->inside) {
		code = cmd_child_finish(&b->process, &status, err);
		b->running = false;
	}
	if (code == TP_ECANCEL || code == TP_EUNKNOWN)
		return code;
	if (!code && status)
		code = tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the process that decodes it ended with status %d; try again, and report it "
		    "as a bug of tprof if that repeats",
		    status);
	if (code)
		return leave_out(b, err);
	if (s->code) {
		*err = s->err;
		err->msg[sizeof(err->msg) - 1] = '\0';
		err->code = s->code < 0 && s->code >= TP_EUNKNOWN ? s->code : TP_EIO;
		return err->code;
	}
	if (!s->complete) {
		struct verdict v;

		take_verdict(&v, &s->verdict[s->at >= 0 && (size_t)s->at < b->n ? s->at : 0]);
		return leave_out(b, &v.err);
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->verdict[i].outcome == OUTCOME_NONE)
			take_verdict(&b->verdict[i], &s->verdict[i]);
	b->temp.runs = s->runs > 0 && s->runs <= BATCH_DUMPS ? s->runs : 0;
	b->temp.materialized = s->materialized;
	let_go(b);
	return 0;
}

/* Returns whether the store had the dump before this command imported any. */
static bool was_there(const struct batch *b, const struct verdict *v)
{
	uint8_t hash[16];
	unsigned byte;

	for (int i = 0; i < 16; i++) {
		if (sscanf(v->hash + 2 * i, "%2x", &byte) != 1)
			return false;
		hash[i] = (uint8_t)byte;
	}
	return tp_known_has(b->known, hash);
}

/* Moves the labels with keys that the dump gets for the first time to the front, and sets *nfirst
 * to their number. */
static int divide(struct batch *b, const char *hash, const char **labels, size_t n, size_t *nfirst)
{
	*nfirst = 0;
	for (size_t i = 0; i < n; i++) {
		const char *label = labels[i];
		int first = labelled_first(b->labelled, hash, label);

		if (first < 0)
			return first;
		if (!first)
			continue;
		memmove(labels + *nfirst + 1, labels + *nfirst, (i - *nfirst) * sizeof(*labels));
		labels[(*nfirst)++] = label;
	}
	return 0;
}

/* The labels of each dump: `all` of them, divided into those for `first` and for `more`. */
struct relabelling {
	const char **all[BATCH_DUMPS];
	struct tp_labelled first[BATCH_DUMPS], more[BATCH_DUMPS];
	size_t n, nfirst, nmore;
};

static int add_labels(struct batch *b, size_t i, struct relabelling *r)
{
	const struct verdict *v = &b->verdict[i];
	size_t n, nfirst = 0;
	const char **labels = labels_of(b, i, &n);
	int code = labels ? 0 : TP_ENOMEM;

	if (!code && was_there(b, v))
		code = divide(b, v->hash, labels, n, &nfirst);
	if (code) {
		free((void *)labels);
		return code;
	}
	if (nfirst)
		r->first[r->nfirst++] =
		    (struct tp_labelled){.hash = v->hash, .set = labels, .nset = nfirst};
	if (n > nfirst)
		r->more[r->nmore++] = (struct tp_labelled){
		    .hash = v->hash, .set = labels + nfirst, .nset = n - nfirst};
	r->all[r->n++] = labels;
	return 0;
}

/* Sets labels of runs. Dumps known from another store (struct many.known) may be missing in this one. */
static int set_labels(const struct batch *b, struct tp_labelled *runs, size_t n, bool least,
		      struct tp_err *err)
{
	int code;

	if (!n || (access(b->store, F_OK) && errno == ENOENT))
		return 0;
	code = tp_store_label(b->store, b->import.store.wait_ms, runs, n, least, err);
	return code == TP_ENOENT ? 0 : code;
}

/* Gives labels to dumps that the store already has. If it had the dump before the command began,
 * the labels replace those of the run. If several equal dumps are imported now, the labels of all
 * count, in whatever order they come, as if each had its own store and the stores were merged. So
 * repeating the command gives the same labels. */
static int relabel(struct batch *b, struct tp_err *err)
{
	struct relabelling *r = calloc(1, sizeof(*r));
	int code = 0;

	if (!r)
		return tp_nomem(err);
	for (size_t i = 0; i < b->n && !code; i++)
		if (b->verdict[i].outcome == OUTCOME_KNOWN || b->verdict[i].outcome == OUTCOME_RUN)
			code = add_labels(b, i, r);
	if (code)
		tp_nomem(err);
	if (!code)
		code = set_labels(b, r->first, r->nfirst, false, err);
	if (!code)
		code = set_labels(b, r->more, r->nmore, true, err);
	while (r->n)
		free((void *)r->all[--r->n]);
	free(r);
	return code;
}

int batch_publish(struct batch *b, size_t *added, struct tp_err *err)
{
	size_t runs = 0, known = 0;
	int64_t first;
	int code = 0;

	*added = 0;
	for (size_t i = 0; i < b->n; i++) {
		runs += b->verdict[i].outcome == OUTCOME_RUN;
		known += b->verdict[i].outcome == OUTCOME_KNOWN;
	}
	if (b->has_temp && b->temp.runs)
		code = tp_temp_store_publish(&b->temp, &b->import.store, &first, added, err);
	if (!code && (known || *added < runs))
		code = relabel(b, err);
	return code;
}

void batch_release(struct batch *b)
{
	struct tp_err ignored;
	int status;

	if (b->running) {
		cmd_child_end(&b->process);
		cmd_child_finish(&b->process, &status, &ignored);
	}
	b->running = false;
	drop_temp(b);
	let_go(b);
}
