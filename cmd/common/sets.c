#include "common/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/view_options.h"
#include "profile/view.h"

struct kind {
	const struct cmd_mark *first;
	enum cmd_place place;
	size_t n[2]; /* profiles of each side */
};

static const char *text_of(const struct tp_profile *p, uint32_t string)
{
	return tp_dict_text(p->dict, string).text;
}

/* ---- kinds ---- */

static enum cmd_place place_of(const struct tp_profile *p)
{
	if (!p->nsamples || rep_profile_type_find(p, "delay") == SIZE_MAX)
		return CMD_ANYWHERE;
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t frame = tp_dict_stack_at(p->dict, p->stack[i]).frame;

		if (strstr(text_of(p, tp_dict_frame_name(p->dict, frame)), "nlock"))
			return CMD_UNLOCKING;
	}
	return CMD_LOCKING;
}

/* Returns the type that a profile shows if none is named: "alloc_space" of allocs, "inuse_space" of
 * heap; "" if damage may have taken it. */
static const char *shown_type(const struct tp_profile *p, bool damaged)
{
	struct tp_err err;
	size_t type;

	if ((damaged && !p->default_type) || rep_profile_sample_index(p, NULL, &type, &err))
		return "";
	return text_of(p, p->types[type].type);
}

/* Linux maps the vdso at an address by chance, which tells processes apart. 0: unknown. */
static uint64_t process_of(const struct tp_profile *p)
{
	for (size_t i = 0; i < p->nmappings; i++)
		if (!strcmp(text_of(p, p->mappings[i].file), "[vdso]"))
			return p->mappings[i].start;
	return 0;
}

struct cmd_mark cmd_mark_of(const struct cmd_profile *item)
{
	const struct tp_profile *p = item->profile;
	struct cmd_mark m = {.name = item->name,
			     .trace = item->trace,
			     .file = !item->labels,
			     .untyped = cmd_profile_untyped(p, item->damaged),
			     .place = place_of(p),
			     .process = process_of(p)};

	snprintf(m.format, sizeof(m.format), "%s", p->format);
	snprintf(m.shown, sizeof(m.shown), "%s", shown_type(p, item->damaged));
	for (size_t i = 0, used = 0; i < p->ntypes && used < sizeof(m.types); i++)
		used += (size_t)snprintf(m.types + used, sizeof(m.types) - used, "%s ",
					 text_of(p, p->types[i].type));
	return m;
}

/* What damage may have taken tells no kinds apart. */
static bool alike(const struct cmd_mark *a, enum cmd_place place, const struct cmd_mark *b)
{
	if (a->untyped || b->untyped)
		return true;
	return a->trace == b->trace && !strcmp(a->types, b->types) &&
	       (!b->place || !place || b->place == place) && !strcmp(a->format, b->format) &&
	       (!*a->shown || !*b->shown || !strcmp(a->shown, b->shown));
}

bool cmd_marks_alike(const struct cmd_mark *a, const struct cmd_mark *b)
{
	return alike(a, a->place, b);
}

bool cmd_marks_clash(const struct cmd_mark *a, const struct cmd_mark *b)
{
	return !a->trace && !b->trace && a->process && a->process == b->process &&
	       !strcmp(a->types, b->types) && !cmd_marks_alike(a, b);
}

/* Finds the kinds of all profiles, of which the first `nold` are old. Returns how many there are. */
static size_t find_kinds(struct cmd_mark *mark, size_t nold, size_t n, struct kind *kind)
{
	size_t nkinds = 0;

	for (size_t i = 0; i < n; i++) {
		struct cmd_mark *m = &mark[i];
		size_t k = 0;

		while (k < nkinds && !alike(kind[k].first, kind[k].place, m))
			k++;
		if (k == nkinds)
			kind[nkinds++].first = m;
		else if (kind[k].first->untyped)
			kind[k].first = m;
		kind[k].place = kind[k].place ? kind[k].place : m->place;
		kind[k].n[i < nold ? CMD_OLD : CMD_NEW]++;
		m->kind = k;
	}
	return nkinds;
}

/* ---- one of them ---- */

/* Returns the sample type that --sample-index names, or "". */
static const char *named_type(const struct cmd *cmd)
{
	const char *index = cmd->profile ? cmd->profile->sample_index : NULL;

	return index && index[strspn(index, "0123456789")] ? index : "";
}

static const char *name_of(const struct cmd *cmd, const struct cmd_mark *m)
{
	return m->file ? cmd_name_apart(cmd, m->name) : m->name;
}

/* A profile whose default type is alloc_space is also the one that shows alloc_objects. */
static bool shows(const struct cmd_mark *m, const char *type)
{
	size_t n = strcspn(m->shown, "_");

	return n && !strncmp(m->shown, type, n) && (type[n] == '_' || !type[n]);
}

