/* Finds the sides of a comparison, and lists the candidates for a run: other runs of its kind, and sets
 * of runs with the same label. */
#include "tprof-tui/view/diff/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool same_kind(const struct rep_run *a, const struct rep_run *b)
{
	return !strcmp(a->row.kind, b->row.kind);
}

/* ---- the argument ---- */

static int select_kind(const struct rep_runs *all, const struct rep_run *like, const char *spec,
		       struct rep_runs *out, struct tp_err *err)
{
	size_t n = 0;
	int code = rep_runs_select(all, spec, out, err);

	if (code)
		return code;
	for (size_t i = 0; i < out->n; i++)
		if (same_kind(&out->run[i], like))
			out->run[n++] = out->run[i];
	if (!n) {
		tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    "'%.100s' is a %s, but the run shown is a %s; choose a run of the same kind",
		    spec, out->run[0].row.kind, like->row.kind);
		rep_runs_release(out);
		return TP_ENOENT;
	}
	out->n = n;
	return 0;
}

static int only(const struct rep_runs *all, const struct rep_run *run, struct rep_runs *out,
		struct tp_err *err)
{
	char id[32];

	snprintf(id, sizeof(id), "%" PRId64, run->row.id);
	return rep_runs_select(all, id, out, err);
}

/* Returns the label of the run that has the key of `label`, or NULL. */
static const char *label_like(const struct rep_run *run, const char *label)
{
	const char *equal = strchr(label, '=');
	size_t n = equal ? (size_t)(equal - label) + 1 : 0;

	for (size_t i = 0; n && i < run->nlabels; i++)
		if (!strncmp(run->labels[i], label, n))
			return run->labels[i];
	return NULL;
}

/* Finds the sides if only OLD is given. */
static int one_side(const struct rep_runs *all, const struct rep_run *run, const char *spec,
		    struct rep_runs *old, struct rep_runs *new, struct tp_err *err)
{
	const char *label = label_like(run, spec);
	int code = select_kind(all, run, spec, old, err);

	if (code)
		return code;
	/* If OLD is a label with another value than the run's, the new side is a set, too. */
	if (label && strcmp(label, spec) != 0)
		return select_kind(all, run, label, new, err);
	return only(all, run, new, err);
}

int diff_sides(const struct rep_runs *all, const struct tui_select *s, const char *arg,
	       struct rep_runs *old, struct rep_runs *new, struct tp_err *err)
{
	char first[400];
	struct tp_err why;
	int code;

	/* A run was marked when the view was opened. */
	if (!arg && !s->other)
		return tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    "the marked run is no longer in the store; press o to choose another");
	if (!arg) {
		code = same_kind(s->run, s->other)
			   ? only(all, s->other, old, err)
			   : tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
					"'%.100s' is a %s, but the run shown is a %s; mark a run "
					"of the same kind (1, then m)",
					s->other->row.name, s->other->row.kind, s->run->row.kind);
		return code ? code : only(all, s->run, new, err);
	}
	code = one_side(all, s->run, arg, old, new, err);
	if (code != TP_ENOENT || !strchr(arg, ' '))
		return code;
	/* Names and labels may contain blanks, so every split is tried. */
	for (const char *cut = strchr(arg, ' '); cut; cut = strchr(cut + 1, ' ')) {
		snprintf(first, sizeof(first), "%.*s", (int)(cut - arg), arg);
		rep_runs_release(old);
		rep_runs_release(new);
		*old = *new = (struct rep_runs){0};
		if (!select_kind(all, s->run, first, old, &why) &&
		    !select_kind(all, s->run, cut + strspn(cut, " "), new, &why))
			return 0;
		*err = why;
	}
	return code;
}

/* ---- the list ---- */

enum { COLUMN_WHAT, COLUMN_FORMAT, COLUMN_RUNS, COLUMN_LABELS, COLUMN_ID, COLUMN_SIDES, NCOLUMNS };

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_WHAT] = {.name = "with", .title = "COMPARE WITH", .kind = REP_TEXT, .least = 24},
    [COLUMN_FORMAT] = {.name = "format", .title = "FORMAT", .kind = REP_TEXT, .drop = 2},
    [COLUMN_RUNS] = {.name = "runs", .title = "RUNS", .kind = REP_COUNT},
    [COLUMN_LABELS] = {.name = "labels", .title = "LABELS", .kind = REP_TEXT, .drop = 1},
    [COLUMN_ID] = {.name = "id", .kind = REP_ID, .raw_only = true},
    [COLUMN_SIDES] = {.name = "sides", .kind = REP_TEXT, .raw_only = true},
};

