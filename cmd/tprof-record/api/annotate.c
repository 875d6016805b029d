/* Annotations: tasks, regions, logs, labels, names. */
#include <errno.h>
#include <string.h>

#include "tprof-record/api/lib.h"

enum { MAX_LABELS = 16, MAX_MESSAGE = 1024, TEXT_BYTES = 16 };

static _Atomic uint64_t last_task;

/* Writes a record with the caller's stack if tracing is on. */
static inline __attribute__((always_inline)) void note(struct rec_event e, const char *type)
{
	const struct rec_host *h = api_enter();

	if (!h || !api_tracing(h))
		return;
	e.stack = h->stack(1);
	e.arg = api_string(h, type);
	e.end = h->now();
	/* In TASK_NEW, `start` holds the parent. */
	if (e.kind != REC_TASK_NEW)
		e.start = e.end;
	h->write(&e);
}

uint64_t tprof_task_begin(uint64_t parent, const char *type)
{
	uint64_t task = atomic_fetch_add(&last_task, 1) + 1;

	note((struct rec_event){.kind = REC_TASK_NEW, .object = task, .start = parent}, type);
	return task;
}

void tprof_task_end(uint64_t task)
{
	if (task)
		note((struct rec_event){.kind = REC_TASK_END, .object = task}, NULL);
}

void tprof_region_begin(uint64_t task, const char *type)
{
	note((struct rec_event){.kind = REC_REGION_BEGIN, .object = task}, type);
}

void tprof_region_end(uint64_t task, const char *type)
{
	note((struct rec_event){.kind = REC_REGION_END, .object = task}, type);
}

void tprof_log(uint64_t task, const char *category, const char *message)
{
	const struct rec_host *h = api_enter();

	if (h && api_tracing(h)) {
		struct rec_event e = {.kind = REC_LOG, .object = task};
		size_t n = message ? strnlen(message, MAX_MESSAGE) : 0;

		e.stack = h->stack(1);
		e.arg = api_string(h, category);
		/* Each record needs its own time, because a thread's records are sorted by time. */
		for (size_t at = 0; at < n; at += TEXT_BYTES) {
			struct rec_event text = {.kind = REC_TEXT, .end = h->now()};
			char bytes[TEXT_BYTES] = {0};

			text.arg = (uint32_t)(n - at < TEXT_BYTES ? n - at : TEXT_BYTES);
			memcpy(bytes, message + at, text.arg);
			memcpy(&text.object, bytes, 8);
			memcpy(&text.start, bytes + 8, 8);
			h->write(&text);
		}
		e.start = e.end = h->now();
		h->write(&e);
	}
}

/* Sorts pairs by key, keeping the last of equal keys. Returns how many are left. */
static size_t sort_pairs(const char *(*pairs)[2], size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const char *key = pairs[i][0], *value = pairs[i][1];
		size_t at = kept;

		while (at && strcmp(pairs[at - 1][0], key) > 0)
			at--;
		if (at && !strcmp(pairs[at - 1][0], key)) {
			pairs[at - 1][1] = value;
			continue;
		}
		memmove(pairs + at + 1, pairs + at, (kept - at) * sizeof(*pairs));
		pairs[at][0] = key;
		pairs[at][1] = value;
		kept++;
	}
	return kept;
}

int tprof_set_labels(const char *const (*pairs)[2], size_t npairs)
{
	const char *sorted[MAX_LABELS][2];
	uint32_t strings[MAX_LABELS * 2], set = 0;
	struct rec_event e = {.kind = REC_LABELS};
	const struct rec_host *h;
	struct rec_g *slot;
	int code;

	if (npairs > MAX_LABELS)
		return EINVAL;
	for (size_t i = 0; i < npairs; i++) {
		if (!pairs[i][0] || !pairs[i][1])
			return EINVAL;
		sorted[i][0] = pairs[i][0];
		sorted[i][1] = pairs[i][1];
	}
	code = api_begin(&h);
	if (code)
		return code;
	npairs = sort_pairs(sorted, npairs);
	for (size_t i = 0; i < npairs * 2; i++) {
		strings[i] = api_string(h, sorted[i / 2][i % 2]);
		if (!strings[i] && sorted[i / 2][i % 2][0])
			return ENOMEM;
	}
	set = npairs ? h->label_set(strings, npairs) : 0;
	if (npairs && !set)
		return ENOMEM;
	slot = h->self()->slot;
	if (slot)
		atomic_store_explicit(&slot->labels, set, memory_order_relaxed);
	if (api_tracing(h)) {
		e.arg = set;
		e.start = e.end = h->now();
		h->write(&e);
	}
	return 0;
}

void tprof_set_name(const char *name)
{
	const struct rec_host *h;

	if (name && !api_begin(&h))
		h->thread_name(name);
}
