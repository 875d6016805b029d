/* The list is cut into batches, which are published in its order. So the numbers of runs do not
 * depend on the number of processes.
 *
 * A batch is large enough to be worth starting a process and a transaction with its syncs, and
 * small enough that all processes end at about the same time. */
#include "many.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/many.h"
#include "base/units.h"
#include "batch.h"
#include "common/decoder.h"
#include "common/progress.h"
#include "open/input.h"
#include "report.h"

#define MOST_BYTES  ((uint64_t)16 << 20)
#define LEAST_BYTES ((uint64_t)1 << 20)
#define LEAST_DUMPS 16
/* Limit on batches that work, or wait for an earlier one. Each has an open temporary store on the disk. */
#define MOST_BATCHES 256
#define TICK_MS	     50

/* Most files that are not dumps, of which it is said what they are. */
#define MOST_TOLD 3

/* A batch, and its private data. */
struct job {
	struct batch batch;
	size_t at; /* its first dump, in the list */
	bool ended;
	char *own_store; /* NULL: one store for all */
	struct tp_known known;
	struct labelled labelled;
};

struct failure {
	size_t at; /* in the list */
	struct tp_err err;
};

struct coordinator {
	const struct many *m;
	const struct paths *paths;
	size_t next; /* index of the first dump that is not in a batch yet */
	uint64_t bytes_left;
	struct batch *first, **last; /* in order */
	size_t nbatches, running;
	bool inside, require;
	struct tp_known known;
	struct labelled labelled;
	struct cmd_progress progress;

	size_t done, nfailures, room;
	struct tally tally;
	struct report report;
	struct unlabelled unlabelled;
	struct failure *failures;
	struct tp_err told[MOST_TOLD]; /* what other files are, if that helps */
	const struct path *told_of[MOST_TOLD];
	size_t ntold;
	int worst;
	/* The store or the system has failed, or a signal has stopped it; then `why` is empty. */
	bool stopped;
	struct tp_err why;
};

static void stop(struct coordinator *c, const struct tp_err *err)
{
	/* Being stopped by a signal is not a failure and needs no message. */
	if (!c->stopped && !(err->code == TP_ECANCEL && cmd_stopped()))
		c->why = *err;
	c->stopped = true;
}

static void out_of_memory(struct coordinator *c)
{
	struct tp_err err;

	tp_nomem(&err);
	stop(c, &err);
}

static void note_failure(struct coordinator *c, size_t at, const struct tp_err *err)
{
	int status = tp_err_exit_status(err->code);

	if (tp_grow(&c->failures, &c->room, c->nfailures, sizeof(*c->failures))) {
		out_of_memory(c);
		return;
	}
	c->failures[c->nfailures++] = (struct failure){at, *err};
	if (status > c->worst)
		c->worst = status;
}

/* ---- batches ---- */

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

static uint64_t at_least(uint64_t n, uint64_t least)
{
	return n > least ? n : least;
}

/* Returns the number of dumps, from c->next on, for the next batch. */
static size_t choose(const struct coordinator *c)
{
	const struct path *p = c->paths->list + c->next;
	size_t left = c->paths->n - c->next, n = 0;
	uint64_t shares = 3 * (uint64_t)c->m->jobs, bytes = 0;
	uint64_t most = at_most(at_least(c->bytes_left / shares, LEAST_BYTES), MOST_BYTES);
	size_t dumps = (size_t)at_most(at_least(left / shares, LEAST_DUMPS), BATCH_DUMPS);

	if (!c->m->store || !strcmp(p->name, "-"))
		return 1;
	while (n < left && n < dumps && !p[n].wrong && strcmp(p[n].name, "-") != 0) {
		if (n && bytes + p[n].bytes > most)
			break;
		bytes += p[n++].bytes;
	}
	return n;
}

/* Returns the threads for a process. If the remaining batches are fewer than the jobs, the jobs are
 * divided among them. */
