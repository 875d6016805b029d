#include "common/common.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "common/engine/engine.h"
#include "goid.h"

/* Writes "1.2MiB, about 5,120 events" without unknown parts. */
char *cmd_lost(char text[CMD_LOST_SIZE], int64_t bytes, int64_t n_of, const char *what, bool more)
{
	char of[CMD_PLURAL_SIZE], size[TP_UNITS_SIZE];
	bool open = more && bytes && !n_of;
	int n = open ? snprintf(text, CMD_LOST_SIZE, "how much is not known, at least ")
		: more && (bytes || n_of) ? snprintf(text, CMD_LOST_SIZE, "at least ")
					  : 0;

	if (bytes)
		n += snprintf(text + n, CMD_LOST_SIZE - (size_t)n, "%s", tp_fmt_bytes(size, bytes));
	if (n_of)
		snprintf(text + n, CMD_LOST_SIZE - (size_t)n, "%sabout %s", bytes ? ", " : "",
			 cmd_plural(of, n_of, what));
	else if (!bytes)
		snprintf(text, CMD_LOST_SIZE, "how much is not known");
	return text;
}

char *cmd_loss_query(char text[CMD_LOSS_QUERY_SIZE], const char *path, const char *columns)
{
	const char *file = "FILE";
	struct tp_buf word = {0};

	/* Standard input cannot be read again, and an engine has no such table. A path that is too
	 * long is not shown. */
	if (strcmp(path, "-") != 0 && !cmd_engine_is_url(path)) {
		int code = *path == '-' ? tp_buf_put(&word, "./", 2) : 0;

		code |= cmd_quote(&word, path);
		code |= tp_buf_put(&word, "", 1);
		if (!code && word.size < CMD_LOSS_QUERY_SIZE - 80)
			file = (const char *)word.data;
	}
	snprintf(text, CMD_LOSS_QUERY_SIZE, "tprof-query %s 'SELECT %s FROM loss'", file, columns);
	tp_buf_release(&word);
	return text;
}

void cmd_note_losses(const struct cmd *cmd, const char *path, const struct rep_run *run)
{
	char places[CMD_PLURAL_SIZE], lost[CMD_LOST_SIZE], query[CMD_LOSS_QUERY_SIZE];
	char mixed[REP_GOIDS_MIXED_SIZE];
	const struct tp_run *r = &run->row;
	struct tp_err err;
	int64_t goid;

	if (run->losses)
		cmd_note(cmd, "%s is damaged in %s; lost: %s; see %s", r->name,
			 cmd_plural(places, run->losses, "place"),
			 cmd_lost(lost, r->lost_bytes, r->lost_events,
				  !strcmp(r->kind, "profile") ? "sample" : "event", run->uncounted),
			 cmd_loss_query(query, path,
					cmd->all.n > 1 ? "run, offset, reason" : "offset, reason"));
	if (run->warning[0])
		cmd_note(cmd, "%s: %s", r->name, run->warning);
	if (cmd->store && !strcmp(r->kind, "trace") &&
	    rep_goids_mixed(cmd->store, r->id, &goid, &err) == 1)
		cmd_note(cmd, "%s: %s", r->name, rep_goids_mixed_text(goid, mixed));
}
