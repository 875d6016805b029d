/* A profile: samples of stacks with values, as every profile decoder fills it, the store keeps it,
 * and every report and encoder reads it. Views of traces (off-CPU time by stack …) take this shape
 * too, so that whatever works on profiles works on them.
 *
 * The model is that of profile.proto (github.com/google/pprof, proto/profile.proto) on top of the
 * dictionary of a run:
 *
 *   location  an address in a mapping with its chain of lines (inlined calls). In the dictionary it
 *             is one frame per line, all with the same `location`; all but the one nearest to the
 *             root have `inlined` set. So towards the root a location ends with the first frame
 *             whose `inlined` is 0. A location without lines is one frame without a function.
 *   stack     a node of the dictionary's prefix tree; 0 is a sample without locations
 *   labels    a set of key-value pairs, interned: 0 is the empty set
 *   values    one number for each sample type
 *
 * Samples keep the order of the dump, and equal ones are not merged (tp_profile_merge does that).
 * Values are final: unsampled and scaled as pprof would have them, in the unit of their type.
 *
 * One owner, one thread. Errors are TP_ENOMEM and TP_ELIMIT (more than 2^30 entries) unless stated.
 */
#ifndef TP_DECODE_PROFILE_H
#define TP_DECODE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/dict.h"
#include "decode/ledger.h"

struct tp_value_type {
	uint32_t type, unit; /* strings: "inuse_space", "bytes" */
};

/* What the producer says it has found out about the code of a mapping. */
enum tp_mapping_flag {
	TP_MAPPING_FUNCTIONS = 1,
	TP_MAPPING_FILENAMES = 2,
	TP_MAPPING_LINES = 4,
	TP_MAPPING_INLINES = 8,
};

struct tp_mapping {
	uint64_t start, limit; /* addresses [start, limit) */
	uint64_t offset;       /* in the file */
	uint32_t file, build_id;
	uint32_t flags; /* enum tp_mapping_flag */
};

/* struct tp_location.flags */
enum tp_location_flag {
	TP_LOCATION_FOLDED = 1, /* several symbols share its code (profile.proto: is_folded) */
	TP_LOCATION_BARE = 2,  /* neither address nor mapping nor lines: keeps it from being id 0 */
	TP_LOCATION_LINED = 4, /* its one line says nothing (a function without a name) */
	/* Nameless, but known to be of Go's runtime, whose names its text forms leave out at the
	 * ends of a stack. Views leave it out as well, unless --all-frames is given. */
	TP_LOCATION_RUNTIME = 8,
};

struct tp_label {
	uint32_t key;
	bool numeric;
	uint32_t text;	/* where it is not numeric */
	int64_t number; /* where it is */
	uint32_t unit;	/* of the number, 0 none */
};

struct tp_label_set {
	uint32_t first, n; /* labels[first …] */
};

/* A number that came with the dump but belongs to no stack: a line of runtime.MemStats. */
struct tp_counter {
	uint32_t name; /* "HeapAlloc" */
	int64_t item;  /* place in a list of numbers (PauseNs), TP_NULL where there is one only */
	int64_t value; /* fractions: 0, and the text tells */
	uint32_t text; /* as written */
};

struct tp_profile {
	struct tp_dict *dict; /* owned */
	char format[32]; /* "pprof", "heap text", "goroutine dump" … : what the run row says */

	struct tp_value_type *types;
	size_t ntypes;
	uint32_t default_type; /* string: name of the type that is shown first, 0 unstated */
	struct tp_value_type period_type;
	int64_t period;
	int64_t time_ns;			    /* Unix time of collection, 0 unknown */
	int64_t duration_ns;			    /* 0 unknown */
	uint32_t drop_frames, keep_frames, doc_url; /* strings */

	struct tp_mapping *mappings; /* tp_location.mapping - 1 is the index */
	size_t nmappings;
	uint32_t *comments; /* strings */
	size_t ncomments;
	struct tp_counter *counters;
	size_t ncounters;

	struct tp_label *labels;
	size_t nlabels;
	struct tp_label_set *sets; /* sets[0] is empty */
	size_t nsets;

	/* Samples: nsamples each; values sample by sample, ntypes at a time. */
	uint32_t *stack;
	uint32_t *label_set;
	int64_t *value;
	size_t nsamples;
	bool wrapped; /* of a sum: there are values of which 64 bits hold but a part */

	struct tp_loss *losses;
	size_t nlosses;
	struct tp_notice *notices;
	size_t nnotices;

