/* The main loop: reads keys, performs the actions that all views have, and draws the lines around the
 * view. */
#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tprof-tui/prompt.h"
#include "tprof-tui/tui.h"
#include "tprof-tui/view/rows.h"

#define WHEEL_LINES 3
#define TWICE_MS    400 /* longest time between the clicks of a double click */
#define BUSY_MS	    15	/* interval of checks for results while the worker is busy */

void tui_message(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
	t->error = false;
}

void tui_error(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->message, sizeof(t->message), fmt, ap);
	va_end(ap);
	t->error = true;
}

void tui_nomem(struct tui *t)
{
	tui_error(t, "out of memory");
}

/* ---- drawing ---- */

/* Draws the first line: "checkout.trace · 1.2ms to 3ms, goroutine 12 … top block". */
static void draw_title(const struct tui *t, const struct tui_view *v, int cols)
{
	char words[300], text[400], title[200] = "";
	int used;

	tui_fill(0, 0, cols, TUI_STYLE_STATUS);
	if (v->ops->title)
		v->ops->title((struct tui_view *)(uintptr_t)v, title, sizeof(title));
	snprintf(text, sizeof(text), " %s%s%s%s ", v->ops->name, *title ? " " : "", title,
		 v->busy || t->checks ? " ..." : "");
	used = (int)rep_text_width(text, strlen(text));
	if (used > cols / 2)
		used = cols / 2;
	tui_say(0, cols - used, used, TUI_STYLE_KEY, text);
	tui_select_words(&v->select, words, sizeof(words));
	snprintf(text, sizeof(text), " %s%s%s", v->select.run ? v->select.run->row.name : t->path,
		 *words ? ": " : "", words);
	tui_say(0, 0, cols - used, TUI_STYLE_STATUS, text);
}

static int draw_hint(const char *key, size_t size, const char *word, size_t length, int row,
		     int col, int cols)
{
	int width = (int)(rep_text_width(key, size) + rep_text_width(word, length)) + 3;

	if (col + width > cols)
		return cols;
	col += tui_put(row, col, cols - col, TUI_STYLE_KEY, REP_SHORTEN_RIGHT, key, size) + 1;
	return col +
	       tui_put(row, col, cols - col, TUI_STYLE_STATUS, REP_SHORTEN_RIGHT, word, length) + 2;
}

/* Returns the hint for q. */
static const char *quit_word(const struct tui *t)
{
	return t->at ? "back" : "quit";
}

/* Draws the view's own hints, "Enter run\tTab complete". The word for q is replaced, as views do not know
 * whether it goes back or quits. */
static void draw_own_hints(const struct tui *t, const char *hints, int row, int cols)
{
	int col = 1;

	while (*hints && col < cols) {
		size_t n = strcspn(hints, "\t"), key = strcspn(hints, " ");
		const char *word = hints + key + 1;
		size_t length = key < n ? n - key - 1 : 0;

		if (key == 1 && *hints == 'q') {
			word = quit_word(t);
			length = strlen(word);
		}
		if (key < n)
			col = draw_hint(hints, key, word, length, row, col, cols);
		hints += n + (hints[n] == '\t');
	}
}