static int threads(const struct coordinator *c, size_t n)
{
	size_t left = c->paths->n - c->next, working = c->running + (n ? (left + n - 1) / n : 0);

	if (c->m->import.threads)
		return c->m->import.threads;
	return working && working < (size_t)c->m->jobs ? c->m->jobs / (int)working : 1;
}

static bool is_there(const char *store)
{
	struct stat st;

	return !stat(store, &st) && st.st_size;
}

static void forget(struct job *j)
{
	batch_release(&j->batch);
	tp_known_release(&j->known);
	labelled_release(&j->labelled);
	free(j->own_store);
	free(j);
}

/* Takes a batch off the list. */
static void drop(struct coordinator *c, struct batch *b)
{
	struct batch **at = &c->first;

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	if (c->last == &b->next)
		c->last = at;
	c->nbatches--;
	forget((struct job *)b);
}

/* Gives the batch its own store, and loads the hashes of dumps that are in it. */
static int give_store(const struct coordinator *c, struct job *j, struct tp_err *err)
{
	j->own_store = c->m->own_store(j->batch.paths->name);
	j->batch.store = j->own_store;
	j->batch.known = &j->known;
	j->batch.labelled = &j->labelled;
	if (!j->own_store)
		return tp_nomem(err);
	return tp_known_load(&j->known, j->own_store, err);
}

/* Handles an error of a batch. If each dump has its own store, only this dump fails; otherwise the
 * import stops. */
static void give_up(struct coordinator *c, struct batch *b, const struct tp_err *err)
{
	if (c->m->store || err->code == TP_ECANCEL || err->code == TP_EUNKNOWN) {
		stop(c, err);
		return;
	}
	note_failure(c, ((struct job *)b)->at, err);
	c->done += b->n;
	c->tally.read += b->paths->bytes;
	drop(c, b);
}

static int begin(struct coordinator *c, struct batch *b, struct tp_err *err)
{
	int code = batch_start(b, err);

	c->running += b->running;
	return code;
}

/* Ends the run of a batch. Returns 1 if it has to be begun again, 0, or an error code. */
static int end(struct coordinator *c, struct batch *b, struct tp_err *err)
{
	int code;

	c->running -= b->running;
	code = batch_end(b, err);
	((struct job *)b)->ended = !code;
	return code;
}

/* Fills in err with the reason why the file cannot be opened. */
static void explain(const struct path *p, struct tp_err *err)
{
	bool gone = p->wrong == ENOENT || p->wrong == ENOTDIR || p->wrong == ELOOP;

	if (gone && !p->named)
		tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			   "is a link whose target does not exist");
	else
		tp_err_set(err, gone ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s",
			   strerror(p->wrong));
}

/* Starts the next batch. Without processes, also ends it. */
static void start_next(struct coordinator *c)
{
	const struct path *p = c->paths->list + c->next;
	struct tp_err err = {0};
	struct job *j;
	struct batch *b;
	int code;

	if (p->wrong) {
		explain(p, &err);
		note_failure(c, c->next++, &err);
		c->done++;
		return;
	}
	j = calloc(1, sizeof(*j));
	if (!j) {
		out_of_memory(c);
		return;
	}
	b = &j->batch;
	*b = (struct batch){
	    .paths = p,
	    .n = choose(c),
	    .store = c->m->store,
	    .import = c->m->import,
	    .known = &c->known,
	    .labelled = &c->labelled,
	    .inside = c->inside,
	    .require = c->require,
	    .first = &c->first,
	};
	b->import.threads = threads(c, b->n);
	j->at = c->next;
	*c->last = b;
	c->last = &b->next;
	c->nbatches++;
	c->next += b->n;
	for (size_t i = 0; i < b->n; i++)
		c->bytes_left -= at_most(p[i].bytes, c->bytes_left);
	code = c->m->store ? 0 : give_store(c, j, &err);
	if (!code) {
		b->materialize =
		    b->import.store.materialize && c->first == b && !is_there(b->store);
		code = begin(c, b, &err);
	}
	while (!code && b->inside && (code = end(c, b, &err)) == 1)
		code = begin(c, b, &err);
	if (code)
		give_up(c, b, &err);
}