	struct tp_profile_room *room; /* private: sizes of the arrays, look-up of label sets */
};

/* ---- lifecycle ---- */

struct tp_profile *tp_profile_new(void); /* NULL when memory is out */
void tp_profile_free(struct tp_profile *p);

/* ---- building ---- */

/* Types come before the first sample (TP_EFORMAT afterwards). */
int tp_profile_add_type(struct tp_profile *p, uint32_t type, uint32_t unit);
/* *number is what goes into tp_location.mapping. Not interned. */
int tp_profile_add_mapping(struct tp_profile *p, const struct tp_mapping *m, uint32_t *number);
int tp_profile_add_comment(struct tp_profile *p, uint32_t text);
int tp_profile_add_counter(struct tp_profile *p, const struct tp_counter *c);
int tp_profile_add_loss(struct tp_profile *p, const struct tp_loss *loss);
int tp_profile_add_notice(struct tp_profile *p, enum tp_severity severity, uint64_t offset,
			  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The frames of a location, ready to be put on stacks: frame[0 … n) from the root towards the leaf.
 * `lines` are in the order of profile.proto (innermost first) and need function, line and column;
 * nlines 0 makes the one frame without a function. `frame` has room for nlines (at least 1). */
int tp_profile_location(struct tp_profile *p, const struct tp_location *l,
			const struct tp_frame *lines, size_t nlines, uint32_t *frame, size_t *n);
/* Puts frames (root first) on a stack: *stack becomes the node of the last. */
int tp_profile_push(struct tp_profile *p, uint32_t *stack, const uint32_t *frame, size_t n);
/* Both in one, for decoders that meet a location once. */
int tp_profile_push_location(struct tp_profile *p, uint32_t *stack, const struct tp_location *l,
			     const struct tp_frame *lines, size_t nlines);

/* The set of these labels, which are sorted as pprof prints them: texts before numbers, each by key
 * (as far as its first 4 KiB tell; then by the number of its string); the values of one key keep
 * their order. */
int tp_profile_label_set(struct tp_profile *p, const struct tp_label *labels, size_t n,
			 uint32_t *set);
/* Room for n more samples, where it is known how many come. */
int tp_profile_reserve_samples(struct tp_profile *p, size_t n);
/* `values`: ntypes of them. */
int tp_profile_add_sample(struct tp_profile *p, uint32_t stack, uint32_t label_set,
			  const int64_t *values);

/* ---- reading ---- */

/* The location that a frame belongs to, counted from the leaf: on entry *node is a node of the
 * stack (0 ends). Fills `frame` with up to `room` frames of it, innermost first, *n how many there
 * are, and moves *node to the next location's innermost frame. False when *node was 0. */
bool tp_profile_next_location(const struct tp_profile *p, uint32_t *node, uint32_t *frame,
			      size_t room, size_t *n);

/* Does the location of this frame have lines? One without is a single frame that says nothing, as
 * is one with a nameless function for its line: pprof shows the first by its mapping, the second as
 * <unknown>. */
bool tp_profile_lined(const struct tp_profile *p, uint32_t frame);

/* Writes what the notices warn of, "first; second", and how many more there are where that does not
 * fit. Returns text, "" where there is nothing. */
const char *tp_profile_warnings(const struct tp_profile *p, char *text, size_t size);

/* ---- from a dump (decode/profile/) ---- */

/* Of a file with several dumps of goroutines, those before the last. */
struct tp_profile_dumps {
	struct tp_profile **p; /* room for `room`; the caller's to free */
	size_t room;
	size_t n; /* where there are more, the first and the latest */
	size_t total; /* that the file holds, with the last */
};

struct tp_profile_options {
	bool strict; /* an error where part of a damaged dump could be kept */
	/* NULL: of several dumps the last counts, and a notice says so. Filled only by files that
	 * hold dumps of goroutines. */
	struct tp_profile_dumps *dumps;
};

/* Decodes a profile of any kind, by content. *p is the caller's (tp_profile_free), NULL after an
 * error: TP_EUNKNOWN (no profile), TP_EFORMAT, TP_ETRUNC, TP_ELIMIT, TP_ENOMEM. `data` is needed
 * only during the call. What a damaged dump lost is in p->losses. */
int tp_profile_read(const void *data, size_t size, const struct tp_profile_options *opt,
		    struct tp_profile **p, struct tp_err *err);

#endif
