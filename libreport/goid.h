/* How goroutines are called: 17, or 17/2 where several goroutines of the run had the id 17 one
 * after the other and this was the second (goroutine.goid and .life in store/tables.h).
 *
 * Reports keep goroutine.id, which is unique in a run, and ask here how to show it and which ones a
 * user means. For almost every run the table is empty, and an id is a number. */
#ifndef REP_GOID_H
#define REP_GOID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "output.h"
#include "store/store.h"

#define REP_GOID_SIZE 44 /* of a text, its 0 included */
#define REP_NO_GOID   INT64_MIN

/* As typed: "17", or "17/2". */
struct rep_goid {
	int64_t goid;
	int64_t life; /* 0: all of them */
};
#define REP_GOID_NONE ((struct rep_goid){-1, 0})
static inline bool rep_goid_is(const struct rep_goid *g)
{
	return g->goid >= 0;
}
/* Returns text. */
char *rep_goid_text(const struct rep_goid *g, char text[REP_GOID_SIZE]);
/* Is it that? 1, 0, or TP_EFORMAT for a number that is none. */
int rep_goid_parse(const char *text, struct rep_goid *g);

struct rep_goid_life {
	int64_t id, goid, life;
	char text[REP_GOID_SIZE];
};

/* Zero-initialised is valid, and that of a run without. */
struct rep_goids {
	struct rep_goid_life *of; /* those whose goid has several lives, by id */
	size_t n;
};

/* To be released, also when it fails. */
int rep_goids_load(struct rep_goids *g, struct tp_store *s, int64_t run, struct tp_err *err);
void rep_goids_release(struct rep_goids *g);

/* Has the run a row with several lives of a goroutine in it, as stores up to version 3 do? 1 and
 * the id of the first, 0, or an error code. */
int rep_goids_mixed(struct tp_store *s, int64_t run, int64_t *goid, struct tp_err *err);
/* What to say of it, and what to do. Returns text. */
#define REP_GOIDS_MIXED_SIZE 200
char *rep_goids_mixed_text(int64_t goid, char text[REP_GOIDS_MIXED_SIZE]);

/* NULL where the goroutine of that id is the only one. */
const struct rep_goid_life *rep_goids_find(const struct rep_goids *g, int64_t id);
static inline bool rep_goids_match(const struct rep_goids *g, const struct rep_goid *want,
				   int64_t id)
{
	const struct rep_goid_life *life = g->n ? rep_goids_find(g, id) : NULL;

	if (life)
		return life->goid == want->goid && (!want->life || life->life == want->life);
	return id == want->goid && want->life <= 1;
}
/* What it is called, its life being 0 where it is the only one; for REP_NO_GOID, REP_GOID_NONE. */
struct rep_goid rep_goids_name(const struct rep_goids *g, int64_t id);

/* For a cell: NULL for REP_NO_GOID. A text lives as long as g. */
static inline struct rep_value rep_goids_value(const struct rep_goids *g, int64_t id)
{
	const struct rep_goid_life *life = g->n ? rep_goids_find(g, id) : NULL;

	return life ? rep_str(life->text) : rep_opt(id);
}
/* By the index of a goroutine: its life where its id has several, else 0. *life is the caller's, to
 * be freed; NULL where no id has several. `id`: goroutine.id of the n goroutines. 0 or TP_ENOMEM.
 */
int rep_goids_lives(const struct rep_goids *g, const int64_t *id, size_t n, int64_t **life);
/* For a sentence: `text`, or what lives as long as g. */
const char *rep_goids_text(const struct rep_goids *g, int64_t id, char text[REP_GOID_SIZE]);

#endif