/* ---- the end of a batch ---- */

static const char *shown_name(const struct path *p)
{
	return !strcmp(p->name, "-") ? "standard input" : p->name;
}

/* Remembers the kind of a file that is not a dump, if users take such files for dumps. */
static void note_other(struct coordinator *c, const struct path *p, const struct tp_err *err)
{
	if (c->ntold == MOST_TOLD || strstr(err->msg, TP_READS) || strstr(err->msg, "is empty"))
		return;
	c->told_of[c->ntold] = p;
	c->told[c->ntold++] = *err;
}

static void note_name(struct coordinator *c, const struct path *p, const struct verdict *v)
{
	if (v->outcome == OUTCOME_OTHER)
		note_other(c, p, &v->err);
	if ((v->outcome == OUTCOME_OTHER && report_add_other(&c->report, shown_name(p))) ||
	    (v->outcome == OUTCOME_RUN && v->lost && report_add_loss(&c->report, shown_name(p))))
		out_of_memory(c);
}

static void count(struct coordinator *c, const struct batch *b, size_t added)
{
	uint64_t bytes = 0;
	size_t runs = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct verdict *v = &b->verdict[i];

		runs += v->outcome == OUTCOME_RUN;
		bytes += v->outcome == OUTCOME_RUN ? b->paths[i].bytes : 0;
		c->tally.there += v->outcome == OUTCOME_KNOWN;
		c->tally.others += v->outcome == OUTCOME_OTHER;
		c->tally.lossy += v->outcome == OUTCOME_RUN && v->lost;
		c->tally.read += b->paths[i].bytes;
		if (v->outcome == OUTCOME_FAILED)
			note_failure(c, ((const struct job *)b)->at + i, &v->err);
		note_name(c, &b->paths[i], v);
		if (v->outcome == OUTCOME_RUN || v->outcome == OUTCOME_KNOWN)
			unlabelled_add(&c->unlabelled, &b->paths[i], c->paths->keys, &c->m->import);
	}
	c->done += b->n;
	c->tally.imported += added < runs ? added : runs;
	c->tally.there += added < runs ? runs - added : 0; /* another command was faster … */
	c->tally.bytes += added < runs ? bytes / runs * added : bytes; /* … estimated */
}

static void publish(struct coordinator *c)
{
	struct batch *b;

	while (!c->stopped && (b = c->first) && ((struct job *)b)->ended) {
		struct tp_err err;
		size_t added;

		if (batch_publish(b, &added, &err)) {
			give_up(c, b, &err);
			continue;
		}
		count(c, b, added);
		drop(c, b);
	}
}

static void reap(struct coordinator *c, struct batch *b)
{
	struct tp_err err = {0};
	int code = end(c, b, &err);

	if (code == 1)
		code = begin(c, b, &err);
	if (code)
		give_up(c, b, &err);
}

static void wait_for_any(struct coordinator *c)
{
	struct pollfd *fd = tp_many(c->running + 1, sizeof(*fd));
	struct batch **of = tp_many(c->running + 1, sizeof(struct batch *));
	nfds_t n = 0;

	if (!fd || !of) {
		out_of_memory(c);
		goto done;
	}
	for (struct batch *b = c->first; b; b = b->next)
		if (b->running) {
			fd[n] = (struct pollfd){.fd = b->process.end};
			of[n++] = b;
		}
	if (poll(fd, n, TICK_MS) < 0 && errno != EINTR) {
		struct tp_err err;

		tp_err_set(&err, TP_EIO, TP_OFFSET_NONE, "cannot wait for processes: %s",
			   strerror(errno));
		stop(c, &err);
		goto done;
	}
	for (nfds_t i = 0; i < n && !c->stopped; i++)
		if (fd[i].revents)
			reap(c, of[i]);
done:
	free(fd);
	free(of);
}

