/* Loading of code. dlopen and dlclose look at their caller, so the hooks can only jump to them. Changes are
 * found at the next record instead, in a limited number of tries. */

#include "tprof-record/preload/real.h"

_Atomic unsigned modules_changed;
_Atomic bool modules_unasked;

/* The announced dlopen may still be running: how often we look without finding anything new. */
enum { LOOKS = 64 };

static void look(void)
{
	static _Atomic uint64_t known, next_look;
	uint64_t now = rec_now(), changes, due = atomic_load(&next_look);

	if (now < due || !atomic_compare_exchange_strong(&next_look, &due, now + 1000000))
		return;
	changes = rec_modules_changes();
	if (atomic_exchange(&known, changes) != changes) {
		rec_modules_read();
		rec_code_changed();
	}
	atomic_fetch_sub(&modules_changed, 1);
}

void catch_up(void)
{
	int saved = errno;

	if (!rec_self.g)
		thread_met();
	if (atomic_load(&modules_changed)) {
		rec_self.depth++;
		look();
		rec_self.depth--;
	}
	errno = saved;
}

static inline void announce(void)
{
	atomic_store(&modules_unasked, false);
	atomic_store(&modules_changed, LOOKS);
}

HOOK void *dlopen(const char *file, int mode)
{
	announce();
	return REAL(dlopen)(file, mode);
}

HOOK void *dlmopen(Lmid_t space, const char *file, int mode)
{
	announce();
	return REAL(dlmopen)(space, file, mode);
}

HOOK int dlclose(void *handle)
{
	announce();
	return REAL(dlclose)(handle);
}