/* Returns the number of the kind that fits best what is asked for, or n if several do. */
static size_t choose(const struct cmd *cmd, const struct kind *kind, size_t n)
{
	size_t best = 0;
	int most = -1;

	for (size_t k = 0; k < n; k++) {
		int fit = (kind[k].n[CMD_OLD] && kind[k].n[CMD_NEW] ? 4 : 0) +
			  (cmd_view(cmd) && kind[k].first->trace ? 2 : 0) +
			  shows(kind[k].first, named_type(cmd));

		best = fit > most ? k : fit == most ? n : best;
		most = fit > most ? fit : most;
	}
	return best;
}

#define ADVICE 320

/* Says how to pick the profiles with this name. */
static void put_advice(const struct cmd *cmd, const char *name, char text[ADVICE])
{
	if (cmd->side_run[CMD_OLD])
		snprintf(text, ADVICE, "--base-label=%.80s,%.60s --label=%.80s,%.60s",
			 cmd->side_run[CMD_OLD], name, cmd->side_run[CMD_NEW], name);
	else if (cmd->run_spec && strchr(cmd->run_spec, '='))
		snprintf(text, ADVICE, "--run=%.160s,%.60s", cmd->run_spec, name);
	else if (cmd->run_spec)
		snprintf(text, ADVICE, "--run=%.60s", name);
	else
		snprintf(text, ADVICE, "name files of one kind only");
}

static int refuse(const struct cmd *cmd, const char *what, const struct kind *kind, size_t n)
{
	const char *type = named_type(cmd);
	char kinds[400] = "", advice[ADVICE];
	bool types = false;

	for (size_t k = 0, used = 0; k < n && used + 120 < sizeof(kinds); k++) {
		const char *shown = *type ? type : kind[k].first->shown;

		used += (size_t)snprintf(kinds + used, sizeof(kinds) - used, "%s%.60s (%.40s)",
					 used ? ", " : "", name_of(cmd, kind[k].first), shown);
		types = types || (!*type && strcmp(shown, kind[0].first->shown) != 0);
	}
	put_advice(cmd, name_of(cmd, kind[0].first), advice);
	return cmd_reject(cmd, CMD_USAGE, "%s are of several kinds: %s; choose one: %s%s", what,
			  kinds, types ? "--sample-index=TYPE, or " : "", advice);
}

static void keep(struct cmd_profiles list[2], const struct cmd_mark *mark, size_t kind)
{
	for (int side = 0; side < 2; side++) {
		size_t n = 0;

		for (size_t i = 0; i < list[side].n; i++)
			if (mark++->kind == kind)
				list[side].item[n++] = list[side].item[i];
			else
				cmd_profile_release(&list[side].item[i]);
		list[side].n = n;
	}
}

static int keep_one(struct cmd *cmd, struct cmd_profiles list[2], const struct kind *kind, size_t n,
		    const struct cmd_mark *mark)
{
	size_t best = choose(cmd, kind, n), other = !best, both = 0;
	char advice[ADVICE] = "";

	/* Without a kind that both have, the sample types say what is wrong. */
	for (size_t k = 0; k < n; k++)
		both += kind[k].n[CMD_OLD] && kind[k].n[CMD_NEW];
	if (!both)
		return CMD_OK;
	if (best == n)
		return refuse(cmd, "the profiles of a side", kind, n);
	for (size_t k = 0; k < n; k++)
		if (k != best && kind[k].n[CMD_OLD] && kind[k].n[CMD_NEW] && !*advice) {
			other = k;
			put_advice(cmd, kind[k].first->name, advice);
		}
	cmd_note(cmd,
		 "%zu old and %zu new profiles like %s are compared; the other %zu and %zu, such "
		 "as %s, are left out, as one process may have written both%s%s",
		 kind[best].n[0], kind[best].n[1], kind[best].first->name,
		 list[0].n - kind[best].n[0], list[1].n - kind[best].n[1], kind[other].first->name,
		 *advice ? "; to compare those: " : "", advice);
	keep(list, mark, best);
	return CMD_OK;
}

/* ---- processes ---- */

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Where addresses tell nothing, several names that come again and again are files of which each
 * process has written all. */
static size_t count_names(const struct cmd_profiles *list, const char **name)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		name[i] = cmd_file_name(list->item[i].name);
	qsort(name, list->n, sizeof(*name), by_text);
	for (size_t i = 0; i < list->n; i++)
		n += !i || strcmp(name[i], name[i - 1]) != 0;
	return n;
}

static size_t count_processes(const struct cmd_profiles *list, uint64_t *process)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		process[i] = process_of(list->item[i].profile);
	qsort(process, list->n, sizeof(*process), by_address);
	for (size_t i = 0; i < list->n; i++)
		n += !process[i] || !i || process[i] != process[i - 1];
	return n;
}

#define DEPENDENT                                                                                  \
	"profiles of one process are not independent, and Q is too small; compare one of each "    \
	"process"

