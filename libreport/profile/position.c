#include "profile/position.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "sourcepath.h"

#define SEVERAL (-1) /* as a line: functions of this name are in several files */

static bool is_known(const struct rep_position *position)
{
	return position->file.size || position->line;
}

static void put_line(struct rep_position *position, int64_t line)
{
	if (line > 0 && position->line != SEVERAL && (!position->line || line < position->line))
		position->line = line;
}

/* Interns the file as reports show it. */
static int file_of(struct rep_positions *p, const struct rep_profile_options *opt,
		   struct tp_text raw, struct tp_text *file)
{
	struct tp_buf clean = {0};
	uint32_t id = 0;
	int code = 0;

	if (opt)
		raw = rep_path_trim(raw, opt->trim_path, opt->source_path);
	if (raw.size)
		code = rep_path_clean(raw.text, raw.size, &clean);
	if (!code)
		code = tp_dict_string(p->names, clean.data, clean.size, &id);
	*file = tp_dict_text(p->names, id);
	tp_buf_release(&clean);
	return code;
}

/* Adds a function, and sets *id to its name's id if its line has to be found by its frames, else 0. */
static int add_function(struct rep_positions *p, struct tp_text name, struct tp_text file,
			const struct tp_function *fn, uint32_t *id)
{
	struct rep_position *position;
	uint32_t at;
	int code = tp_dict_string(p->names, name.text, name.size, &at);

	*id = 0;
	if (!code)
		code = tp_grow(&p->position, &p->room, at, sizeof(*p->position));
	if (!code)
		code = tp_grow(&p->of, &p->of_room, at, sizeof(*p->of));
	if (code)
		return code;
	position = &p->position[at];
	if (p->of[at] != p->profiles) {
		if (is_known(position))
			return 0;
		p->of[at] = p->profiles;
		position->file = file;
	}
	if (file.size && position->file.size && rep_text_compare(file, position->file) != 0)
		*position = (struct rep_position){.line = SEVERAL};
	else if (file.size && position->line != SEVERAL)
		position->file = file;
	put_line(position, fn->start_line);
	*id = fn->start_line > 0 ? 0 : at;
	return 0;
}

int rep_positions_add(struct rep_positions *p, const struct tp_profile *profile,
		      const struct rep_profile_options *opt)
{
	const struct tp_dict *d = profile->dict;
	uint32_t n = tp_dict_functions(d), *id = calloc(n, sizeof(*id)), last = 0;
	struct tp_text file = {"", 0};
	bool lines = false;
	int code = id ? 0 : TP_ENOMEM;

	if (!p->names)
		p->names = tp_dict_new();
	if (!p->names)
		code = TP_ENOMEM;
	p->profiles++;
	for (uint32_t i = 1; !code && i < n; i++) {
		const struct tp_function fn = tp_dict_function_at(d, i);

		if (!fn.name)
			continue;
		/* Those of a file often follow each other. */
		if (fn.file != last)
			code = file_of(p, opt, tp_dict_text(d, fn.file), &file);
		last = fn.file;
		if (!code)
			code = add_function(p, tp_dict_text(d, fn.name), file, &fn, &id[i]);
		lines = lines || id[i];
	}
	for (uint32_t i = 1; !code && lines && i < tp_dict_frames(d); i++) {
		const struct tp_frame f = tp_dict_frame_at(d, i);

		if (f.function < n && id[f.function])
			put_line(&p->position[id[f.function]], f.line);
	}
	free(id);
	return code;
}

void rep_positions_release(struct rep_positions *p)
{
	tp_dict_free(p->names);
	free(p->position);
	free(p->of);
	*p = (struct rep_positions){0};
}

struct rep_position rep_position_of(const struct rep_positions *p, struct tp_text name)
{
	uint32_t id;

	/* Interning a new name is no harm: it has no position. */
	if (!p->names || tp_dict_string(p->names, name.text, name.size, &id) || id >= p->room ||
	    p->position[id].line == SEVERAL)
		return (struct rep_position){0};
	return p->position[id];
}

int rep_positions_of_view(struct rep_positions *p, const struct rep_profile_view *v,
			  const struct rep_output *out, struct tp_err *err)
{
	bool functions =
	    v->opt.granularity == REP_FUNCTIONS || v->opt.granularity == REP_FILEFUNCTIONS;
	int code =
	    !functions || !rep_output_has_raw(out) ? 0 : rep_positions_add(p, v->profile, &v->opt);

	return code ? tp_err_full(err, code, "the profile has too many names") : 0;
}

struct rep_position rep_position_of_node(const struct rep_positions *p,
					 const struct rep_node_info *info)
{
	struct rep_position own = {info->file, info->line}, of;

	if (info->line)
		return own;
	of = rep_position_of(p, info->name);
	if (info->file.size)
		of.file = info->file;
	return of;
}
