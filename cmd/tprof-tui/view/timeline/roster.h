/* All rows that a timeline may list, with copied names, so that rows can be folded, found and listed
 * without the worker.
 *
 * Groups are sorted by busy time; their goroutines follow, by id. A goroutine that is alone in
 * its group is listed without the group. */
#ifndef TUI_TIMELINE_ROSTER_H
#define TUI_TIMELINE_ROSTER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "lanes/lanes.h"
#include "tprof-tui/view/timeline/window.h"

enum tl_kind { TL_GOROUTINES, TL_PROCS, TL_THREADS, TL_TASKS, TL_NKINDS };
/* "goroutines", "Ps", "Ms", "tasks" */
extern const char *const tl_kinds[TL_NKINDS];

struct tl_roster {
	struct rep_lane *group;
	size_t ngroups;
	/* Goroutines by group: group i has member[first[i]] … member[first[i + 1] - 1];
	 * group_of[] has the group of each member. */
	struct rep_lane *member;
	size_t nmembers;
	uint32_t *first, *group_of;
	uint32_t *of; /* by index of a goroutine: its place in member[] + 1, or 0 */
	size_t nof;
	struct rep_lane *other[TL_NKINDS]; /* rows of the other kinds */
	size_t nother[TL_NKINDS];
	struct tp_arena names;
};

/* Fill in the roster with rows of rep_lanes_rows: the goroutines with all groups unfolded, and the rows of
 * another kind. Call each once per kind. Names are copied. Return 0 or TP_ENOMEM. The caller releases
 * the roster in every case. */
int tl_roster_goroutines(struct tl_roster *r, const struct rep_lane *row, size_t n,
			 struct tp_err *err);
int tl_roster_others(struct tl_roster *r, enum tl_kind kind, const struct rep_lane *row, size_t n,
		     struct tp_err *err);
void tl_roster_release(struct tl_roster *r);

/* Return the goroutine with this index or id; NULL if it is not in the roster. An id without a life
 * means the last life. */
const struct rep_lane *tl_roster_goroutine(const struct tl_roster *r, uint32_t index);
const struct rep_lane *tl_roster_by_goid(const struct tl_roster *r, const struct rep_goid *goid);
/* Returns the group of a goroutine by its index; ngroups if there is none. */
size_t tl_roster_group_of(const struct tl_roster *r, uint32_t index);

/* The rows that are listed, from top to bottom. */
struct tl_list {
	enum tl_kind kind;
	bool *unfolded; /* by group */
	bool all;	/* list rows that do not exist in the window, too */
	const struct rep_lane **row;
	size_t n, room;
};
/* Return false and leave the list unchanged if memory is out. */
bool tl_list_init(struct tl_list *l, const struct tl_roster *r);
bool tl_list_fill(struct tl_list *l, const struct tl_roster *r, const struct tl_window *w);
void tl_list_release(struct tl_list *l);
/* Returns the place of a row in the list; if it is not listed, that of its group; else l->n. */
size_t tl_list_find(const struct tl_list *l, const struct tl_roster *r, enum rep_lane_kind kind,
		    uint32_t index);
/* Folds or unfolds a group, given its row or that of a member. Returns false if the row has no group. */
bool tl_list_fold(struct tl_list *l, const struct tl_roster *r, const struct rep_lane *row);

#endif
