/* The content of a trace file, event by event, without interpretation: batches, tables
 * and timed events in the order of the bytes, as they are encoded (decode/v1/wire.h, v2/wire.h).
 *
 *	tp_raw_open(&r, data, size, err);
 *	while ((code = tp_raw_next(r, &ev, err)) > 0)
 *		…
 *	tp_raw_close(r);
 *
 * Nothing is repaired: reading ends at the first invalid bytes. */
#ifndef TP_ORDER_RAW_H
#define TP_ORDER_RAW_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define TP_RAW_NAMES 8

struct tp_raw_event {
	const char *name; /* as the format has it: "GoStart" */
	uint8_t type;
	uint64_t offset; /* of its first byte in the file */
	uint64_t size;	 /* bytes in the file */
	/* Bytes as Go's tools count them (internal/trace/raw, Event.EncodedSize): every number in
	 * its shortest form. In the file some are padded, such as sizes of batches. */
	uint64_t least;
	/* The first `nnamed` arguments have names; the others are fields of stack frames, `fields`
	 * of them for each frame. */
	const char *const *arg_name;
	const uint64_t *arg; /* nargs of them */
	size_t nnamed, nargs;
	unsigned fields;
	const uint8_t *data; /* bytes after the arguments (a string); size 0 for none */
	size_t data_size;
};

struct tp_raw;

/* Opens the bytes of a file, which must outlive r. Returns 0, TP_EVERSION, TP_EUNKNOWN (it is not a
 * trace) or TP_ENOMEM. */
int tp_raw_open(struct tp_raw **r, const void *data, size_t size, struct tp_err *err);
/* Returns 1 and an event, valid until the next call; 0 at the end; TP_EFORMAT or TP_ETRUNC if the
 * bytes are not an event. */
int tp_raw_next(struct tp_raw *r, struct tp_raw_event *ev, struct tp_err *err);
void tp_raw_close(struct tp_raw *r);
/* Upper limit of types (every type is less), for tables by type. tp_raw_name returns the name
 * of a type, or NULL. */
#define TP_RAW_TYPES 256
const char *tp_raw_name(const struct tp_raw *r, uint8_t type);

/* Appends the event as `go tool trace -d=wire` writes it, with its newline: name, arguments as
 * NAME=NUMBER, frames and data on lines of their own. Returns 0 or TP_ENOMEM. */
int tp_raw_line(const struct tp_raw_event *ev, struct tp_buf *out);

#endif
