/* Goroutines that wait and do not end, of traces and of profiles. */
#include <string.h>

#include "fuzz.h"
#include "leak/leak.h"

static const char rules[] = "# meant to stay\nnet/http.(*Server).Serve\n2 main.*\n";

static int add(struct fuzz_store *f, struct rep_leaks *l, struct tp_err *err)
{
	struct tp_profile *p;
	int code;

	if (!f->result.profile)
		return rep_leaks_add_run(l, "run", f->s, f->run, err);
	code = tp_profile_load(f->s, f->run->row.id, &p, err);
	if (!code) {
		code = rep_leaks_add_profile(l, "profile", p, err);
		tp_profile_free(p);
	}
	return code;
}

void fuzz_leaks(struct fuzz_store *f, uint64_t pick)
{
	struct rep_leak_options opt = {.all = fuzz_pick(&pick, 2),
				       .created = !fuzz_pick(&pick, 4),
				       .min_wait_ns = fuzz_pick(&pick, 2) * 1000,
				       .sort =
					   (enum rep_leak_sort)fuzz_pick(&pick, REP_LEAK_NSORTS)};
	unsigned sources = 1 + fuzz_pick(&pick, 3);
	struct rep_allow allow;
	struct rep_leaks *l;
	struct tp_err err = {0};
	int code = 0;

	MUST(!rep_allow_parse(&allow, rules, strlen(rules), &err));
	opt.allow = &allow;
	MUST(!rep_leaks_new(&l, &opt, &err));
	for (unsigned i = 0; i < sources && !code; i++)
		code = add(f, l, &err);
	if (!code)
		code = rep_leaks_finish(l, &err);
	if (code) {
		MUST_SAY(err);
	} else {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, &pick, false);

		MUST(l->excess >= 0);
		fuzz_paper_end(out, &text,
			       rep_leaks_print(l, out, fuzz_pick(&pick, 2) * 5, true, &err), &err);
	}
	rep_leaks_free(l);
	rep_allow_release(&allow);
}
