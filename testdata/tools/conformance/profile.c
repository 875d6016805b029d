#include "conformance/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "conformance/raw.h"
#include "conformance/sha256.h"
#include "conformance/top.h"
#include "profile/report.h"

static struct tp_slice all_of(const struct tp_buf *b)
{
	return (struct tp_slice){b->data, b->size};
}

/* ---- raw ---- */

static void hash_samples(struct tp_slice raw, char hex[65])
{
	struct tp_slice line;
	struct sha256 sha;
	bool samples = false;

	sha256_init(&sha);
	while (raw_next_line(&raw, &line)) {
		samples |= raw_is(line, "Samples:");
		if (!samples)
			continue;
		sha256_update(&sha, line.data, line.size);
		sha256_update(&sha, "\n", 1);
		if (raw_is(line, "Locations"))
			break;
	}
	sha256_hex(&sha, hex);
}

/* Without the labels that a text dump has in its comments; its numeric ones come from elsewhere. */
static int hide_texts(struct tp_profile *p, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < p->nsamples && !code; i++) {
		struct tp_label_set s = p->sets[p->label_set[i]];

		/* Texts come before numbers. */
		while (s.n && !p->labels[s.first].numeric) {
			s.first++;
			s.n--;
		}
		if (s.n == p->sets[p->label_set[i]].n)
			continue;
		if (!s.n)
			p->label_set[i] = 0;
		else
			code = tp_profile_label_set(p, p->labels + s.first, s.n, &p->label_set[i]);
	}
	return code ? tp_nomem(err) : 0;
}

/* What tprof-top --raw prints. */
static int print_raw(const struct profile_run *run, bool names, struct tp_buf *out,
		     struct tp_err *err)
{
	const struct rep_profile_report *raw = rep_profile_report_find("raw");
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_sink sink = rep_sink_buf(out);
	struct rep_profile_view v = {0};
	struct tp_profile *p;
	int code = tp_profile_load(run->store, run->run, &p, err);

	if (code)
		return code;
	/* pprof, which has no names in text dumps, finds nothing to drop in them. */
	opt.all_frames = run->text;
	if (!names && run->text)
		code = hide_texts(p, err);
	if (!code)
		code = rep_profile_view_init(&v, p, &opt, &raw->traits, err);
	if (!code)
		code = raw->print(&v, NULL, &sink, err);
	rep_profile_view_release(&v);
	tp_profile_free(p);
	return code;
}

static int compare_raw(struct facts *f, const struct profile_run *run,
		       const struct profile_expected *e, struct tp_err *err)
{
	struct tp_buf raw = {0};
	char hex[65];
	bool names;
	int code;

	if (!e->raw.size && !e->hash.size)
		return 0;
	names = !e->raw.size || raw_has_names(all_of(&e->raw));
	code = print_raw(run, names, &raw, err);
	if (!code && e->raw.size) {
		code = raw_facts(f, FACTS_EXPECTED, all_of(&e->raw), names, err);
		if (!code)
			code = raw_facts(f, FACTS_FOUND, all_of(&raw), names, err);
	}
	if (!code && e->hash.size) {
		struct tp_slice hash = all_of(&e->hash), line = {0};

		raw_next_line(&hash, &line);
		facts_put_text(f, FACTS_EXPECTED, (const char *)line.data, line.size,
			       "raw, hash of the samples");
		hash_samples(all_of(&raw), hex);
		facts_put_text(f, FACTS_FOUND, hex, 64, "raw, hash of the samples");
	}
	tp_buf_release(&raw);
	return code;
}

int profile_facts(struct facts *f, const struct profile_run *run, const struct profile_expected *e,
		  struct tp_err *err)
{
	int code = compare_raw(f, run, e, err);

	return code ? code : top_facts(f, run, &e->top, err);
}

/* ---- what pprof does not know ---- */

/* A name of an address, as an entry of a table that is sorted by both. */
struct name {
	uint64_t address;
	struct tp_text text;
};

