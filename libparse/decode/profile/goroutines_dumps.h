/* Finds where each dump of a file begins. Private to the decoder of goroutine stacks.
 *
 * A dump contains a goroutine once, except for those whose threads print again after a line "-----"
 * (GOTRACEBACK=crash). So when a goroutine appears again, another dump has begun in between. It
 * began at the last stack of the first of these kinds that occurs there:
 *   - a stack after messages of a crash;
 *   - that of a running goroutine, with which dumps begin, after any other lines;
 *   - a stack after any other lines;
 *   - that of a running goroutine.
 * If there is no such stack, it is a single dump that contains an id twice. Single stacks of
 * running goroutines, which servers log after a panic (debug.Stack), do not begin a dump.
 *
 * Dumps that lie newest first, by the times before them, are put in order.
 *
 * As a beginning is recognised only later, a file with several dumps is read twice: the first pass
 * finds the beginnings, the second uses them. */
#ifndef TP_DECODE_PROFILE_GOROUTINES_DUMPS_H
#define TP_DECODE_PROFILE_GOROUTINES_DUMPS_H

#include "base/buf.h"
#include "base/idmap.h"
#include "decode/profile.h"
#include "open/lines.h"

/* Evidence that a dump begins, weakest first. */
enum { TP_DUMP_RUNNING_ALONE, TP_DUMP_OTHERS, TP_DUMP_RUNNING, TP_DUMP_WORDS, TP_DUMP_NRANKS };

#define TP_DUMP_TIME sizeof("20261128100501") /* of a time, without its fraction and zone */

struct tp_goroutine_dumps {
	size_t n; /* dumps; valid once the file has been read */
	/* The dumps before the last, which the caller may take: nkept of them, at most `most`. If
	 * there are more, the first and the latest are kept. */
	struct tp_profile **kept;
	size_t most, nkept;

	/* Private. */
	bool second;		       /* this is the second pass */
	size_t nth;		       /* index of the next goroutine */
	size_t start;		       /* index of the first goroutine of this dump */
	struct tp_buf from;	       /* size_t: first goroutine of each dump except the first */
	size_t next;		       /* index of the next one in `from` */
	size_t begins[TP_DUMP_NRANKS]; /* 1 + the last goroutine that may begin one; 0: unset */
	size_t doubt;		       /* 1 + a goroutine that begins one if a stack follows at
				        * once; 0: unset */
	char latest[TP_DUMP_TIME];     /* the last time seen between stacks; "" none */
	char began[TP_DUMP_TIME];      /* the time of this dump */
	size_t older;		       /* dumps older than the one before them in the file */
	bool apart;		       /* there were other lines since the last stack */
	bool threads;		       /* threads print their goroutines again */
	bool dashes;		       /* the last line was "-----" */
	struct tp_goroutine_seen {
		int64_t id;
		size_t nth; /* its index + 1; 0: not there yet */
	} * seen;
	size_t nseen, seen_room;
	struct tp_ids by_id; /* of seen */
};

/* A goroutine in the file. */
struct tp_goroutine_turn {
	int64_t id;
	bool running, words; /* `words`: messages of a crash came before it */
	bool missing;	     /* it appeared before, without its stack */
	bool next;	     /* out: a dump begins with it */
	bool again;	     /* out: this dump already contains it */
};

/* Takes note of the next goroutine of the file. Returns 0 or TP_ENOMEM. */
int tp_goroutine_dumps_turn(struct tp_goroutine_dumps *d, struct tp_goroutine_turn *turn);
/* Takes note of a line that does not belong to a stack. */
void tp_goroutine_dumps_other(struct tp_goroutine_dumps *d, struct tp_scan line);
/* Takes note of the file's line that a dump begins with, for its time. */
void tp_goroutine_dumps_began(struct tp_goroutine_dumps *d, struct tp_scan line);
/* Takes ownership of a dump, unless it fails. Returns 0 or TP_ENOMEM. */
int tp_goroutine_dumps_keep(struct tp_goroutine_dumps *d, struct tp_profile *p);
/* If the dumps lie newest first, by their times, puts those kept and `last` in order: the newest
 * into `last`. Returns whether they did. */
bool tp_goroutine_dumps_turn_round(struct tp_goroutine_dumps *d, struct tp_profile *last);
/* Gives the dumps before the last to the caller. */
void tp_goroutine_dumps_give(struct tp_goroutine_dumps *d, struct tp_profile_dumps *out);
/* Ends a pass over the file. Returns true if the file has several dumps and must be read again. */
bool tp_goroutine_dumps_end(struct tp_goroutine_dumps *d);
void tp_goroutine_dumps_release(struct tp_goroutine_dumps *d);

#endif
