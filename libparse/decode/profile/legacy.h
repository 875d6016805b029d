/* What the decoders of the older formats share: samples are collected as places (distinct
 * addresses), because names and mappings come after them or between them; at the end they become a
 * profile. Facts about the formats: github.com/google/pprof, profile/legacy_profile.go, which our
 * values, addresses and mappings equal. */
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
	uint32_t line, nlines; /* names, innermost first: lines[line …) */
	uint32_t frame;	       /* frames[frame …), nframes of them, root first, once made */
	uint32_t nframes;
	bool runtime;  /* Go's; its name was left out */
	bool nameless; /* the dump lists it without a name */
};

#define TP_LEGACY_VALUES 4
#define TP_LEGACY_UNLIKE 1
#define TP_LEGACY_LABELS 1000 /* of one sample; more cannot be sorted in good time */

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
	size_t whole; /* size of the dump */
	size_t size;  /* where the part that is read ends */
	bool strict;
	enum tp_kind kind;
	struct tp_lines lines;
	bool follows;	/* the part follows another one, whose types it has to have */
	size_t ntypes;	/* of the part, so far */
	size_t nlosses; /* of the parts before */
	bool four;	/* heap: values of some part are four */
	/* Counts of goroutines: takes those of earlier moments; NULL: all are added up. */
	struct tp_goroutine_dumps *dumps;

	struct tp_buf places;  /* struct tp_legacy_place */
	struct tp_buf names;   /* struct tp_frame: lines of places */
	struct tp_buf stack;   /* uint32_t: places */
	struct tp_buf samples; /* struct tp_legacy_sample */
	struct tp_buf maps;    /* struct tp_mapping, as the dump lists them */
	struct tp_buf scratch;

	struct tp_ids by_address; /* of places */
	struct tp_ids functions;  /* of Java, by the string of their names */

	/* What was spent on all parts, which is bounded. */
	struct {
		uint64_t frames, map_steps, name_steps;
	} spent;
	struct {
		bool any;  /* there is a sample that lines with names can belong to */
		bool open; /* names of one address are being gathered: l->names from `first` on */
		uint32_t next; /* place on the stack that the next address is looked for from */
		uint32_t at;   /* place on the stack that the open one is at */
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

/* All return 0 or a negative code with l->err filled. */

/* For codes from elsewhere (the builder, buffers), which come without words. */
int tp_legacy_failed(struct tp_legacy *l, int code);
static inline int tp_legacy_fail(struct tp_legacy *l, int code)
{
	return code ? tp_legacy_failed(l, code) : 0;
}
/* Reports that the line at hand cannot be read: as an error when strict, else as a loss of so many
 * samples, whose addresses so far are dropped. */
int tp_legacy_lose(struct tp_legacy *l, uint64_t samples, const char *why);
/* The next sample type, and the period type. Of a part that follows another, TP_LEGACY_UNLIKE where
 * that has other ones: then nothing of the part is kept. */
int tp_legacy_put_type(struct tp_legacy *l, const struct tp_value_type *t);
int tp_legacy_put_period_type(struct tp_legacy *l, const struct tp_value_type *t);
int tp_legacy_add_type(struct tp_legacy *l, const char *type, const char *unit);
int tp_legacy_string(struct tp_legacy *l, const char *text, size_t n, uint32_t *id);
int tp_legacy_period_type(struct tp_legacy *l, const char *type, const char *unit);

/* A sample is pushed address by address from the leaf on, and ended. tp_legacy_drop forgets what
 * was pushed instead; names that follow then belong to nothing. */
int tp_legacy_push(struct tp_legacy *l, uint64_t address);
/* Pushes every 0x… in the text minus `back` (the leaf as it is, when `leaf` and nothing is pushed
 * yet). Returns 1, without words, for a number that does not fit 64 bits. */
int tp_legacy_push_all(struct tp_legacy *l, struct tp_scan text, unsigned back, bool leaf);
int tp_legacy_end_sample(struct tp_legacy *l, const int64_t *values, uint32_t labels);
int tp_legacy_drop(struct tp_legacy *l);
/* Adds a sample whose addresses the text begins with, each minus `back`. */
int tp_legacy_add_sample(struct tp_legacy *l, struct tp_scan text, unsigned back,
			 const int64_t *values, uint32_t labels);
/* Reads the next line of the samples; comments on the way are handled. Returns whether there is one
 * before the list of mappings and the end of the dump. */
bool tp_legacy_next(struct tp_legacy *l, int *code);
size_t tp_legacy_depth(const struct tp_legacy *l); /* of what was pushed */
size_t tp_legacy_nsamples(const struct tp_legacy *l);
struct tp_legacy_sample *tp_legacy_sample_at(const struct tp_legacy *l, size_t i);
struct tp_legacy_place *tp_legacy_place_at(const struct tp_legacy *l, size_t i);
/* The second frame of a stack goes. */
void tp_legacy_strip_second(const struct tp_legacy *l, struct tp_legacy_sample *s);
/* Where the leaf is there twice, as it was interrupted and as a call, the second goes. */
void tp_legacy_strip_duplicates(const struct tp_legacy *l);

/* A line that begins with '#': names of the sample before it, its labels, a counter, or prose. */
int tp_legacy_comment(struct tp_legacy *l, struct tp_scan line);
bool tp_legacy_is_comment(struct tp_scan line); /* or blank */
/* The sample at hand gets no more names. */
int tp_legacy_end_names(struct tp_legacy *l);

/* Does the list of mappings begin at this line? Then the rest of the lines is that. */
bool tp_legacy_is_maps(struct tp_scan line);
int tp_legacy_read_maps(struct tp_legacy *l);
/* Skips to the list, and reads it if there is one. */
int tp_legacy_find_maps(struct tp_legacy *l);
/* Which mapping each place is in; into place->mapping, with the mappings put into the profile. */
int tp_legacy_map_places(struct tp_legacy *l);

/* Count and bytes of a sampled allocation, made whole by how probable it was to be sampled, at one
 * sample per `rate` bytes (<= 1: all were). */
void tp_legacy_unsample(int64_t *count, int64_t *bytes, int64_t rate);

/* pprof's regular expressions of frames that are only there because of the profiler. */
int tp_legacy_rules(struct tp_legacy *l);

/* Does this header of a heap profile call for four values? */
bool tp_legacy_heap_has_four(struct tp_scan header);

/* The formats: fill samples and what else there is. */
int tp_legacy_heap(struct tp_legacy *l);
int tp_legacy_count(struct tp_legacy *l);
int tp_legacy_contention(struct tp_legacy *l);
int tp_legacy_threads(struct tp_legacy *l);
int tp_legacy_cpu(struct tp_legacy *l);
int tp_legacy_java(struct tp_legacy *l);
/* The list of a Java profile's addresses: l->lines from the next line on. */
int tp_legacy_java_names(struct tp_legacy *l);

/* {"key":"value", …}, quoted as Go's %q does. */
int tp_legacy_labels(struct tp_legacy *l, struct tp_scan text, uint32_t *set);
/* Reads a text in double quotes, as Go's strconv.Quote writes it, into the dictionary, and moves `s`
 * behind it. Sets *ok to false if it is none. */
int tp_legacy_unquote(struct tp_legacy *l, struct tp_scan *s, uint32_t *string, bool *ok);

#endif