/* Draws as many hints as fit, the most useful ones first. */
static void draw_hints(struct tui *t, struct tui_view *v, int row, int cols)
{
	const char *own = v->ops->hints ? v->ops->hints(v) : NULL;
	enum tui_action shown[16];
	int col = 1;
	size_t n = 0;

	tui_fill(row, 0, cols, TUI_STYLE_STATUS);
	if (tui_prompt_open(t))
		own = tui_prompt_hints(t);
	if (own) {
		draw_own_hints(t, own, row, cols);
		return;
	}
	/* First pass: keys of some views; second pass: keys of all views. */
	for (int pass = 0; pass < 2; pass++) {
		for (const struct tui_binding *b = tui_bindings; b->key && n < 16; b++) {
			bool special = b->where != TUI_EVERYWHERE, seen = false;
			const char *word = b->action == TUI_DO_QUIT ? quit_word(t) : b->hint;
			char name[16];

			for (size_t i = 0; i < n; i++)
				seen |= shown[i] == b->action;
			/* If q quits, Q is not shown. */
			seen |= b->action == TUI_DO_EXIT && !t->at;
			/* A key with another action in this view is not shown. */
			if (!b->hint || seen || !(b->where & v->ops->where) || special != !pass ||
			    tui_key_action(b->key, v->ops->where) != b->action ||
			    (v->ops->can && !v->ops->can(v, b->action)))
				continue;
			tui_key_name(b->key, name);
			col = draw_hint(name, strlen(name), word, strlen(word), row, col, cols);
			if (col >= cols)
				return;
			shown[n++] = b->action;
		}
	}
}

static void draw_small(int rows, int cols)
{
	tui_sayf(0, 0, cols, TUI_STYLE_ERROR, "needs %dx%d cells, this is %dx%d", TUI_LEAST_COLS,
		 TUI_LEAST_ROWS, cols, rows);
}

static void draw_view(struct tui_view *v)
{
	struct tui_area *a = &v->area;
	char ignored[100] = "";

	if (v->ops->needs_run && !v->select.run) {
		tui_say(a->row, a->col, a->cols, TUI_STYLE_DIM, TUI_NO_RUNS);
		return;
	}
	if (v->ops->filters)
		tui_select_ignored(&v->select, v->ops->filters(v), ignored, sizeof(ignored));
	if (*ignored) {
		tui_sayf(a->row++, a->col, a->cols, TUI_STYLE_MORE, "ignored here: %s", ignored);
		a->rows--;
	}
	if (v->ops->draw)
		v->ops->draw(v, *a);
	else
		tui_rows_draw(v->state, *a, false, NULL);
}

void tui_draw(struct tui *t)
{
	struct tui_view *v = tui_current(t);
	int rows, cols;

	tui_screen_size(&rows, &cols);
	tui_screen_begin_drawing();
	if (rows < TUI_LEAST_ROWS || cols < TUI_LEAST_COLS) {
		draw_small(rows, cols);
	} else if (v) {
		v->area = (struct tui_area){1, 0, rows - 3, cols};
		draw_title(t, v, cols);
		draw_view(v);
		draw_hints(t, v, rows - 1, cols);
		if (tui_prompt_open(t))
			tui_prompt_draw(t, rows - 2, cols);
		else
			tui_say(rows - 2, 0, cols, t->error ? TUI_STYLE_ERROR : TUI_STYLE_NORMAL,
				t->message);
	}
	tui_screen_show();
}

/* ---- actions ---- */

static void quit_view(struct tui *t)
{
	/* In the first view, q quits. */
	if (!tui_back(t))
		t->quit = true;
}

/* Opens a view, unless it is the current one. Returns false if there is no such view. */
static bool open_named(struct tui *t, const char *name)
{
	const struct tui_view_ops *ops = tui_view_find(name);
	struct tui_view *v = tui_current(t);

	if (ops && (!v || v->ops != ops))
		tui_open(t, ops, NULL);
	return ops != NULL;
}

static void clear_select(struct tui *t)
{
	tui_select_clear(&t->select);
	tui_again(t);
}

static bool can_search(const struct tui_view *v)
{
	return v->ops->search || v->ops->table;
}

static void search_again(struct tui *t, struct tui_view *v, int step)
{
	const char *text = tui_prompt_last_search(t);

	if (!can_search(v))
		tui_error(t, "there is nothing to search here");
	else if (!*text)
		tui_error(t, "there is no text to search for; type / and a text");
	else if (!tui_search(v, text, step))
		tui_error(t, "nothing here contains '%s'", text);
}

