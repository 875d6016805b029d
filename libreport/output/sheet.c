/* Rows that unfold, and the texts for filtering. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "output/ops.h"
#include "output/cells.h"

int rep_sheet_unfolds(struct rep_sheet *s)
{
	if (!s->branch)
		s->branch = calloc(s->room + 1, sizeof(*s->branch));
	return s->branch ? 0 : TP_ENOMEM;
}

int rep_sheet_add(struct rep_cells *c, struct rep_sheet *s, size_t above,
		  const struct rep_value *values, size_t n)
{
	size_t first = s->nrows;

	for (size_t i = 0; i < n; i++) {
		if (rep_sheet_put(c, s, values + i * s->ncolumns)) {
			s->nrows = first;
			return TP_ENOMEM;
		}
		s->branch[s->nrows - 1].above = (uint32_t)above + 1;
		s->branch[s->nrows - 1].depth = s->branch[above].depth + 1;
	}
	s->branch[above].first = (uint32_t)first;
	s->branch[above].n = (uint32_t)n;
	s->branch[above].asked = s->branch[above].open = true;
	return 0;
}

static int put_row(struct rep_sheet *s, size_t row, struct tp_buf *text)
{
	size_t more;
	char *to;

	text->size = 0;
	for (size_t c = 0; c < s->ncolumns; c++) {
		if (s->columns[c].raw_only)
			continue;
		if (rep_put_shown(text, s->columns[c].kind, rep_sheet_at(s, row, c)) ||
		    tp_buf_put(text, "\n", 1))
			return TP_ENOMEM;
	}
	more = text->size + 1;
	if (s->texts_room - s->texts_size < more) {
		size_t room = 2 * s->texts_room + more + 4096;

		to = realloc(s->texts, room);
		if (!to)
			return TP_ENOMEM;
		s->texts = to;
		s->texts_room = room;
	}
	to = s->texts + s->texts_size;
	for (size_t i = 0; i < text->size; i++)
		to[i] = (char)tolower(text->data[i]);
	to[text->size] = '\n';
	s->texts_size += more;
	s->text_end[row] = s->texts_size;
	return 0;
}

int rep_sheet_index(struct rep_sheet *s)
{
	struct tp_buf text = {0};
	size_t *end;
	int code = 0;

	if (s->indexed == s->nrows)
		return 0;
	end = realloc(s->text_end, (s->nrows + 1) * sizeof(*end));
	if (!end)
		return TP_ENOMEM;
	s->text_end = end;
	while (s->indexed < s->nrows && !code) {
		code = put_row(s, s->indexed, &text);
		s->indexed += !code;
	}
	tp_buf_release(&text);
	return code;
}

void rep_sheet_release(struct rep_sheet *s)
{
	free(s->values);
	free(s->branch);
	free(s->texts);
	free(s->text_end);
	*s = (struct rep_sheet){0};
}
