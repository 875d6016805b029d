/* Profiles (profile.proto). */
#include <stdlib.h>
#include <string.h>

#include "hostile/cases.h"

/* Fields of Profile. */
enum {
	SAMPLE_TYPE = 1,
	SAMPLE,
	MAPPING,
	LOCATION,
	FUNCTION,
	STRING_TABLE,
	DROP_FRAMES,
	KEEP_FRAMES,
	TIME,
	DURATION,
	PERIOD_TYPE,
	PERIOD,
	COMMENT,
	DEFAULT_TYPE,
};

static void number(struct pen *p, unsigned field, uint64_t v)
{
	pen_number(p, field << 3);
	pen_number(p, v);
}

static void bytes(struct pen *p, unsigned field, const void *data, size_t n)
{
	pen_number(p, field << 3 | 2);
	pen_number(p, n);
	pen_bytes(p, data, n);
}

static void text(struct pen *p, unsigned field, const char *s)
{
	bytes(p, field, s, strlen(s));
}

/* `part` as a message within. */
static void message(struct pen *p, unsigned field, struct pen *part)
{
	p->failed |= part->failed;
	bytes(p, field, part->out.data, part->out.size);
	tp_buf_release(&part->out);
	*part = (struct pen){0};
}

/* Strings 0 … 5 and one sample type. */
static void begin(struct pen *p)
{
	static const char *const strings[] = {"", "cpu", "nanoseconds", "main", "key", "a.go"};
	struct pen part = {0};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		text(p, STRING_TABLE, strings[i]);
	number(&part, 1, 1);
	number(&part, 2, 2);
	message(p, SAMPLE_TYPE, &part);
}

static void function(struct pen *p, uint64_t id, uint64_t name)
{
	struct pen part = {0};

	number(&part, 1, id);
	number(&part, 2, name);
	message(p, FUNCTION, &part);
}

static void begin_location(struct pen *part, uint64_t id)
{
	number(part, 1, id);
	number(part, 3, 0x1000 + id);
}

/* A location of `lines` lines, all of function 1. */
static void location(struct pen *p, uint64_t id, uint64_t lines)
{
	struct pen part = {0}, line = {0};

	begin_location(&part, id);
	for (uint64_t i = 0; i < lines; i++) {
		number(&line, 1, 1);
		number(&line, 2, i % 100 + 1);
		message(&part, 4, &line);
	}
	message(p, LOCATION, &part);
}

/* The beginning of a sample: values and locations, packed. */
static void sample(struct pen *part, const struct pen *locations)
{
	bytes(part, 1, locations->out.data, locations->out.size);
	bytes(part, 2, "\1", 1);
}

/* One location, in which very much is inlined, over and over again. */
static void lines_times_frames(struct pen *p)
{
	struct pen part = {0}, ids = {0};

	begin(p);
	function(p, 1, 3);
	location(p, 1, p->size / 16);
	while (p->out.size + ids.out.size < p->size - 100 && !ids.failed)
		pen_byte(&ids, 1);
	sample(&part, &ids);
	message(p, SAMPLE, &part);
	tp_buf_release(&ids.out);
}

static void lines_times_samples(struct pen *p)
{
	struct pen part = {0}, ids = {0};

	begin(p);
	function(p, 1, 3);
	location(p, 1, p->size / 16);
	location(p, 2, 1);
	for (uint64_t n = 0; !pen_full(p); n++) {
		for (unsigned i = 0; i < 16; i++)
			pen_byte(&ids, n >> i & 1 ? 1 : 2);
		sample(&part, &ids);
		message(p, SAMPLE, &part);
		ids.out.size = 0;
	}
	tp_buf_release(&ids.out);
}

static void many_lines(struct pen *p)
{
	struct pen part = {0}, ids = {0};

	begin(p);
	function(p, 1, 3);
	location(p, 1, p->size / 8 - 100);
	pen_byte(&ids, 1);
	sample(&part, &ids);
	message(p, SAMPLE, &part);
	tp_buf_release(&ids.out);
}

static void locations(struct pen *p, uint64_t n)
{
	function(p, 1, 3);
	for (uint64_t i = 1; i <= n; i++)
		location(p, i, 1);
}

