#include "path/ender.h"

#include <string.h>

static bool is_one_of(const char *text, size_t size, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(list[i]) == size && !memcmp(list[i], text, size))
			return true;
	}
	return false;
}
#define IS_ONE_OF(text, size, list) is_one_of(text, size, list, sizeof(list) / sizeof((list)[0]))

/* Returns whether a function of Go's library ends waits for the network or for timers on behalf of its
 * caller: "internal/poll.(*pollDesc).evict", "net.setDeadlineImpl", "time.(*Timer).Stop". */
static bool ends_waits(struct tp_text name)
{
	/* The package depends on the release: net up to go 1.8, internal/poll since. */
	static const char *const package[] = {"internal/poll.", "net.", "os.", "time.",
					      "runtime.poll_"};
	static const char *const function[] = {
	    "Close",
	    "close",
	    "Evict",
	    "evict",
	    "SetDeadline",
	    "SetReadDeadline",
	    "SetWriteDeadline",
	    "setDeadline",
	    "setReadDeadline",
	    "setWriteDeadline",
	    "setDeadlineImpl",
	    "runtime_pollUnblock",
	    "poll_runtime_pollUnblock",
	    "runtime_pollSetDeadline",
	    "poll_runtime_pollSetDeadline",
	    "Stop",
	    "Reset",
	    "stopTimer",
	    "resetTimer",
	};
	size_t from = name.size;
	bool known = false;

	for (size_t i = 0; i < sizeof(package) / sizeof(package[0]) && !known; i++)
		known = tp_text_begins(name, package[i]);
	while (from && name.text[from - 1] != '.')
		from--;
	return known && IS_ONE_OF(name.text + from, name.size - from, function);
}

/* Returns whether a function of the runtime may be nearer to the leaf than such a function. */
static bool is_wakeup(struct tp_text name)
{
	return tp_text_begins(name, "runtime.netpoll") || tp_text_begins(name, "runtime.goready") ||
	       tp_text_begins(name, "runtime.ready") || tp_text_begins(name, "runtime.systemstack");
}

/* Returns whether such a function is at the leaf. Elsewhere in the stack it proves nothing: a close may call
 * an allocation that starts the collector. */
static bool ended_on_purpose(const struct tp_dict *dict, uint32_t stack)
{
	while (stack) {
		struct tp_stack_node node = tp_dict_stack_at(dict, stack);
		struct tp_text name = tp_dict_text(dict, tp_dict_frame_name(dict, node.frame));

		if (ends_waits(name))
			return true;
		if (!is_wakeup(name))
			return false;
		stack = node.parent < stack ? node.parent : 0;
	}
	return false;
}

/* The reasons are those of Go's runtime (runtime/traceruntime.go, traceBlockReasonStrings). Recorded C, C++
 * and Rust programs use the same strings for the same reasons. */
enum rep_path_kind rep_path_ender(const struct tp_dict *dict, const struct tp_span *wait,
				  uint32_t entry, uint32_t waker_entry)
{
	static const char *const timers[] = {"runtime.timerproc"};
	struct tp_text text = tp_dict_text(dict, wait->reason);
	bool woken = wait->waker != TP_NONE && wait->waker != wait->goroutine;
	bool network = tp_text_begins(text, "network"), sleep = tp_text_begins(text, "sleep");
	struct tp_text name;

	if (wait->open)
		return REP_PATH_UNFINISHED;
	if ((network || sleep) && !(woken && ended_on_purpose(dict, wait->waker_stack)))
		return network ? REP_PATH_NETWORK : REP_PATH_TIMER;
	if (woken) {
		name = tp_dict_text(dict, waker_entry);
		return IS_ONE_OF(name.text, name.size, timers) ? REP_PATH_TIMER : REP_PATH_RUNNING;
	}
	name = tp_dict_text(dict, entry);
	/* The scheduler starts the collector's workers. Their reason for waiting is one that all goroutines
	 * of the runtime have, so the entry function decides. */
	if (tp_text_begins(text, "GC ") || tp_text_begins(text, "wait until GC") ||
	    tp_text_begins(name, "runtime.gc") || tp_text_begins(name, "runtime.bg"))
		return REP_PATH_COLLECTOR;
	return REP_PATH_OUTSIDE;
}