static int tell_processes(const struct cmd *cmd, const struct cmd_profiles *list, const char *side)
{
	uint64_t *process = calloc(list->n + 1, sizeof(*process));
	const char **name = calloc(list->n + 1, sizeof(*name));
	size_t n, names;

	if (process && name) {
		n = count_processes(list, process);
		names = count_names(list, name);
		if (n < list->n)
			cmd_note(cmd, "%zu %s profiles come from %zu process%s: " DEPENDENT,
				 list->n, side, n, n == 1 ? "" : "es");
		else if (names > 1 && names < list->n && !process[list->n - 1])
			cmd_note(cmd,
				 "%zu %s profiles have %zu names, such as %s; if each process "
				 "wrote one of each name: " DEPENDENT,
				 list->n, side, names, name[0]);
	}
	free(process);
	free(name);
	return process && name ? CMD_OK : cmd_nomem(cmd);
}

int cmd_sets_settle(struct cmd *cmd, struct cmd_profiles list[2])
{
	size_t all = list[0].n + list[1].n, n = 0, at = 0;
	struct kind *kind = calloc(all + 1, sizeof(*kind));
	struct cmd_mark *mark = calloc(all + 1, sizeof(*mark));
	bool several = false;
	int status = kind && mark ? CMD_OK : cmd_nomem(cmd);

	for (int side = 0; side < 2 && !status && all > 2; side++)
		for (size_t i = 0; i < list[side].n; i++)
			mark[at++] = cmd_mark_of(&list[side].item[i]);
	if (at)
		n = find_kinds(mark, list[0].n, at, kind);
	for (size_t i = 1; i < at && n > 1; i++)
		several = several || (i != list[0].n && mark[i].kind != mark[i - 1].kind);
	if (several)
		status = keep_one(cmd, list, kind, n, mark);
	free(kind);
	free(mark);
	if (!status)
		status = tell_processes(cmd, &list[0], "old");
	return status ? status : tell_processes(cmd, &list[1], "new");
}

/* ---- sums ---- */

static int by_process(const void *a, const void *b)
{
	const struct cmd_mark *x = *(const struct cmd_mark *const *)a;
	const struct cmd_mark *y = *(const struct cmd_mark *const *)b;
	int order = strcmp(x->types, y->types);

	if (order || x->process != y->process)
		return order ? order : x->process < y->process ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Finds two profiles of different kinds that have the same types and are from one process, or, in
 * maybe[], from unknown ones. */
static bool find_two(const struct cmd_mark **m, size_t n, const struct cmd_mark *maybe[2])
{
	size_t first = 0;

	qsort(m, n, sizeof(*m), by_process);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(m[i]->types, m[first]->types) != 0) {
			first = i;
		} else if (m[i]->process && m[i]->process == m[i - 1]->process &&
			   m[i]->kind != m[i - 1]->kind) {
			return true;
		} else if (!m[first]->process && m[i]->kind != m[first]->kind && !maybe[0]) {
			maybe[0] = m[first];
			maybe[1] = m[i];
		}
	}
	return false;
}

static int keep_for_sum(struct cmd *cmd, struct cmd_mark *mark, size_t n, const struct kind *kind,
			size_t nkinds)
{
	size_t best = choose(cmd, kind, nkinds), kept = 0;
	const char *other = NULL;
	char advice[ADVICE];

	if (best == nkinds)
		return refuse(cmd, "profiles of one process, which have the same samples,", kind,
			      nkinds);
	for (size_t i = 0; i < n; i++) {
		if (mark[i].kind == best) {
			kept++;
			continue;
		}
		other = other ? other : name_of(cmd, &mark[i]);
		mark[i].name = NULL;
	}
	put_advice(cmd, other, advice);
	cmd_note(cmd,
		 "only profiles like %s are added up, %zu of %zu; the others, such as %s, are left "
		 "out, as one process wrote both; to show those: %s",
		 name_of(cmd, kind[best].first), kept, n, other, advice);
	return CMD_OK;
}

int cmd_sum_settle(struct cmd *cmd, struct cmd_mark *mark, size_t n)
{
	struct kind *kind = calloc(n + 1, sizeof(*kind));
	const struct cmd_mark **sorted = calloc(n + 1, sizeof(*sorted)), *maybe[2] = {NULL};
	size_t nkinds = kind && sorted ? find_kinds(mark, 0, n, kind) : 0, nsorted = 0;
	int status = kind && sorted ? CMD_OK : cmd_nomem(cmd);

	for (size_t i = 0; i < n && nkinds > 1; i++)
		if (!mark[i].trace && !mark[i].untyped)
			sorted[nsorted++] = &mark[i];
	if (nsorted && find_two(sorted, nsorted, maybe))
		status = keep_for_sum(cmd, mark, n, kind, nkinds);
	else if (maybe[0])
		cmd_note(cmd,
			 "%s and %s have the same sample types; if one process wrote both, their "
			 "samples are counted twice",
			 name_of(cmd, maybe[0]), name_of(cmd, maybe[1]));
	free(kind);
	free(sorted);
	return status;
}
