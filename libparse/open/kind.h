/* The kinds of profiles that are read: how each is known by its content, and what it is called.
 * The one place that knows; recognition, decoders and messages ask here. */
#ifndef TP_OPEN_KIND_H
#define TP_OPEN_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tp_kind {
	TP_KIND_NONE,
	TP_KIND_PROTO,		 /* profile.proto */
	TP_KIND_HEAP,		 /* heap profile: … @ heap/RATE, heap_v2/, heapprofile */
	TP_KIND_GROWTH,		 /* … @ growthz, … @ fragmentationz */
	TP_KIND_COUNT,		 /* NAME profile: total N */
	TP_KIND_CONTENTION,	 /* --- contentionz N ---, --- contention: */
	TP_KIND_MUTEX,		 /* --- mutex: */
	TP_KIND_THREADS,	 /* --- threadz N ---, --- Thread … */
	TP_KIND_CPU,		 /* words 0, 3, 0, period, 0 */
	TP_KIND_JAVA_HEAP,	 /* --- heapz 1 --- */
	TP_KIND_JAVA_CONTENTION, /* --- contentionz 1 --- with format = java */
	TP_KIND_JAVA_CPU,	 /* words 0, 3, 1, period, 0 */
	TP_KIND_GOROUTINES,	 /* stacks of goroutines, in whatever log they lie (log.h) */
	TP_NKINDS
};

/* By content. Looks at the beginning; for stacks of goroutines, which may come after the log of a
 * program that crashed, at all text there is. */
enum tp_kind tp_kind_of(const void *data, size_t size);

/* Where the first line at or after `from`, which begins a line, is the header of a profile as text,
 * or of a goroutine's stack; `size` where there is none. Other lines may come before it, and profiles are appended to files.
 */
size_t tp_kind_header(const void *data, size_t size, size_t from);

/* For messages: "heap profile (text)", "goroutine profile (text)". `data` is what has this kind. */
void tp_kind_name(enum tp_kind kind, const void *data, size_t size, char *name, size_t room);
/* For the run row: "heap text"; TP_KIND_COUNT has its own word for "count". */
const char *tp_kind_format(enum tp_kind kind);

/* For messages on data that is refused: returns whether it has a profile behind a prefix or in a
 * string, or a goroutine whose stack cannot be found, and writes where, and what to do. */
bool tp_kind_hint(const void *data, size_t size, char *hint, size_t room);

/* The header of a binary CPU profile: how its words are written. */
struct tp_words {
	unsigned bytes; /* 4 or 8 */
	int big_endian;
};

/* TP_KIND_CPU, TP_KIND_JAVA_CPU or TP_KIND_NONE; *words and *period_us where it is one. */
enum tp_kind tp_kind_of_words(const uint8_t *data, size_t size, struct tp_words *words,
			      uint64_t *period_us);
/* A word at data, which has words->bytes bytes. */
uint64_t tp_word(const uint8_t *data, const struct tp_words *words);

/* The word before " profile: total N", if it can be printed as it is; else "count". */
int tp_kind_count_name(const void *data, size_t size, const char **name);

#endif