/* Performs an action that all views have. Returns false for other actions. */
static bool act_everywhere(struct tui *t, struct tui_view *v, enum tui_action action)
{
	switch (action) {
	case TUI_DO_QUIT:
		quit_view(t);
		return true;
	case TUI_DO_EXIT:
		t->quit = true;
		return true;
	case TUI_DO_BACK:
		if (!tui_back(t))
			tui_message(t, "this is the first view; q leaves");
		return true;
	case TUI_DO_FORWARD:
		if (!tui_forward(t))
			tui_message(t, "there is nothing to go forward to");
		return true;
	case TUI_DO_PALETTE:
		tui_prompt_begin(t, TUI_PROMPT_PALETTE, "");
		return true;
	case TUI_DO_SEARCH:
		if (can_search(v))
			tui_prompt_begin(t, TUI_PROMPT_SEARCH, "");
		else
			tui_error(t, "there is nothing to search here");
		return true;
	case TUI_DO_FILTER:
		if (v->ops->table)
			tui_prompt_begin(t, TUI_PROMPT_FILTER, "");
		return true;
	case TUI_DO_SEARCH_NEXT:
	case TUI_DO_SEARCH_BACK:
		search_again(t, v, action == TUI_DO_SEARCH_NEXT ? 1 : -1);
		return true;
	case TUI_DO_GO:
		tui_prompt_begin(t, TUI_PROMPT_GO, "");
		return true;
	case TUI_DO_SAVE:
		if (v->ops->save || v->ops->table)
			tui_prompt_begin(t, TUI_PROMPT_SAVE, "");
		else
			tui_error(t, "this view cannot be saved");
		return true;
	case TUI_DO_YANK:
	case TUI_DO_YANK_ALL:
		tui_clip(t, v, action == TUI_DO_YANK_ALL);
		return true;
	case TUI_DO_EDIT:
		tui_edit(t, v);
		return true;
	case TUI_DO_CLEAR:
		clear_select(t);
		return true;
	case TUI_DO_REFRESH:
		clearok(stdscr, TRUE);
		tui_reload(t);
		return true;
	case TUI_DO_SUSPEND:
		tui_screen_suspend();
		return true;
	case TUI_DO_GOROUTINE:
		open_named(t, "goroutine");
		return true;
	default:
		/* An action that has the name of a view opens it. */
		return open_named(t, tui_actions[action].name);
	}
}

void tui_act(struct tui *t, enum tui_action action)
{
	struct tui_view *v = tui_current(t);
	struct tui_table *table;

	if (!v || action == TUI_DO_NONE || (v->ops->act && v->ops->act(v, action)))
		return;
	table = tui_table_of(v);
	if (table && tui_table_act(table, action))
		return;
	act_everywhere(t, v, action);
}

static void wheel(struct tui *t, struct tui_view *v, int lines)
{
	if (v->ops->wheel)
		v->ops->wheel(v, lines);
	for (int i = 0; !v->ops->wheel && i < abs(lines); i++)
		tui_act(t, lines < 0 ? TUI_DO_UP : TUI_DO_DOWN);
}

/* Returns whether this is the second click of a double click. ncurses would have to delay the first click
 * to count them. */
static bool is_second(struct tui *t, const MEVENT *e)
{
	struct timespec now;
	int64_t ms, last = t->clicked_ms;
	bool same = e->y == t->clicked_row && e->x == t->clicked_col;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	t->clicked_row = e->y;
	t->clicked_col = e->x;
	same = e->bstate & BUTTON1_DOUBLE_CLICKED || (same && last && ms - last < TWICE_MS);
	t->clicked_ms = same ? 0 : ms;
	return same;
}

