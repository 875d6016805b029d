#include "tprof-tui/position.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/many.h"
#include "output/ops.h"
#include "tprof-tui/state.h"
#include "tprof-tui/view/rows.h"

#define FILE_NAME   "views"
#define MOST_STORES 200 /* most stores with a saved position */
#define MOST_FILE   (1 << 20)
#define MOST_TEXT   4096

/* A line has fields separated by tabs: the store's absolute path, "2", and the fields of struct
 * tui_position. `kinds` lists their kinds: text (t) or number (n). In texts, tab, newline and backslash
 * are written as "\t", "\n" and "\\". */
#define VERSION "2"
static const char kinds[] = "ttnnnnttttttn"; /* view … to_ns, the filters, row */
_Static_assert(sizeof(kinds) == 2 + 4 + TUI_NTEXTS + 1 + 1, "a kind for each field");

/* ---- a line ---- */

void tui_position_release(struct tui_position *p)
{
	for (size_t i = 0; i < TP_COUNT_OF(p->text); i++)
		free(p->text[i]);
	*p = (struct tui_position){0};
}

bool tui_position_put(const struct tui_position *p, struct tp_buf *b)
{
	char *const *text = p->text;
	const int64_t *number = p->number;
	int failed = tp_buf_text(b, VERSION);

	for (const char *kind = kinds; *kind; kind++) {
		failed |= tp_buf_put(b, "\t", 1);
		failed |= *kind == 't' ? tui_state_put_text(b, *text++) : rep_put_int(b, *number++);
	}
	return !failed;
}

/* Returns a copy of a text field; NULL if it is not valid or memory is out. */
static char *take_text(const char *from, size_t size)
{
	char *text = size < MOST_TEXT ? malloc(size + 1) : NULL;

	if (!text || tui_state_take_text(text, from, size))
		return text;
	free(text);
	return NULL;
}

