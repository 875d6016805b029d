/* Reads the dictionary of OpenTelemetry's profiles. tp_otlp_check has checked the message: fields have
 * the types of the schema, and indices are within their tables. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/seed.h"
#include "decode/profile/otlp.h"
#include "decode/profile/paths.h"

int tp_otlp_checked(struct tp_otlp *o, int code)
{
	if (code == TP_ELIMIT)
		return tp_err_set(o->err, code, TP_OFFSET_NONE, "the profile has too many entries");
	return code ? tp_nomem(o->err) : 0;
}

uint64_t tp_otlp_le64(struct tp_slice bytes)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8 && i < bytes.size; i++)
		v |= (uint64_t)bytes.data[i] << 8 * i;
	return v;
}

int tp_otlp_list_tables(struct tp_otlp *o, struct tp_slice dictionary)
{
	struct tp_cursor c = tp_cursor(dictionary.data, dictionary.size);
	struct tp_field f;

	while (tp_field_next(&c, &f)) {
		struct tp_otlp_list *list = &o->table[f.number < TP_OTLP_TABLES ? f.number : 0];

		if (!f.number || f.number >= TP_OTLP_TABLES || f.wire != TP_WIRE_BYTES)
			continue; /* tp_otlp_check refuses it */
		if (tp_grow_raw(&list->item, &list->room, list->n, sizeof(*list->item)))
			return tp_nomem(o->err);
		if (list->n >= (size_t)1 << 30)
			return tp_otlp_checked(o, TP_ELIMIT);
		list->item[list->n++] = f.bytes;
	}
	return 0;
}

int tp_otlp_string(struct tp_otlp *o, uint64_t index, uint32_t *id)
{
	const struct tp_otlp_list *strings = &o->table[TP_OTLP_STRINGS];
	int code = 0;

	*id = 0;
	if (index >= strings->n)
		return 0;
	if (!o->string[index]) {
		code = tp_otlp_checked(o, tp_dict_string(o->p->dict, strings->item[index].data,
							 strings->item[index].size, id));
		if (!code)
			o->string[index] = *id + 1;
		return code;
	}
	*id = o->string[index] - 1;
	return 0;
}

/* Returns the attribute of an index, NULL if it has no key or no value. */
static const struct tp_label *attribute_at(const struct tp_otlp *o, uint64_t index)
{
	const struct tp_label *l;

	if (index >= o->table[TP_OTLP_ATTRIBUTES].n)
		return NULL;
	l = &o->attribute[index];
	return l->key ? l : NULL;
}

int tp_otlp_add_attributes(struct tp_otlp *o, struct tp_otlp_labels *labels,
			   const struct tp_field *f)
{
	struct tp_otlp_numbers list = tp_otlp_numbers(f);
	const struct tp_label *l;
	uint64_t index;
	int code = 0;

	while (!code && tp_otlp_next(&list, &index))
		if ((l = attribute_at(o, index)) != NULL)
			code = tp_otlp_add_label(o, labels, l);
	return code;
}

static const char *key_of(const struct tp_otlp *o, const struct tp_label *l)
{
	return tp_dict_text(o->p->dict, l->key).text;
}

static bool is_true(const struct tp_otlp *o, const struct tp_label *l)
{
	return !l->numeric && !strcmp(tp_dict_text(o->p->dict, l->text).text, "true");
}

/* ---- mappings ---- */

/* Attributes of mappings (OpenTelemetry's semantic conventions, process and pprof): the build id, of
 * which the linker's comes before Go's and that of a hash, and what pprof knows of the code. */
static const struct {
	const char *key;
	uint32_t flag; /* enum tp_mapping_flag; 0: a build id */
} mapping_attributes[] = {
    {"process.executable.build_id.gnu", 0},
    {"process.executable.build_id.go", 0},
    {"process.executable.build_id.htlhash", 0},
    {"pprof.mapping.has_functions", TP_MAPPING_FUNCTIONS},
    {"pprof.mapping.has_filenames", TP_MAPPING_FILENAMES},
    {"pprof.mapping.has_line_numbers", TP_MAPPING_LINES},
    {"pprof.mapping.has_inline_frames", TP_MAPPING_INLINES},
};

