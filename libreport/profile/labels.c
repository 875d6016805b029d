#include "profile/labels.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/labelchoice.h"
#include "profile/match.h"
#include "profile/view.h"

/* ---- units of numeric labels ---- */

static struct rep_label_unit *find_unit(const struct rep_label_units *u, uint32_t key)
{
	return key < u->nplaces && u->place[key] ? &u->item[u->place[key] - 1] : NULL;
}

static int guess_unit(struct tp_profile *p, struct rep_label_unit *u)
{
	const char *key = tp_dict_text(p->dict, u->key).text;

	if (u->unit)
		return 0;
	u->unit = u->key;
	if (!strcmp(key, "alignment") || !strcmp(key, "request"))
		return tp_dict_string(p->dict, "bytes", 5, &u->unit);
	return 0;
}

int rep_label_units_init(struct rep_label_units *u, struct tp_profile *p,
			 struct rep_filter_notes *notes, struct tp_err *err)
{
	size_t room = 0;
	int code = 0;

	*u = (struct rep_label_units){.nplaces = tp_dict_strings(p->dict)};
	u->place = calloc(u->nplaces, sizeof(*u->place));
	if (!u->place)
		return tp_nomem(err);
	for (size_t i = 0; i < p->nlabels && !code; i++) {
		const struct tp_label *l = &p->labels[i];
		struct rep_label_unit *have = l->numeric ? find_unit(u, l->key) : NULL;

		if (!l->numeric)
			continue;
		if (!have) {
			if (tp_grow(&u->item, &room, u->n, sizeof(*u->item)))
				return tp_nomem(err);
			have = &u->item[u->n++];
			*have = (struct rep_label_unit){.key = l->key};
			u->place[l->key] = (uint32_t)u->n;
		}
		if (have->unit && l->unit && l->unit != have->unit && !have->mixed) {
			char text[320];

			have->mixed = true;
			snprintf(
			    text, sizeof(text),
			    "the label '%.60s' has the unit %.40s in some samples and %.40s in "
			    "others; %.40s is used for all",
			    tp_dict_text(p->dict, l->key).text,
			    tp_dict_text(p->dict, have->unit).text,
			    tp_dict_text(p->dict, l->unit).text,
			    tp_dict_text(p->dict, have->unit).text);
			code = rep_filter_note(notes, text, err);
		}
		if (!have->unit)
			have->unit = l->unit;
	}
	for (size_t i = 0; i < u->n && !code; i++) {
		code = guess_unit(p, &u->item[i]);
		if (code)
			code = tp_err_full(err, code, REP_FILTER_FULL);
	}
	return code;
}

void rep_label_units_release(struct rep_label_units *u)
{
	free(u->item);
	free(u->place);
	*u = (struct rep_label_units){0};
}

const char *rep_label_unit(const struct rep_label_units *u, const struct tp_profile *p,
			   uint32_t key)
{
	const struct rep_label_unit *have = find_unit(u, key);

	return have ? tp_dict_text(p->dict, have->unit).text : "";
}

/* ---- ranges (driver.parseTagFilterRange) ---- */

struct number {
	int64_t value;
	char unit[32];
};

/* Finds the first "[+-]?digits letters?" from *p on, and moves *p to its end. Returns its
 * beginning, NULL if not found. */
static const char *find_number(const char **p, struct number *n)
{
	const char *at = *p, *digits, *letters;
	size_t size;

	for (;; at++) {
		digits = at + (*at == '+' || *at == '-');
		if (!*at)
			return NULL;
		if (isdigit((unsigned char)*digits))
			break;
	}
	errno = 0;
	n->value = strtoll(at, (char **)&letters, 10);
	if (errno)
		return NULL;
	for (*p = letters; isalpha((unsigned char)**p); ++*p)
		;
	size = (size_t)(*p - letters);
	if (size >= sizeof(n->unit))
		return NULL;
	memcpy(n->unit, letters, size);
	n->unit[size] = '\0';
	return at;
}

