/* The tables of a profile.proto that is being read; private to proto*.c and the tests of it. */
#ifndef TP_DECODE_PROFILE_PROTO_H
#define TP_DECODE_PROFILE_PROTO_H

#include "base/idmap.h"
#include "base/wire.h"
#include "decode/profile/kinds.h"

/* What frames a dump expands to: locations of many inlined calls that many samples name could make
 * a small file a huge tree. True ones have about one frame for each byte or two of samples. */
#define TP_PROTO_FRAMES_PER_BYTE 32
#define TP_PROTO_FRAMES_ANYWAY	 1000000

/* Where the messages of one kind lie in the input. */
struct tp_proto_list {
	struct tp_slice *item;
	size_t n, room;
};

/* From the ids of a table, which may be any numbers, to places in it. They are nearly always 1, 2, 3
 * in order. */
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

/* Things that are named but not there. */
enum tp_proto_missing { TP_PROTO_STRINGS, TP_PROTO_FUNCTIONS, TP_PROTO_LOCATIONS, TP_PROTO_KINDS };

struct tp_proto {
	const uint8_t *data;  /* whole input, for offsets */
	struct tp_slice part; /* the profile that is read, of several one after the other */
	bool first;	      /* it is the first of them */
	uint64_t *budget;     /* frames that stacks may have, of all of them */
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

/* Codes of the functions below are those of tp_profile_read, with err filled. */

int tp_proto_out_of_memory(struct tp_proto *d);
/* TP_ENOMEM and TP_ELIMIT of the profile's builders, in words. */
int tp_proto_checked(struct tp_proto *d, int code);

/* Part of the dump does not make sense: an error where that is asked for, else a loss of these
 * bytes and samples. */
int tp_proto_lose(struct tp_proto *d, struct tp_slice where, uint64_t samples, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The message `where` names something that is not there: an error where that is asked for, else
 * counted, and a loss when tp_proto_lose_missing is called. */
int tp_proto_miss(struct tp_proto *d, enum tp_proto_missing kind, uint64_t id,
		  struct tp_slice where);
int tp_proto_lose_missing(struct tp_proto *d);

int tp_proto_list_add(struct tp_proto *d, struct tp_proto_list *list, struct tp_slice item);

/* String `index` as the dictionary has it; one that is not there is missed, and 0. `where` is the
 * message that names it. */
int tp_proto_string(struct tp_proto *d, uint64_t index, struct tp_slice where, uint32_t *id);

/* Reads mappings, functions and locations, of which the lists are known, in this order. */
int tp_proto_read_tables(struct tp_proto *d);

/* Reads all samples of the part, once the tables are read: so many, of so many bytes together. */
int tp_proto_read_samples(struct tp_proto *d, size_t nsamples, size_t bytes);

/* Returns the place of an id, or TP_NO_ID. */
static inline uint32_t tp_proto_ids_find(const struct tp_proto_ids *ids, uint64_t id)
{
	return id - 1 < ids->ordered ? (uint32_t)(id - 1) : tp_ids_get(&ids->others, id);
}

void tp_proto_release(struct tp_proto *d);

#endif
