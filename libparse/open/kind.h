/* The kinds of profiles: recognises each by its content, and gives its name. */
#ifndef TP_OPEN_KIND_H
#define TP_OPEN_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tp_kind {
	TP_KIND_NONE,
	TP_KIND_PROTO,		 /* profile.proto */
	TP_KIND_HEAP,		 /* heap profile: … @ heap/RATE, heap_v2/, heapprofile */
	TP_KIND_JEMALLOC,	 /* heap profile of jemalloc: heap_v2/RATE, alone in its line */
	TP_KIND_GROWTH,		 /* … @ growthz, … @ fragmentationz */
	TP_KIND_COUNT,		 /* NAME profile: total N */
	TP_KIND_CONTENTION,	 /* --- contentionz N ---, --- contention: */
	TP_KIND_MUTEX,		 /* --- mutex: */
	TP_KIND_THREADS,	 /* --- threadz N ---, --- Thread … */
	TP_KIND_CPU,		 /* words 0, 3, 0, period, 0 */
	TP_KIND_JAVA_HEAP,	 /* --- heapz 1 --- */
	TP_KIND_JAVA_CONTENTION, /* --- contentionz 1 --- with format = java */
	TP_KIND_JAVA_CPU,	 /* words 0, 3, 1, period, 0 */
	TP_KIND_ALLOCS,		 /* tracealloc(0x…, 0x…) and stacks */
	TP_KIND_PERF,		 /* what perf script prints (perf.h) */
	TP_KIND_FOLDED,		 /* FRAME;FRAME COUNT (folded.h) */
	TP_KIND_SPEEDSCOPE,	 /* speedscope's JSON (speedscope.h) */
	TP_KIND_OTLP,		 /* profiles of OpenTelemetry (otlp.h) */
	TP_KIND_GOROUTINES,	 /* stacks of goroutines, in any log (log.h) */
	TP_NKINDS
};

/* Returns the kind of a profile by its content. Looks at the beginning; for stacks of goroutines, which
 * may come after the log of a program that crashed, at the whole text. */
enum tp_kind tp_kind_of(const void *data, size_t size);

/* Returns where the profile begins in a symbolized one, which has names before it
 * (legacy_symbols.c), or 0 if the data is something else. */
size_t tp_kind_body(const void *data, size_t size);

/* Returns the offset of the first line at or after `from` that is the header of a text profile or
 * of a goroutine's stack; `size` if no line is. `from` must be the beginning of a line. */
size_t tp_kind_header(const void *data, size_t size, size_t from);

/* Writes the kind's name for messages: "heap profile (text)", "goroutine profile (text)". `data` must
 * be of that kind. */
void tp_kind_name(enum tp_kind kind, const void *data, size_t size, char *name, size_t room);
/* Returns the kind's name for the column run.format: "heap text". For TP_KIND_COUNT, "count" is to be
 * replaced by tp_kind_count_name. */
const char *tp_kind_format(enum tp_kind kind);

/* For messages about data that is refused. Returns whether it has a profile after a prefix or in a
 * string, or a goroutine without a stack; if so, writes where it is and how to read it. */
bool tp_kind_hint(const void *data, size_t size, char *hint, size_t room);

/* How the words of a binary CPU profile are written. */
struct tp_words {
	unsigned bytes; /* 4 or 8 */
	int big_endian;
};

/* Returns TP_KIND_CPU or TP_KIND_JAVA_CPU and sets *words and *period_us; TP_KIND_NONE if it is neither. */
enum tp_kind tp_kind_of_words(const uint8_t *data, size_t size, struct tp_words *words,
			      uint64_t *period_us);
/* Returns the word at `data`, which has words->bytes bytes. */
uint64_t tp_word(const uint8_t *data, const struct tp_words *words);

/* Sets *name to the word before " profile: total N" if it is printable, else to "count". Returns its
 * length. */
int tp_kind_count_name(const void *data, size_t size, const char **name);

#endif
