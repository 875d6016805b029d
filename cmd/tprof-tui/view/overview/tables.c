/* Sections that show the first rows of a report as a table. */
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/overview/inside.h"

#define SHOWN 5 /* least rows that are shown, if the table has them */

static void height(const struct overview *o, const struct ov_section *s, int cols, int *least,
		   int *most)
{
	const struct rep_sheet *sheet = ov_sheet(o, (enum ov_piece)s->which);
	int n = sheet ? (int)(sheet->nrows < 100 ? sheet->nrows : 100) : 1;

	(void)cols;
	/* Title and heading. */
	*least = 2 + (n < SHOWN ? n < 1 ? 1 : n : SHOWN);
	*most = 2 + (n < 1 ? 1 : n);
}

static void draw(struct overview *o, struct ov_section *s, struct tui_area a, bool here)
{
	struct tui_rows *piece = &o->piece[s->which];

	ov_title(&a, s->title, here, "");
	a.row++;
	a.rows--;
	/* Leave a column between adjacent tables. */
	a.cols -= a.cols > 2;
	piece->table.idle = !here;
	tui_rows_draw(piece, a, !piece->done, "nothing");
}

static bool act(struct tui_view *v, struct ov_section *s, enum tui_action action)
{
	struct tui_table *table = &((struct overview *)v->state)->piece[s->which].table;

	if (!table->sheet || !table->n)
		return false;
	if (tui_lead_act(v, table->sheet, tui_table_row(table), action))
		return true;
	/* At the ends of the table, the cursor goes on to other sections. */
	if ((action == TUI_DO_UP && !table->cursor) ||
	    (action == TUI_DO_DOWN && table->cursor + 1 >= table->n) || action == TUI_DO_PAGE_UP ||
	    action == TUI_DO_PAGE_DOWN)
		return false;
	return tui_table_act(table, action);
}

static void click(struct tui_view *v, struct ov_section *s, int row, int col)
{
	tui_table_click(&((struct overview *)v->state)->piece[s->which].table, row, col);
}

const struct ov_section_ops ov_table = {.height = height, .draw = draw, .act = act, .click = click};
