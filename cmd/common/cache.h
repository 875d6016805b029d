/* The cache of imported dumps: what lets every report take a dump in place of a store.
 *
 * A folder, $XDG_CACHE_HOME/tprof or ~/.cache/tprof, of stores named by the content of the dump,
 * by what it is called and by the version of tprof that read it. An entry appears whole (rename) or
 * not at all; of several processes that want the same one, one imports and the others wait for it.
 * When the folder exceeds $TPROF_CACHE_SIZE (2GiB unless set), the entries used least recently go.
 */
#ifndef CMD_CACHE_H
#define CMD_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "import.h"

#define CMD_CACHE_SIZE ((int64_t)2 << 30)

struct cmd_cache;

/* The cache in folder `dir`, which is made when missing. NULL and *err when that is not possible.
 */
struct cmd_cache *cmd_cache_open(const char *dir, int64_t limit_bytes, struct tp_err *err);
/* The same with folder and limit from the environment; TP_EFORMAT when the limit is not a size. */
struct cmd_cache *cmd_cache_from_env(struct tp_err *err);
void cmd_cache_close(struct cmd_cache *c);

/* How many entries there are, their bytes on disk, the limit and the folder. */
struct cmd_cache_usage {
	int64_t entries, bytes, limit;
	const char *dir; /* of the cache's */
};
void cmd_cache_usage(struct cmd_cache *c, struct cmd_cache_usage *usage);
/* Removes all entries but those in use at this moment; what it removed. */
void cmd_cache_empty(struct cmd_cache *c, int64_t *entries, int64_t *bytes);

/* Opens the entry of the dump at path ("-": standard input), importing it with `opt` first where
 * it is missing. *fresh says that it was, and *result then what the import said. */
int cmd_cache_store(struct cmd_cache *c, const char *path, const struct tp_import_options *opt,
		    struct tp_store **store, bool *fresh, struct tp_import_result *result,
		    struct tp_err *err);

#endif