/* Every location's line is its id: numbers of a frame that tell each other. */
static void lines_of_ids(struct pen *p)
{
	struct pen part = {0}, line = {0}, ids = {0};

	begin(p);
	function(p, 1, 3);
	for (uint64_t id = 1; p->out.size + ids.out.size < p->size - 100 && !p->failed; id++) {
		begin_location(&part, id);
		number(&line, 1, 1);
		number(&line, 2, id);
		message(&part, 4, &line);
		message(p, LOCATION, &part);
		pen_number(&ids, id);
	}
	sample(&part, &ids);
	message(p, SAMPLE, &part);
	tp_buf_release(&ids.out);
}

/* One sample of as many frames as there is room for. */
static void deep(struct pen *p)
{
	struct pen part = {0}, ids = {0};

	begin(p);
	locations(p, 127);
	for (uint64_t n = 0; p->out.size + ids.out.size < p->size && !ids.failed; n++)
		pen_byte(&ids, 1 + (unsigned)(pen_mix(n) % 127));
	sample(&part, &ids);
	message(p, SAMPLE, &part);
	tp_buf_release(&ids.out);
}

/* The same, no two frames of one function. */
static void deep_functions(struct pen *p)
{
	struct pen part = {0}, ids = {0}, line = {0};
	uint64_t n = p->size / 24;

	begin(p);
	for (uint64_t i = 1; i <= n; i++) {
		function(p, i, 3 + i % 3);
		number(&part, 1, i);
		number(&line, 1, i);
		message(&part, 4, &line);
		message(p, LOCATION, &part);
		pen_number(&ids, i);
	}
	sample(&part, &ids);
	message(p, SAMPLE, &part);
	tp_buf_release(&ids.out);
}

/* A few samples of half as many frames, and as many labels. */
static void deep_labels(struct pen *p)
{
	struct pen part = {0}, ids = {0}, label = {0};

	begin(p);
	locations(p, 127);
	for (uint64_t n = 0; ids.out.size < p->size / 8 && !ids.failed; n++)
		pen_byte(&ids, 1 + (unsigned)(pen_mix(n) % 127));
	while (!pen_full(p)) {
		sample(&part, &ids);
		for (uint64_t n = 0; n < p->size / 64; n++) {
			number(&label, 1, 4);
			number(&label, 3, n);
			message(&part, 3, &label);
		}
		message(p, SAMPLE, &part);
	}
	tp_buf_release(&ids.out);
}

/* Stacks of 128 Ki frames that share nothing. */
static void stacks(struct pen *p)
{
	struct pen part = {0}, ids = {0};

	begin(p);
	locations(p, 127);
	for (uint64_t s = 0; !pen_full(p); s++) {
		for (uint64_t n = 0; n < 1 << 17; n++)
			pen_byte(&ids, 1 + (unsigned)(pen_mix(s << 17 | n) % 127));
		sample(&part, &ids);
		message(p, SAMPLE, &part);
		ids.out.size = 0;
	}
	tp_buf_release(&ids.out);
}

/* As many samples as there is room for, of two frames each. */
static void samples(struct pen *p)
{
	struct pen part = {0}, ids = {0};

	begin(p);
	locations(p, 127);
	for (uint64_t n = 0; !pen_full(p); n++) {
		pen_byte(&ids, 1 + (unsigned)(n % 127));
		pen_byte(&ids, 1 + (unsigned)(n / 127 % 127));
		pen_byte(&ids, 1 + (unsigned)(n / 16129 % 127));
		sample(&part, &ids);
		message(p, SAMPLE, &part);
		ids.out.size = 0;
	}
	tp_buf_release(&ids.out);
}

static void empty_samples(struct pen *p)
{
	begin(p);
	while (!pen_full(p))
		bytes(p, SAMPLE, "", 0);
}

/* Every sample has a label that no other has. */
static void labels(struct pen *p)
{
	struct pen part = {0}, ids = {0}, label = {0};

	begin(p);
	locations(p, 1);
	pen_byte(&ids, 1);
	for (uint64_t n = 1; !pen_full(p); n++) {
		sample(&part, &ids);
		number(&label, 1, 4);
		number(&label, 3, n);
		message(&part, 3, &label);
		message(p, SAMPLE, &part);
	}
	tp_buf_release(&ids.out);
}

