/* The interface of the readers of the older formats. Samples are collected as stacks of places
 * (distinct addresses), because names and mappings come between or after them. At the end they
 * become a profile. Values, addresses and mappings equal those of github.com/google/pprof,
 * profile/legacy_profile.go, which is our source for the formats. */
#ifndef TP_DECODE_PROFILE_LEGACY_H
#define TP_DECODE_PROFILE_LEGACY_H

#include "base/buf.h"
#include "base/idmap.h"
#include "decode/profile/kinds.h"
#include "open/lines.h"

/* A distinct address of the samples. */
struct tp_legacy_place {
	uint64_t address;
	uint32_t mapping;      /* number in the profile, 0 none */
	uint32_t line, nlines; /* names, innermost first: names[line …) */
	uint32_t frame;	       /* frames[frame …), nframes of them, root first, once made */
	uint32_t nframes;
	bool runtime;  /* in Go's runtime; the dump omits its name */
	bool nameless; /* the dump lists it without a name */
};

#define TP_LEGACY_VALUES 4    /* of a sample, at most */
#define TP_LEGACY_UNLIKE 1    /* the part has other types than the part before it */
#define TP_LEGACY_LABELS 1000 /* of one sample; a limit on the time to sort them */

struct tp_legacy_sample {
	size_t at; /* stack[at …), leaf first */
	uint32_t n;
	uint32_t labels;
	int64_t value[TP_LEGACY_VALUES];
};

struct tp_legacy {
	struct tp_profile *p;
	struct tp_err *err;
	const uint8_t *data;
	size_t whole;	 /* size of the dump */
	size_t body;	 /* where the profile begins, behind the names of a symbolized one */
	uint32_t binary; /* string: the program that a symbolized profile names */
	size_t size;	 /* end of the part being read */
	bool strict;
	enum tp_kind kind;
	struct tp_lines lines;
	bool follows;	/* the part follows another one and must have its types */
	size_t ntypes;	/* of the part, so far */
	size_t nlosses; /* p->nlosses before the part */
	bool four;	/* heap: some part has four values per sample */
	/* Receives earlier goroutine profiles of the file; NULL: all are added up. */
	struct tp_goroutine_dumps *dumps;

	struct tp_buf places;  /* struct tp_legacy_place */
	struct tp_buf names;   /* struct tp_frame: lines of places */
	struct tp_buf stack;   /* uint32_t: places */
	struct tp_buf samples; /* struct tp_legacy_sample */
	struct tp_buf maps;    /* struct tp_mapping, as the dump lists them */
	struct tp_buf scratch;

	struct tp_ids by_address; /* of places */
	struct tp_ids functions;  /* Java: by the string id of their names */

	/* Work done so far on all parts, which is limited. */
	struct {
		uint64_t frames, map_steps, name_steps;
	} spent;
	struct {
		bool any;  /* there is a sample that names can belong to */
		bool open; /* names of one address are being gathered: l->names from `first` on */
		uint32_t next; /* index on the stack to search the next address from */
		uint32_t at;   /* index on the stack of the open one */
		size_t first;
		uint64_t address; /* as written */
	} naming;
	bool memstats; /* "# runtime.MemStats" was seen */
};

static inline bool tp_legacy_is_java(const struct tp_legacy *l)
{
	return l->kind == TP_KIND_JAVA_CPU || l->kind == TP_KIND_JAVA_HEAP ||
	       l->kind == TP_KIND_JAVA_CONTENTION;
}

/* These functions return 0 or a negative code with l->err filled, unless their comment says
 * otherwise. */

/* Fills l->err for an error code of a function that does not (tp_profile_…, tp_buf_…, tp_dict_…),
 * and returns the code. tp_legacy_fail passes 0 through. */
int tp_legacy_failed(struct tp_legacy *l, int code);
static inline int tp_legacy_fail(struct tp_legacy *l, int code)
{
	return code ? tp_legacy_failed(l, code) : 0;
}
/* Records that the line last read (l->lines.line) is lost, and `samples` samples with it; an error
 * if the import is strict. `why` follows "line 7 ", so it begins with a verb: "has a count that
 * does not fit 64 bits". If samples are lost, drops the addresses pushed so far. The caller
 * continues with the next line. */
int tp_legacy_lose(struct tp_legacy *l, uint64_t samples, const char *why);
/* Records that the dump ends early, with fewer samples than its header says; TP_ETRUNC if the
 * import is strict. Does nothing if the part has lost a line, which explains the difference. `why`
 * is the whole message: "ends after 3 of 5 stacks". */
int tp_legacy_lose_rest(struct tp_legacy *l, uint64_t samples, const char *why);
int tp_legacy_string(struct tp_legacy *l, const char *text, size_t n, uint32_t *id);
/* Add a sample type, and set the type of the period. Return TP_LEGACY_UNLIKE (1) if the part before
 * has other types; the reader returns that too, and the part becomes a loss. */
int tp_legacy_put_type(struct tp_legacy *l, const struct tp_value_type *t);
int tp_legacy_put_period_type(struct tp_legacy *l, const struct tp_value_type *t);
int tp_legacy_add_type(struct tp_legacy *l, const char *type, const char *unit);
int tp_legacy_period_type(struct tp_legacy *l, const char *type, const char *unit);

/* A sample is built by pushing its addresses, leaf first, and ending it. */
int tp_legacy_push(struct tp_legacy *l, uint64_t address);
/* Pushes every 0x… in the text, minus `back`: 1 turns a return address into that of the call. With
 * `leaf`, the first address of the sample is not changed. Returns 1 after tp_legacy_lose() if an
 * address does not fit 64 bits; that loses the sample, too, unless `leaf` is set, which means that
 * samples have several lines. In a symbolized profile `back` counts as 0 (legacy_symbols.c). */