static void show_progress(struct coordinator *c)
{
	struct cmd_tally t = {.dumps = c->done,
			      .ndumps = c->paths->n,
			      .bytes = c->tally.read,
			      .nbytes = c->paths->bytes,
			      .failed = c->nfailures};

	for (const struct batch *b = c->first; b; b = b->next) {
		uint64_t bytes;
		size_t dumps;

		batch_progress(b, &dumps, &bytes);
		t.dumps += dumps;
		t.bytes += bytes;
	}
	cmd_progress_tally(&c->progress, &t);
}

static void work(struct coordinator *c)
{
	while (!c->stopped && !cmd_stopped() && (c->next < c->paths->n || c->first)) {
		while (!c->stopped && !cmd_stopped() && c->next < c->paths->n &&
		       c->running < (size_t)c->m->jobs && c->nbatches < MOST_BATCHES) {
			start_next(c);
			if (c->inside)
				break;
		}
		publish(c);
		if (c->running)
			wait_for_any(c);
		show_progress(c);
	}
}

/* ---- the results ---- */

static int by_place(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Writes the report if the whole list was processed; otherwise removes an older report. */
static int write_report(struct coordinator *c, struct report *r)
{
	struct tp_err err;

	if (!c->m->report)
		return CMD_OK;
	if (c->stopped || cmd_stopped() || c->done < c->paths->n) {
		report_remove(c->m->report);
		return CMD_OK;
	}
	return report_write(r, c->m->report, &err) ? cmd_fail(c->m->cmd, NULL, &err) : CMD_OK;
}

static int report(struct coordinator *c, double seconds)
{
	struct cmd *cmd = c->m->cmd;
	struct report *r = &c->report;
	int status;

	c->tally.dumps = c->done - c->tally.others;
	c->tally.failed = c->nfailures;
	r->tally = c->tally;
	if (c->done || !c->why.code)
		tally_print(cmd, &c->tally, seconds, c->m->store);
	if (c->nfailures)
		qsort(c->failures, c->nfailures, sizeof(*c->failures), by_place);
	for (size_t i = 0; i < c->nfailures; i++) {
		const char *name = shown_name(&c->paths->list[c->failures[i].at]);

		cmd_fail(cmd, name, &c->failures[i].err);
		if (c->m->report && report_add(r, cmd, name, &c->failures[i].err) < 0)
			out_of_memory(c);
	}
	report_print_names(r, cmd, c->m->store, c->m->report);
	for (size_t i = 0; i < c->ntold; i++)
		cmd_note(cmd, "%s %s", shown_name(c->told_of[i]), c->told[i].msg);
	unlabelled_print(cmd, &c->unlabelled, c->tally.dumps, "dumps", c->paths->keys);
	status = write_report(c, r);
	if (status > c->worst)
		c->worst = status;
	if (c->why.code) {
		status = cmd_fail(cmd, NULL, &c->why);
		if (status > c->worst)
			c->worst = status;
	}
	if ((c->stopped || cmd_stopped()) && c->done < c->paths->n)
		cmd_note(cmd,
			 "%zu of %zu files were not imported; the same command continues with them",
			 c->paths->n - c->done, c->paths->n);
	report_release(r);
	return c->worst;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int many_import(const struct many *m)
{
	struct coordinator c = {
	    .m = m, .paths = m->paths, .bytes_left = m->paths->bytes, .last = &c.first};
	enum cmd_jail_mode mode = cmd_jail_mode();
	struct tp_err err;
	double begun = now();

	if (!m->paths->n) {
		cmd_note(m->cmd, "nothing was imported");
		return CMD_OK;
	}
	c.inside = mode == CMD_JAIL_OFF;
	c.require = mode == CMD_JAIL_REQUIRE;
	if ((m->store && tp_known_load(&c.known, m->store, &err)) ||
	    (m->known && tp_known_add(&c.known, m->known, &err))) {
		tp_known_release(&c.known);
		return cmd_fail(m->cmd, NULL, &err);
	}
	cmd_progress_init(&c.progress, "");
	work(&c);
	while (c.first)
		drop(&c, c.first);
	cmd_progress_end(&c.progress);
	report(&c, now() - begun);
	tp_known_release(&c.known);
	labelled_release(&c.labelled);
	free(c.failures);
	return c.worst;
}
