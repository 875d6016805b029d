/* Mutators that know the format: what comes out parses mostly, so that what is behind the parser is
 * reached. Each falls back to the fuzzer's own way now and then, which finds what no format
 * foresees.
 *
 * libFuzzer calls LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver, which NAME_mutator.c makes
 * of one struct mutator; AFL++ calls the same through afl.c. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fuzzer's own (libFuzzer's; afl.c brings one for AFL++). */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
				 uint8_t *out, size_t max, unsigned seed);

/* Numbers below n, that follow from a seed. */
struct dice {
	uint64_t state;
};
static inline uint32_t roll(struct dice *d, uint32_t n)
{
	d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (uint32_t)(d->state >> 33) % n : 0;
}
static inline bool one_in(struct dice *d, uint32_t n)
{
	return roll(d, n) == 0;
}
/* A number like another: a little more or less, or one where something tends to break. */
uint64_t like(struct dice *d, uint64_t v);

/* ---- lists of records: traces of both formats (records.c) ---- */

#define RECORDS 6000
#define ARGS	60000
#define REC_BATCH                                                                                  \
	255 /* types of no event: a batch's head (generation, M, time, experiment + 1) … */
#define REC_RAW 254 /* … and bytes that could not be parsed */

struct record {
	uint8_t type;
	uint8_t head; /* v1: the type byte as it was */
	uint32_t arg, nargs;
	const uint8_t *data; /* bytes behind the arguments */
	uint32_t size;
};

struct records {
	uint8_t header[16];
	struct record rec[RECORDS];
	size_t n;
	uint64_t args[ARGS];
	size_t nargs;
	uint8_t scratch[4096]; /* bytes that records made anew point to */
	size_t nscratch;
};

/* How a format writes records. */
struct dialect {
	void (*parse)(struct records *r, const uint8_t *data, size_t size);
	/* Bytes written, at most max. */
	size_t (*write)(struct records *r, uint8_t *out, size_t max, struct dice *d);
	/* What an argument is (arguments of the same role are exchangeable), 0: a number of its
	 * own. */
	unsigned (*role)(const struct records *r, unsigned type, unsigned arg);
	/* A type of the format's events, and how many arguments it has. */
	unsigned (*pick)(const struct records *r, struct dice *d, unsigned *nargs);
	const char *const *headers;
	size_t nheaders;
};

size_t mutate_records(const struct dialect *x, uint8_t *data, size_t size, size_t max,
		      unsigned seed);
size_t cross_records(const struct dialect *x, const uint8_t *a, size_t asize, const uint8_t *b,
		     size_t bsize, uint8_t *out, size_t max, unsigned seed);

/* A record with so many arguments, all 0; NULL where there is no more room. */
struct record *add_record(struct records *r, unsigned type, size_t nargs);
/* A varint; false at the end or where it is none. */
bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *v);
/* Appends, or fails quietly where there is no more room. */
struct writer {
	uint8_t *at, *end;
};
void put_varint(struct writer *w, uint64_t v);
void put_bytes(struct writer *w, const void *data, size_t size);

extern const struct dialect dialect_v1, dialect_v2;

/* ---- profile.proto (proto.c) ---- */

size_t mutate_proto(uint8_t *data, size_t size, size_t max, unsigned seed);

/* ---- texts: older profiles, goroutine dumps (text.c) ---- */

size_t mutate_text(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t cross_text(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
		  size_t max, unsigned seed);

/* A text's numbers and words, to take others from. */
struct words {
	const char *text;
	size_t size;
};
/* What lines of a kind of text look like (text_forms.c). */
struct forms;
/* The kind that a text is of, by its first lines. */
const struct forms *forms_of(const char *text, size_t size);
const struct forms *forms_any(struct dice *d);
/* A line (or a few) that is made up: the first of a text when `head`. */
void put_form(struct writer *w, const struct forms *f, bool head, const struct words *from,
	      struct dice *d);
/* A number as text, like one that is there: decimal or hexadecimal digits, or nearly. */
void put_number(struct writer *w, const char *old, size_t size, bool hex, struct dice *d);

/* Binary CPU profiles: words, then lines (text_words.c). */
bool is_words(const uint8_t *data, size_t size);
/* Bytes of the words; the rest is text. Written anew to `out`. */
size_t mutate_words(const uint8_t *data, size_t size, struct writer *out, struct dice *d);

#define MUTATOR(mutate, cross)                                                                     \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)      \
	{                                                                                          \
		return mutate;                                                                     \
	}                                                                                          \
	size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b,         \
					 size_t bsize, uint8_t *out, size_t max, unsigned seed)    \
	{                                                                                          \
		return cross;                                                                      \
	}

#endif
