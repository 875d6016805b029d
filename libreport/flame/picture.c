#include "flame/picture.h"

#include <stdlib.h>
#include <string.h>

#include "profile/demangle.h"
#include "profile/request.h"
#include "task/inside.h"
#include "task/request.h"

static bool is_profile(const struct rep_run *run)
{
	return !strcmp(run->row.kind, "profile");
}

/* ---- profiles ---- */

/* A profile has no times or goroutines. Ignoring such a filter would show the wrong data. */
static int check_profile(const struct rep_flame_pick *pick, struct tp_err *err)
{
	const struct rep_trace_profile_options *t = &pick->trace;
	const char *what = t->filter.from || t->filter.to	 ? "times"
			   : t->filter.goroutine		 ? "goroutines to pick"
			   : t->filter.state			 ? "states"
			   : t->filter.reason			 ? "reasons"
			   : t->task && !rep_is_request(t->task) ? "tasks"
			   : t->region				 ? "regions"
								 : NULL;

	return what ? tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				 "a profile has no %s; remove that filter", what)
		    : 0;
}

/* Returns the sample type of the side that is already loaded. */
static const char *first_type(const struct rep_flame_load *l, const char *picked)
{
	const struct rep_profile_view *v = &l->part[REP_FLAME_NEW].view;
	const char *name = tp_dict_text(v->profile->dict, v->profile->types[v->index].type).text;

	return *name ? name : picked;
}

static int load_side(struct rep_flame_load *l, struct tp_store *store, const struct rep_run *run,
		     const struct rep_flame_pick *pick, struct tp_err *err)
{
	enum rep_flame_side side = l->n ? REP_FLAME_OLD : REP_FLAME_NEW;
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_trace_profile_options trace = pick->trace;
	struct rep_flame_part *part = &l->part[side];
	size_t failed;
	int code;

	opt.focus = pick->trace.filter.focus;
	opt.sample_index = pick->sample_index;
	/* The two sides can have different defaults. */
	if (l->n)
		opt.sample_index = first_type(l, pick->sample_index);
	trace.filter.focus = NULL;
	trace.members = &l->members[side];
	if (is_profile(run)) {
		code = check_profile(pick, err);
		if (!code)
			code = tp_profile_load(store, run->row.id, &part->profile, err);
		if (!code)
			code = rep_profile_demangle(part->profile, REP_DEMANGLE_DEFAULT, err);
		if (!code && rep_is_request(trace.task))
			code = rep_profile_keep_request(part->profile, trace.task, err);
	} else {
		code = rep_trace_profile(store, run, &trace, &part->profile, err);
	}
	part->name = strdup(run->row.name);
	if (!code && !part->name)
		code = tp_nomem(err);
	if (code)
		return code;
	part->side = side;
	part->trace = !is_profile(run);
	part->members = &l->members[side];
	l->n++;
	return rep_flame_parts_view(part, 1, &opt, &failed, err);
}

int rep_flame_load(struct rep_flame_load *l, struct tp_store *store,
		   const struct rep_flame_pick *pick, struct tp_err *err)
{
	int code;

	*l = (struct rep_flame_load){.words = strdup(pick->words ? pick->words : "")};
	if (!l->words)
		return tp_nomem(err);
	if (pick->base && is_profile(pick->run) != is_profile(pick->base))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "a trace and a profile cannot be compared; mark another run");
	code = load_side(l, store, pick->run, pick, err);
	if (!code && pick->base)
		code = load_side(l, store, pick->base, pick, err);
	return code;
}

void rep_flame_load_release(struct rep_flame_load *l)
{
	rep_flame_parts_release(l->part, REP_FLAME_SIDES);
	for (size_t side = 0; side < REP_FLAME_SIDES; side++) {
		tp_profile_free(l->part[side].profile);
		free((void *)(uintptr_t)l->part[side].name);
	}
	free(l->words);
	*l = (struct rep_flame_load){0};
}

/* ---- source lines ---- */

