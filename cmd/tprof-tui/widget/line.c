#include "tprof-tui/widget/line.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/keys.h"

#define MOST_HISTORY 500

void tui_line_begin(struct tui_line *l, const char *text)
{
	l->size = l->at = 0;
	l->place = l->nhistory;
	tui_line_insert(l, text, strlen(text));
}

/* ---- positions ---- */

static size_t before(const struct tui_line *l, size_t at)
{
	if (at)
		at--;
	while (at && ((unsigned char)l->text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static size_t behind(const struct tui_line *l, size_t at)
{
	if (at < l->size)
		at++;
	while (at < l->size && ((unsigned char)l->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n';
}

static size_t word_before(const struct tui_line *l, size_t at)
{
	while (at && is_blank(l->text[at - 1]))
		at--;
	while (at && !is_blank(l->text[at - 1]))
		at--;
	return at;
}

/* Return the start and the end of the line that contains the position `at`. */
static size_t line_start(const struct tui_line *l, size_t at)
{
	while (at && l->text[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const struct tui_line *l, size_t at)
{
	while (at < l->size && l->text[at] != '\n')
		at++;
	return at;
}

void tui_line_cut(struct tui_line *l, size_t from, size_t to)
{
	memmove(l->text + from, l->text + to, l->size - to);
	l->size -= to - from;
	l->text[l->size] = '\0';
	l->at = from;
}

void tui_line_insert(struct tui_line *l, const char *text, size_t size)
{
	if (size > TUI_LINE_SIZE - 1 - l->size)
		size = TUI_LINE_SIZE - 1 - l->size;
	memmove(l->text + l->at + size, l->text + l->at, l->size - l->at);
	memcpy(l->text + l->at, text, size);
	l->at += size;
	l->size += size;
	l->text[l->size] = '\0';
}

/* ---- history ---- */

static void show(struct tui_line *l, size_t place)
{
	const char *text;

	if (l->place == l->nhistory) {
		free(l->typed);
		l->typed = strdup(l->text);
	}
	l->place = place;
	text = place < l->nhistory ? l->history[place] : l->typed ? l->typed : "";
	l->size = l->at = 0;
	tui_line_insert(l, text, strlen(text));
}

void tui_line_add_history(struct tui_line *l, const char *text)
{
	char **more, *copy;

	l->place = l->nhistory;
	if (!*text || (l->nhistory && !strcmp(l->history[l->nhistory - 1], text)))
		return;
	if (l->nhistory == MOST_HISTORY) {
		free(l->history[0]);
		memmove(l->history, l->history + 1, --l->nhistory * sizeof(*l->history));
	}
	more = realloc(l->history, (l->nhistory + 1) * sizeof(*more));
	if (!more)
		return;
	l->history = more;
	copy = strdup(text);
	if (copy)
		more[l->nhistory++] = copy;
	l->place = l->nhistory;
}

void tui_line_release(struct tui_line *l)
{
	for (size_t i = 0; i < l->nhistory; i++)
		free(l->history[i]);
	free(l->history);
	free(l->typed);
	*l = (struct tui_line){0};
}

/* ---- keys ---- */

/* Moves the cursor to the line above or below. Returns false if the text has no such line, or the field
 * is not multiline. */
static bool move_line(struct tui_line *l, int step)
{
	size_t start = line_start(l, l->at), column = l->at - start, to, end;

	if (!l->multiline || (step < 0 ? !start : line_end(l, l->at) == l->size))
		return false;
	to = step < 0 ? line_start(l, start - 1) : line_end(l, l->at) + 1;
	end = line_end(l, to);
	l->at = column < end - to ? to + column : end;
	while (l->at > to && ((unsigned char)l->text[l->at] & 0xc0) == 0x80)
		l->at--;
	return true;
}

enum tui_line_result tui_line_key(struct tui_line *l, int key)
{
	char c;

	switch (key) {
	case '\n':
		if (l->multiline) {
			tui_line_insert(l, "\n", 1);
			break;
		}
		return TUI_LINE_DONE;
	case TUI_ENTER:
	case KEY_ENTER:
		return TUI_LINE_DONE;
	case TUI_ESCAPE:
	case TUI_CTRL('g'):
		return TUI_LINE_GIVEN_UP;
	case TUI_TAB:
		return TUI_LINE_COMPLETE;
	case KEY_LEFT:
	case TUI_CTRL('b'):
		l->at = before(l, l->at);
		break;
	case KEY_RIGHT:
	case TUI_CTRL('f'):
		l->at = behind(l, l->at);
		break;
	case KEY_HOME:
	case TUI_CTRL('a'):
		l->at = line_start(l, l->at);
		break;
	case KEY_END:
	case TUI_CTRL('e'):
		l->at = line_end(l, l->at);
		break;
	case KEY_BACKSPACE:
	case 0x7f:
	case TUI_CTRL('h'):
		/* Backspace in an empty field cancels the input. */
		if (!l->size)
			return TUI_LINE_GIVEN_UP;
		tui_line_cut(l, before(l, l->at), l->at);
		break;
	case KEY_DC:
	case TUI_CTRL('d'):
		tui_line_cut(l, l->at, behind(l, l->at));
		break;
	case TUI_CTRL('w'):
		tui_line_cut(l, word_before(l, l->at), l->at);
		break;
	case TUI_CTRL('u'):
		tui_line_cut(l, line_start(l, l->at), l->at);
		break;
	case TUI_CTRL('k'):
		tui_line_cut(l, l->at, line_end(l, l->at));
		break;
	case KEY_UP:
	case TUI_CTRL('p'):
		if (!move_line(l, -1) && l->place)
			show(l, l->place - 1);
		break;
	case KEY_DOWN:
	case TUI_CTRL('n'):
		if (!move_line(l, 1) && l->place < l->nhistory)
			show(l, l->place + 1);
		break;
	default:
		/* UTF-8 characters arrive byte by byte. */
		if (key < ' ' || key > 0xff || key == 0x7f)
			break;
		c = (char)key;
		tui_line_insert(l, &c, 1);
	}
	return TUI_LINE_TYPED;
}

/* ---- drawing ---- */

/* Draws a part of the text, and moves the terminal's cursor to the position `at` if that is within it. */
static void draw_part(const struct tui_line *l, size_t from, size_t to, size_t at, int row, int col,
		      int cols)
{
	size_t start = from;

	/* Skip characters until the cursor fits on the screen. */
	while (cols > 0 && at > from && rep_text_width(l->text + from, at - from) > (size_t)cols)
		from = behind(l, from);
	tui_put(row, col, cols, TUI_STYLE_NORMAL, REP_SHORTEN_RIGHT, l->text + from, to - from);
	if (at >= start && at <= to)
		move(row, col + (int)rep_text_width(l->text + from, at - from));
}

void tui_line_draw(const struct tui_line *l, int row, int col, int cols, const char *label)
{
	int used = tui_say(row, col, cols, TUI_STYLE_PROMPT, label);

	draw_part(l, 0, l->size, l->at, row, col + used, cols - used - 1);
}

int tui_line_count(const struct tui_line *l)
{
	int n = 1;

	for (size_t i = 0; i < l->size; i++)
		n += l->text[i] == '\n';
	return n;
}

void tui_line_draw_multiline(const struct tui_line *l, struct tui_area a, const char *label,
			     const char *more)
{
	size_t start = line_start(l, l->at), at = 0, cursor_from = 0;
	int here = 0, cursor_row = -1, cursor_col = 0, first;

	for (size_t i = 0; i < start; i++)
		here += l->text[i] == '\n';
	first = here >= a.rows ? here - a.rows + 1 : 0;
	for (int line = 0; line < first; line++)
		at = line_end(l, at) + 1;
	for (int i = 0; i < a.rows && at <= l->size; i++) {
		size_t end = line_end(l, at);
		int used =
		    tui_say(a.row + i, a.col, a.cols, TUI_STYLE_PROMPT, first + i ? more : label);

		if (at == start) {
			cursor_row = a.row + i;
			cursor_col = a.col + used;
			cursor_from = end;
		} else {
			draw_part(l, at, end, at, a.row + i, a.col + used, a.cols - used - 1);
		}
		at = end + 1;
	}
	/* The cursor's line is drawn last, since drawing moves the terminal's cursor. */
	if (cursor_row >= 0)
		draw_part(l, start, cursor_from, l->at, cursor_row, cursor_col,
			  a.cols - (cursor_col - a.col) - 1);
}
