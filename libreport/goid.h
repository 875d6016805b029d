/* Names of goroutines: 17, or 17/2 for the second of several goroutines of a run that had the id 17
 * one after the other (goroutine.goid and .life in store/tables.h).
 *
 * Reports keep goroutine.id, which is unique in a run. These functions return the name to show for
 * it, and find the goroutines that a user means. For almost every run the table is empty, and the
 * name is the id. */
#ifndef REP_GOID_H
#define REP_GOID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "output/output.h"
#include "store/store.h"

#define REP_GOID_SIZE 44 /* bytes of a name with its NUL */
#define REP_NO_GOID   INT64_MIN

/* A goroutine as users name it: "17" or "17/2". */
struct rep_goid {
	int64_t goid;
	int64_t life; /* 0: all lives */
};
#define REP_GOID_NONE ((struct rep_goid){-1, 0})
static inline bool rep_goid_is(const struct rep_goid *g)
{
	return g->goid >= 0;
}
/* Writes the name of a goroutine to `text` and returns it. */
char *rep_goid_text(const struct rep_goid *g, char text[REP_GOID_SIZE]);
/* Parses a name. Returns 1, 0 if the text is not a name, or TP_EFORMAT if a number is too large or
 * the life is 0. */
int rep_goid_parse(const char *text, struct rep_goid *g);

struct rep_goid_life {
	int64_t id, goid, life;
	char text[REP_GOID_SIZE];
};

/* The lives of a run. Zero-initialised it is valid, for a run in which every goid has one life. */
struct rep_goids {
	struct rep_goid_life *of; /* goroutines whose goid has several lives, sorted by id */
	size_t n;
};

/* Loads the lives of a run. g must be released even on failure. */
int rep_goids_load(struct rep_goids *g, struct tp_store *s, int64_t run, struct tp_err *err);
void rep_goids_release(struct rep_goids *g);

/* Checks whether a row of the run combines several lives of a goroutine, as in stores up to version
 * 3. Returns 1 and the id of the first such goroutine, 0 if there is no such row, or an error code.
 */
int rep_goids_mixed(struct tp_store *s, int64_t run, int64_t *goid, struct tp_err *err);
/* Writes a message that reports such a goroutine and says what to do. Returns text. */
#define REP_GOIDS_MIXED_SIZE 200
char *rep_goids_mixed_text(int64_t goid, char text[REP_GOIDS_MIXED_SIZE]);

/* Returns the life with this id; NULL if the goroutine is the only one with its goid. */
const struct rep_goid_life *rep_goids_find(const struct rep_goids *g, int64_t id);
static inline bool rep_goids_match(const struct rep_goids *g, const struct rep_goid *want,
				   int64_t id)
{
	const struct rep_goid_life *life = g->n ? rep_goids_find(g, id) : NULL;

	if (life)
		return life->goid == want->goid && (!want->life || life->life == want->life);
	return id == want->goid && want->life <= 1;
}
/* Returns the name of a goroutine, with life 0 if it is the only one with its goid; REP_GOID_NONE
 * for REP_NO_GOID. */
struct rep_goid rep_goids_name(const struct rep_goids *g, int64_t id);

/* Returns the name for a table cell; NULL for REP_NO_GOID. A text lives as long as g. */
static inline struct rep_value rep_goids_value(const struct rep_goids *g, int64_t id)
{
	const struct rep_goid_life *life = g->n ? rep_goids_find(g, id) : NULL;

	return life ? rep_str(life->text) : rep_opt(id);
}
/* Sets *life to the lives of n goroutines by index, 0 for each that is the only one with its goid,
 * or to NULL if no goid has several lives. `id` holds their goroutine.id. The caller frees *life.
 * Returns 0 or TP_ENOMEM. */
int rep_goids_lives(const struct rep_goids *g, const int64_t *id, size_t n, int64_t **life);
/* Returns the name for use in a sentence: `text`, or a string that lives as long as g. */
const char *rep_goids_text(const struct rep_goids *g, int64_t id, char text[REP_GOID_SIZE]);

#endif
