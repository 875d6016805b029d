#include "tprof-tui/remember.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tprof-tui/state.h"
#include "tprof-tui/view/rows.h"

#define FILE_NAME   "views"
#define MOST_STORES 200 /* that are remembered */
#define MOST_FILE   (1 << 20)
#define MOST_TEXT   4096

/* A line is fields between tabs: the store's whole path, "2", view, arg, run, other, from, to, the
 * texts of the selection, row. "\t", "\n" and "\\" stand for themselves in texts. */
#define VERSION "2"
enum { FIELD_VIEW, FIELD_ARG, FIELD_RUN, FIELD_OTHER, FIELD_FROM, FIELD_TO, FIELD_TEXT };
#define NFIELDS (FIELD_TEXT + TUI_NTEXTS + 1)

/* ---- a line ---- */

void tui_place_release(struct tui_place *p)
{
	free(p->view);
	free(p->arg);
	for (size_t i = 0; i < TUI_NTEXTS; i++)
		free(p->text[i]);
	*p = (struct tui_place){0};
}

static int put_number(struct tp_buf *b, int64_t n)
{
	char text[32];

	return tp_buf_put(b, text, (size_t)snprintf(text, sizeof(text), "\t%" PRId64, n));
}

bool tui_place_put(const struct tui_place *p, struct tp_buf *b)
{
	int failed = tp_buf_put(b, VERSION "\t", sizeof(VERSION "\t") - 1) |
		     tui_state_put_text(b, p->view) | tp_buf_put(b, "\t", 1) |
		     tui_state_put_text(b, p->arg) | put_number(b, p->run) |
		     put_number(b, p->other) | put_number(b, p->from_ns) | put_number(b, p->to_ns);

	for (size_t i = 0; i < TUI_NTEXTS; i++)
		failed |= tp_buf_put(b, "\t", 1) | tui_state_put_text(b, p->text[i]);
	return !(failed | put_number(b, p->row));
}

/* One field as text of its own; NULL where it is none of ours. */
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

bool tui_place_parse(const char *line, struct tui_place *p)
{
	const char *field[NFIELDS];
	size_t size[NFIELDS];
	bool fine = true;

	*p = (struct tui_place){0};
	if (strncmp(line, VERSION "\t", sizeof(VERSION "\t") - 1) != 0)
		return false;
	line += sizeof(VERSION "\t") - 1;
	for (size_t i = 0; i < NFIELDS; i++) {
		field[i] = line;
		size[i] = strcspn(line, "\t\n");
		line += size[i];
		if ((*line == '\t') != (i + 1 < NFIELDS))
			return false;
		line += *line == '\t';
	}
	p->view = take_text(field[FIELD_VIEW], size[FIELD_VIEW]);
	p->arg = take_text(field[FIELD_ARG], size[FIELD_ARG]);
	fine = p->view && p->arg && take_number(field[FIELD_RUN], size[FIELD_RUN], &p->run) &&
	       take_number(field[FIELD_OTHER], size[FIELD_OTHER], &p->other) &&
	       take_number(field[FIELD_FROM], size[FIELD_FROM], &p->from_ns) &&
	       take_number(field[FIELD_TO], size[FIELD_TO], &p->to_ns) &&
	       take_number(field[NFIELDS - 1], size[NFIELDS - 1], &p->row);
	for (size_t i = 0; i < TUI_NTEXTS && fine; i++) {
		p->text[i] = take_text(field[FIELD_TEXT + i], size[FIELD_TEXT + i]);
		fine = p->text[i] != NULL;
	}
	if (!fine)
		tui_place_release(p);
	return fine;
}

/* ---- the file ---- */

static bool whole_path(const char *store, char path[PATH_MAX])
{
	return realpath(store, path) && !strpbrk(path, "\n\t");
}

/* Is it the line of this store? What stands behind the path, or NULL. */
static const char *line_of(const char *line, const char *path)
{
	size_t n = strlen(path);

	return !strncmp(line, path, n) && line[n] == '\t' ? line + n + 1 : NULL;
}

/* The others, the latest first, as many as are kept. */
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