static void label_keys(struct pen *p)
{
	struct pen part = {0}, ids = {0}, label = {0};
	uint64_t n = p->size / 32;

	if (!n)
		n = 1;
	begin(p);
	for (uint64_t i = 0; i < n; i++)
		bytes(p, STRING_TABLE, &i, 4);
	locations(p, 1);
	pen_byte(&ids, 1);
	for (uint64_t i = 0; !pen_full(p); i++) {
		sample(&part, &ids);
		number(&label, 1, 6 + i % n);
		number(&label, 2, 6 + (i + 1) % n);
		message(&part, 3, &label);
		message(p, SAMPLE, &part);
	}
	tp_buf_release(&ids.out);
}

static void one_label_set(struct pen *p)
{
	struct pen part = {0}, ids = {0}, label = {0};

	begin(p);
	locations(p, 1);
	pen_byte(&ids, 1);
	sample(&part, &ids);
	for (uint64_t n = 1; part.out.size < p->size && !part.failed; n++) {
		number(&label, 1, 4);
		number(&label, 2, 3);
		message(&part, 3, &label);
	}
	message(p, SAMPLE, &part);
	tp_buf_release(&ids.out);
}

/* As many sample types, and samples that have as many values. */
static void types(struct pen *p)
{
	struct pen part = {0};

	begin(p);
	for (uint64_t n = 0; p->out.size < p->size / 2 && !p->failed; n++) {
		number(&part, 1, 1);
		number(&part, 2, 2);
		message(p, SAMPLE_TYPE, &part);
	}
	locations(p, 1);
	for (uint64_t n = 0; !pen_full(p); n++) {
		bytes(&part, 1, "\1", 1);
		number(&part, 2, n);
		message(p, SAMPLE, &part);
	}
}

static void types_only(struct pen *p)
{
	begin(p);
	while (!pen_full(p))
		bytes(p, SAMPLE_TYPE, "", 0);
	bytes(p, SAMPLE, "", 0);
}

static void type_matrix(struct pen *p)
{
	struct pen part = {0}, values = {0};

	begin(p);
	for (uint64_t n = 1; n < 1000; n++) {
		number(&part, 1, 1);
		number(&part, 2, 2);
		message(p, SAMPLE_TYPE, &part);
	}
	for (uint64_t n = 0; n < 1000; n++)
		pen_byte(&values, (unsigned)(n & 63));
	locations(p, 127);
	for (uint64_t n = 0; !pen_full(p); n++) {
		char id = (char)(1 + n % 127);

		bytes(&part, 1, &id, 1);
		bytes(&part, 2, values.out.data, values.out.size);
		message(p, SAMPLE, &part);
	}
	tp_buf_release(&values.out);
}

static void mappings(struct pen *p)
{
	struct pen part = {0};

	begin(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		number(&part, 1, n);
		number(&part, 2, n << 12);
		number(&part, 3, (n + 1) << 12);
		number(&part, 5, 3);
		message(p, MAPPING, &part);
		number(&part, 1, n);
		number(&part, 2, n);
		number(&part, 3, n << 12);
		message(p, LOCATION, &part);
	}
	bytes(p, SAMPLE, "\x0a\x01\x01\x12\x01\x01", 6);
}

static void functions(struct pen *p)
{
	begin(p);
	for (uint64_t n = 1; !pen_full(p); n++)
		function(p, n, 3);
	bytes(p, SAMPLE, "\x12\x01\x01", 3);
}

static void strings(struct pen *p)
{
	begin(p);
	bytes(p, SAMPLE, "\x12\x01\x01", 3);
	for (uint64_t n = 1; !pen_full(p); n++)
		bytes(p, STRING_TABLE, &n, 3);
}

static void empty_strings(struct pen *p)
{
	begin(p);
	bytes(p, SAMPLE, "\x12\x01\x01", 3);
	while (!pen_full(p))
		bytes(p, STRING_TABLE, "", 0);
}

static void comments(struct pen *p)
{
	begin(p);
	bytes(p, SAMPLE, "\x12\x01\x01", 3);
	while (!pen_full(p))
		number(p, COMMENT, 3);
}

