#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/units.h"
#include "common/decoder.h"
#include "common/progress.h"

char *one_store(const char *dump)
{
	static const char *const packings[] = {".gz", ".zst"}, *const kinds[] = {".trace", ".out"};
	const char *base = strrchr(dump, '/');
	size_t n = strlen(dump), start = base ? (size_t)(base - dump) + 1 : 0, used;
	char *store = malloc(n + sizeof(".tprof"));

	if (!store)
		return NULL;
	memcpy(store, dump, n + 1);
	for (int pass = 0; pass < 2; pass++) {
		const char *const *endings = pass ? kinds : packings;

		for (size_t i = 0; i < 2; i++) {
			size_t k = strlen(endings[i]);

			used = strlen(store);
			if (used - start > k && !strcmp(store + used - k, endings[i]))
				store[used - k] = '\0';
		}
	}
	memcpy(store + strlen(store), ".tprof", sizeof(".tprof"));
	return store;
}

static void summarise(const struct args *args, const char *file, const char *store,
		      const struct tp_import_result *r)
{
	char events[CMD_PLURAL_SIZE], goroutines[CMD_PLURAL_SIZE], duration[28], details[256];
	char in[TP_UNITS_SIZE], out[TP_UNITS_SIZE];
	const char *name = !strcmp(file, "-") ? "standard input" : file;

	if (r->known && r->labels.now[0]) {
		cmd_print(&args->cmd,
			  "%s: is in %s already (run %lld), which is labelled %s now%s%s%s\n", name,
			  store, (long long)r->run, r->labels.now,
			  r->labels.before[0] ? " (before: " : "", r->labels.before,
			  r->labels.before[0] ? ")" : "");
		return;
	}
	if (r->known) {
		cmd_print(&args->cmd, "%s: is in %s already (run %lld); nothing was stored\n", name,
			  store, (long long)r->run);
		return;
	}
	if (r->ticks)
		snprintf(duration, sizeof(duration), "%lld ticks", (long long)r->duration_ns);
	else
		tp_fmt_ns(duration, r->duration_ns);
	if (r->profile)
		snprintf(details, sizeof(details), "%s%s%s%s", r->duration_ns ? ", " : "",
			 r->duration_ns ? duration : "", r->seen[0] ? ", " : "", r->seen);
	else
		snprintf(details, sizeof(details), ", %s, %s",
			 cmd_plural(goroutines, r->goroutines, "goroutine"), duration);
	cmd_print(&args->cmd, "%s: %s%s, %s%s; %.2fs; %s to %s in %s; %s\n", name,
		  r->profile ? "" : "format ", r->profile ? r->what : r->format,
		  cmd_plural(events, r->events, r->profile ? "sample" : "event"), details,
		  r->seconds, tp_fmt_bytes(in, (int64_t)r->size_in),
		  tp_fmt_bytes(out, (int64_t)r->size_store), store,
		  r->losses ? "with losses" : "nothing lost");
}

/* Importing a dump that the store already holds changes only its labels, so a new name is not set;
 * prints a note that says how to set it. */
static void note_name(const struct args *args, const char *store, const struct tp_import_result *r)
{
	struct rep_runs runs = {0};
	struct tp_store *s = NULL;
	const char *name = NULL;
	struct tp_buf words = {0};
	char id[24];
	struct tp_err err;

	if (!tp_store_open(&s, store, &err) && !rep_runs_load(s, &runs, &err))
		for (size_t i = 0; i < runs.n && !name; i++)
			name = runs.run[i].row.id == r->run ? runs.run[i].row.name : NULL;
	snprintf(id, sizeof(id), " %lld ", (long long)r->run);
	if (name && strcmp(name, args->import.name) != 0 && !cmd_quote(&words, store) &&
	    !tp_buf_put(&words, id, strlen(id)) && !cmd_quote(&words, args->import.name) &&
	    !tp_buf_put(&words, "", 1))
		cmd_note(
		    &args->cmd,
		    "run %lld is still named %.150s; to change that: tprof-store rename %.400s",
		    (long long)r->run, name, (const char *)words.data);
	tp_buf_release(&words);
	rep_runs_release(&runs);
	if (s)
		tp_store_close(s);
}

static void warn(const struct args *args, const char *file, const char *store,
		 const struct tp_import_result *r)
{
	char places[CMD_PLURAL_SIZE], count[CMD_PLURAL_SIZE], inferred[80] = "";
	char lost[CMD_LOST_SIZE], query[CMD_LOSS_QUERY_SIZE];

	if (r->bare[0])
		cmd_error(&args->cmd, "warning: %s: %s", file, r->bare);
	else if (r->ticks && !r->known)
		cmd_error(&args->cmd,
			  "warning: %s: the trace does not say how long a tick is, so "
			  "all times are ticks",
			  file);
	if (r->others[0])
		cmd_error(&args->cmd, "warning: %s: %s", file, r->others);
	if (r->unnamed[0])
		cmd_error(&args->cmd, "warning: %s: %s", file, r->unnamed);
	if (!r->losses)
		return;
	if (!r->profile)
		snprintf(inferred, sizeof(inferred), "%s inferred; ",
			 cmd_plural(count, r->inferred, "transition"));
	cmd_error(
	    &args->cmd, "warning: %s: the %s is damaged: %s; lost in %s: %s; %ssee %s", file,
	    r->profile ? "profile" : "trace", r->first_loss,
	    cmd_plural(places, (int64_t)r->losses, "place"),
	    cmd_lost(lost, r->lost_bytes, r->lost_events, r->profile ? "sample" : "event",
		     r->uncounted),
	    inferred,
	    cmd_loss_query(query, store, r->run > 1 ? "run, offset, reason" : "offset, reason"));
}

int one_import(struct args *args, const char *file)
{
	char *own = args->store ? NULL : one_store(file);
	const char *store = args->store ? args->store : own;
	struct tp_import_options opt = args->import;
	struct tp_import_result result;
	struct cmd_progress progress;
	struct tp_err err;
	int code, status = CMD_OK;

	if (!store)
		return cmd_nomem(&args->cmd);
	cmd_progress_init(&progress, !strcmp(file, "-") ? "standard input" : file);
	opt.progress = cmd_progress_step;
	opt.progress_ctx = &progress;
	code = cmd_import(file, store, &opt, &result, &err);
	cmd_progress_end(&progress);
	if (code == TP_ESTORE && !access(store, F_OK)) {
		/* The store is at fault, not the dump. */
		cmd_error(&args->cmd, "%s: cannot be imported: %s; give another name with -o", file,
			  err.msg);
		status = tp_err_exit_status(code);
	} else if (code) {
		status = cmd_fail(&args->cmd, file, &err);
	} else {
		summarise(args, file, store, &result);
		if (result.known && args->import.name)
			note_name(args, store, &result);
		warn(args, !strcmp(file, "-") ? "standard input" : file, store, &result);
	}
	free(own);
	return status;
}