static int put_run(const struct rep_run *run, struct rep_output *out, struct tp_err *err)
{
	char id[32], labels[TUI_LABELS_SIZE];
	struct rep_value row[NCOLUMNS] = {
	    [COLUMN_WHAT] = rep_str(run->row.name),
	    [COLUMN_FORMAT] = rep_str(run->row.format),
	    [COLUMN_RUNS] = rep_int(1),
	    [COLUMN_ID] = rep_int(run->row.id),
	};

	snprintf(id, sizeof(id), "%" PRId64, run->row.id);
	row[COLUMN_LABELS] = rep_str(tui_labels_text(run, labels));
	row[COLUMN_SIDES] = rep_str(id);
	return rep_output_row(out, row, err);
}

static bool has_label(const struct rep_run *run, const char *label)
{
	for (size_t i = 0; i < run->nlabels; i++)
		if (!strcmp(run->labels[i], label))
			return true;
	return false;
}

static int64_t count_labelled(const struct diff_choices *c, const char *label)
{
	int64_t n = 0;

	for (size_t i = 0; i < c->all->n; i++)
		n += same_kind(&c->all->run[i], c->run) && has_label(&c->all->run[i], label);
	return n;
}

/* Returns whether an earlier run has this label, so that its set is already listed. */
static bool was_before(const struct diff_choices *c, size_t at, const char *label)
{
	for (size_t i = 0; i < at; i++)
		if (same_kind(&c->all->run[i], c->run) && has_label(&c->all->run[i], label))
			return true;
	return false;
}

/* Adds sets of runs that share a label's key with this run but have another value, unless both sides
 * would be single runs. */
static int put_sets(const struct diff_choices *c, struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < c->all->n && !code; i++) {
		const struct rep_run *run = &c->all->run[i];

		for (size_t k = 0; k < run->nlabels && same_kind(run, c->run) && !code; k++) {
			const char *label = run->labels[k], *own = label_like(c->run, label);
			char what[400], sides[400];
			int64_t n, nown;

			if (!own || !strcmp(own, label) || was_before(c, i, label))
				continue;
			n = count_labelled(c, label);
			nown = count_labelled(c, own);
			if (n + nown < 3)
				continue;
			snprintf(what, sizeof(what), "all %.150s (%" PRId64 "), then all %.150s",
				 label, n, own);
			snprintf(sides, sizeof(sides), "%.190s %.190s", label, own);
			code = rep_output_row(out,
					      (struct rep_value[NCOLUMNS]){
						  [COLUMN_WHAT] = rep_str(what),
						  [COLUMN_RUNS] = rep_int(n + nown),
						  [COLUMN_SIDES] = rep_str(sides),
					      },
					      err);
		}
	}
	return code;
}

/* Returns whether the names have the same extension: "a.heap", "b.heap". */
static bool same_ending(const struct rep_run *a, const struct rep_run *b)
{
	const char *x = strrchr(a->row.name, '.'), *y = strrchr(b->row.name, '.');

	return x && y && !strcmp(x, y);
}

int diff_choices_fill(void *ctx, struct rep_output *out, struct tp_err *err)
{
	const struct diff_choices *c = ctx;
	int code = rep_output_begin(out, "choices", columns, NCOLUMNS, err);

	if (!code)
		code = put_sets(c, out, err);
	/* Runs whose names have the same extension come first: they probably measure the same thing. */
	for (int like = 1; like >= 0; like--)
		for (size_t i = 0; i < c->all->n && !code; i++) {
			const struct rep_run *run = &c->all->run[i];

			if (same_kind(run, c->run) && run->row.id != c->run->row.id &&
			    same_ending(run, c->run) == (like > 0))
				code = put_run(run, out, err);
		}
	return code ? code : rep_output_end(out, err);
}

int diff_choices_draw(const struct tui_select *s, size_t n, struct tui_area a)
{
	int lines = a.rows > 7 ? 2 : 1;

	if (n)
		tui_sayf(a.row, a.col, a.cols, TUI_STYLE_STRONG,
			 "Choose the old side for %.200s; Enter compares them.", s->run->row.name);
	else
		tui_sayf(a.row, a.col, a.cols, TUI_STYLE_STRONG,
			 "This store has no other %s to compare %.200s with.", s->run->row.kind,
			 s->run->row.name);
	if (lines > 1)
		tui_say(
		    a.row + 1, a.col, a.cols, TUI_STYLE_DIM,
		    n ? "m in the view runs (1) marks a run permanently; runs with the same label "
			"are compared as a set"
		      : "tprof-import -o STORE FILE adds a run to a store; R looks for new runs");
	return lines;
}
