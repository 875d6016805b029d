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

static bool is_typed(const struct tp_profile *p, const char *index)
{
	struct tp_err err;
	size_t type;

	return !index || !*index || !index[strspn(index, "0123456789")] ||
	       !rep_profile_sample_index(p, index, &type, &err);
}

static int add(struct cmd_profiles *list, const struct rep_run *run, bool trace,
	       const struct tp_profile *p, const char *key, struct tp_err *err)
{
	const char *label = label_of(run, key);
	struct cmd_profile *item;
	int code;

	if (!label)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "the run %.80s has no label %.80s, which --average-by needs; "
				  "tprof-store label STORE RUN %.80s=VALUE adds it",
				  run->row.name, key, key);
	item = find(list, label);
	if (!item)
		item = begin(list, label, trace, err);
	if (!item)
		return TP_ENOMEM;
	item->damaged |= run->losses > 0;
	item->ntraces += trace;
	item->nprofiles += !trace;
	item->times++;
	code = rep_merger_add(item->sum, &(struct rep_merge_part){.profile = p, .ratio = 1}, err);
	/* Profiles that do not go together are not damaged. */
	if (code == TP_EFORMAT)
		err->code = code = TP_EUNKNOWN;
	return code;
}

int cmd_group_add(struct cmd_profiles *list, const struct rep_run *run, bool trace,
		  struct tp_profile *p, const char *key, const char *sample_index,
		  struct tp_err *err)
{
	int code = 0;

	if (is_typed(p, sample_index))
		code = add(list, run, trace, p, key, err);
	else if (cmd_profile_untyped(p, run->losses > 0) &&
		 cmd_profiles_leave_out(list, run->row.name))
		code = tp_nomem(err);
	tp_profile_free(p);
	return code;
}

int cmd_group_end(struct cmd_profiles *list, const char *sample_index, struct tp_err *err)
{
	int code = 0;

	if (!list->n)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "none of the picked runs has the sample type %.80s",
				  sample_index ? sample_index : "");
	for (size_t i = 0; i < list->n && !code; i++) {
		struct cmd_profile *item = &list->item[i];
		char *name;

		if (!item->sum)
			continue;
		code = rep_merger_finish(item->sum, &item->profile, err);
		rep_merger_free(item->sum);
		item->sum = NULL;
		if (!code && asprintf(&name, "%s (%zu run%s)", item->name, item->times,
				      item->times == 1 ? "" : "s") < 0)
			code = tp_nomem(err);
		if (!code) {
			free(item->name);
			item->name = name;
		}
	}
	return code;
}
