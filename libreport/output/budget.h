/* Fits an output into a number of bytes. What is written is kept in pieces until the end, when it is
 * known what fits: whole pieces are written, the most important first, and a last line says what
 * was left out.
 *
 * Of tables a budget keeps headings and totals, the first rows of each, notes, and then as many
 * rows of each as fit; of other text the first lines. Memory is bounded: of each table at most as
 * many bytes are kept as the budget has.
 *
 *	code = rep_budget_new(&budget, 4000, err);
 *	opt.sink = rep_budget_sink(budget);
 *	… rep_output_new, or write to the sink …
 *	code = rep_budget_end(budget, REP_BUDGET_TEXT, &to, left, err);
 *	rep_budget_free(budget);
 */
#ifndef REP_OUTPUT_BUDGET_H
#define REP_OUTPUT_BUDGET_H

#include "output/output.h"

#define REP_BUDGET_LEAST 200
#define REP_BUDGET_MOST	 ((int64_t)64 << 20)

/* How an output tells what was left out. */
enum rep_budget_way {
	REP_BUDGET_TEXT,     /* a last line */
	REP_BUDGET_MARKDOWN, /* a last paragraph */
	REP_BUDGET_JSON,     /* at REP_PIECE_CUT; only rows can be left out */
	REP_BUDGET_SILENT,   /* not in the output: CSV and TSV */
};

struct rep_budget;
/* Returns 0 or TP_ENOMEM. */
int rep_budget_new(struct rep_budget **budget, int64_t bytes, struct tp_err *err);
/* Returns a sink that keeps what it is given. Text without marks is a table of lines. */
struct rep_sink rep_budget_sink(struct rep_budget *budget);
/* Writes what fits to `to`, forgets all, and fills `left` with a sentence about what was left out,
 * "" if that is nothing. Returns 0; TP_EFORMAT with a sentence, before anything is written, if what
 * cannot be left out of JSON does not fit; TP_ENOMEM; an error of `to`. */
#define REP_BUDGET_LEFT 240
int rep_budget_end(struct rep_budget *budget, enum rep_budget_way way, const struct rep_sink *to,
		   char left[REP_BUDGET_LEFT], struct tp_err *err);
void rep_budget_free(struct rep_budget *budget);

#endif
