#include <string.h>

#include "tprof-tui/view/diff/diff.h"

static double cell_number(const struct tui_sheet *s, size_t row, const char *name)
{
	int c = tui_sheet_column(s, name);
	const struct rep_value *v = c < 0 ? NULL : tui_cell(s, row, (size_t)c);

	return !v			   ? 0
	       : v->type == REP_TYPE_INT   ? (double)v->i
	       : v->type == REP_TYPE_FLOAT ? v->f
					   : 0;
}

/* Is it a verdict, and which? */
static bool cell_is(const struct tui_sheet *s, size_t row, const char *name, const char *text)
{
	int c = tui_sheet_column(s, name);
	const struct rep_value *v = c < 0 ? NULL : tui_cell(s, row, (size_t)c);

	return v && v->type == REP_TYPE_TEXT && v->text.size == strlen(text) &&
	       !memcmp(v->text.data, text, v->text.size);
}

enum tui_style diff_tint(const struct tui_sheet *s, size_t row, size_t column)
{
	bool judged = tui_sheet_column(s, "verdict") >= 0;
	bool changed =
	    cell_is(s, row, "verdict", "changed") || cell_is(s, row, "verdict", "differs");
	const char *name = s->columns[column].name, *by = s->columns[column].by;
	double by_how_much;

	if (!strcmp(name, "VERDICT"))
		return changed				       ? TUI_STYLE_STRONG
		       : cell_is(s, row, "verdict", "too few") ? TUI_STYLE_DIM
							       : TUI_STYLE_NORMAL;
	if ((strcmp(name, "DELTA") != 0 && strcmp(name, "CHANGE") != 0) || !by ||
	    (judged && !changed))
		return TUI_STYLE_NORMAL;
	by_how_much = cell_number(s, row, by);
	if (by_how_much == 0) /* a change from nothing is no number */
		by_how_much =
		    cell_number(s, row, tui_sheet_column(s, "delta") >= 0 ? "delta" : "flat_delta");
	return by_how_much > 0	 ? TUI_STYLE_MORE
	       : by_how_much < 0 ? TUI_STYLE_LESS
				 : TUI_STYLE_NORMAL;
}