bool rep_label_range_parse(const char *text, struct rep_label_range *r)
{
	const char *p = text, *unit, *unit2;
	struct number low, high;
	const char *start = find_number(&p, &low), *end = p, *second;

	if (!start)
		return false;
	*r = (struct rep_label_range){.low = rep_scale(low.value, low.unit, low.unit, &unit)};
	snprintf(r->unit, sizeof(r->unit), "%s", unit);
	second = find_number(&p, &high);
	if (second) {
		r->from = r->to = true;
		r->high = rep_scale(high.value, high.unit, r->unit, &unit2);
		return start == text && *end == ':' && second == end + 1 && !*p &&
		       !strcmp(unit2, r->unit);
	}
	r->high = r->low;
	if (start == text && !*end)
		r->from = r->to = true;
	else if (start == text && !strcmp(end, ":"))
		r->from = true;
	else if (start == text + 1 && *text == ':' && !*end)
		r->to = true;
	return r->from || r->to;
}

bool rep_label_range_holds(const struct rep_label_range *r, int64_t value, const char *unit)
{
	const char *in;
	double v = rep_scale(value, unit, r->unit, &in);

	return !strcmp(in, r->unit) && (!r->from || v >= r->low) && (!r->to || v <= r->high);
}

/* ---- tag_focus and tag_ignore (driver.compileTagFilter) ---- */

struct tag_filter {
	bool given, numeric, found;
	char *text;	 /* the option's argument, cut into pieces */
	const char *key; /* NULL: any */
	struct rep_label_range range;
	struct tp_regex *re;
	size_t nre;
	uint8_t *set;	/* by label set: 0 not yet tried, 1 no, 2 yes */
	bool no_memory; /* memory ran out while matching */
};

static int compile_patterns(struct tag_filter *f, char *patterns, const char *option,
			    struct tp_err *err)
{
	size_t n = 1;

	for (const char *c = patterns; *c; c++)
		n += *c == ',';
	f->re = calloc(n, sizeof(*f->re));
	if (!f->re)
		return tp_nomem(err);
	for (char *p = patterns; p; f->nre++) {
		char *comma = strchr(p, ',');
		int code;

		if (comma)
			*comma++ = '\0';
		code = tp_regex_init(&f->re[f->nre], p, option, err);
		if (code) {
			f->nre++;
			return code;
		}
		p = comma;
	}
	return 0;
}

static int tag_filter_init(struct tag_filter *f, const struct tp_profile *p, const char *text,
			   const char *option, struct rep_filter_notes *notes, struct tp_err *err)
{
	size_t keyed; /* bytes of KEY= */
	char note[160];

	*f = (struct tag_filter){.given = text != NULL};
	if (!text)
		return 0;
	f->text = strdup(text);
	f->set = calloc(p->nsets, 1);
	if (!f->text || !f->set)
		return tp_nomem(err);
	keyed = strcspn(f->text, "=");
	if (f->text[keyed]) {
		f->text[keyed++] = '\0';
		f->key = *f->text ? f->text : NULL;
	} else {
		keyed = 0;
	}
	f->numeric = rep_label_range_parse(f->text + keyed, &f->range);
	if (!f->numeric)
		return compile_patterns(f, f->text + keyed, option, err);
	snprintf(note, sizeof(note), "%s: '%.80s' is used as a range, not as a regular expression",
		 option, f->text + keyed);
	return rep_filter_note(notes, note, err);
}

/* Returns the error that left some label sets undecided, if there was one. */
static int tag_filter_settle(const struct tag_filter *f, struct tp_err *err)
{
	int code = f->no_memory ? tp_nomem(err) : 0;

	for (size_t i = 0; i < f->nre && !code; i++)
		code = tp_regex_settle(&f->re[i], err);
	return code;
}

static void tag_filter_release(struct tag_filter *f)
{
	for (size_t i = 0; i < f->nre; i++)
		tp_regex_release(&f->re[i]);
	free(f->re);
	free(f->text);
	free(f->set);
}

