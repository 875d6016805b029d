#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/many.h"
#include "base/random.h"

static uint64_t hash(const struct rep_key *k)
{
	uint64_t h = tp_mix64(0, (uint64_t)k->part[0] << 32 | k->part[1]);

	return tp_mix64(h, (uint64_t)k->part[2] << 32 | k->part[3]);
}

static bool find(const struct rep_keys *k, const struct rep_key *key, uint64_t h, uint32_t *index)
{
	for (struct tp_probe p = {0}; tp_table_next(&k->table, h, &p);) {
		if (!memcmp(&k->key[p.row], key, sizeof(*key))) {
			*index = p.row;
			return true;
		}
	}
	return false;
}

int rep_keys_add(struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		 uint32_t *index)
{
	const struct rep_key key = {{a, b, c, d}};
	uint64_t h = hash(&key);
	int code;

	if (find(k, &key, h, index))
		return 0;
	code = tp_grow_raw(&k->key, &k->room, k->n, sizeof(*k->key));
	if (!code)
		code = tp_table_add(&k->table, h, k->n);
	if (code)
		return code;
	*index = (uint32_t)k->n;
	k->key[k->n++] = key;
	return 0;
}

bool rep_keys_find(const struct rep_keys *k, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
		   uint32_t *index)
{
	const struct rep_key key = {{a, b, c, d}};

	return find(k, &key, hash(&key), index);
}

void rep_keys_release(struct rep_keys *k)
{
	free(k->key);
	tp_table_release(&k->table);
	memset(k, 0, sizeof(*k));
}
