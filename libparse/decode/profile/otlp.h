/* OpenTelemetry's profiles being read; private to otlp*.c and its tests. */
#ifndef TP_DECODE_PROFILE_OTLP_H
#define TP_DECODE_PROFILE_OTLP_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/table.h"
#include "base/wire.h"
#include "decode/profile/kinds.h"

/* The schema that is read: opentelemetry-proto at this commit. Files carry no version. */
#define TP_OTLP_COMMIT "ac2c4b5"

/* Depth of messages within messages. The schema needs 8, values in values the rest. */
#define TP_OTLP_DEPTH 64

/* Limit on the frames of all stacks, and on labels that are looked up: few entries of a dictionary, named
 * many times, could expand a small file. */
#define TP_OTLP_PER_BYTE 32

/* ---- the schema ---- */

enum tp_otlp_message {
	TP_OTLP_NONE,
	TP_OTLP_DATA, /* ProfilesData, ExportProfilesServiceRequest: they have the same fields */
	TP_OTLP_DICTIONARY,
	TP_OTLP_RESOURCE_PROFILES,
	TP_OTLP_RESOURCE,
	TP_OTLP_SCOPE_PROFILES,
	TP_OTLP_SCOPE,
	TP_OTLP_PROFILE,
	TP_OTLP_SAMPLE,
	TP_OTLP_VALUE_TYPE,
	TP_OTLP_LINK,
	TP_OTLP_MAPPING,
	TP_OTLP_STACK,
	TP_OTLP_LOCATION,
	TP_OTLP_LINE,
	TP_OTLP_FUNCTION,
	TP_OTLP_ATTRIBUTE,
	TP_OTLP_KEY_VALUE,
	TP_OTLP_VALUE,
	TP_OTLP_ARRAY,
	TP_OTLP_LIST,
	TP_OTLP_ENTITY,
	TP_OTLP_MESSAGES
};

/* The tables of the dictionary, by their field numbers. */
enum tp_otlp_table {
	TP_OTLP_MAPPINGS = 1,
	TP_OTLP_LOCATIONS,
	TP_OTLP_FUNCTIONS,
	TP_OTLP_LINKS,
	TP_OTLP_STRINGS,
	TP_OTLP_ATTRIBUTES,
	TP_OTLP_STACKS,
	TP_OTLP_TABLES
};

enum tp_otlp_type {
	TP_OTLP_ABSENT,
	TP_OTLP_INT,
	TP_OTLP_UINT,
	TP_OTLP_BOOL,
	TP_OTLP_INDEX,	 /* of an entry of a table */
	TP_OTLP_FIXED64, /* times */
	TP_OTLP_DOUBLE,
	TP_OTLP_TEXT,
	TP_OTLP_BYTES, /* base64 in JSON */
	TP_OTLP_ID,    /* hexadecimal in JSON */
	TP_OTLP_WITHIN /* a message */
};

struct tp_otlp_field {
	const char *name;
	enum tp_otlp_type type;
	uint8_t of; /* enum tp_otlp_message, enum tp_otlp_table */
	bool many;
};

#define TP_OTLP_FIELDS 12 /* more than the largest number of a field */

/* Returns the field of a message, or NULL if the schema has none of this number. */
const struct tp_otlp_field *tp_otlp_field(enum tp_otlp_message message, uint32_t number);
enum tp_wire tp_otlp_wire(enum tp_otlp_type type);
/* Returns whether a message with fields that the schema lacks must be of another layout: its numbers
 * are what a profile consists of. Elsewhere such fields are passed over. */
bool tp_otlp_is_core(enum tp_otlp_message message);

/* ---- the reader ---- */

struct tp_otlp_list {
	struct tp_slice *item;
	size_t n, room;
};

/* The frames of a location, root first: frame[at … at + n). */
struct tp_otlp_location {
	uint32_t at, n;
};

struct tp_otlp_labels {
	struct tp_label *item;
	size_t n, room;
};

struct tp_otlp {
	struct tp_profile *p;
	struct tp_err *err;
	bool strict;
	const uint8_t *data;	     /* for offsets; NULL if the messages are made of JSON */
	uint64_t frames_left;	     /* limit on the frames of all stacks */
	uint64_t labels_left;	     /* limit on looking up label sets, in labels */
	uint64_t values_most;	     /* limit on the values of all samples */
	uint64_t labels_most;	     /* limit on the labels of all sets */
	struct tp_table mappings;    /* of the profile, by their content */
	uint64_t seed;		     /* of their hash */
	const char *unknown_message; /* the first field that the schema lacks, and how many */
	char unknown_field[48];	     /* its number, or its name in quotes */
	uint64_t unknown;
	const char *left_out; /* an attribute of a location that is not kept, NULL none */

