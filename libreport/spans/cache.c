#include "spans/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int rep_cache_init(struct rep_cache *c, size_t nsegments, size_t most, void (*drop)(void *item))
{
	*c = (struct rep_cache){.nsegments = nsegments, .most = most, .drop = drop};
	c->item = calloc(nsegments + 1, sizeof(struct rep_cached *));
	return c->item ? 0 : TP_ENOMEM;
}

void rep_cache_release(struct rep_cache *c)
{
	for (size_t i = 0; c->item && i < c->nsegments; i++) {
		if (c->item[i])
			c->drop(c->item[i]);
	}
	free(c->item);
	memset(c, 0, sizeof(*c));
}

void *rep_cache_find(struct rep_cache *c, size_t segment)
{
	struct rep_cached *item = segment < c->nsegments ? c->item[segment] : NULL;

	if (item)
		item->used = c->now;
	return item;
}

/* Returns the item to drop next, other than `keep`; NULL if there is no other. */
static struct rep_cached *oldest(const struct rep_cache *c, const struct rep_cached *keep)
{
	struct rep_cached *old = NULL;

	for (size_t i = 0; i < c->nsegments; i++) {
		struct rep_cached *item = c->item[i];

		if (item && item != keep && (!old || item->used <= old->used))
			old = item;
	}
	return old;
}

void rep_cache_forget(struct rep_cache *c, size_t segment)
{
	struct rep_cached *item = c->item[segment];

	if (!item)
		return;
	c->bytes -= item->bytes;
	c->item[segment] = NULL;
	c->drop(item);
}

static void drop_until_fit(struct rep_cache *c, const struct rep_cached *keep)
{
	struct rep_cached *old;

	while (c->bytes > c->most && (old = oldest(c, keep)) != NULL)
		rep_cache_forget(c, old->segment);
}

void rep_cache_put(struct rep_cache *c, void *item)
{
	struct rep_cached *own = item;

	own->used = c->now;
	c->item[own->segment] = own;
	c->bytes += own->bytes;
	drop_until_fit(c, own);
}

void rep_cache_limit(struct rep_cache *c, size_t most)
{
	c->most = most;
	drop_until_fit(c, NULL);
}