/* Frames to drop, by an expression of a megabyte. */
static void pattern(struct pen *p, const char *one, const char *close)
{
	struct pen part = {0};
	size_t n = 0;

	begin(p);
	for (; n * (strlen(one) + (close ? strlen(close) : 0)) < p->size * 4 / 5; n++)
		pen_bytes(&part, one, strlen(one));
	for (; n && close; n--)
		pen_bytes(&part, close, strlen(close));
	message(p, STRING_TABLE, &part); /* string 6 */
	number(p, DROP_FRAMES, 6);
	number(p, KEEP_FRAMES, 6);
	locations(p, 127);
	for (unsigned i = 1; i < 127; i++) {
		bytes(&part, 1, (uint8_t[]){(uint8_t)i}, 1);
		bytes(&part, 2, "\1", 1);
		message(p, SAMPLE, &part);
	}
}

static void pattern_nested(struct pen *p)
{
	pattern(p, "(a", "*)*");
}

static void pattern_choices(struct pen *p)
{
	pattern(p, "(a|m.*)*", NULL);
}

static void pattern_counts(struct pen *p)
{
	pattern(p, "(", "{1,255})");
}

/* A sample of the function called by string 7, and frames to drop by string 6. */
static void drop_one(struct pen *p)
{
	number(p, DROP_FRAMES, 6);
	function(p, 1, 7);
	location(p, 1, 1);
	bytes(p, SAMPLE, "\x0a\x01\x01\x12\x01\x01", 6);
}

static void pattern_stars(struct pen *p)
{
	struct pen part = {0};

	begin(p);
	pen_text(&part, "((((((((((a{1,200}){1,200}){1,200}){1,200}){1,200}){1,200})*)*)*)*");
	message(p, STRING_TABLE, &part);
	for (size_t i = 0; i < p->size / 2; i++)
		pen_byte(&part, 'a');
	message(p, STRING_TABLE, &part);
	drop_one(p);
}

/* What may be empty and goes round, in itself twenty times, five times in a row. */
static void pattern_rings(struct pen *p)
{
	struct pen part = {0};

	begin(p);
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 20; k++)
			pen_text(&part, "(");
		pen_text(&part, "a");
		for (int k = 0; k < 20; k++)
			pen_text(&part, ")*");
	}
	message(p, STRING_TABLE, &part);
	pen_text(&part, "a");
	message(p, STRING_TABLE, &part);
	drop_one(p);
}

/* Names by chance, a sample for each, from string `first` on. */
static void names(struct pen *p, uint64_t first)
{
	struct pen part = {0}, ids = {0};

	for (uint64_t n = 1; !pen_full(p) && !part.failed; n++) {
		for (unsigned i = 0; i < 300; i++)
			pen_byte(&part, pen_mix(n * 300 + i) & 1 ? 'a' : 'c');
		message(p, STRING_TABLE, &part);
		function(p, n, first + n - 1);
		begin_location(&part, n);
		number(&ids, 1, n);
		message(&part, 4, &ids);
		message(p, LOCATION, &part);
		pen_number(&ids, n);
		sample(&part, &ids);
		message(p, SAMPLE, &part);
		tp_buf_release(&ids.out);
		ids = (struct pen){0};
	}
}

static void names_by_chance(struct pen *p)
{
	begin(p);
	names(p, 6);
}

/* To tell which of them match takes a new state of the machine for each of their bytes. */
static void pattern_names(struct pen *p)
{
	begin(p);
	text(p, STRING_TABLE, "[ac]*a.{16}b");
	number(p, DROP_FRAMES, 6);
	names(p, 7);
}

/* Groups in groups, which nothing uses any more. */
static void groups(struct pen *p)
{
	begin(p);
	while (!pen_full(p))
		pen_number(p, 100 << 3 | 3);
}

/* Names that a demangler unfolds: each S_ doubles what came before. */
static void mangled(struct pen *p)
{
	struct pen part = {0};
	uint64_t n = 0;

	begin(p);
	while (p->out.size < p->size * 9 / 10 && !p->failed) {
		pen_text(&part, "_Z1fI1A");
		for (unsigned i = 0; i < 40; i++)
			pen_text(&part, "IS_S_E");
		pen_text(&part, "E%llu", (unsigned long long)n);
		message(p, STRING_TABLE, &part);
		n++;
	}
	for (uint64_t i = 1; i <= 100; i++) {
		function(p, i, 5 + i);
		number(&part, 1, i);
		pen_bytes(&part, "\x22\x02\x08", 3);
		pen_number(&part, i);
		message(p, LOCATION, &part);
		bytes(&part, 1, (uint8_t[]){(uint8_t)i}, 1);
		bytes(&part, 2, "\1", 1);
		message(p, SAMPLE, &part);
	}
}

