#include "common/what.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/engine/engine.h"
#include "common/jail.h"
#include "common/profiles.h"
#include "open/log.h"
#include "open/peek.h"
#include "open/perf.h"

static bool write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t k = write(fd, data, n);

		if (k < 0 && errno != EINTR)
			return false;
		data += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	return true;
}

/* Copies a pipe on standard input to an unnamed file, which can be read again from its beginning. */
static int keep_stdin(struct tp_err *err)
{
	const char *tmp = getenv("TMPDIR");
	static char buf[1 << 16];
	char path[4000];
	ssize_t n;
	int fd;

	if (lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
		return 0;
	snprintf(path, sizeof(path), "%s/tprof-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot create a temporary file: %s",
				  strerror(errno));
	unlink(path);
	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || !write_all(fd, buf, (size_t)n)) {
			int why = errno;

			close(fd);
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "cannot be kept in a temporary file in %s: %s",
					  tmp && *tmp ? tmp : "/tmp", strerror(why));
		}
	}
	if (lseek(fd, 0, SEEK_SET) || dup2(fd, STDIN_FILENO) < 0) {
		close(fd);
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be read again: %s",
				  strerror(errno));
	}
	close(fd);
	return 0;
}

enum cmd_what cmd_what_of(const void *head, size_t size)
{
	if (size >= 16 && !memcmp(head, "SQLite format 3", 16))
		return CMD_WHAT_STORE;
	if (size >= 16 && !memcmp(head, "go 1.", 5) && memmem(head, 16, " trace", 6))
		return CMD_WHAT_TRACE;
	return tp_perf_is_trace(head, size) ? CMD_WHAT_TRACE : CMD_WHAT_PROFILE;
}

/* Does the same with as many bytes of a text as its kind may depend on. */
static int look_further(const char *path, enum cmd_what *what, struct tp_err *err)
{
	char *head = malloc(TP_PERF_HEAD);
	size_t size;
	int code = head ? tp_peek(path, head, TP_PERF_HEAD, &size, err) : tp_nomem(err);

	if (!code)
		*what = cmd_what_of(head, size);
	free(head);
	return code;
}

int cmd_look(const char *path, enum cmd_what *what, struct tp_err *err)
{
	char head[32] = "";
	size_t size = 0;
	int code;

	*what = CMD_WHAT_STORE;
	if (cmd_engine_is_url(path))
		return 0;
	code = strcmp(path, "-") ? 0 : keep_stdin(err);
	if (!code)
		code = tp_peek(path, head, sizeof(head), &size, err);
	*what = cmd_what_of(head, size);
	if (!code && *what == CMD_WHAT_PROFILE && size && !tp_log_is_binary(head, size))
		code = look_further(path, what, err);
	if (!code && *what == CMD_WHAT_STORE && !strcmp(path, "-"))
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "is a store, which cannot be read from standard input; give the "
				  "name of its file");
	return code;
}

int cmd_kind_of(struct cmd *cmd, const char *path, const char *run, enum cmd_kind *kind)
{
	struct rep_runs all = {0}, runs = {0};
	struct tp_store *store = NULL;
	size_t profiles = 0;
	struct tp_err err;
	enum cmd_what what;
	const char *file = path;
	int status = CMD_OK;

	if (cmd_look(path, &what, &err))
		return cmd_fail(cmd, path, &err);
	*kind = what == CMD_WHAT_PROFILE ? CMD_KIND_PROFILE : CMD_KIND_TRACE;
	if (what != CMD_WHAT_STORE)
		return CMD_OK;
	if (cmd_engine_is_url(path))
		status = cmd_engine_list(cmd, path, &file);
	if (status)
		return status;
	if (!cmd->lets_connect && cmd_jail_withdraw(&err))
		return cmd_fail(cmd, path, &err);
	if (tp_store_open(&store, file, &err) || rep_runs_load(store, &all, &err) ||
	    rep_runs_select(&all, run ? run : "latest", &runs, &err))
		status = cmd_fail(cmd, path, &err);
	for (size_t i = 0; i < runs.n; i++)
		profiles += !strcmp(runs.run[i].row.kind, "profile");
	if (profiles)
		*kind = profiles == runs.n ? CMD_KIND_PROFILE : CMD_KIND_STORE_MIXED;
	rep_runs_release(&runs);
	rep_runs_release(&all);
	if (store)
		tp_store_close(store);
	return status;
}
