/* The tables of a profile.proto being read; private to proto*.c and its tests. */
#ifndef TP_DECODE_PROFILE_PROTO_H
#define TP_DECODE_PROFILE_PROTO_H

#include "base/idmap.h"
#include "base/wire.h"
#include "decode/profile/kinds.h"

/* Limit on frames of all stacks: many samples of locations with many inlined calls could expand a
 * small file to a huge tree. Real files have about one frame per one or two bytes of samples. */
#define TP_PROTO_FRAMES_PER_BYTE 32
#define TP_PROTO_FRAMES_ANYWAY	 1000000

/* Where the messages of one kind lie in the input. */
struct tp_proto_list {
	struct tp_slice *item;
	size_t n, room;
};

/* Maps the ids of a table, which may be any numbers but mostly are 1, 2, 3 …, to indices in it. */
struct tp_proto_ids {
	uint64_t ordered; /* ids 1 … ordered are indices 0 … ordered - 1 */
	struct tp_ids others;
	struct tp_slice zero; /* first entry with the id 0, which is reserved */
	uint32_t zero_place;
	size_t zeros, zero_bytes;
};

/* The frames of a location, root first: `at` itself if n is 1, otherwise frame[at … at + n). */
struct tp_proto_location {
	uint32_t n, at;
};

/* Kinds of entries that are referred to but missing. */
enum tp_proto_missing { TP_PROTO_STRINGS, TP_PROTO_FUNCTIONS, TP_PROTO_LOCATIONS, TP_PROTO_KINDS };

struct tp_proto {
	const uint8_t *data;  /* whole input, for offsets */
	struct tp_slice part; /* the profile being read, of several one after the other */
	bool first;	      /* it is the first of them */
	uint64_t *budget;     /* frames left for stacks of all of them */
	const struct tp_profile_options *opt;
	struct tp_profile *p;
	struct tp_err *err;

	struct tp_proto_list strings, mappings, functions, locations;
	uint32_t *string; /* by index in the string table: id in the dictionary + 1, or 0 */
	uint32_t *mapping, *function; /* by index: number of the mapping, id of the function */
	struct tp_proto_location *location;
	uint32_t *frame;
	size_t nframe, frame_room;
	bool by_place; /* functions lack ids: the n-th belongs to the n-th location */
	struct tp_proto_ids mapping_ids, function_ids, location_ids;
	struct {
		uint64_t n;
		struct tp_slice first; /* first message that refers to one */
		uint64_t id;
	} missing[TP_PROTO_KINDS];
};

/* The functions below return 0 or an error of tp_profile_read(), with err filled. */

int tp_proto_out_of_memory(struct tp_proto *d);
/* Sets err for a code of the functions that build a profile, and returns it; 0 passes through. */
int tp_proto_checked(struct tp_proto *d, int code);

/* Reports a damaged part of the dump: an error if strict, otherwise a loss of these bytes and
 * samples. */
int tp_proto_lose(struct tp_proto *d, struct tp_slice where, uint64_t samples, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports that the message `where` refers to a missing entry: an error if strict, otherwise counted
 * until tp_proto_lose_missing() records all as losses. */
int tp_proto_miss(struct tp_proto *d, enum tp_proto_missing kind, uint64_t id,
		  struct tp_slice where);
int tp_proto_lose_missing(struct tp_proto *d);

int tp_proto_list_add(struct tp_proto *d, struct tp_proto_list *list, struct tp_slice item);

/* Sets *id to string `index`, interned; 0 after tp_proto_miss() if it is missing. `where` is the
 * message that refers to it. */
int tp_proto_string(struct tp_proto *d, uint64_t index, struct tp_slice where, uint32_t *id);

/* Reads mappings, functions and locations, in this order, from their lists. */
int tp_proto_read_tables(struct tp_proto *d);

/* Reads all samples of the part, `nsamples` with `bytes` in all. The tables must have been read. */
int tp_proto_read_samples(struct tp_proto *d, size_t nsamples, size_t bytes);

/* Returns the index of an id, or TP_NO_ID. */
static inline uint32_t tp_proto_ids_find(const struct tp_proto_ids *ids, uint64_t id)
{
	return id - 1 < ids->ordered ? (uint32_t)(id - 1) : tp_ids_get(&ids->others, id);
}

void tp_proto_release(struct tp_proto *d);

#endif