static void add_mapping_attributes(const struct tp_otlp *o, const struct tp_field *f,
				   struct tp_mapping *m, size_t *best)
{
	struct tp_otlp_numbers list = tp_otlp_numbers(f);
	uint64_t index;

	while (tp_otlp_next(&list, &index)) {
		const struct tp_label *l = attribute_at(o, index);

		for (size_t i = 0; l && i < TP_COUNT_OF(mapping_attributes); i++) {
			if (strcmp(key_of(o, l), mapping_attributes[i].key) != 0)
				continue;
			if (mapping_attributes[i].flag) {
				m->flags |= is_true(o, l) ? mapping_attributes[i].flag : 0;
			} else if (!l->numeric && i < *best) {
				m->build_id = l->text;
				*best = i;
			}
		}
	}
}

static bool same_mapping(const struct tp_mapping *a, const struct tp_mapping *b)
{
	return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
	       a->file == b->file && a->build_id == b->build_id;
}

/* Adds a mapping unless the profile, of a message before, has it. */
static int put_mapping(struct tp_otlp *o, const struct tp_mapping *m, uint32_t *number)
{
	const uint64_t key[] = {m->start, m->limit, m->offset, m->file, m->build_id};
	uint64_t hash;
	int code;

	if (!o->seed)
		o->seed = tp_seed();
	hash = tp_hash_bytes(o->seed, key, sizeof(key));
	for (struct tp_probe probe = {0}; tp_table_next(&o->mappings, hash, &probe);) {
		struct tp_mapping *old = &o->p->mappings[probe.row];

		if (same_mapping(old, m)) {
			old->flags |= m->flags;
			*number = probe.row + 1;
			return 0;
		}
	}
	code = tp_profile_add_mapping(o->p, m, number);
	if (!code)
		code = tp_table_add(&o->mappings, hash, *number - 1);
	return tp_otlp_checked(o, code);
}

static int read_mapping(struct tp_otlp *o, size_t place)
{
	struct tp_slice bytes = o->table[TP_OTLP_MAPPINGS].item[place];
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	size_t best = TP_COUNT_OF(mapping_attributes);
	struct tp_mapping m = {0};
	struct tp_field f;
	uint64_t v[5] = {0};
	int code;

	while (tp_field_next(&c, &f)) {
		if (f.number < 5)
			v[f.number] = f.value;
		else
			add_mapping_attributes(o, &f, &m, &best);
	}
	code = tp_otlp_string(o, v[4], &m.file);
	m.start = v[1];
	m.limit = v[2];
	m.offset = v[3];
	/* The first one means none, and mostly is empty. */
	if (code || (!m.start && !m.limit && !m.offset && !m.file && !m.build_id))
		return code;
	return put_mapping(o, &m, &o->mapping[place]);
}

/* ---- functions and locations ---- */

static int read_function(struct tp_otlp *o, size_t place)
{
	struct tp_function f = {0};
	struct tp_text name;
	uint64_t v[5] = {0};
	int code;

	tp_wire_numbers(o->table[TP_OTLP_FUNCTIONS].item[place], v, 5);
	code = tp_otlp_string(o, v[1], &f.name);
	if (!code)
		code = tp_otlp_string(o, v[2], &f.system_name);
	if (!code)
		code = tp_otlp_string(o, v[3], &f.file);
	if (code)
		return code;
	f.name = f.name ? f.name : f.system_name;
	f.start_line = (int64_t)v[4];
	name = tp_dict_text(o->p->dict, f.name);
	if (!f.system_name &&
	    tp_profile_is_mangled((struct tp_scan){name.text, name.text + name.size}))
		f.system_name = f.name;
	if (!f.name && !f.file && !f.start_line)
		return 0;
	return tp_otlp_checked(o, tp_dict_function(o->p->dict, &f, &o->function[place]));
}

