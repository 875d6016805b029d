/* Parses, offers and saves the arguments of `:diff`. */
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/view/diff/diff.h"
#include "tprof-tui/widget/menu.h"

/* Takes an option of tprof-diff, "--by=sched". Returns false with a message. */
static bool take_option(struct tui_view *v, const char *text)
{
	struct diff *d = v->state;
	struct diff_rows rows;

	if (!strncmp(text, "--by=", 5)) {
		for (int i = 0; diff_rows_at(tui_is_trace(&v->select), i, &rows); i++)
			if (!strcmp(rows.name, text + 5)) {
				d->at = i;
				return true;
			}
		tui_error(v->tui, "there are no rows by '%.60s'; Tab steps through the kinds",
			  text + 5);
		return false;
	}
	for (int i = 0; i < REP_NPER; i++)
		if (!strncmp(text, "--per=", 6) && !strcmp(text + 6, rep_pers[i])) {
			d->how.per = (enum rep_per)i;
			return true;
		}
	if (!strncmp(text, "--type=", 7) && strlen(text) < sizeof(d->how.type)) {
		snprintf(d->how.type, sizeof(d->how.type), "%.95s", text + 7);
		return true;
	}
	if (!strcmp(text, "--normalize"))
		return d->how.normalize = true;
	if (!strcmp(text, "--cum"))
		return d->how.cum = true;
	if (!strcmp(text, "--all-stats"))
		return d->how.every_stat = true;
	if (!strcmp(text, "--changed"))
		return d->how.changed = true;
	tui_error(v->tui,
		  "'%.60s' is not an option here; the options are --by=ROWS, --per=second, task or "
		  "run, --type=TYPE, --normalize, --cum, --all-stats and --changed",
		  text);
	return false;
}

bool diff_take_options(struct tui_view *v, const char **arg)
{
	while (*arg && !strncmp(*arg, "--", 2)) {
		size_t n = strcspn(*arg, " ");
		char text[120];

		snprintf(text, sizeof(text), "%.*s", (int)n, *arg);
		if (!take_option(v, text))
			return false;
		*arg += n + strspn(*arg + n, " ");
	}
	if (*arg && !**arg)
		*arg = NULL;
	return true;
}

void diff_keep(struct tui_view *v, char *text, size_t size)
{
	const struct diff *d = v->state;
	struct diff_rows rows;

	diff_rows_at(tui_is_trace(&v->select), d->at, &rows);
	snprintf(text, size, "--by=%s%s%s%s%s%s%s", rows.name, d->how.per ? " --per=" : "",
		 d->how.per ? rep_pers[d->how.per] : "", d->how.normalize ? " --normalize" : "",
		 d->how.cum ? " --cum" : "", d->how.every_stat ? " --all-stats" : "",
		 d->how.changed ? " --changed" : "");
	if (*d->how.type)
		tui_add(text, size, " ", "--type=%s", d->how.type);
	if (d->arg)
		tui_add(text, size, " ", "%s", d->arg);
}

/* Offers options, labels and names of runs. */
void diff_offer(struct tui *t, struct tui_menu *menu, const char *typed)
{
	const struct rep_run *shown = t->select.run;
	size_t n = strlen(typed);
	struct diff_rows rows;

	for (int i = 0; diff_rows_at(tui_is_trace(&t->select), i, &rows); i++) {
		char text[40];

		snprintf(text, sizeof(text), "--by=%s", rows.name);
		if (n && !strncmp(text, typed, n))
			tui_menu_add(menu, text, NULL, "the kind of rows");
	}
	for (size_t i = 0; i < t->cmd->all.n && shown; i++) {
		const struct rep_run *run = &t->cmd->all.run[i];

		if (strcmp(run->row.kind, shown->row.kind) != 0)
			continue;
		for (size_t k = 0; k < run->nlabels; k++)
			if (!strncmp(run->labels[k], typed, n))
				tui_menu_add(menu, run->labels[k], NULL,
					     "all runs with this label");
		if (run->row.id != shown->row.id && !strncmp(run->row.name, typed, n))
			tui_menu_add(menu, run->row.name, NULL, "a run");
	}
}
