/* A profile: samples of stacks with values. Profile decoders fill it, the store keeps it, reports
 * and encoders read it. Views of traces (off-CPU time by stack …) are profiles too, so all code for
 * profiles works on them.
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
 * A profile is for one thread at a time. Functions that return int return 0, TP_ENOMEM or TP_ELIMIT
 * (more than 2^30 entries) unless stated otherwise. */
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

/* Symbol information that the producer claims to have resolved for a mapping. */
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
	TP_LOCATION_BARE = 2,	/* no address, mapping or lines; makes its id differ from 0 */
	TP_LOCATION_LINED = 4,	/* it has a line, which is empty (a function without a name) */
	/* Nameless, but known to be in Go's runtime: text profiles omit its names at the ends of a
	 * stack. Views leave it out as well, unless --all-frames is given. */
	TP_LOCATION_RUNTIME = 8,
};

struct tp_label {
	uint32_t key;
	bool numeric;
	uint32_t text;	/* if not numeric */
	int64_t number; /* if numeric */
	uint32_t unit;	/* of the number, 0 none */
};

struct tp_label_set {
	uint32_t first, n; /* labels[first …] */
};

/* A number that came with the dump but belongs to no stack: a line of runtime.MemStats. */
struct tp_counter {
	uint32_t name; /* "HeapAlloc" */
	int64_t item;  /* index in a list of numbers (PauseNs), TP_NULL for a single number */
	int64_t value; /* 0 for a fraction, which only `text` has */
	uint32_t text; /* as written */
};

struct tp_profile {
	struct tp_dict *dict;	/* owned */
	uint32_t old_functions; /* functions with smaller ids come from earlier profiles */
	char format[32];	/* for the run's row: "pprof", "heap text", "goroutine dump" … */

	struct tp_value_type *types;
	size_t ntypes;
	uint32_t default_type; /* string: name of the type to show first, 0 unknown */
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
	bool wrapped; /* of a sum: some values overflowed 64 bits */

	struct tp_loss *losses;
	size_t nlosses;
	struct tp_notice *notices;
	size_t nnotices;

	struct tp_profile_room *room; /* private: sizes of the arrays, look-up of label sets */
};

/* ---- lifecycle ---- */

struct tp_profile *tp_profile_new(void); /* NULL when memory is out */
/* Does the same with a dictionary from tp_dict_drop_stacks(), which the profile owns from then on;
 * after a failure it is freed. */
struct tp_profile *tp_profile_new_in(struct tp_dict *d);
void tp_profile_free(struct tp_profile *p);

/* ---- building ---- */

/* Adds a sample type. Returns TP_EFORMAT if the profile has samples already. */
int tp_profile_add_type(struct tp_profile *p, uint32_t type, uint32_t unit);
/* Adds a mapping, even if the profile has it already, and sets *number for tp_location.mapping. */
int tp_profile_add_mapping(struct tp_profile *p, const struct tp_mapping *m, uint32_t *number);
int tp_profile_add_comment(struct tp_profile *p, uint32_t text);
int tp_profile_add_counter(struct tp_profile *p, const struct tp_counter *c);
/* At most 10,000 losses and notices each are kept: further losses are added to the last one,
 * further notices dropped. */
int tp_profile_add_loss(struct tp_profile *p, const struct tp_loss *loss);
int tp_profile_add_notice(struct tp_profile *p, enum tp_severity severity, uint64_t offset,
			  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Interns the frames of a location and sets frame[0 … *n) to them, from the root towards the leaf.
 * `lines` are in the order of profile.proto (innermost first); of each, function, line and column
 * are used. nlines 0 makes one frame without a function. `frame` has room for nlines, at least 1.
 */
int tp_profile_location(struct tp_profile *p, const struct tp_location *l,
			const struct tp_frame *lines, size_t nlines, uint32_t *frame, size_t *n);
/* Pushes frames (root first) onto *stack, which becomes the node of the last one. */
int tp_profile_push(struct tp_profile *p, uint32_t *stack, const uint32_t *frame, size_t n);
/* Does both, for decoders that use a location only once. */
int tp_profile_push_location(struct tp_profile *p, uint32_t *stack, const struct tp_location *l,
			     const struct tp_frame *lines, size_t nlines);

/* Interns a set of labels, sorted as pprof prints them: texts before numbers, each by key (by its
 * first 4 KiB, then by its string id); values of one key keep their order. */
int tp_profile_label_set(struct tp_profile *p, const struct tp_label *labels, size_t n,
			 uint32_t *set);
/* Makes room for n more samples; the types must be known. */
int tp_profile_reserve_samples(struct tp_profile *p, size_t n);
/* Adds a sample with ntypes values. */
int tp_profile_add_sample(struct tp_profile *p, uint32_t stack, uint32_t label_set,
			  const int64_t *values);

/* ---- reading ---- */

/* Iterates over the locations of a stack, leaf first; *node starts as the stack. Fills `frame` with
 * the first `room` frames of the location, innermost first, sets *n to their number, and moves
 * *node to the innermost frame of the next location. Returns false if *node was 0. */
bool tp_profile_next_location(const struct tp_profile *p, uint32_t *node, uint32_t *frame,
			      size_t room, size_t *n);

/* Returns whether the location of the frame has lines. A location without lines and one whose only
 * line has a nameless function both are a single empty frame, but pprof shows the first by its
 * mapping, the second as <unknown>. */
bool tp_profile_lined(const struct tp_profile *p, uint32_t frame);

/* Writes the distinct warnings, "first; second", and the number of those that do not fit. Returns
 * `text`, which is "" without warnings. */
const char *tp_profile_warnings(const struct tp_profile *p, char *text, size_t size);

/* ---- from a dump (decode/profile/) ---- */

/* Receives the dumps before the last one of a file with several goroutine dumps. */
struct tp_profile_dumps {
	struct tp_profile **p; /* array of `room`; the caller frees the profiles */
	size_t room;
	size_t n;     /* profiles in p; of more than `room`, the first and the latest */
	size_t total; /* dumps in the file, including the last */
};

struct tp_profile_options {
	bool strict; /* fail if any part of the dump is damaged */
	int kind;    /* as tp_recognise() found it; 0: not known yet */
	/* Filled only from files with goroutine dumps. NULL: only the last dump is read, and a
	 * notice says so. */
	struct tp_profile_dumps *dumps;
	/* A dictionary to use again (tp_profile_new_in). A profile.proto takes it over and leaves NULL
	 * here. Profiles of other formats have new ones. */
	struct tp_dict **dict;
};

/* Decodes a profile of any kind, recognised by its content. The caller frees *p, which is NULL
 * after an error: TP_EUNKNOWN (not a profile), TP_EFORMAT, TP_ETRUNC, TP_ELIMIT, TP_ENOMEM. `data`
 * is not used after the call. Damaged parts that were left out are in p->losses. */
int tp_profile_read(const void *data, size_t size, const struct tp_profile_options *opt,
		    struct tp_profile **p, struct tp_err *err);

#endif
