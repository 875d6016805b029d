/* Finds ELF files by build id or name in folders; private to libparse/symbol. */
#ifndef TP_SYMBOL_PATH_H
#define TP_SYMBOL_PATH_H

#include "base/err.h"
#include "symbol/image.h"

struct tp_symbol_path;

/* Opens the folders of `path` ("DIR:DIR"). Returns 0, TP_ENOENT (one of them is not a folder) or
 * TP_ENOMEM. */
int tp_symbol_path_new(struct tp_symbol_path **p, const char *path, struct tp_err *err);
void tp_symbol_path_free(struct tp_symbol_path *p);

/* Returns the file with this build id (GNU's in hex, or Go's), preferably one with lines; or NULL.
 * Owned by the path. */
struct tp_image *tp_symbol_path_by_id(struct tp_symbol_path *p, const char *id);
/* Returns the file of this name (without folders), or NULL. */
struct tp_image *tp_symbol_path_by_name(struct tp_symbol_path *p, const char *name);

#endif
