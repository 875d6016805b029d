/* What a program did in one stretch of a run, the incident, beside what it usually does: rows by
 * windows of time.
 *
 * A row is something that goroutines or the program spent time on; enum rep_incident_kind lists the
 * kinds. The windows are other stretches of the run, as long as the incident. Each cell is the time
 * that the row took in the window, of all goroutines together.
 *
 * The windows lie one after the other before and behind the incident, and are read span by span. In a
 * range with too many events for that, they are whole segments of the store, or several in a row,
 * whose sums the store keeps; their times are scaled to the length of the incident. If segments are
 * much longer than the incident, or the filter names one goroutine, of which the store has no such
 * sums, the windows are those inside of a few segments, evenly spread over the range, with at most
 * `most` events. At most REP_INCIDENT_WINDOWS are looked at, evenly spread, and
 * REP_INCIDENT_ROWS rows; so a table has at most 32 MiB.
 *
 *	rep_incident_find(&x, v, &options, err);
 *	rep_incident_read(&x, v, err);
 *	… x.row, rep_incident_judge(&x, i, &verdict) …
 *	rep_incident_release(&x); */
#ifndef REP_INCIDENT_H
#define REP_INCIDENT_H

#include "keys.h"
#include "spans/view.h"

enum {
	REP_INCIDENT_WINDOWS = 256,
	REP_INCIDENT_ROWS = 16384,
	/* Other windows that a row needs to be called unusual. */
	REP_INCIDENT_LEAST = 8,
};

/* As typed, or NULL. At most one of `around` and `task`, and of `last` and `task`, is given. If none is,
 * the incident is the time range of the view, compared with the whole run; a view without one: its end. */
struct rep_incident_options {
	const char *last;   /* its length: a time, or a share of the range such as "5%" */
	const char *around; /* a moment in the middle of it; NULL: it is the end of the range */
	const char *task;   /* the id of a task: its time */
};

enum rep_incident_kind {
	REP_INCIDENT_RUNNING,  /* entry function: time on a P */
	REP_INCIDENT_RUNNABLE, /* entry function: waiting for a P */
	REP_INCIDENT_BLOCK,    /* reason and function: blocked, but not for a lock */
	REP_INCIDENT_LOCK,     /* reason and function: blocked for a lock */
	REP_INCIDENT_SYSCALL,  /* function: in a system call */
	REP_INCIDENT_GC,       /* name of a range: work of the collector, stops of the world */
	REP_INCIDENT_TASK,     /* type of tasks: their latency */
	REP_NINCIDENT_KINDS
};
/* "running", "runnable", "block" … */
extern const char *const rep_incident_kinds[REP_NINCIDENT_KINDS];

struct rep_incident_row {
	enum rep_incident_kind kind;
	uint32_t name;	 /* string: entry function, reason, name of the range, type of tasks */
	uint32_t stack;	 /* where most of its time in the incident was spent at once; 0: none */
	int64_t count;	 /* spans, ranges and tasks that overlap the incident */
	int64_t max_ns;	 /* the whole length of the longest of them */
	int64_t max_at;	 /* when that began, perhaps before the incident */
	int64_t most_ns; /* the most time of one in the incident */
};

struct rep_incident {
	int64_t from, to;   /* the incident */
	int64_t begin, end; /* what it is compared with: the range of the view, or the run */
	bool selected;	    /* it is the range of the view */
	struct rep_incident_window {
		int64_t from, to;
	} * window; /* the others: n, by time; they do not overlap */
	size_t n;
	size_t all;    /* so many there would be, of which n were taken */
	size_t apart;  /* of these n, those that are not next to the incident */
	bool segments; /* they are segments of the store */
	bool damaged;  /* a part of the run's trace is lost */
	/* Time of goroutines in the incident; of it, that of which a damaged trace says nothing, and
	 * that of which it has lost all names. */
	int64_t total_ns, lost_ns, nameless_ns;
	int64_t most; /* events read one by one; set by rep_incident_find, lowered by tests */

	struct rep_incident_row *row;
	size_t nrows;
	size_t left_out; /* spans of further rows, beyond REP_INCIDENT_ROWS */

	/* private */
	struct rep_keys keys;
	size_t row_room, cell_room;
	int64_t *cell;	  /* by row: n + 1, the last of which is the incident */
	int64_t *scratch; /* n */
};

/* Checks options as far as that is possible without a run. Returns 0 or TP_EFORMAT with a sentence. */
int rep_incident_check(const struct rep_incident_options *opt, struct tp_err *err);
/* Finds the incident. Errors: TP_EFORMAT for times that do not fit the run; TP_ENOENT if there is no
 * such task, or no other window as long as a given incident; TP_ENOMEM, TP_ESTORE. */
int rep_incident_find(struct rep_incident *x, struct rep_view *v,
		      const struct rep_incident_options *opt, struct tp_err *err);
/* Chooses the windows and reads all rows. Errors: TP_ENOMEM, TP_ESTORE, TP_ELIMIT. */
int rep_incident_read(struct rep_incident *x, struct rep_view *v, struct tp_err *err);
void rep_incident_release(struct rep_incident *x);

/* Narrows the range of a view to the incident, and restores it. */
struct rep_incident_range {
	int64_t from, to;
	bool whole;
};
struct rep_incident_range rep_incident_enter(const struct rep_incident *x, struct rep_view *v);
void rep_incident_leave(struct rep_view *v, const struct rep_incident_range *before);

/* How the incident's time of a row compares with the other windows.
 *
 * What is unusual may have begun before the incident and last beyond it. So windows next to it, one
 * after the other, are left out of the comparison while their time is nearer to that of the incident
 * than to the median, but never more than half of all; and one more on each side, in whose middle it
 * may have begun or ended.
 *
 * The score of more time is the excess over the median, divided by the largest of: three times what
 * the highest other window has more than the median, a twentieth of the incident's length, and a
 * quarter of the median. If all windows were alike, and times distributed exponentially, chance would
 * call one row in 70 unusual with ten windows, one in 440 with twenty, one in 5,900 with fifty.
 *
 * The score of less time is the smaller of two: how many times the row's time, or a hundredth of the
 * median if that is more, is contained in the smaller of median * (lowest / median)^3 and half of the
 * median; and what is missing of the median, divided by a hundredth of the incident's length. The cube
 * is for ratios what three times is for differences: chance calls about as few rows unusual.
 *
 * A row is unusual if its score is at least 1 and there are REP_INCIDENT_LEAST windows to compare
 * with. */
struct rep_incident_verdict {
	int64_t then_ns, median_ns, lowest_ns, highest_ns;
	size_t others; /* windows compared with */
	size_t
	    as_far; /* of these, with at least as much time, or at most as much if it took less */
	/* When it began: the start of the first window left out, or of the incident; or of the row's
	 * longest, if it took more and that began before it by less than the incident's length. */
	int64_t since_ns;
	double score;
	bool less; /* than the median */
	bool unusual;
};
/* The same of n cells; those before `at` lie before the incident, whose time is `then_ns`. *first is
 * the first window left out, or `at`. `scratch` has room for n. */
void rep_incident_judge_cells(const int64_t *cell, size_t n, size_t at, int64_t then_ns,
			      int64_t length_ns, int64_t *scratch,
			      struct rep_incident_verdict *verdict, size_t *first);
void rep_incident_judge(const struct rep_incident *x, size_t row,
			struct rep_incident_verdict *verdict);

#endif
