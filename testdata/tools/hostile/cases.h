/* The tables of files, one for each kind of input. A file is of about pen->size bytes and costs as
 * much as that many can. */
#ifndef HOSTILE_CASES_H
#define HOSTILE_CASES_H

#include "hostile/pen.h"

struct hostile_case {
	const char *name; /* NULL ends a table; begins with the kind: v2-, v1-, pb-, text-, … */
	const char *what;
	void (*make)(struct pen *p);
};

extern const struct hostile_case hostile_v2[], hostile_v1[], hostile_proto[], hostile_text[],
    hostile_otlp[], hostile_sched[], hostile_packed[], hostile_symbols[], hostile_dwarf[];

/* Stores are made at a path; status as of a command. */
size_t hostile_stores(void);
void hostile_store_at(size_t i, const char **name, const char **what);
int hostile_store_make(size_t i, const char *path, size_t size);

/* For hostile_packed: another case's file by name, of `size` bytes. */
void hostile_make(struct pen *p, const char *name, size_t size);

#endif