int tp_legacy_push_all(struct tp_legacy *l, struct tp_scan text, unsigned back, bool leaf);
/* Adds the sample, with a value for each type that was added (l->p->ntypes), and a label set of
 * tp_profile_label_set or 0. */
int tp_legacy_end_sample(struct tp_legacy *l, const int64_t *values, uint32_t labels);
/* Adds a sample with the stack of the one before it, which must exist. Its cost does not depend on the
 * depth of the stack. */
int tp_legacy_same_stack(struct tp_legacy *l, const int64_t *values, uint32_t labels);
/* Forgets the addresses that were pushed. Names that follow are ignored. */
int tp_legacy_drop(struct tp_legacy *l);
/* Adds a sample with the addresses at the beginning of the text, each minus `back`. */
int tp_legacy_add_sample(struct tp_legacy *l, struct tp_scan text, unsigned back,
			 const int64_t *values, uint32_t labels);
/* Reads the next line of the samples and handles comments before it. Returns false at the list of
 * mappings, at the end of the dump, or after an error (*code). */
bool tp_legacy_next(struct tp_legacy *l, int *code);
size_t tp_legacy_depth(const struct tp_legacy *l); /* addresses pushed */
size_t tp_legacy_nsamples(const struct tp_legacy *l);
struct tp_legacy_sample *tp_legacy_sample_at(const struct tp_legacy *l, size_t i);
/* Returns whether sample i shares the stack of the one before it (tp_legacy_same_stack). What looks at
 * frames skips it then: otherwise a dump of 1 MB could have a thousand million frames. */
bool tp_legacy_is_same_stack(const struct tp_legacy *l, size_t i);
struct tp_legacy_place *tp_legacy_place_at(const struct tp_legacy *l, size_t i);
/* Removes the second frame of a stack. */
void tp_legacy_strip_second(const struct tp_legacy *l, struct tp_legacy_sample *s);
/* Removes the second frame if it repeats the leaf, with one off as the address of a call. */
void tp_legacy_strip_duplicates(const struct tp_legacy *l);

/* Reads a line that begins with '#': names of the sample before it, its labels, a counter, or
 * prose. */
int tp_legacy_comment(struct tp_legacy *l, struct tp_scan line);
bool tp_legacy_is_comment(struct tp_scan line); /* or blank */
/* Ends the names of the last sample. */
int tp_legacy_end_names(struct tp_legacy *l);

/* Returns whether the list of mappings begins at this line. */
bool tp_legacy_is_maps(struct tp_scan line);
/* Reads the list, which begins at the line last read and goes to the end. */
int tp_legacy_read_maps(struct tp_legacy *l);
/* Skips to the list, and reads it if there is one. */
int tp_legacy_find_maps(struct tp_legacy *l);
/* Adds the mappings to the profile and sets place->mapping of every place. */
int tp_legacy_map_places(struct tp_legacy *l);

/* Scales count and bytes of a sampled allocation up by the chance that it was sampled, at one
 * sample per `rate` bytes. A rate of 1 or less changes nothing. */
void tp_legacy_unsample(int64_t *count, int64_t *bytes, int64_t rate);

/* Kinds of frames that are hidden, as in pprof: of allocators, of locks, or of CPU profilers. */
enum tp_legacy_hidden {
	TP_HIDDEN_CPU,
	TP_HIDDEN_ALLOCATOR,
	TP_HIDDEN_LOCKS,
};
/* Sets the profile's regular expressions of frames that are hidden. */
int tp_legacy_rules(struct tp_legacy *l, enum tp_legacy_hidden hidden);

/* The counts of a heap profile: objects, and their bytes. */
struct tp_legacy_row {
	int64_t inuse[2], alloc[2];
	bool huge; /* some do not fit 64 bits */
};
/* Reads "1: 2 [3: 4]", in use and allocated; with `sign`, what is in use may be negative. Returns false
 * if the text is something else. */
bool tp_legacy_read_row(struct tp_scan *s, bool sign, struct tp_legacy_row *row);

/* Returns whether samples below this header of a heap profile have four values. */
bool tp_legacy_heap_has_four(struct tp_scan header);

/* The readers, which legacy.c lists by kind. A reader reads l->lines to their end: sample types,
 * then samples, mappings and what else its format has. The header is the first line. */
int tp_legacy_heap(struct tp_legacy *l);
int tp_legacy_jemalloc(struct tp_legacy *l);
int tp_legacy_count(struct tp_legacy *l);
int tp_legacy_contention(struct tp_legacy *l);
int tp_legacy_threads(struct tp_legacy *l);
int tp_legacy_cpu(struct tp_legacy *l);
int tp_legacy_java(struct tp_legacy *l);
/* Reads the names of a Java profile's addresses, from the next line on. */
int tp_legacy_java_names(struct tp_legacy *l);

/* Gives the places the names of a symbolized profile. Called after its samples are read. */
int tp_legacy_symbols(struct tp_legacy *l);

/* Reads labels {"key":"value", …}, quoted as Go's %q does, into a label set. */
int tp_legacy_labels(struct tp_legacy *l, struct tp_scan text, uint32_t *set);
/* Interns a text in double quotes, as Go's strconv.Quote writes it, and moves `s` behind it. Sets
 * *ok to false if there is no such text. */
int tp_legacy_unquote(struct tp_legacy *l, struct tp_scan *s, uint32_t *string, bool *ok);

#endif
