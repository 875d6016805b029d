#include "profile/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/filter.h"
#include "profile/labelchoice.h"
#include "profile/view.h"
#include "task/request.h"

struct keeping {
	const struct tp_profile *p;
	char *key; /* "": any */
	const char *id;
	bool *has;  /* by label set */
	bool *used; /* by label set: a sample has it */
};

static bool is_id(const struct keeping *k, const struct tp_label *l)
{
	char number[24];

	if (*k->key && !rep_text_is(tp_dict_text(k->p->dict, l->key), k->key))
		return false;
	if (!l->numeric)
		return rep_text_is(tp_dict_text(k->p->dict, l->text), k->id);
	snprintf(number, sizeof(number), "%lld", (long long)l->number);
	return *k->key && !strcmp(number, k->id);
}

static bool keep(void *ctx, size_t sample)
{
	const struct keeping *k = ctx;

	return k->has[k->p->label_set[sample]];
}

static int none(const struct keeping *k, const char *request, struct tp_err *err)
{
	struct tp_buf b = {0};

	if (rep_label_choice(k->p, k->used, k->key, &b))
		tp_nomem(err);
	else
		tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "no sample has the request %.60s; %.*s",
			   rep_request_shown(request), (int)b.size, (const char *)b.data);
	tp_buf_release(&b);
	return err->code;
}

int rep_profile_keep_request(struct tp_profile *p, const char *request, struct tp_err *err)
{
	const char *equals = strchr(request, '=');
	size_t n = equals ? (size_t)(equals - request) - 1 : 0;
	struct keeping k = {
	    .p = p, .key = strndup(request + 1, n), .id = request + 1 + n + !!equals};
	int code = 0;

	k.has = calloc(p->nsets + 1, sizeof(*k.has));
	k.used = calloc(p->nsets + 1, sizeof(*k.used));
	if (!k.key || !k.has || !k.used) {
		code = tp_nomem(err);
		goto done;
	}
	for (size_t s = 0; s < p->nsets; s++)
		for (uint32_t i = 0; i < p->sets[s].n && !k.has[s]; i++)
			k.has[s] = is_id(&k, &p->labels[p->sets[s].first + i]);
	for (size_t i = 0; i < p->nsamples; i++)
		k.used[p->label_set[i]] = true;
	rep_profile_keep_samples(p, keep, &k);
	if (!p->nsamples)
		code = none(&k, request, err);
done:
	free(k.key);
	free(k.has);
	free(k.used);
	return code;
}