/* One name of a megabyte. */
static void mangled_long(struct pen *p)
{
	struct pen part = {0};

	begin(p);
	pen_text(&part, "_Z1f");
	while (part.out.size < p->size - 200 && !part.failed)
		pen_text(&part, "P");
	pen_text(&part, "i");
	message(p, STRING_TABLE, &part);
	function(p, 1, 6);
	location(p, 1, 1);
	bytes(p, SAMPLE, "\x0a\x01\x01\x12\x01\x01", 6);
}

/* What lies beside a trace of go 1.5 and names its addresses, all by one name. */
static void symbols(struct pen *p)
{
	struct pen part = {0};
	char *name;

	text(p, STRING_TABLE, "");
	text(p, STRING_TABLE, "symbols");
	text(p, STRING_TABLE, "count");
	number(&part, 1, 1);
	number(&part, 2, 2);
	message(p, SAMPLE_TYPE, &part);
	function(p, 1, 3);
	for (uint64_t id = 1; id <= 20000 && p->out.size < p->size / 2; id++) {
		location(p, id, 1);
		number(&part, 1, id);
		number(&part, 2, 1);
		message(p, SAMPLE, &part);
	}
	if (pen_full(p) || !(name = malloc(p->size - p->out.size))) {
		p->failed = true;
		return;
	}
	memset(name, 'f', p->size - p->out.size);
	bytes(p, STRING_TABLE, name, p->size - p->out.size);
	free(name);
}

const struct hostile_case hostile_proto[] = {
    {"pb-lines-times-frames", "a location of many lines, many times in a stack",
     lines_times_frames},
    {"pb-lines-times-samples", "the same in many stacks", lines_times_samples},
    {"pb-lines", "a location of many lines", many_lines},
    {"pb-lines-of-ids", "locations whose lines are their ids", lines_of_ids},
    {"pb-deep", "one stack as deep as there is room for", deep},
    {"pb-deep-functions", "each of its frames a function of its own", deep_functions},
    {"pb-deep-labels", "deep stacks with as many labels", deep_labels},
    {"pb-stacks", "stacks of 128 Ki frames that share nothing", stacks},
    {"pb-samples", "as many samples", samples},
    {"pb-empty-samples", "samples of nothing", empty_samples},
    {"pb-labels", "a label of its own for every sample", labels},
    {"pb-label-keys", "a key of its own for every sample", label_keys},
    {"pb-one-label-set", "one sample with all labels", one_label_set},
    {"pb-types", "sample types by the hundred thousand, and samples", types},
    {"pb-types-only", "sample types, one sample", types_only},
    {"pb-type-matrix", "a thousand sample types, samples that have them all", type_matrix},
    {"pb-mappings", "as many mappings and locations", mappings},
    {"pb-functions", "as many functions", functions},
    {"pb-strings", "as many strings", strings},
    {"pb-empty-strings", "strings of nothing", empty_strings},
    {"pb-comments", "comments", comments},
    {"pb-pattern-nested", "frames to drop by an expression nested without end", pattern_nested},
    {"pb-pattern-choices", "by one of many choices", pattern_choices},
    {"pb-pattern-counts", "by one of counts of counts", pattern_counts},
    {"pb-pattern-stars", "by a short one that is as bad, and a long name", pattern_stars},
    {"pb-pattern-rings", "by a short one that takes long to be understood", pattern_rings},
    {"pb-pattern-names", "by a short one, and names by chance", pattern_names},
    {"pb-names", "names by chance", names_by_chance},
    {"pb-groups", "groups in groups", groups},
    {"pb-mangled", "names of C++ that unfold", mangled},
    {"pb-mangled-long", "a name of C++ without end", mangled_long},
    {"symbols-name", "addresses of a trace, all of one long name", symbols},
    {NULL, NULL, NULL},
};
