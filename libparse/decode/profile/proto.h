/* The tables of a profile.proto that is being read; private to proto*.c and their tests. */
#ifndef TP_DECODE_PROFILE_PROTO_H
#define TP_DECODE_PROFILE_PROTO_H

#include "base/idmap.h"
#include "base/wire.h"
#include "decode/profile/kinds.h"

/* Limit on the frames of all stacks: so many for each byte of samples, and a fixed allowance. Without
 * it, many samples that name locations with many inlined calls could make a huge tree of a small file.
 * Real profiles have about one frame for each byte or two of samples. */
#define TP_PROTO_FRAMES_PER_BYTE 32
#define TP_PROTO_FRAMES_ANYWAY	 1000000

/* Where the messages of one kind lie in the input. */
struct tp_proto_list {
	struct tp_slice *item;
	size_t n, room;
};

/* Maps the ids of a table to places in it. Ids may be any numbers, but are nearly always 1, 2, 3 … in
 * order. */
struct tp_proto_ids {
	uint64_t ordered; /* ids 1 … ordered are places 0 … ordered - 1 */
	struct tp_ids others;
	struct tp_slice zero; /* first entry with the id 0, which is reserved */
	uint32_t zero_place;
	size_t zeros, zero_bytes;
};

/* The frames of a location, root first: a single one is `at` itself, more are frame[at … at + n).
 */
struct tp_proto_location {
	uint32_t n, at;
};

/* Kinds of entries that a message may refer to although they do not exist. */
enum tp_proto_missing { TP_PROTO_STRINGS, TP_PROTO_FUNCTIONS, TP_PROTO_LOCATIONS, TP_PROTO_KINDS };

struct tp_proto {
	const uint8_t *data;  /* whole input, for offsets */
	struct tp_slice part; /* the profile that is read; a file may hold several */
	bool first;	      /* `part` is the first of them */
	uint64_t *budget;     /* frames that the stacks of all of them may still have */
	const struct tp_profile_options *opt;
	struct tp_profile *p;
	struct tp_err *err;

	struct tp_proto_list strings, mappings, functions, locations;
	uint32_t
	    *string; /* by place in the string table: id in the dictionary + 1, 0 not asked for */
	uint32_t *mapping, *function; /* by place: number of the mapping, id of the function */
	struct tp_proto_location *location;
	uint32_t *frame;
	size_t nframe, frame_room;
	bool by_place; /* functions have no ids: the n-th belongs to the n-th location */
	struct tp_proto_ids mapping_ids, function_ids, location_ids;
	struct {
		uint64_t n;
		struct tp_slice first; /* message that names one */
		uint64_t id;
	} missing[TP_PROTO_KINDS];
};

/* The functions below return 0 or an error code of tp_profile_read, with `err` filled in. */

int tp_proto_out_of_memory(struct tp_proto *d);
/* Sets the message for a TP_ENOMEM or TP_ELIMIT that a function of tp_profile returned, and returns
 * `code`. */
int tp_proto_checked(struct tp_proto *d, int code);

/* Reports a part of the dump that does not make sense: as an error if the import is strict, else as a
 * loss of these bytes and samples. */
int tp_proto_lose(struct tp_proto *d, struct tp_slice where, uint64_t samples, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports that the message `where` refers to an entry that does not exist: as an error if the import is
 * strict. Otherwise it is counted, and tp_proto_lose_missing records a loss for each kind. */
int tp_proto_miss(struct tp_proto *d, enum tp_proto_missing kind, uint64_t id,
		  struct tp_slice where);
int tp_proto_lose_missing(struct tp_proto *d);

int tp_proto_list_add(struct tp_proto *d, struct tp_proto_list *list, struct tp_slice item);

/* Sets *id to the dictionary's id of the string `index`. If it does not exist, *id is 0 and
 * tp_proto_miss is called; `where` is the message that refers to it. */
int tp_proto_string(struct tp_proto *d, uint64_t index, struct tp_slice where, uint32_t *id);

/* Reads mappings, functions and locations, in this order, once their lists are complete. */
int tp_proto_read_tables(struct tp_proto *d);

/* Reads all samples of the part, after the tables: `nsamples` of them, of `bytes` bytes together. */
int tp_proto_read_samples(struct tp_proto *d, size_t nsamples, size_t bytes);

/* Returns the place of an id, or TP_NO_ID. */
static inline uint32_t tp_proto_ids_find(const struct tp_proto_ids *ids, uint64_t id)
{
	return id - 1 < ids->ordered ? (uint32_t)(id - 1) : tp_ids_get(&ids->others, id);
}

void tp_proto_release(struct tp_proto *d);

#endif
