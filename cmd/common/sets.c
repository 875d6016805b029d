#include "common/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/view_options.h"
#include "profile/view.h"

/* Where the stacks of a contention profile end: block and mutex profiles differ in nothing else. */
enum place { ANYWHERE, LOCKING, UNLOCKING };

struct kind {
	const struct cmd_profile *first;
	enum place place;
	size_t n[2]; /* profiles of each side */
};

static const char *text_of(const struct tp_profile *p, uint32_t string)
{
	return tp_dict_text(p->dict, string).text;
}

/* ---- kinds ---- */

static enum place place_of(const struct tp_profile *p)
{
	if (!p->nsamples || rep_profile_type_find(p, "delay") == SIZE_MAX)
		return ANYWHERE;
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t frame = tp_dict_stack_at(p->dict, p->stack[i]).frame;

		if (strstr(text_of(p, tp_dict_frame_name(p->dict, frame)), "nlock"))
			return UNLOCKING;
	}
	return LOCKING;
}

static bool same_types(const struct tp_profile *a, const struct tp_profile *b)
{
	for (size_t i = 0; i < a->ntypes && a->ntypes == b->ntypes; i++)
		if (strcmp(text_of(a, a->types[i].type), text_of(b, b->types[i].type)) != 0)
			return false;
	return a->ntypes == b->ntypes;
}

/* Returns the type that a profile shows if none is named: "alloc_space" of allocs, "inuse_space" of
 * heap; "" if damage may have taken it. */
static const char *shown_type(const struct cmd_profile *item)
{
	const struct tp_profile *p = item->profile;
	struct tp_err err;
	size_t type;

	if ((item->damaged && !p->default_type) || rep_profile_sample_index(p, NULL, &type, &err))
		return "";
	return text_of(p, p->types[type].type);
}

/* What damage may have taken tells no kinds apart. */
static bool is_kind(const struct kind *k, const struct cmd_profile *item, enum place place)
{
	const struct tp_profile *a = k->first->profile, *b = item->profile;
	const char *shown[] = {shown_type(k->first), shown_type(item)};

	if (cmd_profile_untyped(a, k->first->damaged) || cmd_profile_untyped(b, item->damaged))
		return true;
	return k->first->trace == item->trace && same_types(a, b) &&
	       (!place || !k->place || place == k->place) && !strcmp(a->format, b->format) &&
	       (!*shown[0] || !*shown[1] || !strcmp(shown[0], shown[1]));
}

/* Finds the kinds of all profiles, and of each its number. Returns how many kinds there are. */
static size_t find_kinds(const struct cmd_profiles list[2], struct kind *kind, size_t *of)
{
	size_t n = 0, at = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < list[side].n; i++, at++) {
			const struct cmd_profile *item = &list[side].item[i];
			enum place place = place_of(item->profile);
			size_t k = 0;

			while (k < n && !is_kind(&kind[k], item, place))
				k++;
			if (k == n)
				kind[n++].first = item;
			else if (cmd_profile_untyped(kind[k].first->profile,
						     kind[k].first->damaged))
				kind[k].first = item;
			kind[k].place = kind[k].place ? kind[k].place : place;
			kind[k].n[side]++;
			of[at] = k;
		}
	return n;
}

/* ---- one of them ---- */

/* Returns the sample type that --sample-index names, or "". */
static const char *named_type(const struct cmd *cmd)
{
	const char *index = cmd->profile ? cmd->profile->sample_index : NULL;

	return index && index[strspn(index, "0123456789")] ? index : "";
}

/* A profile whose default type is alloc_space is also the one that shows alloc_objects. */
static bool shows(const struct cmd_profile *item, const char *type)
{
	const char *shown = shown_type(item);
	size_t n = strcspn(shown, "_");

	return *shown && !strncmp(shown, type, n) && (type[n] == '_' || !type[n]);
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

/* Says how to compare the profiles with this name. */
static void put_advice(const struct cmd *cmd, const char *name, char text[ADVICE])
{
	if (cmd->side_run[CMD_OLD])
		snprintf(text, ADVICE, "--base-label=%.80s,%.60s --label=%.80s,%.60s",
			 cmd->side_run[CMD_OLD], name, cmd->side_run[CMD_NEW], name);
	else
		snprintf(text, ADVICE, "name files of one kind only");
}

static int refuse(const struct cmd *cmd, const struct kind *kind, size_t n)
{
	const char *type = named_type(cmd);
	char kinds[400] = "", advice[ADVICE];
	bool types = false;

	for (size_t k = 0, used = 0; k < n && used + 120 < sizeof(kinds); k++) {
		const char *shown = *type ? type : shown_type(kind[k].first);

		used += (size_t)snprintf(kinds + used, sizeof(kinds) - used, "%s%.60s (%.40s)",
					 used ? ", " : "", kind[k].first->name, shown);
		types = types || (!*type && strcmp(shown, shown_type(kind[0].first)) != 0);
	}
	put_advice(cmd, kind[0].first->name, advice);
	return cmd_reject(cmd, CMD_USAGE,
			  "the profiles of a side are of several kinds: %s; choose one: %s%s",
			  kinds, types ? "--sample-index=TYPE, or " : "", advice);
}

static void keep(struct cmd_profiles list[2], const size_t *of, size_t kind)
{
	for (int side = 0; side < 2; side++) {
		size_t n = 0;

		for (size_t i = 0; i < list[side].n; i++)
			if (*of++ == kind)
				list[side].item[n++] = list[side].item[i];
			else
				cmd_profile_release(&list[side].item[i]);
		list[side].n = n;
	}
}

static int keep_one(struct cmd *cmd, struct cmd_profiles list[2], const struct kind *kind, size_t n,
		    const size_t *of)
{
	size_t best = choose(cmd, kind, n), other = !best, both = 0;
	char advice[ADVICE] = "";

	/* Without a kind that both have, the sample types say what is wrong. */
	for (size_t k = 0; k < n; k++)
		both += kind[k].n[CMD_OLD] && kind[k].n[CMD_NEW];
	if (!both)
		return CMD_OK;
	if (best == n)
		return refuse(cmd, kind, n);
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
	keep(list, of, best);
	return CMD_OK;
}

/* ---- processes ---- */

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Linux maps the vdso at an address by chance, which tells processes apart. 0: unknown. */
static uint64_t process_of(const struct tp_profile *p)
{
	for (size_t i = 0; i < p->nmappings; i++)
		if (!strcmp(text_of(p, p->mappings[i].file), "[vdso]"))
			return p->mappings[i].start;
	return 0;
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
	size_t all = list[0].n + list[1].n, n = 0;
	struct kind *kind = calloc(all + 1, sizeof(*kind));
	size_t *of = calloc(all + 1, sizeof(*of));
	bool several = false;
	int status = CMD_OK;

	if (!kind || !of)
		status = cmd_nomem(cmd);
	else if (all > 2)
		n = find_kinds(list, kind, of);
	for (size_t i = 1; i < all && n > 1; i++)
		several = several || (i != list[0].n && of[i] != of[i - 1]);
	if (several)
		status = keep_one(cmd, list, kind, n, of);
	free(kind);
	free(of);
	if (!status)
		status = tell_processes(cmd, &list[0], "old");
	return status ? status : tell_processes(cmd, &list[1], "new");
}
