/* What a dump holds, written out instead of stored. */
#ifndef IMPORT_DUMP_H
#define IMPORT_DUMP_H

#include <stdbool.h>

#include "common/common.h"

/* Writes the listing of the dump's ordered events (order/listing.h) to stdout. With strict, ends at
 * the first fault as Go's reader does, after the same events. 0 or an exit status. */
int dump_events(struct cmd *cmd, const char *path, bool strict, const char *tmp_dir);

#endif
