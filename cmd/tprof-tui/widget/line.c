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

/* ---- places: of the character before and behind ---- */

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

static size_t word_before(const struct tui_line *l, size_t at)
{
	while (at && l->text[at - 1] == ' ')
		at--;
	while (at && l->text[at - 1] != ' ')
		at--;
	return at;
}

static void cut(struct tui_line *l, size_t from, size_t to)
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
		free(l->kept);
		l->kept = strdup(l->text);
	}
	l->place = place;
	text = place < l->nhistory ? l->history[place] : l->kept ? l->kept : "";
	l->size = l->at = 0;
	tui_line_insert(l, text, strlen(text));
}

void tui_line_remember(struct tui_line *l)
{
	char **more, *copy;

	if (!l->size || (l->nhistory && !strcmp(l->history[l->nhistory - 1], l->text)))
		return;
	if (l->nhistory == MOST_HISTORY) {
		free(l->history[0]);
		memmove(l->history, l->history + 1, --l->nhistory * sizeof(*l->history));
	}
	more = realloc(l->history, (l->nhistory + 1) * sizeof(*more));
	if (!more)
		return;
	l->history = more;
	copy = strdup(l->text);
	if (copy)
		more[l->nhistory++] = copy;
	l->place = l->nhistory;
}

void tui_line_release(struct tui_line *l)
{
	for (size_t i = 0; i < l->nhistory; i++)
		free(l->history[i]);
	free(l->history);
	free(l->kept);
	*l = (struct tui_line){0};
}

/* ---- keys ---- */

enum tui_line_result tui_line_key(struct tui_line *l, int key)
{
	char c;

	switch (key) {
	case TUI_ENTER:
	case '\n':
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
		l->at = 0;
		break;
	case KEY_END:
	case TUI_CTRL('e'):
		l->at = l->size;
		break;
	case KEY_BACKSPACE:
	case 0x7f:
	case TUI_CTRL('h'):
		/* Nothing to take away: it is not wanted. */
		if (!l->size)
			return TUI_LINE_GIVEN_UP;
		cut(l, before(l, l->at), l->at);
		break;
	case KEY_DC:
	case TUI_CTRL('d'):
		cut(l, l->at, behind(l, l->at));
		break;
	case TUI_CTRL('w'):
		cut(l, word_before(l, l->at), l->at);
		break;
	case TUI_CTRL('u'):
		cut(l, 0, l->at);
		break;
	case TUI_CTRL('k'):
		cut(l, l->at, l->size);
		break;
	case KEY_UP:
	case TUI_CTRL('p'):
		if (l->place)
			show(l, l->place - 1);
		break;
	case KEY_DOWN:
	case TUI_CTRL('n'):
		if (l->place < l->nhistory)
			show(l, l->place + 1);
		break;
	default:
		/* Bytes of UTF-8 come one by one. */
		if (key < ' ' || key > 0xff || key == 0x7f)
			break;
		c = (char)key;
		tui_line_insert(l, &c, 1);
	}
	return TUI_LINE_TYPED;
}

/* ---- drawing ---- */

void tui_line_draw(const struct tui_line *l, int row, int col, int cols, const char *label)
{
	int used = tui_say(row, col, cols, TUI_STYLE_PROMPT, label), room = cols - used - 1;
	size_t from = 0;

	/* So that the cursor is on the screen. */
	while (room > 0 && rep_text_width(l->text + from, l->at - from) > (size_t)room)
		from = behind(l, from);
	tui_put(row, col + used, room, TUI_STYLE_NORMAL, REP_SHORTEN_RIGHT, l->text + from,
		l->size - from);
	move(row, col + used + (int)rep_text_width(l->text + from, l->at - from));
}