static void click(struct tui *t, struct tui_view *v)
{
	MEVENT e;
	bool inside;

	if (getmouse(&e) != OK)
		return;
	inside = e.y >= v->area.row && e.y < v->area.row + v->area.rows;
	if (e.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED)) {
		bool up = (e.bstate & BUTTON4_PRESSED) != 0;

		if (e.bstate & BUTTON_CTRL && v->ops->zoom && inside)
			v->ops->zoom(v, e.y, e.x, up ? 1 : -1);
		else
			wheel(t, v, up ? -WHEEL_LINES : WHEEL_LINES);
	} else if (inside && e.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED |
					 BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)) {
		bool twice = is_second(t, &e);

		if (v->ops->click)
			v->ops->click(v, e.y, e.x, twice);
		else
			tui_rows_click(v, tui_table_of(v), e.y, e.x, twice);
	} else if (inside && v->ops->drag && e.bstate & BUTTON1_RELEASED &&
		   (e.y != t->clicked_row || e.x != t->clicked_col)) {
		v->ops->drag(v, e.y, e.x);
	}
}

/* Handles ^C: interrupts a busy worker, else cancels the prompt, else lets the view handle it. */
static void interrupted(struct tui *t)
{
	struct tui_view *v = tui_current(t);

	if (tui_worker_busy(t->worker))
		tui_worker_interrupt(t->worker);
	else if (tui_prompt_open(t))
		tui_prompt_key(t, TUI_ESCAPE);
	else if (!v->ops->key || !v->ops->key(v, TUI_CTRL('c')))
		tui_message(t, "q leaves");
}

static void handle(struct tui *t, int key)
{
	struct tui_view *v = tui_current(t);
	enum tui_action action;
	bool mistaken;

	if (key == KEY_RESIZE)
		return;
	if (key == TUI_PASTE_BEGIN || key == TUI_PASTE_END) {
		t->pasting = key == TUI_PASTE_BEGIN;
		return;
	}
	mistaken = t->error && *t->message;
	t->message[0] = '\0';
	t->error = false;
	/* The first Esc after an error only clears its message; the next one goes back. */
	if (key == TUI_ESCAPE && mistaken && !tui_prompt_open(t))
		return;
	if (key == TUI_CTRL('c')) {
		interrupted(t);
		return;
	}
	if (tui_prompt_open(t)) {
		/* Newlines and tabs of pasted text become blanks, so they do not submit the prompt. */
		if (t->pasting && (key == TUI_ENTER || key == '\n' || key == TUI_TAB))
			key = ' ';
		tui_prompt_key(t, key);
		return;
	}
	if (key == KEY_MOUSE) {
		click(t, v);
		return;
	}
	if (key == 0x7f || key == '\b')
		key = KEY_BACKSPACE;
	if (v->ops->key && v->ops->key(v, key))
		return;
	if (t->pasting) {
		tui_message(
		    t,
		    "pasted text is not taken as keys; paste it after : or /, or in the view sql");
		return;
	}
	action = tui_key_action(key, v->ops->where);
	if (action == TUI_DO_NONE) {
		char name[16];

		tui_message(t, "%s does nothing here; ? lists the keys", tui_key_name(key, name));
		return;
	}
	tui_act(t, action);
}

void tui_run(struct tui *t)
{
	bool changed = true;

	while (!t->quit && tui_current(t) && !tui_screen_ended()) {
		int key, why;

		changed |= tui_worker_take(t->worker);
		if (changed)
			tui_draw(t);
		changed = false;
		timeout(tui_worker_busy(t->worker) ? BUSY_MS : -1);
		errno = 0;
		key = getch();
		why = errno;
		if (tui_screen_interrupted()) {
			interrupted(t);
			changed = true;
		}
		/* No key came in time, or the terminal was closed without a signal (nohup). */
		if (key == ERR) {
			if (tui_screen_gone())
				break;
			/* Every further read would fail, too, as in an orphaned background process. */
			if (why == EIO || why == EBADF) {
				t->read_errno = why;
				break;
			}
			continue;
		}
		/* Handle all waiting keys before drawing the screen. */
		for (int most = 0; key != ERR && !t->quit && most < 1000; most++) {
			handle(t, key);
			timeout(0);
			key = t->quit ? ERR : getch();
		}
		changed = true;
	}
}
