/* The rows of a diff, in all of its profiles: functions, lines, files, stacks or labels, each a
 * number that is the same in every profile.
 *
 * Unless names are compared exactly, names that differ only by the build share a key (name.h),
 * and lines are counted from the first line of their function, so that an edit further up does not
 * move them. If one of the profiles does not say where a function begins (text forms, and Go before
 * 1.20), that function's lines are those of the file in all profiles; else nothing would match.
 *
 * A closure of a function that was inlined is called caller.callee.func1 by go 1.21 to 1.26 and
 * callee.func1 since 1.27, in the package of the callee. If a closure's name is on one side only,
 * and the other side has a closure of the callee that begins at the same line of the same file,
 * both share a key.
 *
 *	code = rep_diff_keys_new(&keys, &opt);
 *	code = rep_diff_keys_survey(keys, profile, REP_OLD, err);	  each profile, before the first map
 *	code = rep_diff_keys_map(keys, profile, REP_OLD, &map, err);	  each profile in turn
 *	… map.frame[f] is the key of frame f of the profile …
 *	rep_key_map_release(&map);
 *	rep_diff_keys_free(keys); */
#ifndef REP_DIFF_KEYS_H
#define REP_DIFF_KEYS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/profile.h"

enum rep_diff_by {
	REP_BY_FUNCTION,
	REP_BY_LINE,
	REP_BY_FILE,
	REP_BY_STACK,
	REP_BY_LABEL,
	REP_NDIFF_BY
};

extern const struct rep_diff_by_desc {
	const char *name;
	const char *title; /* heads the column */
	const char *doc;
} rep_diff_by[REP_NDIFF_BY];

enum rep_side_id { REP_OLD = 1, REP_NEW = 2 };

struct rep_diff_keys_options {
	enum rep_diff_by by;
	const char *label; /* by label: values of this key only; NULL: every key=value */
	bool exact;
	bool no_inlines; /* omits inlined frames */
};

struct rep_diff_keys;

/* These functions return 0, TP_ENOMEM or TP_ELIMIT. */
int rep_diff_keys_new(struct rep_diff_keys **k, const struct rep_diff_keys_options *opt);
void rep_diff_keys_free(struct rep_diff_keys *k);

/* Keys of one profile's frames, or of its samples. Key 0 is none. */
struct rep_key_map {
	uint32_t *frame;  /* by frame; functions, lines, files */
	uint32_t *stack;  /* by node of a sample's stack; stacks */
	uint32_t *labels; /* labels: those of set i are label[labels[i] … labels[i + 1]) */
	uint32_t *label;
};
int rep_diff_keys_survey(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
			 struct tp_err *err);
int rep_diff_keys_map(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
		      struct rep_key_map *map, struct tp_err *err);
void rep_key_map_release(struct rep_key_map *map);

/* Returns the number of keys, including 0. */
uint32_t rep_diff_keys_count(const struct rep_diff_keys *k);

/* Appends the text of a key, unescaped: its name or, if it has several, their common part. Sets
 * *names to their number on the side that has more. */
int rep_key_name(struct rep_diff_keys *k, uint32_t key, struct tp_buf *name, size_t *names);
/* Returns the name that a key has in the profiles themselves, of several the one met last, on the new
 * side if it is there; nothing for a stack. Lives as long as the keys, until rep_diff_keys_map(). */
struct tp_text rep_key_original(struct rep_diff_keys *k, uint32_t key);
/* Compares keys by the bytes of their names; stacks by number. */
int rep_key_compare(const struct rep_diff_keys *k, uint32_t a, uint32_t b);

#endif
