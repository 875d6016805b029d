#include "goid.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

static int number(const char *text, size_t size, int64_t *n)
{
	char digits[24];

	if (!size || strspn(text, "0123456789") < size)
		return 0;
	if (size >= sizeof(digits))
		return TP_EFORMAT;
	memcpy(digits, text, size);
	digits[size] = '\0';
	errno = 0;
	*n = strtoll(digits, NULL, 10);
	return errno ? TP_EFORMAT : 1;
}

int rep_goid_parse(const char *text, struct rep_goid *g)
{
	size_t size = strcspn(text, "/");
	int code = number(text, size, &g->goid);

	g->life = 0;
	if (code == 1 && text[size])
		code = number(text + size + 1, strlen(text + size + 1), &g->life);
	return code == 1 && text[size] && !g->life ? TP_EFORMAT : code;
}

char *rep_goid_text(const struct rep_goid *g, char text[REP_GOID_SIZE])
{
	int n = snprintf(text, REP_GOID_SIZE, "%" PRId64, g->goid);

	if (g->life)
		snprintf(text + n, REP_GOID_SIZE - (size_t)n, "/%" PRId64, g->life);
	return text;
}

static int by_id(const void *a, const void *b)
{
	const struct rep_goid_life *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Collects the candidates: lives with a number higher than 1, and goroutines with an id other than
 * their goid, as all lives but the last have. */
static int collect(struct rep_goids *g, const struct tp_rows *rows)
{
	const int64_t *id = rows->col[TP_COL(GOROUTINE, id)];
	const int64_t *goid = rows->col[TP_COL(GOROUTINE, goid)];
	const int64_t *life = rows->col[TP_COL(GOROUTINE, life)];
	size_t n = 0;

	for (size_t i = 0; i < rows->nrows; i++)
		n += life[i] != 1 || id[i] != goid[i];
	g->of = tp_many(n + 1, sizeof(*g->of));
	if (!g->of)
		return TP_ENOMEM;
	for (size_t i = 0; i < rows->nrows; i++) {
		struct rep_goid_life *l = &g->of[g->n];

		if (life[i] == 1 && id[i] == goid[i])
			continue;
		*l = (struct rep_goid_life){.id = id[i], .goid = goid[i], .life = life[i]};
		rep_goid_text(&(struct rep_goid){goid[i], life[i]}, l->text);
		g->n++;
	}
	qsort(g->of, g->n, sizeof(*g->of), by_id);
	return 0;
}

int rep_goids_load(struct rep_goids *g, struct tp_store *s, int64_t run, struct tp_err *err)
{
	struct tp_rows rows;
	bool any = false;
	int code =
	    tp_rows_load(s, run, TP_TABLE_GOROUTINE, 1u << TP_COL(GOROUTINE, life), &rows, err);

	*g = (struct rep_goids){0};
	for (size_t i = 0; !code && !any && i < rows.nrows; i++)
		any = rows.col[TP_COL(GOROUTINE, life)][i] != 1;
	if (code || !any) {
		tp_rows_release(&rows);
		return code;
	}
	tp_rows_release(&rows);
	code = tp_rows_load(s, run, TP_TABLE_GOROUTINE,
			    1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, goid) |
				1u << TP_COL(GOROUTINE, life),
			    &rows, err);
	if (!code && collect(g, &rows))
		code = tp_nomem(err);
	tp_rows_release(&rows);
	return code;
}

/* Returns whether a goroutine was created again after it had run, which mixes two lives. Salvaged
 * traces may contain inserted beginnings. */
static bool is_mixed(const struct tp_rows *rows, size_t i)
{
	int64_t created = rows->col[TP_COL(GOROUTINE, created_ns)][i];
	int64_t started = rows->col[TP_COL(GOROUTINE, started_ns)][i];

	return created != TP_NULL && started != TP_NULL && created > started &&
	       rows->col[TP_COL(GOROUTINE, inferred)][i] <= 0;
}

int rep_goids_mixed(struct tp_store *s, int64_t run, int64_t *goid, struct tp_err *err)
{
	const uint32_t columns = 1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, created_ns) |
				 1u << TP_COL(GOROUTINE, started_ns) |
				 1u << TP_COL(GOROUTINE, inferred);
	struct tp_rows rows;
	bool mixed = false;
	int code = tp_rows_have(s, run, TP_TABLE_GOROUTINE, TP_COL(GOROUTINE, life), err);

	if (code)
		return code < 0 ? code : 0;
	code = tp_rows_load(s, run, TP_TABLE_GOROUTINE, columns, &rows, err);
	for (size_t i = 0; !code && !mixed && i < rows.nrows; i++) {
		mixed = is_mixed(&rows, i);
		*goid = rows.col[TP_COL(GOROUTINE, id)][i];
	}
	tp_rows_release(&rows);
	return code ? code : mixed;
}

char *rep_goids_mixed_text(int64_t goid, char text[REP_GOIDS_MIXED_SIZE])
{
	snprintf(text, REP_GOIDS_MIXED_SIZE,
		 "goroutine %" PRId64 " ended and came again, and an older tprof stored both as "
		 "one; to tell them apart, delete the run (tprof-store delete) and import its "
		 "trace again",
		 goid);
	return text;
}

void rep_goids_release(struct rep_goids *g)
{
	free(g->of);
	*g = (struct rep_goids){0};
}

const struct rep_goid_life *rep_goids_find(const struct rep_goids *g, int64_t id)
{
	struct rep_goid_life key = {.id = id};

	return g->n ? bsearch(&key, g->of, g->n, sizeof(key), by_id) : NULL;
}

struct rep_goid rep_goids_name(const struct rep_goids *g, int64_t id)
{
	const struct rep_goid_life *life = rep_goids_find(g, id);

	if (id == REP_NO_GOID)
		return REP_GOID_NONE;
	return life ? (struct rep_goid){life->goid, life->life} : (struct rep_goid){id, 0};
}

int rep_goids_lives(const struct rep_goids *g, const int64_t *id, size_t n, int64_t **life)
{
	*life = NULL;
	if (!g->n)
		return 0;
	*life = tp_many(n + 1, sizeof(**life));
	if (!*life)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		(*life)[i] = rep_goids_name(g, id[i]).life;
	return 0;
}

const char *rep_goids_text(const struct rep_goids *g, int64_t id, char text[REP_GOID_SIZE])
{
	const struct rep_goid_life *life = rep_goids_find(g, id);

	if (life)
		return life->text;
	return rep_goid_text(&(struct rep_goid){id, 0}, text);
}
