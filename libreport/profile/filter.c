#include "profile/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/fold.h"
#include "profile/labels.h"
#include "profile/match.h"

void rep_filter_notes_release(struct rep_filter_notes *n)
{
	tp_buf_release(&n->texts);
}

bool rep_filter_note_nothing(const char *text)
{
	return strstr(text, " matched no ") || strstr(text, " is 0 in every sample; ");
}

bool rep_filter_notes_have(const struct rep_filter_notes *n, const char *text)
{
	const char *all = (const char *)n->texts.data;
	size_t said = strcspn(text, ";");

	for (size_t at = 0; at < n->texts.size; at += strlen(all + at) + 1)
		if (strcspn(all + at, ";") == said && !memcmp(all + at, text, said))
			return true;
	return false;
}

int rep_filter_note(struct rep_filter_notes *n, const char *text, struct tp_err *err)
{
	if (!n || !tp_buf_put(&n->texts, text, strlen(text) + 1))
		return 0;
	return tp_nomem(err);
}

/* Moves a sample from index `from` to `to`, which is not larger. */
static void move_sample(struct tp_profile *p, size_t to, size_t from)
{
	if (to == from)
		return;
	p->stack[to] = p->stack[from];
	p->label_set[to] = p->label_set[from];
	memcpy(p->value + to * p->ntypes, p->value + from * p->ntypes,
	       p->ntypes * sizeof(*p->value));
}

void rep_profile_keep_samples(struct tp_profile *p, bool (*keep)(void *ctx, size_t sample),
			      void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nsamples; i++)
		if (keep(ctx, i))
			move_sample(p, n++, i);
	p->nsamples = n;
}

/* Replaces the stack of every sample by the fold's result for it. Drops the samples for which
 * `lives` returns false. */
static int fold_samples(struct tp_profile *p, struct rep_fold *f,
			bool (*lives)(const struct rep_fold *f, struct rep_fold_state *s),
			struct tp_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nsamples; i++) {
		struct rep_fold_state s;
		int code = rep_fold_stack(f, p->stack[i], &s);

		if (code)
			return tp_err_full(err, code, REP_FILTER_FULL);
		if (lives && !lives(f, &s))
			continue;
		move_sample(p, n, i);
		p->stack[n++] = s.node;
	}
	p->nsamples = n;
	return 0;
}

static int run_fold(struct tp_profile *p, void *ctx,
		    int (*step)(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame,
				size_t n, uint32_t end),
		    bool (*lives)(const struct rep_fold *f, struct rep_fold_state *s),
		    struct tp_err *err)
{
	struct rep_fold f = {.ctx = ctx, .step = step};
	int code = rep_fold_init(&f, p);

	code = code ? tp_err_full(err, code, REP_FILTER_FULL) : fold_samples(p, &f, lives, err);
	rep_fold_release(&f);
	return code;
}

/* ---- focus, ignore, hide, show (profile.FilterSamplesByName) ---- */

struct names {
	struct rep_match focus, ignore, hide, show;
};

enum { FOCUSED = 1, IGNORED = 2 };

static bool location_matches(struct rep_match *m, const uint32_t *frame, size_t n)
{
	if (!m->given)
		return false;
	for (size_t i = 0; i < n; i++)
		if (rep_match_line(m, frame[i]))
			return m->found = true;
	return rep_match_mapping(m, frame[0]) && (m->found = true);
}

static bool stays(struct names *names, const struct rep_fold *f, uint32_t frame)
{
	struct rep_match *hide = &names->hide, *show = &names->show;

	if (hide->given && (rep_match_line(hide, frame) || rep_match_mapping(hide, frame))) {
		hide->found = true;
		return false;
	}
	if (!show->given)
		return true;
	/* A location without lines has none to show, whatever its mapping. */
	if (!tp_dict_frame_at(f->p->dict, frame).function)
		return false;
	if (!rep_match_line(show, frame) && !rep_match_mapping(show, frame))
		return false;
	show->found = true;
	return true;
}

