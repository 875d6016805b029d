#include <string.h>

#include "tprof-tui/view/diff/diff.h"

enum tui_style diff_tint(const struct rep_sheet *s, size_t row, size_t column)
{
	const struct rep_value *verdict = rep_sheet_cell(s, (long)row, "verdict");
	bool changed = rep_value_is(verdict, "changed") || rep_value_is(verdict, "differs");
	const char *name = s->columns[column].name, *by = s->columns[column].by;
	double by_how_much;

	if (!strcmp(name, "VERDICT"))
		return changed				  ? TUI_STYLE_STRONG
		       : rep_value_is(verdict, "too few") ? TUI_STYLE_DIM
							  : TUI_STYLE_NORMAL;
	if ((strcmp(name, "DELTA") != 0 && strcmp(name, "CHANGE") != 0) || !by ||
	    (verdict && !changed))
		return TUI_STYLE_NORMAL;
	by_how_much = rep_value_number(rep_sheet_cell(s, (long)row, by));
	if (by_how_much == 0) { /* a change from nothing is no number */
		const struct rep_value *delta = rep_sheet_cell(s, (long)row, "delta");

		by_how_much =
		    rep_value_number(delta ? delta : rep_sheet_cell(s, (long)row, "flat_delta"));
	}
	return by_how_much > 0	 ? TUI_STYLE_MORE
	       : by_how_much < 0 ? TUI_STYLE_LESS
				 : TUI_STYLE_NORMAL;
}
