/* Stacks of all threads, as C++ servers write them (pprof: parseThread):
 *
 *   --- threadz 1 ---
 *   --- Thread 7f794ab90940 (name: main/14748) stack: ---
 *     PC:  0x00bc8f1c: helper(arg *)     addresses, with or without names, on any number of lines
 *     creator: 0xa45b96 …                what started the thread; goes on the stack, too
 *     [same as previous thread]
 *   ---- no stack trace for …               ends the threads
 *   --- Memory map: ---
 * Names are ignored, as in pprof, because a line may name one of several addresses; they come from
 * the program's symbols. */
#include <string.h>

#include "decode/profile/legacy.h"

/* Returns whether the line contains "--- Thread 7f79 (name: main/14748) stack: ---". */
static bool is_thread(struct tp_scan s)
{
	struct tp_scan name, id;
	const char *at;

	for (; (at = tp_scan_find(s, "--- Thread ")) != NULL; s.at = at + 1) {
		name = (struct tp_scan){at + strlen("--- Thread "), s.end};
		id = tp_scan_run(&name, TP_HEXITS);
		if (!tp_scan_left(&id) || !tp_scan_text(&name, " (name: "))
			continue;
		while ((at = tp_scan_find(name, "/")) != NULL) {
			name.at = at + 1;
			id = tp_scan_run(&name, TP_DIGITS);
			if (tp_scan_left(&id) && tp_scan_begins(name, ") stack: ---"))
				return true;
		}
		return false;
	}
	return false;
}

/* Reads the stack of a thread; the line that ends it remains the current line. */
static int read_thread(struct tp_legacy *l)
{
	int64_t one[TP_LEGACY_VALUES] = {1};
	bool same = false;
	int code = 0;

	while (!code && tp_lines_next(&l->lines)) {
		struct tp_scan line = tp_scan_trim(l->lines.line);

		if (tp_scan_begins(line, "---"))
			break;
		if (tp_scan_find(line, "same as previous thread")) {
			same = true;
			continue;
		}
		code = tp_legacy_push_all(l, line, 1, true);
		if (code > 0)
			code = 0;
	}
	if (code)
		return code;
	if (same || !tp_legacy_depth(l)) {
		size_t n = tp_legacy_nsamples(l);

		if (n)
			tp_legacy_sample_at(l, n - 1)->value[0]++;
		return tp_legacy_drop(l);
	}
	return tp_legacy_end_sample(l, one, 0);
}

int tp_legacy_threads(struct tp_legacy *l)
{
	int code = tp_legacy_period_type(l, "thread", "count");

	if (!code)
		code = tp_legacy_add_type(l, "thread", "count");
	l->p->period = 1;
	while (!code && tp_lines_next(&l->lines) && tp_legacy_is_comment(l->lines.line))
		;
	if (!code && tp_scan_find(l->lines.line, "--- threadz "))
		while (tp_lines_next(&l->lines) && !tp_scan_begins(l->lines.line, "-") &&
		       !tp_legacy_is_maps(l->lines.line))
			;
	while (!code && l->lines.line.at < l->lines.end && !tp_legacy_is_maps(l->lines.line) &&
	       !tp_scan_begins(tp_scan_trim(l->lines.line), "---- no stack trace for")) {
		if (is_thread(l->lines.line)) {
			code = read_thread(l);
			continue;
		}
		code = tp_legacy_lose(l, 1, "is not the header of a thread");
		while (!code && tp_lines_next(&l->lines) &&
		       !tp_scan_begins(tp_scan_trim(l->lines.line), "---"))
			;
	}
	return code ? code : tp_legacy_find_maps(l);
}
