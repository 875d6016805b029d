/* The cache of imported dumps, which lets every report take a dump instead of a store.
 *
 * It is a folder of stores, $XDG_CACHE_HOME/tprof or ~/.cache/tprof. An entry is named by the hash
 * of the dump's content and name and by the version of tprof that read it. It appears whole
 * (rename) or not at all; if several processes need the same one, one imports it and the others
 * wait. When the folder exceeds $TPROF_CACHE_SIZE (default: 2GiB), the least recently used entries
 * are removed. */
#ifndef CMD_CACHE_H
#define CMD_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "import.h"

#define CMD_CACHE_SIZE ((int64_t)2 << 30)

struct cmd_cache;

/* Opens the cache in folder `dir`, which it makes if necessary. Returns NULL and sets *err if that is
 * not possible. */
struct cmd_cache *cmd_cache_open(const char *dir, int64_t limit_bytes, struct tp_err *err);
/* Does the same with folder and limit from the environment. TP_EFORMAT: the limit is not a size. */
struct cmd_cache *cmd_cache_from_env(struct tp_err *err);
void cmd_cache_close(struct cmd_cache *c);

/* The number of entries, their size on disk in bytes, the limit and the folder. */
struct cmd_cache_usage {
	int64_t entries, bytes, limit;
	const char *dir; /* belongs to the cache */
};
void cmd_cache_usage(struct cmd_cache *c, struct cmd_cache_usage *usage);
/* Removes all entries that are not in use. Counts the removed entries and bytes. */
void cmd_cache_empty(struct cmd_cache *c, int64_t *entries, int64_t *bytes);

/* Opens the entry of the dump at path ("-": standard input, from its beginning, so cmd_look has to
 * come first). If there is no entry, imports the dump with `opt` first, sets *fresh and fills
 * *result. Returns 0 or an error code; TP_EBUSY: the dump changes as it is read. */
int cmd_cache_store(struct cmd_cache *c, const char *path, const struct tp_import_options *opt,
		    struct tp_store **store, bool *fresh, struct tp_import_result *result,
		    struct tp_err *err);

#endif
