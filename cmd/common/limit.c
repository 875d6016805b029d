/* The limit is the kernel's (RLIMIT_DATA), so it holds for libraries, too. It counts private writable memory,
 * which is a little more than the memory in use: of the stacks of threads, only a few pages are. It does not
 * count pages of files. */
#include "common/limit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/number.h"
#include "open/unpack.h"

/* The part of the base for pages of the program and the input, which RLIMIT_DATA does not count. */
#define PROGRAM_BYTES ((int64_t)16 << 20)
/* The part for the unpacked form of a packed input, which is mapped. */
#define UNPACKED_BYTES ((int64_t)96 << 20)

#define STACK_BYTES ((size_t)8 << 20) /* the usual default */

/* Sanitizers map far more memory than they use. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define LIMITED 0
#endif
#endif
#ifndef LIMITED
#define LIMITED 1
#endif

static struct {
	int64_t given;	/* TPROF_MEMORY; -1: unlimited, 0: not set */
	int64_t inputs; /* bytes of the files */
	bool packed;
	bool waits;   /* standard input is read; its size is not known yet */
	int64_t most; /* the limit that is set; 0: no limit */
	struct rlimit before;
} limit;

/* Limits the stacks of threads, which count with their whole size. The session may permit stacks of gigabytes
 * (ulimit -s); our threads need much less. */
static void bound_stacks(void)
{
	pthread_attr_t attr;
	size_t size;

	if (pthread_getattr_default_np(&attr))
		return;
	if (!pthread_attr_getstacksize(&attr, &size) && size > STACK_BYTES &&
	    !pthread_attr_setstacksize(&attr, STACK_BYTES))
		(void)pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

static void set(void)
{
	int64_t base = CMD_MEMORY_BASE - PROGRAM_BYTES - (limit.packed ? UNPACKED_BYTES : 0);
	double share = (double)limit.inputs / (double)CMD_MEMORY_INPUT;
	struct rlimit data = limit.before;
	double most = (double)base * (share > 1 ? share : 1);

	if (!LIMITED || limit.given < 0)
		return;
	limit.most = limit.given ? limit.given : most < 4e18 ? (int64_t)most : INT64_MAX / 2;
	data.rlim_cur = (rlim_t)limit.most;
	if (limit.before.rlim_cur != RLIM_INFINITY && limit.before.rlim_cur < data.rlim_cur) {
		limit.most = 0; /* a lower limit was set from outside */
		return;
	}
	if (setrlimit(RLIMIT_DATA, &data))
		limit.most = 0;
	else
		bound_stacks();
}

static void look_at(const char *path, const struct stat *st)
{
	uint8_t head[4] = {0};
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;

	limit.inputs += st->st_size;
	limit.packed |= tp_packing_of(head, n) != TP_PACKING_NONE;
	if (f)
		fclose(f);
}

void cmd_limit_memory(const struct cmd *cmd, int argc, char **argv)
{
	const char *given = getenv("TPROF_MEMORY");
	bool folders = false;
	struct stat st;

	if (getrlimit(RLIMIT_DATA, &limit.before))
		return;
	if (given && !strcmp(given, "unlimited")) {
		limit.given = -1;
	} else if (given && *given && (!cmd_parse_size(given, &limit.given) || limit.given <= 0)) {
		cmd_error(cmd, "TPROF_MEMORY: '%s' is neither a size, such as 1GiB, nor unlimited",
			  given);
		exit(CMD_USAGE);
	}
	for (int i = 1; i < argc; i++) {
		const char *equals = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
		const char *path = equals ? equals + 1 : argv[i];

		folders |= !strncmp(argv[i], "--symbol-path", strlen("--symbol-path"));
		if (!strcmp(path, "-")) {
			if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode))
				limit.inputs += st.st_size;
			limit.waits = true;
		} else if (!stat(path, &st) && S_ISREG(st.st_mode)) {
			look_at(path, &st);
		}
	}
	if (folders && !limit.given) /* the folders may contain any program */
		limit.given = -1;
	if (limit.given || limit.inputs)
		set();
}

void cmd_limit_child(const char *const *paths, size_t n, const char *const *also, size_t nalso)
{
	int64_t most = 0;
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		limit.inputs = 0;
		if (!stat(paths[i], &st) && S_ISREG(st.st_mode))
			look_at(paths[i], &st);
		if (limit.inputs > most)
			most = limit.inputs;
	}
	limit.inputs = most;
	for (size_t i = 0; i < nalso; i++)
		if (!stat(also[i], &st))
			limit.inputs += st.st_size;
	set();
}

void cmd_limit_stdin(uint64_t bytes)
{
	if (!limit.waits)
		return;
	if (bytes < INT64_MAX / 2 && (int64_t)bytes > limit.inputs)
		limit.inputs = (int64_t)bytes;
	limit.packed = true; /* it is kept in a temporary file, as unpacked input is */
	set();
}

void cmd_limit_lift(void)
{
	if (limit.most)
		setrlimit(RLIMIT_DATA, &limit.before);
}

int64_t cmd_limit(void)
{
	return limit.most;
}