/* Returns whether a label of the set matches: its value if a key was given, else "key:value". */
static bool text_matches(struct tag_filter *f, const struct tp_profile *p,
			 const struct tp_regex *re, const struct tp_label_set *set)
{
	for (uint32_t i = 0; i < set->n; i++) {
		const struct tp_label *l = &p->labels[set->first + i];
		struct tp_text key, value;
		char few[256], *both;
		size_t size;
		bool yes;

		if (l->numeric || (f->key && !rep_text_is(tp_dict_text(p->dict, l->key), f->key)))
			continue;
		key = tp_dict_text(p->dict, l->key);
		value = tp_dict_text(p->dict, l->text);
		if (f->key) {
			if (tp_regex_match(re, value.text, value.size))
				return true;
			continue;
		}
		size = (size_t)key.size + 1 + value.size;
		both = size > sizeof(few) ? malloc(size) : few;
		if (!both) {
			f->no_memory = true;
			continue;
		}
		memcpy(both, key.text, key.size);
		both[key.size] = ':';
		memcpy(both + key.size + 1, value.text, value.size);
		yes = tp_regex_match(re, both, size);
		if (both != few)
			free(both);
		if (yes)
			return true;
	}
	return false;
}

/* Returns whether a set matches. With a key, one of the expressions must match; without, each must
 * match some label. */
static bool set_matches(struct tag_filter *f, const struct tp_profile *p, uint32_t number,
			const struct rep_label_units *units)
{
	const struct tp_label_set *set = &p->sets[number];

	for (uint32_t i = 0; i < set->n && f->numeric; i++) {
		const struct tp_label *l = &p->labels[set->first + i];

		if (l->numeric && (!f->key || rep_text_is(tp_dict_text(p->dict, l->key), f->key)) &&
		    rep_label_range_holds(&f->range, l->number, rep_label_unit(units, p, l->key)))
			return true;
	}
	if (f->numeric)
		return false;
	for (size_t r = 0; r < f->nre; r++)
		if (text_matches(f, p, &f->re[r], set) == (f->key != NULL))
			return f->key != NULL;
	return f->key == NULL;
}

struct tag_filters {
	const struct tp_profile *p;
	struct rep_label_units units;
	struct tag_filter focus, ignore;
};

static bool ask(struct tag_filters *t, struct tag_filter *f, uint32_t set)
{
	if (!f->set[set])
		f->set[set] = set_matches(f, t->p, set, &t->units) ? 2 : 1;
	f->found |= f->set[set] == 2;
	return f->set[set] == 2;
}

static bool tags_keep(void *ctx, size_t sample)
{
	struct tag_filters *t = ctx;
	uint32_t set = t->p->label_set[sample];
	bool focused = !t->focus.given || ask(t, &t->focus, set);
	bool ignored = t->ignore.given && ask(t, &t->ignore, set);

	return focused && !ignored;
}

/* Adds a note that lists labels. used[i] says whether samples had label set i before filtering. */
static int note_no_match(const struct tag_filter *f, const struct tp_profile *p, const bool *used,
			 struct rep_filter_notes *notes, struct tp_err *err)
{
	struct tp_buf b = {0};
	int code;

	tp_buf_text(&b, "--tag-focus matched no samples; ");
	rep_label_choice(p, used, f->key, &b);
	code = tp_buf_put(&b, "", 1) ? tp_nomem(err) : rep_filter_note(notes, (char *)b.data, err);
	tp_buf_release(&b);
	return code;
}

/* Returns which label sets samples have, or NULL if memory is out. */
static bool *used_sets(const struct tp_profile *p)
{
	bool *used = calloc(p->nsets + 1, sizeof(*used));

	for (size_t i = 0; used && i < p->nsamples; i++)
		used[p->label_set[i]] = true;
	return used;
}

static int filter_samples(struct tp_profile *p, const struct rep_profile_options *opt,
			  struct rep_filter_notes *notes, struct tp_err *err)
{
	struct tag_filters t = {.p = p};
	bool *used;
	int code;

