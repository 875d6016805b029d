#include "profile/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sourcepath.h"

static int clean_file(const struct rep_profile_view *v, uint32_t *file)
{
	struct tp_text t = tp_dict_text(v->profile->dict, *file);
	struct tp_buf clean = {0};
	int code = 0;

	t = rep_path_trim(t, v->opt.trim_path, v->opt.source_path);
	if (t.size)
		code = rep_path_clean(t.text, t.size, &clean);
	if (!code)
		code = tp_dict_string(v->profile->dict, clean.data, clean.size, file);
	tp_buf_release(&clean);
	return code;
}

/* ---- keys ---- */

int rep_node_key(const struct rep_profile_view *v, uint32_t frame, struct rep_node_key *key)
{
	const struct tp_profile *p = v->profile;
	enum rep_granularity by = v->opt.granularity;
	struct tp_frame f = tp_dict_frame_at(p->dict, frame);
	struct tp_location l = tp_dict_location_at(p->dict, f.location);
	uint32_t object = 0;
	int code = 0;

	memset(key, 0, sizeof(*key));
	if (l.mapping && l.mapping <= p->nmappings)
		object = p->mappings[l.mapping - 1].file;
	if (by == REP_ADDRESSES)
		key->address = l.address;
	if (!f.function && !f.line) { /* a location without lines */
		key->object = object;
		return 0;
	}
	if (by == REP_LINES || by == REP_ADDRESSES) {
		key->line = f.line;
		if (v->opt.show_columns || (by == REP_ADDRESSES && !v->opt.no_inlines))
			key->column = f.column;
	}
	if (f.function) {
		struct tp_function fn = tp_dict_function_at(p->dict, f.function);

		if (by != REP_FILES)
			key->name = fn.name;
		if (by != REP_FUNCTIONS && fn.file) {
			key->file = fn.file;
			code = clean_file(v, &key->file);
		}
		if (v->traits.object_names || !key->name)
			key->start_line = fn.start_line;
	}
	if (v->traits.object_names || !key->name)
		key->object = object;
	return code;
}

void rep_node_info_of(const struct tp_profile *p, const struct rep_node_key *key,
		      struct rep_node_info *info)
{
	*info = (struct rep_node_info){
	    .name = tp_dict_text(p->dict, key->name),
	    .file = tp_dict_text(p->dict, key->file),
	    .object = tp_dict_text(p->dict, key->object),
	    .address = key->address,
	    .start_line = key->start_line,
	    .line = key->line,
	    .column = key->column,
	};
}

int rep_view_frame(const struct rep_profile_view *v, uint32_t frame, struct rep_node_info *info)
{
	struct rep_node_key key;
	int code = rep_node_key(v, frame, &key);

	rep_node_info_of(v->profile, &key, info);
	return code;
}

/* ---- names ---- */

static void put_part(struct tp_buf *name, size_t begin, struct tp_text t)
{
	if (name->size > begin)
		tp_buf_text(name, " ");
	tp_buf_put(name, t.text, t.size);
}

int rep_node_info_name(const struct rep_node_info *info, struct tp_buf *name)
{
	size_t begin = name->size;

	if (info->address)
		tp_buf_printf(name, "%016" PRIx64, info->address);
	if (info->name.size)
		put_part(name, begin, info->name);
	if (info->line || info->file.size) {
		put_part(name, begin, info->file);
		if (info->line)
			tp_buf_printf(name, ":%" PRId64, info->line);
		if (info->line && info->column)
			tp_buf_printf(name, ":%" PRId64, info->column);
	} else if (!info->name.size && info->object.size) {
		put_part(name, begin, (struct tp_text){"[", 1});
		put_part(name, name->size, rep_path_base(info->object));
		tp_buf_text(name, "]");
	} else if (!info->name.size) {
		put_part(name, begin, (struct tp_text){"<unknown>", 9});
	}
	return tp_buf_text(name, "");
}

int rep_node_names_compare(const struct rep_node_info *a, struct tp_text a_name,
			   const struct rep_node_info *b, struct tp_text b_name)
{
	if (a->address && b->address && a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return rep_text_compare(a_name, b_name);
}

/* Compares numbers by their decimal texts, each followed by a blank. */
static int compare_decimal(int64_t a, int64_t b)
{
	char x[24], y[24];

	if (a == b)
		return 0;
	snprintf(x, sizeof(x), "%" PRId64 " ", a);
	snprintf(y, sizeof(y), "%" PRId64 " ", b);
	return strcmp(x, y);
}

/* Compares texts, each followed by a blank: "a b" comes after "a". */
static int compare_text(struct tp_text a, struct tp_text b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int c = n ? memcmp(a.text, b.text, n) : 0;

	if (c || a.size == b.size)
		return c;
	if (a.size < b.size)
		return ' ' < (unsigned char)b.text[n] ? -1 : 1;
	return (unsigned char)a.text[n] < ' ' ? -1 : 1;
}

int rep_node_infos_compare(const struct rep_node_info *a, const struct rep_node_info *b)
{
	int c = compare_text(a->name, b->name);

	if (!c && a->address != b->address) {
		char x[24], y[24];

		snprintf(x, sizeof(x), "%" PRIu64 " ", a->address);
		snprintf(y, sizeof(y), "%" PRIu64 " ", b->address);
		c = strcmp(x, y);
	}
	if (!c)
		c = compare_text(a->file, b->file);
	if (!c)
		c = compare_decimal(a->start_line, b->start_line);
	if (!c)
		c = compare_decimal(a->line, b->line);
	if (!c)
		c = compare_decimal(a->column, b->column);
	return c ? c : compare_text(a->object, b->object);
}
