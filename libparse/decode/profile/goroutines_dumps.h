/* The dumps of a file, one after the other: where each begins. Private to the decoder of goroutine
 * stacks.
 *
 * Within one dump a goroutine is there once, but for those whose threads print again after a line
 * "-----" (GOTRACEBACK=crash). So where one comes again, there was a beginning before it: at the
 * last stack before which there were words of a crash, or else any other lines with a running
 * goroutine, which is what dumps begin with, or else any other lines, or else a
 * running goroutine; without any of these it is one dump that has a number twice. Single stacks of
 * running goroutines, as servers log them after a panic (debug.Stack), begin no dump.
 *
 * As a beginning is known only later, a file of several is read twice: the first time looks for
 * beginnings, the second knows them. */
#ifndef TP_DECODE_PROFILE_GOROUTINES_DUMPS_H
#define TP_DECODE_PROFILE_GOROUTINES_DUMPS_H

#include "base/buf.h"
#include "base/table.h"
#include "decode/profile.h"
#include "open/lines.h"

/* By how sure it is that a dump begins. */
enum { TP_DUMP_RUNNING_ALONE, TP_DUMP_OTHERS, TP_DUMP_RUNNING, TP_DUMP_WORDS, TP_DUMP_NRANKS };

struct tp_goroutine_dumps {
	size_t n; /* dumps, once the file was read */
	/* Those before the last, which the caller may take: nkept of them, `most` at most; where
	 * there are more, the first and the latest. */
	struct tp_profile **kept;
	size_t most, nkept;

	/* Private. */
	bool second;		       /* time that it is read */
	size_t nth;		       /* goroutine to come */
	size_t start;		       /* the first of this dump */
	struct tp_buf from;	       /* size_t: the first goroutine of each dump but the first */
	size_t next;		       /* of them */
	size_t begins[TP_DUMP_NRANKS]; /* goroutine + 1 that may begin one, 0 none */
	size_t doubt;		       /* goroutine + 1 that does, if others follow at once */
	bool apart;		       /* other lines came since the last stack */
	bool threads;		       /* print their goroutines again */
	bool dashes;		       /* were the last line */
	struct tp_goroutine_seen {
		int64_t id;
		size_t nth; /* + 1; 0: not there yet */
	} * seen;
	size_t nseen, seen_room;
	struct tp_table by_id; /* of seen */
	uint64_t seed;
};

/* A goroutine's turn. */
struct tp_goroutine_turn {
	int64_t id;
	bool running, words; /* there were some of a crash */
	bool missing;	     /* its stack was not available before */
	bool next;	     /* out: a dump begins with it */
	bool again;	     /* out: it was there in this dump */
};

/* 0 or TP_ENOMEM. */
int tp_goroutine_dumps_turn(struct tp_goroutine_dumps *d, struct tp_goroutine_turn *turn);
/* A line of something else. */
void tp_goroutine_dumps_other(struct tp_goroutine_dumps *d, struct tp_scan line);
/* Takes a dump over: 0 or TP_ENOMEM. */
int tp_goroutine_dumps_keep(struct tp_goroutine_dumps *d, struct tp_profile *p);
/* The file was read: has it to be read again, as it holds several? */
bool tp_goroutine_dumps_end(struct tp_goroutine_dumps *d);
void tp_goroutine_dumps_release(struct tp_goroutine_dumps *d);

#endif