	if (!opt->tag_focus && !opt->tag_ignore)
		return 0;
	used = used_sets(p);
	if (!used)
		return tp_nomem(err);
	code = rep_label_units_init(&t.units, p, NULL, err);
	if (!code)
		code = tag_filter_init(&t.focus, p, opt->tag_focus, "--tag-focus", notes, err);
	if (!code)
		code = tag_filter_init(&t.ignore, p, opt->tag_ignore, "--tag-ignore", notes, err);
	if (!code)
		rep_profile_keep_samples(p, tags_keep, &t);
	if (!code)
		code = tag_filter_settle(&t.focus, err);
	if (!code)
		code = tag_filter_settle(&t.ignore, err);
	if (!code && t.focus.given && !t.focus.found)
		code = note_no_match(&t.focus, p, used, notes, err);
	if (!code && t.ignore.given && !t.ignore.found)
		code = rep_filter_note(notes, "--tag-ignore matched no samples", err);
	tag_filter_release(&t.focus);
	tag_filter_release(&t.ignore);
	rep_label_units_release(&t.units);
	free(used);
	return code;
}

/* ---- tag_show and tag_hide (profile.FilterTagsByName) ---- */

/* Makes a set without the unwanted labels. */
static int strip_set(struct tp_profile *p, uint32_t number, struct rep_match *show,
		     struct rep_match *hide, uint32_t *to)
{
	struct tp_label_set set = p->sets[number];
	struct tp_label *kept = tp_many(set.n + 1, sizeof(*kept));
	size_t n = 0;
	int code;

	if (!kept)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < set.n; i++) {
		struct tp_label l = p->labels[set.first + i];
		bool shown = !show->given || rep_match_string(show, l.key);
		bool hidden = hide->given && rep_match_string(hide, l.key);

		show->found |= shown;
		hide->found |= hidden;
		if (shown && !hidden)
			kept[n++] = l;
	}
	code = tp_profile_label_set(p, kept, n, to);
	free(kept);
	return code;
}

static int strip_labels(struct tp_profile *p, struct rep_match *show, struct rep_match *hide,
			struct tp_err *err)
{
	uint32_t nsets = (uint32_t)p->nsets, *to = tp_many(nsets, sizeof(*to));
	int code = to ? 0 : TP_ENOMEM;

	for (uint32_t s = 0; s < nsets && !code; s++)
		code = strip_set(p, s, show, hide, &to[s]);
	for (size_t i = 0; i < p->nsamples && !code; i++)
		p->label_set[i] = to[p->label_set[i]];
	free(to);
	return code ? tp_err_full(err, code, REP_FILTER_FULL) : 0;
}

static int filter_labels(struct tp_profile *p, const struct rep_profile_options *opt,
			 struct rep_filter_notes *notes, struct tp_err *err)
{
	struct rep_match show = {0}, hide = {0};
	int code;

	if (!opt->tag_show && !opt->tag_hide)
		return 0;
	code = rep_match_init(&show, p, opt->tag_show, "--tag-show", err);
	if (!code)
		code = rep_match_init(&hide, p, opt->tag_hide, "--tag-hide", err);
	if (!code)
		code = strip_labels(p, &show, &hide, err);
	if (!code)
		code = rep_match_settle(&show, err);
	if (!code)
		code = rep_match_settle(&hide, err);
	if (!code && show.given && !show.found)
		code = rep_filter_note(notes, "--tag-show matched no labels", err);
	if (!code && hide.given && !hide.found)
		code = rep_filter_note(notes, "--tag-hide matched no labels", err);
	rep_match_release(&show);
	rep_match_release(&hide);
	return code;
}

int rep_labels_filter(struct tp_profile *p, const struct rep_profile_options *opt,
		      struct rep_filter_notes *notes, struct tp_err *err)
{
	int code = filter_samples(p, opt, notes, err);

	return code ? code : filter_labels(p, opt, notes, err);
}
