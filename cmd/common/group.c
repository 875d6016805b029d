#include "common/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "common/near.h"
#include "profile/merge/merge.h"
#include "profile/view.h"

/* Returns the label with this key, such as "host=a1", or NULL. */
static const char *label_of(const struct rep_run *run, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < run->nlabels; i++)
		if (!strncmp(run->labels[i], key, n) && run->labels[i][n] == '=')
			return run->labels[i];
	return NULL;
}

/* Limit on keys that are listed and compared with a mistyped one. */
#define MOST_KEYS 16

/* Collects the keys of all labels, each once, and returns how many there are. */
static size_t keys_of(const struct rep_runs *runs, char key[MOST_KEYS][32])
{
	size_t nkeys = 0;

	for (size_t i = 0; i < runs->n; i++)
		for (size_t k = 0; k < runs->run[i].nlabels; k++) {
			const char *label = runs->run[i].labels[k];
			size_t n = strcspn(label, "="), j = 0;

			while (j < nkeys &&
			       (strncmp(key[j], label, n) != 0 || key[j][n < 31 ? n : 31]))
				j++;
			if (n < sizeof(key[0]) && j == nkeys && nkeys < MOST_KEYS)
				snprintf(key[nkeys++], sizeof(key[0]), "%.*s", (int)n, label);
		}
	return nkeys;
}

int cmd_group_check(const struct rep_runs *runs, const char *key, struct tp_err *err)
{
	char keys[MOST_KEYS][32], list[200] = "", meant[64] = "";
	struct cmd_near near = {0};
	size_t n, used = 0;

	for (size_t i = 0; i < runs->n; i++)
		if (label_of(&runs->run[i], key))
			return 0;
	n = keys_of(runs, keys);
	for (size_t i = 0; i < n; i++) {
		cmd_near_try(&near, key, keys[i]);
		if (used + strlen(keys[i]) + 3 < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", keys[i]);
	}
	if (near.word)
		snprintf(meant, sizeof(meant), "; did you mean %s?", near.word);
	return tp_err_set(
	    err, TP_EUNKNOWN, TP_OFFSET_NONE,
	    n ? "--average-by=%.80s: none of the picked runs has a label with this key%s%s%s"
	      : "--average-by=%.80s: none of the picked runs has a label; tprof-store label STORE "
		"RUN KEY=VALUE adds one%s%s%s",
	    key, meant, n && !near.word ? "; keys are: " : "", n && !near.word ? list : "");
}

/* Searches from the end, as runs of a group often follow each other. */
static struct cmd_profile *find(struct cmd_profiles *list, const char *label)
{
	for (size_t i = list->n; i > 0; i--)
		if (list->item[i - 1].sum && !strcmp(list->item[i - 1].name, label))
			return &list->item[i - 1];
	return NULL;
}

static struct cmd_profile *begin(struct cmd_profiles *list, const char *label, bool trace,
				 struct tp_err *err)
{
	struct cmd_profile *grown = tp_more(list->item, list->n + 1, sizeof(*grown));
	struct cmd_profile *item;

	if (grown)
		list->item = grown;
	item = grown ? &grown[list->n] : NULL;
	if (item) {
		*item = (struct cmd_profile){.name = strdup(label), .trace = trace};
		if (item->name && !rep_merger_new(&item->sum, false, err)) {
			list->n++;
			return item;
		}
		free(item->name);
	}
	tp_nomem(err);
	return NULL;
}

int cmd_group_put(struct cmd_profiles *list, const char *label, const struct cmd_profile *more,
		  struct tp_err *err)
{
	struct cmd_profile *item = find(list, label);
	int code;

	if (!item)
		item = begin(list, label, more->trace, err);
	if (!item)
		return TP_ENOMEM;
	item->damaged |= more->damaged;
	item->ntraces += more->ntraces;
	item->nprofiles += more->nprofiles;
	item->times++;
	code = rep_merger_add(item->sum,
			      &(struct rep_merge_part){.profile = more->profile, .ratio = 1}, err);
	return code ? cmd_profiles_unlike(err) : 0;
}

static int add(struct cmd_profiles *list, const struct rep_run *run, struct tp_profile *p,
	       const char *key, struct tp_err *err)
{
	const char *label = label_of(run, key);
	bool trace = strcmp(run->row.kind, "profile") != 0;
	const struct cmd_profile more = {.profile = p,
					 .damaged = run->losses > 0,
					 .trace = trace,
					 .ntraces = trace,
					 .nprofiles = !trace};

	if (label)
		return cmd_group_put(list, label, &more, err);
	return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			  "the run %.80s has no label %.80s, which --average-by needs; "
			  "tprof-store label STORE RUN %.80s=VALUE adds it",
			  run->row.name, key, key);
}

int cmd_group_add(struct cmd_profiles *list, const struct rep_run *run, struct tp_profile *p,
		  const char *key, const char *type, struct tp_err *err)
{
	size_t index;
	int code = 0;

	if (!type || !rep_profile_sample_index(p, type, &index, err))
		code = add(list, run, p, key, err);
	else if (cmd_profile_untyped(p, run->losses > 0) &&
		 cmd_profiles_leave_out(list, run->row.name))
		code = tp_nomem(err);
	tp_profile_free(p);
	return code;
}

static int end(struct cmd_profile *item, bool labelled, struct tp_err *err)
{
	int code = rep_merger_finish(item->sum, &item->profile, err), n;
	char *name = NULL;

	rep_merger_free(item->sum);
	item->sum = NULL;
	if (code)
		return code;
	n = labelled ? asprintf(&name, "%s (%zu run%s)", item->name, item->times,
				item->times == 1 ? "" : "s")
		     : asprintf(&name, "%s and %zu more", item->name, item->times - 1);
	if (n < 0)
		return tp_nomem(err);
	free(item->name);
	item->name = name;
	if (!labelled)
		item->times = 0;
	return 0;
}

int cmd_group_end(struct cmd_profiles *list, bool labelled, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < list->n && !code; i++)
		if (list->item[i].sum)
			code = end(&list->item[i], labelled, err);
	return code;
}
