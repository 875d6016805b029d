/* The merger, and the translation of a part's ids into those of the sum; private to this folder. */
#ifndef REP_PROFILE_MERGE_PARTS_H
#define REP_PROFILE_MERGE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "decode/profile.h"
#include "profile/merge/merge.h"

/* The sample types of one part, which decide on the sum's default type. */
struct rep_part_types {
	uint32_t default_type; /* strings of the sum */
	uint32_t *type;
	size_t n;
};

/* Ids of the sum by id of a part; REP_UNKNOWN: not yet known. */
struct rep_ids {
	uint32_t *to;
	size_t n;
};

/* What has been translated of a part's dictionary, and its mappings. Kept for the next part if that
 * has the same dictionary; locations and frames only if it has the same mappings. */
struct rep_known {
	const struct tp_dict *dict;
	struct rep_ids string, function, location, frame;
	struct tp_mapping *mappings;
	struct rep_known_mapping {
		uint32_t number;
		uint64_t offset; /* to be added to addresses */
	} * mapping;
	size_t nmappings;
};

struct rep_merger {
	struct tp_profile *sum; /* NULL: nothing has been added */
	bool always;
	bool plain; /* there is one part, and its samples are not merged */
	struct rep_part_types *part;
	size_t nparts;

	struct tp_table by_stack; /* of samples: by stack and label set */
	bool *commented;	  /* by string: it is a comment of the sum */
	size_t ncommented;
	struct tp_table by_key; /* of mappings: by size, offset and build id or name */
	uint64_t seed;		/* of both */
	struct rep_known known; /* of the part before, if its dictionary stays */
};

struct rep_translation {
	struct rep_merger *m;
	int code; /* first error, TP_ENOMEM or TP_ELIMIT */
	const struct tp_profile *from;
	struct tp_profile *to;
	struct rep_known known;
	uint32_t *stack, *set;
	uint32_t nstacks;
	size_t *column;	      /* of the part, by column of the sum */
	double *ratio, *unit; /* by column of the sum */
};

#define REP_UNKNOWN UINT32_MAX

/* ---- ids (translate.c) ---- */

/* Returns n ids that are not yet known, or NULL without memory. */
uint32_t *rep_merge_unknowns(size_t n);
/* Makes room in t->known for all ids of t->from, and forgets what does not hold for it. Returns 0 or
 * TP_ENOMEM. */
int rep_known_extend(struct rep_translation *t);
void rep_known_release(struct rep_known *k);
/* Return the id in the sum; 0 on failure, with the error in t->code. */
uint32_t rep_merge_string(struct rep_translation *t, uint32_t id);
uint32_t rep_merge_mapping(struct rep_translation *t, uint32_t number);
uint32_t rep_merge_label_set(struct rep_translation *t, uint32_t id);
/* Translates all stacks that samples of the part have. */
int rep_merge_stacks(struct rep_translation *t);
/* Adds the label pprof::base=true to a set. */
int rep_merge_base_set(struct rep_translation *t, uint32_t set, uint32_t *to);

/* ---- types and units (types.c) ---- */

int64_t rep_merge_scaled(int64_t value, double ratio);
/* Drops the types of the sum that the part lacks, and finds a unit for each of the others. */
int rep_merge_common_types(struct rep_translation *t, struct tp_err *err);
int rep_merge_common_period(struct rep_translation *t, struct tp_err *err);

/* ---- time, comments, defaults (header.c) ---- */

int rep_merge_first_header(struct rep_translation *t);
int rep_merge_common_header(struct rep_translation *t);

#endif