/* Attributes of locations are not kept, but for one; they would be needed for each frame. */
static void note_attributes(struct tp_otlp *o, const struct tp_field *f, struct tp_location *l)
{
	struct tp_otlp_numbers list = tp_otlp_numbers(f);
	uint64_t index;

	while (tp_otlp_next(&list, &index)) {
		const struct tp_label *a = attribute_at(o, index);

		if (a && !strcmp(key_of(o, a), "pprof.location.is_folded"))
			l->flags |= is_true(o, a) ? TP_LOCATION_FOLDED : 0;
		else if (a && !o->left_out)
			o->left_out = key_of(o, a);
	}
}

/* The lines of the location being read. */
struct lines {
	struct tp_frame *line;
	size_t n, room;
};

static int read_line(struct tp_otlp *o, struct tp_slice bytes, struct lines *lines)
{
	uint64_t v[4] = {0};

	tp_wire_numbers(bytes, v, 4);
	if (tp_grow_raw(&lines->line, &lines->room, lines->n, sizeof(*lines->line)))
		return tp_nomem(o->err);
	lines->line[lines->n++] = (struct tp_frame){
	    .function = o->table[TP_OTLP_FUNCTIONS].n ? o->function[v[1]] : 0,
	    .line = (int64_t)v[2],
	    .column = (int64_t)v[3],
	};
	return 0;
}

static int read_location(struct tp_otlp *o, size_t place, struct lines *lines)
{
	struct tp_slice bytes = o->table[TP_OTLP_LOCATIONS].item[place];
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct tp_location l = {0};
	struct tp_field f;
	size_t n;
	int code = 0;

	lines->n = 0;
	while (!code && tp_field_next(&c, &f)) {
		if (f.number == 1)
			l.mapping = o->table[TP_OTLP_MAPPINGS].n ? o->mapping[f.value] : 0;
		else if (f.number == 2)
			l.address = f.value;
		else if (f.number == 3)
			code = read_line(o, f.bytes, lines);
		else
			note_attributes(o, &f, &l);
	}
	n = lines->n ? lines->n : 1;
	if (!code && tp_grow_raw(&o->frame, &o->frame_room, o->nframe + n - 1, sizeof(*o->frame)))
		code = tp_nomem(o->err);
	if (!code)
		code = tp_otlp_checked(o, tp_profile_location(o->p, &l, lines->line, lines->n,
							      o->frame + o->nframe, &n));
	if (!code && o->nframe + n > (size_t)1 << 30)
		code = tp_otlp_checked(o, TP_ELIMIT);
	if (code)
		return code;
	if (l.mapping && lines->n)
		o->p->mappings[l.mapping - 1].flags |= TP_MAPPING_FUNCTIONS;
	o->location[place] = (struct tp_otlp_location){(uint32_t)o->nframe, (uint32_t)n};
	o->nframe += n;
	return 0;
}

/* ---- stacks and links ---- */

/* Adds the frames of a stack to the paths: root first, where the list has the leaf first. */
static int read_stack(struct tp_otlp *o, struct tp_slice bytes, struct tp_paths *paths)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	size_t from = paths->nframes, to;
	struct tp_field f;
	uint64_t index;
	int code = 0;

	while (!code && tp_field_next(&c, &f)) {
		struct tp_otlp_numbers list = tp_otlp_numbers(&f);

		while (!code && o->table[TP_OTLP_LOCATIONS].n && tp_otlp_next(&list, &index)) {
			struct tp_otlp_location l = o->location[index];

			if (l.n > o->frames_left)
				return tp_err_set(
				    o->err, TP_ELIMIT, TP_OFFSET_NONE,
				    "the profile's inlined calls would make more than "
				    "%d frames per byte",
				    TP_OTLP_PER_BYTE);
			o->frames_left -= l.n;
			code = tp_otlp_checked(o, tp_paths_room(paths, l.n));
			for (uint32_t i = l.n; i-- > 0 && !code;)
				paths->frame[paths->nframes++] = o->frame[l.at + i];
		}
	}
	if (code)
		return code;
	for (to = paths->nframes; from + 1 < to; from++) {
		uint32_t frame = paths->frame[from];

		paths->frame[from] = paths->frame[--to];
		paths->frame[to] = frame;
	}
	return tp_otlp_checked(o, tp_paths_end(paths));
}

