/* For tests that look at another process: whether the system permits that at all. The kernel is asked, not
 * the code under test, so that errors of that code are failures unless they are about permission. */
#ifndef RECORD_PARENT_LIVE_TESTING_H
#define RECORD_PARENT_LIVE_TESTING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool rec_testing_may_trace(void)
{
	pid_t pid = fork();
	bool may;

	if (pid < 0)
		return false;
	while (!pid)
		pause();
	may = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	return may;
}

/* Ends the test as skipped (include cmocka.h first). */
#define REC_TESTING_NEED_TRACE()                                                                   \
	do {                                                                                       \
		if (!rec_testing_may_trace()) {                                                    \
			print_message("no process may trace another here\n");                      \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

#endif