static int find_place(struct rep_flame_picture *pic, const struct tp_profile *p, uint32_t frame,
		      struct rep_flame_place *place)
{
	struct tp_frame f = tp_dict_frame_at(p->dict, frame);
	struct tp_function fn = tp_dict_function_at(p->dict, f.function);
	struct tp_text file = tp_dict_text(p->dict, fn.file);
	int64_t line = f.line > 0 ? f.line : fn.start_line;

	place->line = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
	return file.size ? tp_dict_string(pic->files, file.text, file.size, &place->file) : 0;
}

/* A frame that is gone has its source line in the old run. */
static int find_places(struct rep_flame_picture *pic, const struct rep_flame_load *l,
		       struct tp_err *err)
{
	int code = 0;

	pic->files = tp_dict_new();
	pic->place = calloc(pic->tree.n, sizeof(*pic->place));
	if (!pic->files || !pic->place)
		return tp_nomem(err);
	for (uint32_t i = 1; i < pic->tree.n && !code; i++) {
		for (size_t side = 0; side < l->n && !code; side++) {
			uint32_t frame = rep_flame_frame_of(&pic->tree, i, (int)side);

			if (!frame)
				continue;
			code = find_place(pic, l->part[side].profile, frame, &pic->place[i]);
			break;
		}
	}
	return code ? tp_nomem(err) : 0;
}

/* ---- the picture ---- */

static int copy_types(struct rep_flame_picture *pic, const struct rep_profile_view *v)
{
	const struct tp_profile *p = v->profile;

	pic->types = calloc(p->ntypes + 1, sizeof(*pic->types));
	if (!pic->types)
		return TP_ENOMEM;
	for (; pic->ntypes < p->ntypes; pic->ntypes++) {
		pic->types[pic->ntypes] =
		    strdup(tp_dict_text(p->dict, p->types[pic->ntypes].type).text);
		if (!pic->types[pic->ntypes])
			return TP_ENOMEM;
	}
	pic->index = v->index;
	return 0;
}

static int describe(struct rep_flame_picture *pic, const struct rep_flame_load *l,
		    const struct rep_flame_heading *h, struct tp_err *err)
{
	const struct rep_profile_view *v = &l->part[REP_FLAME_NEW].view;

	for (size_t i = 0; i < l->n; i++)
		rep_members_add(&pic->members, &l->members[i]);
	pic->measure = rep_flame_measure(h->type, h->unit);
	rep_profile_all_zero(v->profile, v->index, pic->zero);
	pic->type = strdup(h->type);
	pic->unit = strdup(h->unit);
	return !pic->type || !pic->unit || copy_types(pic, v) ? tp_nomem(err) : 0;
}

int rep_flame_picture(struct rep_flame_picture *pic, const struct rep_flame_load *l, bool reverse,
		      struct tp_err *err)
{
	const struct rep_flame_tree_options opt = {
	    .compared = l->n > 1, .reverse = reverse, .frames = true};
	const struct rep_flame_build_options how = {.filters = l->words};
	struct rep_flame_heading h;
	int code;

	*pic = (struct rep_flame_picture){0};
	code = rep_flame_build(&pic->tree, &h, &opt, l->part, l->n, &how, err);
	pic->title = h.title;
	pic->subtitle = h.subtitle;
	if (!code)
		code = rep_flame_order(&pic->tree, &pic->order, err);
	if (!code)
		code = find_places(pic, l, err);
	return code ? code : describe(pic, l, &h, err);
}

void rep_flame_picture_release(struct rep_flame_picture *pic)
{
	rep_flame_tree_release(&pic->tree);
	rep_flame_order_release(&pic->order);
	tp_dict_free(pic->files);
	free(pic->place);
	free(pic->title);
	free(pic->subtitle);
	free(pic->type);
	free(pic->unit);
	for (size_t i = 0; i < pic->ntypes; i++)
		free(pic->types[i]);
	free(pic->types);
	*pic = (struct rep_flame_picture){0};
}