static void write_place(const char *path, const struct tui_place *p)
{
	char *old = calloc(1, MOST_FILE), where[PATH_MAX];
	struct tp_buf b = {0};
	bool fine = old && !tp_buf_put(&b, path, strlen(path)) && !tp_buf_put(&b, "\t", 1) &&
		    tui_place_put(p, &b) && !tp_buf_put(&b, "\n", 1);

	if (fine && tui_state_read(FILE_NAME, old, MOST_FILE))
		fine = !put_others(&b, old, path);
	if (fine && b.size < MOST_FILE)
		tui_state_write(FILE_NAME, b.data, b.size, where, sizeof(where));
	tp_buf_release(&b);
	free(old);
}

static bool read_place(const char *path, struct tui_place *p)
{
	char *all = calloc(1, MOST_FILE);
	bool found = false;

	if (all && tui_state_read(FILE_NAME, all, MOST_FILE)) {
		for (char *line = all; *line && !found;
		     line += strcspn(line, "\n"), line += *line == '\n') {
			const char *place = line_of(line, path);

			found = place && tui_place_parse(place, p);
		}
	}
	free(all);
	return found;
}

/* ---- what is kept ---- */

void tui_remember(struct tui *t, const char *store)
{
	/* Who has gone back step by step to leave was last where it began. */
	size_t at = t->at || !t->nviews ? t->at : t->nviews - 1;
	struct tui_view *v = t->nviews ? t->view[at] : NULL;
	char path[PATH_MAX], arg[MOST_TEXT] = "";
	struct tui_place p;

	/* Help is no place to come back to. */
	if (v && v->ops->where == TUI_HELP && at)
		v = t->view[at - 1];
	if (!v || !whole_path(store, path))
		return;
	if (v->ops->keep)
		v->ops->keep(v, arg, sizeof(arg));
	p = (struct tui_place){
	    .view = (char *)(uintptr_t)v->ops->name,
	    .arg = arg,
	    .run = v->select.run ? v->select.run->row.id : TP_NULL,
	    .other = v->select.other ? v->select.other->row.id : TP_NULL,
	    .from_ns = v->select.from_ns,
	    .to_ns = v->select.to_ns,
	    .row = v->ops->keeps_line ? (int64_t)tui_table_of(v)->cursor : -1,
	};
	memcpy(p.text, v->select.text, sizeof(p.text));
	write_place(path, &p);
}

static const struct rep_run *run_of(const struct tui *t, int64_t id)
{
	for (size_t i = 0; i < t->cmd->all.n; i++)
		if (t->cmd->all.run[i].row.id == id)
			return &t->cmd->all.run[i];
	return NULL;
}

/* False: the selection is none that could have been typed. */
static bool take_select(struct tui *t, const struct tui_place *p, struct tui_select *s)
{
	struct rep_filter filter;
	struct rep_filter_text f;
	struct tp_err err;
	char times[60];
	bool fine = p->from_ns < p->to_ns;

	tui_select_init(s);
	s->run = run_of(t, p->run);
	s->other = run_of(t, p->other);
	s->from_ns = p->from_ns;
	s->to_ns = p->to_ns;
	for (size_t i = 0; i < TUI_NTEXTS && fine; i++)
		fine = tui_select_set(&s->text[i], p->text[i]);
	f = tui_select_filter(s, TUI_BY_ALL, times);
	fine = !rep_filter_init(&filter, &f, &err) && fine;
	rep_filter_release(&filter);
	if (!fine || !s->run || (p->other != TP_NULL && !s->other)) {
		tui_select_release(s);
		return false;
	}
	return true;
}

/* A screen that is not the one of the first time: why, and what leads there. */
static void say_where(struct tui *t, const struct tui_view_ops *ops, const struct tui_place *p)
{
	bool selected = p->from_ns != INT64_MIN || p->to_ns != INT64_MAX;

	for (size_t i = 0; i < TUI_NTEXTS; i++)
		selected |= *p->text[i] != '\0';
	if (!*t->message && (selected || (ops->where != TUI_OVERVIEW && ops->where != TUI_RUNS)))
		tui_message(t, "as you left it%s; 2 has the overview",
			    selected ? "; c takes away what was selected" : "");
}

bool tui_recall_place(struct tui *t, const char *store)
{
	const struct tui_view_ops *ops;
	struct tui_select select, before = t->select;
	char path[PATH_MAX];
	struct tui_place p;
	bool opened = false;

	if (!whole_path(store, path) || !read_place(path, &p))
		return false;
	ops = tui_view_find(p.view);
	/* --run says another one. */
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
	tui_place_release(&p);
	return opened;
}