	/* The message being read: its dictionary, and what has been made of it. */
	struct tp_otlp_list table[TP_OTLP_TABLES];
	uint32_t *string; /* id + 1, 0 not interned yet */
	uint32_t *mapping, *function, *stack;
	struct tp_otlp_location *location;
	uint32_t *frame;
	size_t nframe, frame_room;
	struct tp_label *attribute; /* key 0: none */
	uint32_t (*link)[2];	    /* strings: trace and span */
};

/* The functions below return 0 or an error of tp_profile_read(), with err filled. */

int tp_otlp_checked(struct tp_otlp *o, int code);
/* Refuses the dump: `what` follows "Sample.link_index ". field may be NULL. */
int tp_otlp_refuse(struct tp_otlp *o, const uint8_t *at, enum tp_otlp_message message,
		   const char *field, const char *what, ...) __attribute__((format(printf, 5, 6)));

/* Counts a field that the schema lacks; `field` is its number or name. */
void tp_otlp_pass_over(struct tp_otlp *o, enum tp_otlp_message message, const char *field, ...)
    __attribute__((format(printf, 3, 4)));

/* Finds the tables of a dictionary. */
int tp_otlp_list_tables(struct tp_otlp *o, struct tp_slice dictionary);
/* Checks a message, and all within, by the schema: types of fields, indices. What follows need not. */
int tp_otlp_check(struct tp_otlp *o, enum tp_otlp_message message, struct tp_slice bytes);

int tp_otlp_string(struct tp_otlp *o, uint64_t index, uint32_t *id);
/* Makes mappings, functions, locations, stacks, links and attributes of the tables. */
int tp_otlp_read_tables(struct tp_otlp *o);
/* Forgets the message. */
void tp_otlp_release_tables(struct tp_otlp *o);

/* Reads a KeyValue or a KeyValueAndUnit. The label has no key if the pair has none, or no value. */
int tp_otlp_pair(struct tp_otlp *o, enum tp_otlp_message message, struct tp_slice bytes,
		 struct tp_label *label);
/* Appends a label unless it has no key or an empty text. */
int tp_otlp_add_label(struct tp_otlp *o, struct tp_otlp_labels *labels, const struct tp_label *l);
/* Appends the labels of a list of indices of attributes, a field of a message. */
int tp_otlp_add_attributes(struct tp_otlp *o, struct tp_otlp_labels *labels,
			   const struct tp_field *f);

/* Takes the next number of a repeated field, whose value is a list or a single number. */
struct tp_otlp_numbers {
	struct tp_cursor c;
	uint64_t one;
	bool single;
};
static inline struct tp_otlp_numbers tp_otlp_numbers(const struct tp_field *f)
{
	struct tp_otlp_numbers n = {.single = f->wire == TP_WIRE_VARINT, .one = f->value};

	n.c = n.single ? tp_cursor(NULL, 0) : tp_cursor(f->bytes.data, f->bytes.size);
	return n;
}
static inline bool tp_otlp_next(struct tp_otlp_numbers *n, uint64_t *v)
{
	if (n->single) {
		n->single = false;
		*v = n->one;
		return true;
	}
	if (n->c.at >= n->c.end)
		return false;
	*v = tp_cursor_uvarint(&n->c);
	return !n->c.failed;
}

/* Returns a number of eight bytes, the content of a field. */
uint64_t tp_otlp_le64(struct tp_slice bytes);

/* Finds the messages of a file. Those that are JSON or compressed are made into *made, and o->data is NULL
 * then. The caller frees the list's items and *made, also after an error. */
int tp_otlp_find_messages(struct tp_otlp *o, const uint8_t *data, size_t size,
			  struct tp_otlp_list *messages, struct tp_buf *made);

/* Appends the message that a JSON text is, without its size. Sets *wrong to what is wrong with the JSON, a
 * sentence without its subject; *out is of no use then, nor after an error. */
int tp_otlp_of_json(struct tp_otlp *o, const char *text, size_t size, struct tp_buf *out,
		    const char **wrong);

/* ---- samples (otlp_sample.c) ---- */

/* What the messages around a sample say of it. */
struct tp_otlp_place {
	struct tp_otlp_labels labels; /* of the resource, the profile, then the sample */
	size_t nresource, nprofile;   /* labels of the resource; those and the profile's */
	bool several;		      /* profiles in the scope, perhaps of the same samples */
	struct tp_ids samples;	      /* those of the scope, by stack and labels */
	uint32_t trace_id, span_id, time, nanoseconds; /* strings */
	int64_t *value;				       /* one for each type */
	int64_t *values, *times;		       /* of the sample */
	size_t nvalues, ntimes, values_room, times_room;
};

/* Reads a sample, whose values are those of type `type`. */
int tp_otlp_read_sample(struct tp_otlp *o, struct tp_otlp_place *place, struct tp_slice bytes,
			size_t type);
void tp_otlp_release_place(struct tp_otlp_place *place);

#endif
