#include "tprof-record/parent/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/parent/debuginfod.h"
#include "tprof-record/parent/file.h"

enum { PATIENCE_MS = 500 /* after which a signal ends a recorder whose program is over */ };

/* Counts the processes that the program and its children began, and of which nothing was recorded. The kernel knows
 * all of them, if it tells. */
static void count_children(struct rec_session *s)
{
	struct rec_result *r = &s->result;
	uint64_t begun = rec_switches_begun(s->switches, &r->more_children);

	begun -= begun < s->helpers ? begun : s->helpers;
	if (begun < s->hooked)
		begun = s->hooked;
	begun -= begun < s->met ? begun : s->met;
	r->children = begun < r->turned_away ? 0 : begun - r->turned_away;
}

void rec_session_close(struct rec_session *s, bool alive)
{
	rec_session_hear_all(s);
	s->closed = true;
	s->recorded_from_ns = s->begin_ns;
	s->recorded_to_ns = rec_now();
	rec_session_end_images(s, alive);
	rec_switches_stop(s->switches);
	count_children(s);
}

static void program_over(struct rec_session *s, int status)
{
	s->over = true;
	s->status = status;
	s->over_ns = rec_now();
	if (s->closed)
		return;
	rec_session_process_over(s, s->pid);
	if (!s->o->request->children)
		rec_session_close(s, true);
}

/* Returns whether we are in the foreground of a terminal, so that a shell waits for us. */
static bool in_foreground(void)
{
	int tty = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool ours = tty >= 0 && tcgetpgrp(tty) == getpgrp();

	if (tty >= 0)
		close(tty);
	return ours;
}

/* Stops when the program stops, so that the shell that waits for us sees that, and gets the terminal. */
static void stop_too(struct rec_session *s, int sig)
{
	sigset_t one, before;

	s->stopped = true;
	/* It may have been sent to the program alone, and SIGCONT will be, too. */
	if (sig == SIGSTOP && !in_foreground())
		return;
	sigemptyset(&one);
	sigaddset(&one, sig);
	kill(getpid(), sig);
	sigprocmask(SIG_UNBLOCK, &one, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void rec_session_reap(struct rec_session *s)
{
	int status;

	if (s->over)
		return;
	/* While its threads are traced, waitpid could take a stop from the tracing thread. */
	s->reap_again = pthread_mutex_trylock(&rec_dump_tracing) != 0;
	if (s->reap_again)
		return;
	while (!s->over && waitpid(s->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == s->pid) {
		if (WIFSTOPPED(status)) {
			stop_too(s, WSTOPSIG(status));
		} else if (WIFCONTINUED(status)) {
			s->stopped = false;
		} else {
			pthread_mutex_unlock(&rec_dump_tracing);
			program_over(s, status);
			return;
		}
	}
	pthread_mutex_unlock(&rec_dump_tracing);
}

/* Handles a signal to the recorder when the program is over: the first ends the waiting for other
 * processes, the next a download of names, and the next the writing of files. */
static void signal_at_the_end(struct rec_session *s, int sig)
{
	if (sig != SIGINT && sig != SIGTERM && sig != SIGQUIT && sig != SIGHUP)
		return;
	if (!s->closed) {
		rec_session_close(s, true);
		return;
	}
	/* It may be the signal that ended the program, sent to us as well. */
	if (rec_now() - s->over_ns < (uint64_t)PATIENCE_MS * 1000000)
		return;
	if (rec_debuginfod_cancel())
		return;
	rec_file_abandon();
	rec_end_like(sig);
	_exit(128 + sig);
}

void rec_session_signal(struct rec_session *s, const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;
	union sigval value = {.sival_ptr = (void *)(uintptr_t)si->ssi_ptr};

	if (sig == SIGCHLD) {
		rec_session_reap(s);
		return;
	}
	if (sig == SIGUSR2) {
		rec_session_snapshot(s, 0, -1);
		return;
	}
	if (s->over) {
		signal_at_the_end(s, sig);
		return;
	}
	/* A signal from the terminal goes to the whole group, so the program has it already. One from the
	 * program is meant for its group, which includes the recorder. */
	if (si->ssi_code == SI_KERNEL || (pid_t)si->ssi_pid == s->pid)
		return;
	if (sig == SIGCONT && !s->stopped)
		return;
	if (si->ssi_code == SI_QUEUE)
		sigqueue(s->pid, sig, value);
	else
		kill(s->pid, sig);
}
