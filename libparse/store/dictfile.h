/* A run's dictionary in the store: the strings as chunks of text, and functions, locations, frames
 * and stacks as packed tables whose row numbers are the ids. */
#ifndef TP_STORE_DICTFILE_H
#define TP_STORE_DICTFILE_H

#include "store/store.h"
#include "store/writer.h"

int tp_dictfile_put(struct tp_store_run *run, const struct tp_dict *dict, struct tp_err *err);

#endif
