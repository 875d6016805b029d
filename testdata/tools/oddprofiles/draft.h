/* A profile.proto that is put together message by message, so that it can be written in ways in
 * which our encoder would not: tables before or after the samples that name them, numbers packed or
 * not, ids of any size, fields that nobody knows. The program ends when memory is out. */
#ifndef ODDPROFILES_DRAFT_H
#define ODDPROFILES_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wire.h"

enum draft_order {
	DRAFT_PLAIN,	   /* as Go writes them */
	DRAFT_TABLES_LAST, /* samples, then what they name, strings at the end */
	DRAFT_STRINGS_FIRST,
};

struct draft {
	enum draft_order order;
	bool unpacked; /* repeated numbers one by one */
	bool unknown;  /* fields of no meaning in every message */
	struct tp_buf types, samples, mappings, locations, functions, strings, rest;
	char **text; /* the string table, without the first, empty one */
	size_t ntext, room;
	bool unshared; /* a string is put into the table whenever it is named */
};

struct draft_line {
	uint64_t function;
	int64_t line, column;
};

/* text NULL: a number and its unit ("" for none). */
struct draft_label {
	const char *key, *text;
	int64_t number;
	const char *unit;
};

struct draft_sample {
	const uint64_t *location; /* leaf first */
	size_t nlocations;
	const int64_t *value;
	size_t nvalues;
	const struct draft_label *label;
	size_t nlabels;
};

#define DRAFT_ALL_KNOWN 15 /* flags of a mapping: functions 1, file names 2, lines 4, inlines 8 */

uint64_t draft_string(struct draft *d, const char *text);
void draft_type(struct draft *d, const char *type, const char *unit);
void draft_function(struct draft *d, uint64_t id, const char *name, const char *system,
		    const char *file, int64_t start);
void draft_mapping(struct draft *d, uint64_t id, uint64_t start, uint64_t limit, uint64_t offset,
		   const char *file, const char *build, unsigned flags);
void draft_location(struct draft *d, uint64_t id, uint64_t mapping, uint64_t address, bool folded,
		    const struct draft_line *line, size_t n);
void draft_add_sample(struct draft *d, const struct draft_sample *s);

/* Fields of the profile itself, by their numbers. */
enum {
	DRAFT_DROP_FRAMES = 7,
	DRAFT_KEEP_FRAMES,
	DRAFT_TIME,
	DRAFT_DURATION,
	DRAFT_PERIOD = 12,
	DRAFT_COMMENT,
	DRAFT_DEFAULT_TYPE,
	DRAFT_DOC_URL,
};
void draft_number(struct draft *d, uint32_t field, int64_t value);
void draft_text(struct draft *d, uint32_t field, const char *text);
void draft_period_type(struct draft *d, const char *type, const char *unit);

/* All of it. The draft is empty afterwards. */
void draft_finish(struct draft *d, struct tp_buf *out);

#endif
