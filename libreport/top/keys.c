#include "top/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/err.h"

static uint64_t hash(const struct rep_key *k)
{
	uint64_t h = (uint64_t)k->part[0] << 32 | k->part[1];

	h ^= ((uint64_t)k->part[2] << 32 | k->part[3]) * 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

static int grow_slots(struct rep_keys *k)
{
	size_t nslots = k->nslots ? 2 * k->nslots : 256;
	uint32_t *slot = calloc(nslots, sizeof(*slot));

	if (!slot)
		return TP_ENOMEM;
	for (size_t i = 0; i < k->n; i++) {
		size_t at = (size_t)hash(&k->key[i]) & (nslots - 1);

		while (slot[at])
			at = (at + 1) & (nslots - 1);
		slot[at] = (uint32_t)i + 1;
	}
	free(k->slot);
	k->slot = slot;
	k->nslots = nslots;
	return 0;
}

/* The slot that holds the key, or the free one where it belongs. */
static size_t find_slot(const struct rep_keys *k, const struct rep_key *key)
{
	size_t at = (size_t)hash(key) & (k->nslots - 1);

	while (k->slot[at] && memcmp(&k->key[k->slot[at] - 1], key, sizeof(*key)))
		at = (at + 1) & (k->nslots - 1);
	return at;
}

int rep_keys_add(struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		 uint32_t *index)
{
	const struct rep_key key = {{a, b, c, d}};
	size_t at;

	if (k->n >= k->nslots / 2 && grow_slots(k))
		return TP_ENOMEM;
	at = find_slot(k, &key);
	if (!k->slot[at]) {
		if (k->n >= UINT32_MAX / 2)
			return TP_ELIMIT;
		if (tp_grow(&k->key, &k->room, k->n, sizeof(*k->key)))
			return TP_ENOMEM;
		k->key[k->n++] = key;
		k->slot[at] = (uint32_t)k->n;
	}
	*index = k->slot[at] - 1;
	return 0;
}

bool rep_keys_find(const struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		   uint32_t *index)
{
	const struct rep_key key = {{a, b, c, d}};
	size_t at;

	if (!k->n)
		return false;
	at = find_slot(k, &key);
	*index = k->slot[at] - 1;
	return k->slot[at] != 0;
}

void rep_keys_release(struct rep_keys *k)
{
	free(k->key);
	free(k->slot);
	memset(k, 0, sizeof(*k));
}
