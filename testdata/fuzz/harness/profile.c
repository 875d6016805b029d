/* Profiles of every kind: what is read holds together; what was read strictly is all there is; what
 * was read can be written and read again, by way of profile.proto and by way of a store. */
#include <string.h>

#include "decode/profile.h"
#include "decode/profile/encode.h"
#include "fuzz.h"
#include "open/unpack.h"
#include "profile/whole.h"

static struct tp_profile *read_one(const uint8_t *data, size_t size, bool strict)
{
	struct tp_profile_options opt = {.strict = strict};
	struct tp_profile *p;
	struct tp_err err = {0};
	int code = tp_profile_read(data, size, &opt, &p, &err);

	MUST((code == 0) == (p != NULL));
	MUST(!code || (code < 0 && err.msg[0]));
	MUST(!p || !strict || !p->nlosses);
	MUST(!p || (p->format[0] && memchr(p->format, 0, sizeof(p->format))));
	return p;
}

static void check_dict(const struct tp_profile *p)
{
	const struct tp_dict *d = p->dict;

	for (uint32_t i = 0; i < tp_dict_functions(d); i++) {
		struct tp_function f = tp_dict_function_at(d, i);

		MUST(f.name < tp_dict_strings(d) && f.file < tp_dict_strings(d));
		MUST(f.system_name < tp_dict_strings(d));
	}
	for (uint32_t i = 0; i < tp_dict_locations(d); i++)
		MUST(tp_dict_location_at(d, i).mapping <= p->nmappings);
	for (uint32_t i = 0; i < tp_dict_frames(d); i++) {
		struct tp_frame f = tp_dict_frame_at(d, i);

		MUST(f.function < tp_dict_functions(d) && f.location < tp_dict_locations(d));
	}
	for (uint32_t i = 1; i < tp_dict_stacks(d); i++) {
		struct tp_stack_node n = tp_dict_stack_at(d, i);

		MUST(n.parent < i && n.frame < tp_dict_frames(d));
	}
}

void fuzz_profile_check(const struct tp_profile *p)
{
	uint32_t nstrings = tp_dict_strings(p->dict);

	check_dict(p);
	for (size_t i = 0; i < p->ntypes; i++)
		MUST(p->types[i].type < nstrings && p->types[i].unit < nstrings);
	for (size_t i = 0; i < p->ncomments; i++)
		MUST(p->comments[i] < nstrings);
	for (size_t i = 0; i < p->nsets; i++)
		MUST(p->sets[i].first + (uint64_t)p->sets[i].n <= p->nlabels);
	for (size_t i = 0; i < p->nlabels; i++) {
		const struct tp_label *l = &p->labels[i];

		MUST(l->key < nstrings && l->text < nstrings && l->unit < nstrings);
	}
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t node = p->stack[i], frame[2];
		size_t n, depth = 0;

		MUST(node < tp_dict_stacks(p->dict) && p->label_set[i] < p->nsets);
		for (; depth < 100 && tp_profile_next_location(p, &node, frame, 2, &n); depth++)
			MUST(n);
	}
	MUST(p->default_type < nstrings && p->drop_frames < nstrings && p->keep_frames < nstrings);
	MUST(p->doc_url < nstrings && p->period_type.type < nstrings);
}

/* Whatever was read can be written, and what is written is sound and says the same. */
void fuzz_profile_round(const struct tp_profile *p)
{
	size_t nvalues = p->nsamples * p->ntypes;
	struct tp_buf b = {0};
	struct tp_profile *q;
	struct tp_err err;

	/* Samples of nothing are no profile.proto; of a made-up store it may be a thousand times as
	 * large as the store, which only commands have a bound for. */
	if (!p->ntypes || rep_stacks_whole(p, &err))
		return;
	MUST(!tp_profile_encode(p, NULL, &b, &err));
	q = read_one(b.data, b.size, true);
	MUST(q && q->nsamples == p->nsamples && q->ntypes == p->ntypes);
	MUST(!nvalues || !memcmp(p->value, q->value, nvalues * sizeof(*p->value)));
	for (size_t i = 0; i < p->nsamples; i++)
		MUST(tp_dict_stack_at(p->dict, p->stack[i]).depth ==
		     tp_dict_stack_at(q->dict, q->stack[i]).depth);
	tp_profile_free(q);
	tp_buf_release(&b);
}

/* A profile comes back from the store as it was read. */
static void read_back(struct fuzz_store *f, const struct tp_profile *read)
{
	struct tp_profile *kept;
	struct tp_err err;

	MUST(!tp_profile_load(f->s, f->result.run, &kept, &err));
	MUST((int64_t)kept->nsamples == f->result.events);
	fuzz_profile_check(kept);
	if (read) {
		MUST(kept->nsamples == read->nsamples && kept->ntypes == read->ntypes);
		MUST(kept->nsets == read->nsets && kept->nlabels == read->nlabels);
		MUST(kept->nmappings == read->nmappings && kept->ncomments == read->ncomments);
		MUST(kept->ncounters == read->ncounters);
		MUST(tp_dict_stacks(kept->dict) == tp_dict_stacks(read->dict));
		MUST(!read->nsamples ||
		     !memcmp(kept->stack, read->stack, read->nsamples * sizeof(*read->stack)));
		for (size_t i = 0; i < read->nsamples * read->ntypes; i++)
			MUST(kept->value[i] == read->value[i]);
	}
	tp_profile_free(kept);
}

static void store(const uint8_t *data, size_t size, const struct tp_profile *read, uint64_t pick)
{
	const struct tp_import_options opt = {
	    .threads = 1,
	    .store = {.compress = !fuzz_pick(&pick, 4), .materialize = !fuzz_pick(&pick, 16)}};
	struct fuzz_store f;

	if (!fuzz_import(data, size, &opt, &f))
		return;
	if (f.result.profile) {
		read_back(&f, read);
		if (!(size % 4))
			fuzz_library(&f, data, size);
		if (fuzz_pick(&pick, 2))
			fuzz_sql(&f, pick);
		else
			fuzz_leaks(&f, pick);
	}
	fuzz_close(&f);
}

void fuzz_profile(const uint8_t *data, size_t size)
{
	uint64_t pick = fuzz_hash(data, size);
	bool on = fuzz_goes_on(pick);
	struct tp_profile *strict = read_one(data, size, true);
	struct tp_profile *lenient = read_one(data, size, false);

	MUST(!strict || lenient);
	if (lenient) {
		fuzz_profile_check(lenient);
		fuzz_profile_round(lenient);
	}
	if (strict) {
		size_t nvalues = strict->nsamples * strict->ntypes;

		MUST(strict->nsamples == lenient->nsamples && !lenient->nlosses);
		MUST(!nvalues ||
		     !memcmp(strict->value, lenient->value, nvalues * sizeof(*strict->value)));
	}
	if (on && fuzz_pick(&pick, 3) == 0)
		/* What is imported is unpacked first; packed, it may look like a profile, too. */
		store(data, size, tp_packing_of(data, size) == TP_PACKING_NONE ? lenient : NULL,
		      pick);
	else if (on && lenient && fuzz_pick(&pick, 3))
		fuzz_profile_reports(lenient, pick);
	else if (on && lenient)
		fuzz_profile_diff(data, size, pick);
	tp_profile_free(strict);
	tp_profile_free(lenient);
}