static int step_names(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		      uint32_t end)
{
	struct names *names = f->ctx;
	uint32_t few[32], *kept = few;
	size_t nkept = 0;
	int code;

	if (location_matches(&names->ignore, frame, n))
		s->bits |= IGNORED;
	else if (!names->focus.given || location_matches(&names->focus, frame, n))
		s->bits |= FOCUSED;
	if (!names->hide.given && !names->show.given) {
		s->node = end;
		return 0;
	}
	if (n > sizeof(few) / sizeof(few[0]))
		kept = tp_many(n, sizeof(*kept));
	if (!kept)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (stays(names, f, frame[i]))
			kept[nkept++] = frame[i];
	code = rep_fold_push(f, s, kept, nkept, end, nkept == n);
	if (kept != few)
		free(kept);
	return code;
}

static bool names_live(const struct rep_fold *f, struct rep_fold_state *s)
{
	(void)f;
	return s->bits == FOCUSED && s->node;
}

static int filter_names(struct tp_profile *p, const struct rep_profile_options *opt,
			struct rep_filter_notes *notes, struct tp_err *err)
{
	struct names names = {0};
	const struct {
		struct rep_match *match;
		const char *pattern, *option, *note;
	} parts[] = {
	    {&names.focus, opt->focus, "--focus", "--focus matched no samples"},
	    {&names.ignore, opt->ignore, "--ignore", "--ignore matched no samples"},
	    {&names.hide, opt->hide, "--hide", "--hide matched no frames"},
	    {&names.show, opt->show, "--show", "--show matched no frames"},
	};
	bool any = false;
	int code = 0;

	for (size_t i = 0; i < 4; i++)
		any |= parts[i].pattern != NULL;
	for (size_t i = 0; i < 4 && any && !code; i++)
		code = rep_match_init(parts[i].match, p, parts[i].pattern, parts[i].option, err);
	if (any && !code)
		code = run_fold(p, &names, step_names, names_live, err);
	for (size_t i = 0; i < 4; i++) {
		if (!code)
			code = rep_match_settle(parts[i].match, err);
		if (!code && parts[i].pattern && !parts[i].match->found)
			code = rep_filter_note(notes, parts[i].note, err);
		rep_match_release(parts[i].match);
	}
	return code;
}

/* ---- show_from (profile.ShowFrom) ---- */

/* In every location that matches, removes the lines above its outermost match. */
static int step_show_from(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame,
			  size_t n, uint32_t end)
{
	struct rep_match *m = f->ctx;
	size_t first = 0;
	bool matches = rep_match_mapping(m, frame[0]);

	if (!matches) {
		while (first < n && !rep_match_line(m, frame[first]))
			first++;
		matches = first < n;
		if (!matches)
			first = 0;
	}
	m->found |= matches;
	if (!matches && !s->bits)
		return 0;
	s->bits = FOCUSED;
	return rep_fold_push(f, s, frame + first, n - first, end, !first);
}

static bool show_from_lives(const struct rep_fold *f, struct rep_fold_state *s)
{
	(void)f;
	return s->bits == FOCUSED;
}

static int show_from(struct tp_profile *p, const char *pattern, struct rep_filter_notes *notes,
		     struct tp_err *err)
{
	struct rep_match m;
	int code;

	if (!pattern)
		return 0;
	code = rep_match_init(&m, p, pattern, "--show-from", err);
	if (!code)
		code = run_fold(p, &m, step_show_from, show_from_lives, err);
	if (!code)
		code = rep_match_settle(&m, err);
	if (!code && !m.found)
		code = rep_filter_note(notes, "--show-from matched no frames", err);
	rep_match_release(&m);
	return code;
}

/* ---- prune_from (profile.PruneFrom) ---- */

/* `other` is the stack as it was at the match nearest to the leaf. In every location that matches,
 * removes the lines below the match. */
static int step_prune_from(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame,
			   size_t n, uint32_t end)
{
	struct rep_match *m = f->ctx;
	size_t kept = n;
	int code;

	while (kept && !rep_match_name(m, frame[kept - 1]))
		kept--;
	code = rep_fold_push(f, s, frame, kept ? kept : n, end, !kept || kept == n);
	if (kept) {
		s->other = s->node;
		m->found = true;
	}
	return code;
}

