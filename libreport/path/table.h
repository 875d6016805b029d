/* Tables on paths and wake-ups. Private to libreport/path.
 *
 *	rep_table_init(&p, &page, out);
 *	code = rep_table_begin(&p, "hops", columns, n, own, err);
 *	… rep_output_row …
 *	code = rep_table_end(&p, shown, n, "hops", err);
 *	rep_table_release(&p); */
#ifndef REP_PATH_TABLE_H
#define REP_PATH_TABLE_H

#include "path/show.h"
#include "stack.h"

#define REP_TABLE_ROWS 40 /* shown to people by default */

struct rep_path_table {
	const struct rep_path_page *ask;
	struct rep_view *v;
	const struct rep_path *path;
	struct rep_output *out;
	struct rep_texts texts;
	bool ticks;
};

void rep_table_init(struct rep_path_table *p, const struct rep_path_page *ask,
		    struct rep_output *out);
void rep_table_release(struct rep_path_table *p);

/* Begins a table, whose times are ticks if the run has no clock; `own` has room for n columns. */
int rep_table_begin(struct rep_path_table *p, const char *name, const struct rep_column *columns,
		    size_t n, struct rep_column *own, struct tp_err *err);
/* Ends a table and notes how many of n rows are shown (rep_output_more). */
int rep_table_end(struct rep_path_table *p, size_t shown, size_t n, const char *rows,
		  struct tp_err *err);

/* Returns how many of n rows to show: people see `usual` of them by default. */
static inline size_t rep_table_limit(const struct rep_path_table *p, size_t n, size_t usual)
{
	int64_t rows = p->ask->rows;

	if (rows < 0)
		rows = rep_output_for_people(p->out) ? (int64_t)usual : 0;
	return rows && (uint64_t)rows < n ? (size_t)rows : n;
}

/* ---- cells ---- */

static inline struct rep_value rep_table_text(struct tp_text t)
{
	return rep_text(t.text, t.size);
}

static inline struct rep_value rep_table_string(const struct rep_path_table *p, uint32_t id)
{
	return rep_table_text(tp_dict_text(p->v->dict, id));
}

static inline struct rep_value rep_table_goroutine(const struct rep_path_table *p,
						   uint32_t goroutine)
{
	return rep_view_goid_value(p->v, goroutine);
}

static inline struct rep_value rep_table_share(int64_t part, int64_t whole)
{
	return whole > 0 ? rep_float((double)part / (double)whole) : rep_null();
}

/* Returns the frames of a stack from its site on; the entry function if there is no stack. */
struct rep_value rep_table_where(struct rep_path_table *p, uint32_t entry, uint32_t stack);

/* Writes the report tree (tree.c). */
int rep_path_write_tree(struct rep_path_table *p, struct tp_err *err);

#endif
