/* Code that was loaded. dlopen and dlclose look at who called them, so they can only be jumped to:
 * what they changed is found when something is recorded next, at most so often. */

#include "tprof-record/preload/real.h"

_Atomic unsigned modules_changed;
_Atomic bool modules_unasked;

/* The dlopen that is announced may still be at work: so many times we look and find nothing new. */
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
