#include "tprof-record/parent/cut.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size;
static _Atomic uint64_t pages;

/* Maps a page of zeros over a missing one. A SIGBUS of any other kind still ends the recorder. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == BUS_ADRERR) {
		uintptr_t at = (uintptr_t)info->si_addr & ~(uintptr_t)(page_size - 1);
		void *zeros = mmap((void *)at, page_size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

		if (zeros != MAP_FAILED) {
			atomic_fetch_add(&pages, 1);
			return;
		}
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

void rec_cut_begin(void)
{
	struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_RESTART};

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

uint64_t rec_cut_pages(void)
{
	return atomic_load(&pages);
}