static bool prune_from_lives(const struct rep_fold *f, struct rep_fold_state *s)
{
	(void)f;
	if (s->other)
		s->node = s->other;
	return true;
}

static int prune_from(struct tp_profile *p, const char *pattern, struct tp_err *err)
{
	struct rep_match m;
	int code;

	if (!pattern)
		return 0;
	code = rep_match_init(&m, p, pattern, "--prune-from", err);
	m.simplified = true;
	if (!code)
		code = run_fold(p, &m, step_prune_from, prune_from_lives, err);
	if (!code)
		code = rep_match_settle(&m, err);
	rep_match_release(&m);
	return code;
}

/* ---- drop_frames (profile.Prune) ---- */

struct prune {
	struct rep_match drop, keep;
};

enum { USER = 1, DONE = 2 };

/* Returns whether a frame has no name in one of Go's text formats; such frames are dropped. */
static bool is_nameless(const struct prune *prune, uint32_t frame)
{
	const struct tp_dict *d = prune->drop.p->dict;
	struct tp_frame f = tp_dict_frame_at(d, frame);

	return !f.function && tp_dict_location_at(d, f.location).flags & TP_LOCATION_RUNTIME;
}

static bool is_dropped(struct prune *prune, uint32_t frame)
{
	return rep_match_name(&prune->drop, frame) &&
	       !(prune->keep.given && rep_match_name(&prune->keep, frame));
}

/* From the root: drops the first frame that matches below one that does not, and all it calls. */
static int step_drop(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		     uint32_t end)
{
	struct prune *prune = f->ctx;
	size_t kept = 0; /* lines above the match */

	if (s->bits & DONE || is_nameless(prune, frame[0]))
		return 0;
	while (kept < n && !is_dropped(prune, frame[kept]))
		kept++;
	if (kept == n)
		s->bits |= USER;
	else if (s->bits & USER)
		s->bits |= DONE;
	else if (!kept)
		kept = n; /* all frames so far match, so they stay */
	return rep_fold_push(f, s, frame, kept, end, kept == n);
}

/* Compiles an expression of the profile with "^(…)$" around it. */
static int match_whole(struct rep_match *m, const struct tp_profile *p, uint32_t string,
		       const char *name, struct tp_err *err)
{
	struct tp_text t = tp_dict_text(p->dict, string);
	struct tp_buf b = {0};
	int code;

	if (!t.size)
		return rep_match_init(m, p, NULL, name, err);
	tp_buf_text(&b, "^(");
	tp_buf_put(&b, t.text, t.size);
	code = tp_buf_put(&b, ")$", 3) ? tp_nomem(err)
				       : rep_match_init(m, p, (char *)b.data, name, err);
	m->simplified = true;
	tp_buf_release(&b);
	return code;
}

int rep_profile_drop_frames(struct tp_profile *p, struct tp_err *err)
{
	struct prune prune = {0};
	int code;

	if (!p->drop_frames)
		return 0;
	code = match_whole(&prune.drop, p, p->drop_frames, "the profile's drop_frames", err);
	if (!code)
		code =
		    match_whole(&prune.keep, p, p->keep_frames, "the profile's keep_frames", err);
	/* An invalid expression drops nothing, as in pprof. */
	if (code == TP_EFORMAT)
		code = 0;
	else if (!code)
		code = run_fold(p, &prune, step_drop, NULL, err);
	if (!code)
		code = rep_match_settle(&prune.drop, err);
	if (!code)
		code = rep_match_settle(&prune.keep, err);
	if (code == TP_ELIMIT)
		tp_err_set(err, code, TP_OFFSET_NONE,
			   "the profile's own filter (drop_frames) takes too long to apply; "
			   "--all-frames leaves it out");
	rep_match_release(&prune.drop);
	rep_match_release(&prune.keep);
	return code;
}

int rep_profile_filter(struct tp_profile *p, const struct rep_profile_options *opt,
		       struct rep_filter_notes *notes, struct tp_err *err)
{
	int code = filter_names(p, opt, notes, err);

	if (!code)
		code = show_from(p, opt->show_from, notes, err);
	if (!code)
		code = rep_labels_filter(p, opt, notes, err);
	return code ? code : prune_from(p, opt->prune_from, err);
}
