/* Finds leaked threads. They have to stand still while memory is searched, which only another process can make them
 * (parent/live/leak.h): a child that does nothing else, and tells what it found through a pipe. */
#include "tprof-record/api/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/parent/live/leak.h"

struct answer {
	int code; /* errno value */
	uint32_t g, tid;
};

/* In the child. The end has g 0. */
static void search(pid_t pid, const struct rec_process *p, int ready, int fd)
{
	struct rec_live live = {0};
	struct tp_err err = {0};
	struct answer a = {0};
	char go;

	/* Once more, if it was not allowed. */
	while (read(ready, &go, 1) == 1) {
		a.code = rec_live_leaks(pid, p, &live, &err);
		a.code = a.code == TP_EIO ? EPERM : api_errno(a.code);
		for (size_t i = 0; !a.code && i < live.n; i++) {
			a.g = live.stack[i].g;
			a.tid = live.stack[i].tid;
			a.code = api_write(fd, &a, sizeof(a));
		}
		a.g = 0;
		api_write(fd, &a, sizeof(a));
		rec_live_release(&live);
	}
	_exit(0);
}

static int listen_to(int fd, struct rec_live *live)
{
	struct answer a;

	for (;;) {
		ssize_t n = read(fd, &a, sizeof(a));

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(a))
			return EIO;
		if (!a.g)
			return a.code;
		if (rec_live_add(live,
				 (struct rec_live_stack){.g = a.g, .tid = a.tid, .leaked = true}))
			return ENOMEM;
	}
}

static int ask(int ready, int answers, struct rec_live *live)
{
	int code = api_write(ready, "", 1);

	return code ? code : listen_to(answers, live);
}

int api_leaks(const struct rec_host *h, struct rec_live *live)
{
	int ready[2], answers[2], code;
	pid_t self = getpid(), child = -1;
	struct rec_process p = {0};
	struct tp_err err = {0};

	if (pipe2(ready, O_CLOEXEC))
		return errno;
	if (pipe2(answers, O_CLOEXEC)) {
		code = errno;
		close(ready[0]);
		close(ready[1]);
		return code;
	}
	code = api_errno(api_process_copy(h, &p, &err));
	if (!code) {
		h->self()->depth += REC_OWN_FORK;
		child = fork();
		h->self()->depth -= REC_OWN_FORK;
		if (child < 0)
			code = errno;
		else if (child)
			atomic_fetch_add(&api_header(h)->helpers, 1);
	}
	if (!child) {
		close(ready[1]);
		search(self, &p, ready[0], answers[1]);
	}
	/* What it says of waits is not to be found in this process. */
	rec_process_free(&p);
	close(answers[1]);
	close(ready[0]);
	if (!code)
		code = ask(ready[1], answers[0], live);
	/* Some systems let only a parent look at its child (Yama). The program may have named another process, which
	 * this replaces. */
	if (code == EPERM && !prctl(PR_SET_PTRACER, child, 0, 0, 0))
		code = ask(ready[1], answers[0], live);
	close(ready[1]);
	close(answers[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return code;
}
