/* Tables of paths and wake-ups. Private to libreport/path. The owner releases `texts`
 * (rep_texts_end).
 *
 *	rep_table_init(&p, &page, out);
 *	code = rep_table_begin(&p, "hops", columns, n, own, err);
 *	… rep_output_row …
 *	code = rep_table_end(&p, shown, n, "hops", err); */
#ifndef REP_PATH_TABLE_H
#define REP_PATH_TABLE_H

#include "path/show.h"
#include "stack.h"

#define REP_TABLE_ROWS 40 /* default number of rows in output for people */

struct rep_path_table {
	const struct rep_path_page *ask;
	struct rep_view *v;
	const struct rep_path *path;
	struct rep_output *out;
	struct rep_texts texts;
};

void rep_table_init(struct rep_path_table *p, const struct rep_path_page *ask,
		    struct rep_output *out);

/* Writes a row, and frees the texts of its cells. */
int rep_table_row(struct rep_path_table *p, const struct rep_value *row, struct tp_err *err);
/* Begins a table, whose times are ticks if the run has no clock; `own` has room for n columns. */
int rep_table_begin(struct rep_path_table *p, const char *name, const struct rep_column *columns,
		    size_t n, struct rep_column *own, struct tp_err *err);
/* Ends a table and notes how many of n rows are shown (rep_output_more). */
int rep_table_end(struct rep_path_table *p, size_t shown, size_t n, const char *rows,
		  struct tp_err *err);

/* Returns how many of n rows to show; `usual` is the default of output for people. */
static inline size_t rep_table_limit(const struct rep_path_table *p, size_t n, size_t usual)
{
	int64_t rows = p->ask->rows;

	if (rows < 0)
		rows = rep_output_for_people(p->out) ? (int64_t)usual : 0;
	return rows && (uint64_t)rows < n ? (size_t)rows : n;
}

/* ---- cells ---- */

/* Returns a string of the run. */
static inline struct rep_value rep_table_string(struct rep_path_table *p, uint32_t id)
{
	return rep_texts_string(&p->texts, id, "");
}
/* Returns the frames of a stack from its site on; the entry function if there is no stack. */
struct rep_value rep_table_where(struct rep_path_table *p, uint32_t entry, uint32_t stack);

/* Returns the kind, and the reason if it says more: "outside (select)". */
struct rep_value rep_table_doing(struct rep_path_table *p, unsigned kind, uint32_t reason);

/* Write the reports tree (tree.c), blame (blame.c) and what-if (whatif.c). */
int rep_path_write_tree(struct rep_path_table *p, struct tp_err *err);
int rep_path_write_blame(struct rep_path_table *p, struct tp_err *err);
int rep_path_write_what_if(struct rep_path_table *p, struct tp_err *err);

#endif
