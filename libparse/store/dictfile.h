/* Writes and reads a run's dictionary: strings are chunks of text; functions, locations, frames and stacks are packed
 * tables whose row numbers are the ids. */
#ifndef TP_STORE_DICTFILE_H
#define TP_STORE_DICTFILE_H

#include "store/store.h"
#include "store/writer.h"

int tp_dictfile_put(struct tp_store_run *run, const struct tp_dict *dict, struct tp_err *err);

/* Return the number of rows that the dictionary has of one of the four tables, and its row i (at most TP_MAX_COLUMNS
 * values). */
uint32_t tp_dictfile_rows(const struct tp_dict *dict, enum tp_table_id table);
void tp_dictfile_row(const struct tp_dict *dict, enum tp_table_id table, uint32_t i,
		     int64_t *values);

/* Appends the chunk of strings [first, end) to out, and sets *raw_size to its bytes before compression. Returns 0 or
 * TP_ENOMEM. */
int tp_strings_pack(struct tp_packer *packer, const struct tp_dict *dict, uint32_t first,
		    uint32_t end, struct tp_buf *out, size_t *raw_size);

/* A chunk of strings, uncompressed. */
struct tp_strings {
	uint8_t *raw; /* for the caller to free */
	size_t size;
	uint64_t rows;
};
/* Returns 0, or TP_ESTORE (the chunk is damaged), TP_EVERSION or TP_ENOMEM; then there is nothing to free. */
int tp_strings_unpack(struct tp_unpacker *u, const void *data, size_t size, struct tp_strings *s,
		      struct tp_err *err);

#endif
