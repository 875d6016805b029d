/* exit, return from main, _exit, quick_exit: PROCESS_EXIT with the status. The recorder itself sees signals
 * that kill. */
#include <stdlib.h>
#include <unistd.h>

#include "tprof-record/preload/real.h"

bool exit_is_own_process(void)
{
	return rec_alive() && rec_core->arena.header->pid == (uint32_t)getpid();
}

static void leave(int status)
{
	struct rec_event event = {.kind = REC_PROCESS_EXIT, .object = (uint32_t)status & 255};

	if (rec_self.depth || !exit_is_own_process())
		return;
	if (!atomic_exchange(&rec_core->arena.header->ended, 1)) {
		if (!atomic_load(&modules_unasked))
			rec_modules_read(); /* libc loads some without dlopen */
		rec_cpu_end();
		rec_settle();
		event.start = event.end = rec_now();
		rec_threads_usage();
		rec_write(&event);
	}
}

static void on_leaving(int status, void *unused)
{
	(void)unused;
	leave(status);
}

/* Handlers run in reverse order: the first one registered runs last, after the program's own. */
void exit_watch(void)
{
	on_exit(on_leaving, NULL);
}

#define EXIT(name)                                                                                 \
	HOOK _Noreturn void name(int status)                                                       \
	{                                                                                          \
		leave(status);                                                                     \
		REAL(name)(status);                                                                \
		__builtin_unreachable();                                                           \
	}

EXIT(_exit)
EXIT(_Exit)
EXIT(quick_exit)
