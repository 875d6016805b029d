#include "labelled.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/err.h"

/* Where it is, or is to be. */
static uint64_t *place(const struct labelled *l, uint64_t print)
{
	size_t i = (size_t)print & (l->room - 1);

	while (l->at[i] && l->at[i] != print)
		i = (i + 1) & (l->room - 1);
	return &l->at[i];
}

static int grow(struct labelled *l)
{
	struct labelled more = {.n = l->n, .room = l->room ? 2 * l->room : 256};

	more.at = calloc(more.room, sizeof(*more.at));
	if (!more.at)
		return TP_ENOMEM;
	for (size_t i = 0; i < l->room; i++)
		if (l->at[i])
			*place(&more, l->at[i]) = l->at[i];
	free(l->at);
	*l = more;
	return 0;
}

int labelled_first(struct labelled *l, const char *hash, const char *label)
{
	uint64_t of = XXH3_64bits(hash, strlen(hash)),
		 print = XXH3_64bits_withSeed(label, strcspn(label, "="), of), *at;

	print += !print; /* 0 is an empty place */
	if (l->n >= l->room / 2 && grow(l))
		return TP_ENOMEM;
	at = place(l, print);
	if (*at)
		return 0;
	*at = print;
	l->n++;
	return 1;
}

void labelled_release(struct labelled *l)
{
	free(l->at);
	*l = (struct labelled){0};
}
