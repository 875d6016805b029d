#include "tprof-tui/widget/menu.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

#define MOST_ROWS 12
#define MOST_WORD 34 /* widest column of words, in cells */

void tui_menu_clear(struct tui_menu *m)
{
	m->n = 0;
	m->at = -1;
	tp_arena_clear(&m->texts);
}

void tui_menu_release(struct tui_menu *m)
{
	free(m->item);
	tp_arena_clear(&m->texts);
	*m = (struct tui_menu){.at = -1};
}

bool tui_menu_add(struct tui_menu *m, const char *word, const char *shown, const char *doc)
{
	struct tui_menu_item item;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->item[i].word, word))
			return true;
	if (tp_grow(&m->item, &m->room, m->n, sizeof(*m->item)))
		return false;
	item.word = tp_arena_strndup(&m->texts, word, strlen(word));
	item.shown = shown ? tp_arena_strndup(&m->texts, shown, strlen(shown)) : item.word;
	item.doc = tp_arena_strndup(&m->texts, doc ? doc : "", doc ? strlen(doc) : 0);
	if (!item.word || !item.shown || !item.doc)
		return false;
	m->item[m->n++] = item;
	return true;
}

const char *tui_menu_turn(struct tui_menu *m, int step)
{
	long n = (long)m->n;

	if (!n)
		return NULL;
	m->at = m->at < 0 ? step > 0 ? 0 : n - 1 : (m->at + step + n) % n;
	return m->item[m->at].word;
}

int tui_menu_draw(const struct tui_menu *m, struct tui_area a, bool up)
{
	size_t most = (size_t)(a.rows < MOST_ROWS ? a.rows : MOST_ROWS), first = 0, widest = 0;
	int rows = (int)(m->n < most ? m->n : most), top = up ? a.row + a.rows - rows : a.row;

	if (rows < 1)
		return 0;
	if (m->at >= rows)
		first = (size_t)m->at - (size_t)rows + 1;
	for (size_t i = 0; i < m->n; i++) {
		size_t width = rep_text_width(m->item[i].shown, strlen(m->item[i].shown));

		widest = width > widest ? width : widest;
	}
	widest = widest < MOST_WORD ? widest : MOST_WORD;
	for (int i = 0; i < rows; i++) {
		const struct tui_menu_item *item = &m->item[first + (size_t)i];
		bool here = (long)first + i == m->at;
		enum tui_style style = here ? TUI_STYLE_CURSOR : TUI_STYLE_STATUS;
		int col = a.col + 1, doc = col + (int)widest + 2;

		tui_fill(top + i, a.col, a.cols, style);
		tui_say(top + i, col, (int)widest, here ? style : TUI_STYLE_KEY, item->shown);
		if (i + 1 == rows && first + (size_t)rows < m->n)
			tui_sayf(top + i, doc, a.cols - doc + a.col, style, "%s   (%zu more)",
				 item->doc, m->n - first - (size_t)rows);
		else
			tui_say(top + i, doc, a.cols - doc + a.col, style, item->doc);
	}
	return rows;
}
