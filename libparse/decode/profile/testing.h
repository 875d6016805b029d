/* For tests: shows a profile as text.
 *
 *   TYPE/UNIT … per PERIOD_TYPE/UNIT PERIOD
 *   VALUES: LEAF < CALLER … {key=text; key=number}
 *   map START-LIMIT OFFSET FILE BUILD_ID
 *   counter NAME[ITEM] VALUE TEXT
 *   comment TEXT
 *   lost REASON
 *
 * A location is 0xADDRESS#MAPPING NAME@FILE:LINE, with inlined lines joined by '+', and with ~ for
 * code of Go's runtime without a name. */
#ifndef TP_DECODE_PROFILE_TESTING_H
#define TP_DECODE_PROFILE_TESTING_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "decode/profile.h"

static inline __attribute__((format(printf, 2, 3))) void say(struct tp_buf *out, const char *fmt,
							     ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		tp_buf_put(out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static inline const char *text_at(const struct tp_profile *p, uint32_t string)
{
	return tp_dict_text(p->dict, string).text;
}

static inline void say_location(const struct tp_profile *p, const uint32_t *frame, size_t n,
				struct tp_buf *out)
{
	struct tp_frame f = tp_dict_frame_at(p->dict, frame[0]);
	struct tp_location l = tp_dict_location_at(p->dict, f.location);
	const char *part = "";

	if (l.address || l.mapping) {
		say(out, "0x%" PRIx64, l.address);
		if (l.mapping)
			say(out, "#%u", l.mapping);
		say(out, "%s", l.flags & TP_LOCATION_RUNTIME ? "~" : "");
		part = " ";
	}
	for (size_t i = 0; i < n; i++, part = "+") {
		struct tp_function fn;

		f = tp_dict_frame_at(p->dict, frame[i]);
		fn = tp_dict_function_at(p->dict, f.function);
		if (!f.function)
			continue;
		say(out, "%s%s", part, text_at(p, fn.name));
		if (fn.file)
			say(out, "@%s:%" PRId64, text_at(p, fn.file), f.line);
	}
}

static inline void say_sample(const struct tp_profile *p, size_t i, struct tp_buf *out)
{
	const struct tp_label_set *set = &p->sets[p->label_set[i]];
	uint32_t node = p->stack[i], frame[64];
	const char *part = ": ";
	size_t n;

	for (size_t t = 0; t < p->ntypes; t++)
		say(out, "%s%" PRId64, t ? " " : "", p->value[i * p->ntypes + t]);
	for (; tp_profile_next_location(p, &node, frame, 64, &n); part = " < ") {
		say(out, "%s", part);
		say_location(p, frame, n, out);
	}
	for (uint32_t k = 0; k < set->n; k++) {
		const struct tp_label *l = &p->labels[set->first + k];

		say(out, "%s%s=", k ? "; " : " {", text_at(p, l->key));
		if (l->numeric)
			say(out, "%" PRId64, l->number);
		else
			say(out, "%s", text_at(p, l->text));
	}
	say(out, "%s\n", set->n ? "}" : "");
}

/* Returns the text, which the caller frees. */
static inline char *show_profile(const struct tp_profile *p)
{
	struct tp_buf out = {0};

	for (size_t t = 0; t < p->ntypes; t++)
		say(&out, "%s/%s ", text_at(p, p->types[t].type), text_at(p, p->types[t].unit));
	say(&out, "per %s/%s %" PRId64 "\n", text_at(p, p->period_type.type),
	    text_at(p, p->period_type.unit), p->period);
	for (size_t i = 0; i < p->nsamples; i++)
		say_sample(p, i, &out);
	for (size_t i = 0; i < p->nmappings; i++) {
		const struct tp_mapping *m = &p->mappings[i];

		say(&out, "map %" PRIx64 "-%" PRIx64 " %" PRIx64 " %s %s\n", m->start, m->limit,
		    m->offset, text_at(p, m->file), text_at(p, m->build_id));
	}
	for (size_t i = 0; i < p->ncounters; i++) {
		const struct tp_counter *c = &p->counters[i];

		say(&out, "counter %s", text_at(p, c->name));
		if (c->item != INT64_MIN)
			say(&out, "[%" PRId64 "]", c->item);
		say(&out, " %" PRId64 " %s\n", c->value, text_at(p, c->text));
	}
	for (size_t i = 0; i < p->ncomments; i++)
		say(&out, "comment %s\n", text_at(p, p->comments[i]));
	for (size_t i = 0; i < p->nlosses; i++)
		say(&out, "lost %s\n", p->losses[i].reason);
	tp_buf_put(&out, "", 1);
	return (char *)out.data;
}

/* Decodes data and returns the profile as text, or "error CODE: MESSAGE"; the caller frees it. */
static inline char *show_read(const void *data, size_t size, bool strict)
{
	struct tp_profile_options opt = {.strict = strict};
	struct tp_profile *p;
	struct tp_err err = {0};
	struct tp_buf out = {0};
	int code = tp_profile_read(data, size, &opt, &p, &err);
	char *text;

	if (!code) {
		text = show_profile(p);
		tp_profile_free(p);
		return text;
	}
	say(&out, "error %d: %s\n", code, err.msg);
	tp_buf_put(&out, "", 1);
	return (char *)out.data;
}

#endif
