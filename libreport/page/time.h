/* What goroutines and Ps did over time, in bins: what the pictures over time are drawn from.
 *
 * Goroutines are counted span by span where a run is small enough to read all of its events; else
 * by the sums that the store has of each segment, which makes bins as long as segments (a fifth of
 * a second, about). Ps are counted by their spans in any case. */
#ifndef REP_PAGE_TIME_H
#define REP_PAGE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/view.h"

#define PAGE_GROUPS 12 /* that are shown one by one */
#define PAGE_BINS   320
#define PAGE_EVENTS 1500000 /* the most that are read */

enum page_class { PAGE_RUNNING, PAGE_SYSCALL, PAGE_RUNNABLE, PAGE_BLOCKED, PAGE_NCLASSES };
extern const char *const page_class_names[PAGE_NCLASSES];
/* PAGE_NCLASSES for a state that is none of these. */
enum page_class page_class_of(unsigned state);

/* Time added up in n bins: bin i is [edge[i], edge[i + 1]). */
struct page_bins {
	size_t n;
	int64_t *edge; /* n + 1, not descending, the first is 0 */
};

struct page_series {
	double *ns;   /* by bin */
	double *full; /* private: changes of how many cover a whole bin */
};

struct page_group {
	uint32_t entry;	   /* string of the run */
	int64_t active_ns; /* in all states but blocked */
	struct page_series series[PAGE_NCLASSES];
};

struct page_time {
	bool exact; /* span by span */
	struct page_bins bins;
	struct page_series all[PAGE_NCLASSES];
	struct page_group group[PAGE_GROUPS]; /* the most active first */
	size_t ngroups, nentries;

	/* Ps, in bins of their own. */
	struct page_bins fine;
	size_t nprocs;		  /* that ran or idled: old traces have others, which are none */
	int64_t *proc_id;	  /* ascending */
	struct page_series *proc; /* running */

	struct page_series mark, stw; /* GC mark phases, stops of the world */
	struct page_series alive;     /* goroutines */
};

/* The view is of the whole run. TP_ENOMEM, TP_ESTORE; to be released in every case. */
int page_time_load(struct page_time *t, struct rep_view *v, struct tp_err *err);
void page_time_release(struct page_time *t);

/* The mean number of those counted, in a bin; NaN where it has no length. */
double page_mean(const struct page_bins *b, const struct page_series *s, size_t bin);

#endif