static int compare_text(struct tp_text a, struct tp_text b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int c = n ? memcmp(a.text, b.text, n) : 0;

	return c ? c : (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *x, const void *y)
{
	const struct name *a = x, *b = y;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return compare_text(a->text, b->text);
}

/* All names of a profile's addresses, sorted; n of them. NULL when memory is out. */
static struct name *names_of(const struct tp_profile *p, size_t *n)
{
	struct name *names = malloc(tp_dict_frames(p->dict) * sizeof(*names));

	*n = 0;
	for (uint32_t i = 1; names && i < tp_dict_frames(p->dict); i++) {
		struct tp_frame f = tp_dict_frame_at(p->dict, i);
		struct tp_function fn = tp_dict_function_at(p->dict, f.function);
		uint64_t address = tp_dict_location_at(p->dict, f.location).address;

		if (fn.name && address)
			names[(*n)++] = (struct name){address, tp_dict_text(p->dict, fn.name)};
	}
	if (names)
		qsort(names, *n, sizeof(*names), compare_names);
	return names;
}

static size_t first_of(const struct name *names, size_t n, uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (names[middle].address < address)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* Text dumps abbreviate the type arguments of generic functions: "slices.Grow[...]" stands for
 * "slices.Grow[go.shape.[]uint8,go.shape.uint8]". */
static bool same_name(struct tp_text text, struct tp_text whole)
{
	static const char dots[] = "[...]";
	const char *at = memmem(text.text, text.size, dots, sizeof(dots) - 1);
	size_t before, behind;

	if (!at)
		return !compare_text(text, whole);
	before = (size_t)(at - text.text) + 1;
	behind = text.size - before - (sizeof(dots) - 2) + 1;
	return whole.size >= before + behind && !memcmp(whole.text, text.text, before) &&
	       !memcmp(whole.text + whole.size - behind, text.text + text.size - behind, behind);
}

static void check_name(struct facts *f, const struct name *name, const struct name *known,
		       size_t nknown, int64_t *compared)
{
	size_t at = first_of(known, nknown, name->address);
	bool found = false;

	/* Not every address of one dump is in the other. */
	if (at == nknown || known[at].address != name->address)
		return;
	for (; at < nknown && known[at].address == name->address; at++)
		found |= same_name(name->text, known[at].text);
	facts_check(f, found, "0x%llx is not %.*s", (unsigned long long)name->address,
		    (int)name->text.size, name->text.text);
	++*compared;
}

int profile_names(struct facts *f, const struct profile_run *text, const struct profile_run *proto,
		  int64_t *compared, struct tp_err *err)
{
	struct tp_profile *a = NULL, *b = NULL;
	struct name *names = NULL, *known = NULL;
	size_t nnames = 0, nknown = 0;
	int code = tp_profile_load(text->store, text->run, &a, err);

	*compared = 0;
	if (!code)
		code = tp_profile_load(proto->store, proto->run, &b, err);
	if (!code) {
		names = names_of(a, &nnames);
		known = names_of(b, &nknown);
		if (!names || !known)
			code = tp_nomem(err);
	}
	for (size_t i = 0; i < nnames && !code; i++)
		check_name(f, &names[i], known, nknown, compared);
	/* Two dumps of one program share most of their code. (In texts of Go 1.27 threads that were
	 * created have no names.) */
	if (!code && nnames)
		facts_check(f, *compared > 0, "no name is in both dumps");
	free(names);
	free(known);
	tp_profile_free(a);
	tp_profile_free(b);
	return code;
}

static int sum(const struct profile_run *run, int64_t *total, struct tp_err *err)
{
	struct tp_profile *p;
	int code = tp_profile_load(run->store, run->run, &p, err);

	*total = 0;
	if (code)
		return code;
	for (size_t i = 0; i < p->nsamples && p->ntypes; i++)
		*total += p->value[i * p->ntypes];
	tp_profile_free(p);
	return 0;
}

int profile_count(struct facts *f, const struct profile_run *stacks,
		  const struct profile_run *other, struct tp_err *err)
{
	int64_t found = 0, expected = 0;
	int code = sum(stacks, &found, err);

	if (!code)
		code = sum(other, &expected, err);
	if (code)
		return code;
	facts_put(f, FACTS_EXPECTED, expected, "goroutines");
	facts_put(f, FACTS_FOUND, found, "goroutines");
	return 0;
}