static bool take_number(const char *from, size_t size, int64_t *n)
{
	char text[32], *end;

	if (!size || size >= sizeof(text))
		return false;
	memcpy(text, from, size);
	text[size] = '\0';
	errno = 0;
	*n = strtoll(text, &end, 10);
	return !errno && !*end && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

bool tui_position_parse(const char *line, struct tui_position *p)
{
	bool fine = !strncmp(line, VERSION "\t", sizeof(VERSION));
	char **text = p->text;
	int64_t *number = p->number;

	*p = (struct tui_position){0};
	line += fine ? sizeof(VERSION) : 0;
	for (const char *kind = kinds; *kind && fine; kind++) {
		size_t n = strcspn(line, "\t\n");

		if (*kind == 't')
			fine = (*text++ = take_text(line, n)) != NULL;
		else
			fine = take_number(line, n, number++);
		line += n;
		fine = fine && (*line == '\t') == (kind[1] != '\0');
		line += *line == '\t';
	}
	if (!fine)
		tui_position_release(p);
	return fine;
}

/* ---- the file ---- */

static bool whole_path(const char *store, char path[PATH_MAX])
{
	return realpath(store, path) && !strpbrk(path, "\n\t");
}

/* Returns the part of the line after the path if it is the line of this store, else NULL. */
static const char *line_of(const char *line, const char *path)
{
	size_t n = strlen(path);

	return !strncmp(line, path, n) && line[n] == '\t' ? line + n + 1 : NULL;
}

/* Appends the lines of other stores, the latest first, up to MOST_STORES lines in all. */
static int put_others(struct tp_buf *b, const char *all, const char *path)
{
	int failed = 0;

	for (size_t lines = 1; *all && lines < MOST_STORES;) {
		size_t n = strcspn(all, "\n");

		if (all[n] == '\n' && n && n < MOST_FILE / 8 && *all == '/' &&
		    !line_of(all, path)) {
			failed |= tp_buf_put(b, all, n + 1);
			lines++;
		}
		all += n + (all[n] == '\n');
	}
	return failed;
}

static void write_position(const char *path, const struct tui_position *p)
{
	char *old = calloc(1, MOST_FILE), where[PATH_MAX];
	struct tp_buf b = {0};
	bool fine = old && !tp_buf_put(&b, path, strlen(path)) && !tp_buf_put(&b, "\t", 1) &&
		    tui_position_put(p, &b) && !tp_buf_put(&b, "\n", 1);

	if (fine && tui_state_read(FILE_NAME, old, MOST_FILE))
		fine = !put_others(&b, old, path);
	if (fine && b.size < MOST_FILE)
		tui_state_write(FILE_NAME, b.data, b.size, where, sizeof(where));
	tp_buf_release(&b);
	free(old);
}

static bool read_position(const char *path, struct tui_position *p)
{
	char *all = calloc(1, MOST_FILE);
	bool found = false;

	if (all && tui_state_read(FILE_NAME, all, MOST_FILE)) {
		for (char *line = all; *line && !found;
		     line += strcspn(line, "\n"), line += *line == '\n') {
			const char *place = line_of(line, path);

			found = place && tui_position_parse(place, p);
		}
	}
	free(all);
	return found;
}

/* ---- saving and restoring ---- */

void tui_position_save(struct tui *t, const char *store)
{
	/* If the user went back to the first view before leaving, the last view is at the end of
	 * the stack. */
	size_t at = t->at || !t->nviews ? t->at : t->nviews - 1;
	struct tui_view *v = t->nviews ? t->view[at] : NULL;
	char path[PATH_MAX], arg[MOST_TEXT] = "";
	struct tui_position p;

	/* Save the view below help instead of help. */
	if (v && v->ops->where == TUI_HELP && at)
		v = t->view[at - 1];
	if (!v || !whole_path(store, path))
		return;
	if (v->ops->keep)
		v->ops->keep(v, arg, sizeof(arg));
	p = (struct tui_position){
	    .view = (char *)(uintptr_t)v->ops->name,
	    .arg = arg,
	    .run = v->select.run ? v->select.run->row.id : TP_NULL,
	    .other = v->select.other ? v->select.other->row.id : TP_NULL,
	    .from_ns = v->select.from_ns,
	    .to_ns = v->select.to_ns,
	    .row = v->ops->keeps_line ? (int64_t)tui_table_of(v)->cursor : -1,
	};
	memcpy(p.filter, v->select.text, sizeof(p.filter));
	write_position(path, &p);
}

/* Makes a selection from a saved position. Returns false if it is not valid in this store. */
static bool take_select(struct tui *t, const struct tui_position *p, struct tui_select *s)
{
	struct rep_filter filter;
	struct rep_filter_text f;
	struct tp_err err;
	char times[60];
	bool fine = p->from_ns < p->to_ns;

	tui_select_init(s);
	s->own = t->select.own;
	s->run = tui_run_find(&t->cmd->all, p->run);
	s->other = tui_run_find(&t->cmd->all, p->other);
	s->from_ns = p->from_ns;
	s->to_ns = p->to_ns;
	for (size_t i = 0; i < TUI_NTEXTS && fine; i++)
		fine = tui_select_set(&s->text[i], p->filter[i]);
	f = tui_select_filter(s, TUI_BY_ALL, times);
	fine = !rep_filter_init(&filter, &f, &err) && fine;
	rep_filter_release(&filter);
	if (!fine || !s->run || (p->other != TP_NULL && !s->other)) {
		tui_select_release(s);
		return false;
	}
	return true;
}

/* Tells the user why the first view is not the usual one, and how to get there. */
static void say_where(struct tui *t, const struct tui_view_ops *ops, const struct tui_position *p)
{
	bool selected = p->from_ns != INT64_MIN || p->to_ns != INT64_MAX;

	for (size_t i = 0; i < TUI_NTEXTS; i++)
		selected |= *p->filter[i] != '\0';
	if (!*t->message && (selected || (ops->where != TUI_OVERVIEW && ops->where != TUI_RUNS)))
		tui_message(t, "this is where you left off; press %s2 for the overview",
			    selected ? "c to clear the selection, " : "");
}

bool tui_position_restore(struct tui *t, const char *store)
{
	const struct tui_view_ops *ops;
	struct tui_select select, before = t->select;
	char path[PATH_MAX];
	struct tui_position p;
	bool opened = false;

	if (!whole_path(store, path) || !read_position(path, &p))
		return false;
	ops = tui_view_find(p.view);
	/* Ignore the position if --run names another run. */
	if (ops && before.run && (p.run == before.run->row.id || !t->cmd->run_spec) &&
	    take_select(t, &p, &select)) {
		t->select = select;
		opened = ops->where == TUI_RUNS || tui_open(t, ops, *p.arg ? p.arg : NULL);
		if (opened && p.row >= 0 && ops->keeps_line)
			tui_table_go(tui_table_of(tui_current(t)), (long)p.row);
		if (opened) {
			tui_select_release(&before);
			say_where(t, ops, &p);
		} else {
			tui_select_release(&t->select);
			t->select = before;
			t->message[0] = '\0';
			t->error = false;
		}
	}
	tui_position_release(&p);
	return opened;
}
