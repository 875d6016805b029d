/* JSON (RFC 8259). A text is first taken apart without copying it: a walk yields the members of an object or
 * the items of an array as parts of the text, so a file of any size takes no memory.
 *
 *	struct tp_json_walk w = tp_json_walk(text);
 *
 *	while (tp_json_next(&w))
 *		if (tp_json_is(w.key, "name"))
 *			code = tp_json_text(w.value, &name, err);
 *	if (w.wrong)
 *		return tp_err_set(err, TP_EFORMAT, (uint64_t)(w.at - text.at), "%s", w.wrong);
 *
 * What is accepted is JSON and nothing else (no comments, NaN, or commas at an end), except that bytes which
 * are not UTF-8 are kept as they are, as in all our readers. Nesting is limited to TP_JSON_DEPTH. */
#ifndef TP_BASE_JSON_H
#define TP_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define TP_JSON_DEPTH 64 /* of values inside the one that is read */

/* A part of a text: one value, without blanks around it. */
struct tp_json {
	const char *at, *end;
};

struct tp_json_walk {
	const char *at, *end; /* what has not been read */
	struct tp_json
	    key; /* of a member, between its quotes, with its escapes; of an item, empty */
	struct tp_json value;
	/* What is wrong at `at`, as a sentence without its subject ("ends within an array"), or NULL. */
	const char *wrong;
	bool object, begun, done; /* private */
};

/* Returns the text without blanks around it and the mark of byte order before it. */
struct tp_json tp_json(const void *data, size_t size);

/* Begins a walk over a value. One that is neither an object nor an array has no parts. */
struct tp_json_walk tp_json_walk(struct tp_json value);
/* Reads the next part. Returns false behind the last one, or if the text is damaged before a part begins.
 * If it is damaged within one, `wrong` is set, and the value, whose end is the place of the damage, is the
 * last: it can be walked over if it is an object or an array, but not parsed. A key may occur twice. */
bool tp_json_next(struct tp_json_walk *w);

/* Returns whether the text is this one. Keys with escapes are no known ones. */
bool tp_json_is(struct tp_json text, const char *word);

/* Sets *number to a number times 10^places, rounded half away from zero, and *rounded to true if that is not
 * exact. Returns false if the value is no number or does not fit. No precision is lost on the way. */
bool tp_json_scaled(struct tp_json value, unsigned places, int64_t *number, bool *rounded);

/* Appends a string, a value of a walk, to *text without its quotes and escapes; NULs are kept. Returns TP_EFORMAT
 * if it is no string, or has an escape that is not JSON (a part may have been appended), or TP_ENOMEM. */
int tp_json_text(struct tp_json value, struct tp_buf *text, struct tp_err *err);

#endif