static int read_stacks(struct tp_otlp *o)
{
	const struct tp_otlp_list *stacks = &o->table[TP_OTLP_STACKS];
	struct tp_paths paths = {0};
	int code = 0;

	for (size_t i = 0; i < stacks->n && !code; i++)
		code = read_stack(o, stacks->item[i], &paths);
	if (!code && paths.n)
		code = tp_otlp_checked(o, tp_paths_put(&paths, o->p->dict, o->stack));
	tp_paths_release(&paths);
	return code;
}

/* Sets *id to the bytes in hexadecimal, 0 if they are all zero. */
static int hex_string(struct tp_otlp *o, struct tp_slice bytes, uint32_t *id)
{
	char text[33];
	bool some = false;

	*id = 0;
	for (size_t i = 0; i < bytes.size && i < 16; i++) {
		text[2 * i] = "0123456789abcdef"[bytes.data[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[bytes.data[i] & 15];
		some |= bytes.data[i];
	}
	return some ? tp_otlp_checked(o, tp_dict_string(o->p->dict, text, 2 * bytes.size, id)) : 0;
}

static int read_link(struct tp_otlp *o, size_t place)
{
	struct tp_slice bytes = o->table[TP_OTLP_LINKS].item[place];
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct tp_field f;
	int code = 0;

	while (!code && tp_field_next(&c, &f))
		code = hex_string(o, f.bytes, &o->link[place][f.number - 1]);
	return code;
}

int tp_otlp_read_tables(struct tp_otlp *o)
{
	const struct tp_otlp_list *t = o->table;
	struct lines lines = {0};
	int code = 0;

	o->mapping = calloc(t[TP_OTLP_MAPPINGS].n + 1, sizeof(*o->mapping));
	o->function = calloc(t[TP_OTLP_FUNCTIONS].n + 1, sizeof(*o->function));
	o->location = calloc(t[TP_OTLP_LOCATIONS].n + 1, sizeof(*o->location));
	o->stack = calloc(t[TP_OTLP_STACKS].n + 1, sizeof(*o->stack));
	o->attribute = calloc(t[TP_OTLP_ATTRIBUTES].n + 1, sizeof(*o->attribute));
	o->link = calloc(t[TP_OTLP_LINKS].n + 1, sizeof(*o->link));
	if (!o->mapping || !o->function || !o->location || !o->stack || !o->attribute || !o->link)
		return tp_nomem(o->err);
	for (size_t i = 0; i < t[TP_OTLP_ATTRIBUTES].n && !code; i++)
		code = tp_otlp_pair(o, TP_OTLP_ATTRIBUTE, t[TP_OTLP_ATTRIBUTES].item[i],
				    &o->attribute[i]);
	for (size_t i = 0; i < t[TP_OTLP_MAPPINGS].n && !code; i++)
		code = read_mapping(o, i);
	for (size_t i = 0; i < t[TP_OTLP_FUNCTIONS].n && !code; i++)
		code = read_function(o, i);
	for (size_t i = 0; i < t[TP_OTLP_LOCATIONS].n && !code; i++)
		code = read_location(o, i, &lines);
	for (size_t i = 0; i < t[TP_OTLP_LINKS].n && !code; i++)
		code = read_link(o, i);
	free(lines.line);
	return code ? code : read_stacks(o);
}

void tp_otlp_release_tables(struct tp_otlp *o)
{
	void **made[] = {(void *)&o->string,	(void *)&o->mapping,  (void *)&o->function,
			 (void *)&o->stack,	(void *)&o->location, (void *)&o->frame,
			 (void *)&o->attribute, (void *)&o->link};

	for (size_t i = 0; i < TP_COUNT_OF(made); i++) {
		free(*made[i]);
		*made[i] = NULL;
	}
	o->nframe = o->frame_room = 0;
	for (size_t i = 0; i < TP_OTLP_TABLES; i++)
		o->table[i].n = 0;
}
