/* Minimum mutator utilisation, as Go's own tool counts it. */
#include <stdio.h>

#include "conformance/gather.h"
#include "mmu/curve.h"

static const struct {
	const char *name;
	unsigned include;
	bool per_p;
} sets[] = {
    {"stw", REP_UTIL_STW, false},
    {"stw+background", REP_UTIL_STW | REP_UTIL_BACKGROUND, false},
    {"stw+background+assist", REP_UTIL_STW | REP_UTIL_BACKGROUND | REP_UTIL_ASSIST, false},
    {"stw+background+assist+sweep", REP_UTIL_ALL, false},
    {"perproc", REP_UTIL_STW | REP_UTIL_BACKGROUND | REP_UTIL_ASSIST, true},
};

/* A power of ten as Go's time.Duration prints it. */
static void window_name(char text[40], int64_t ns)
{
	if (ns < 1000000)
		snprintf(text, 40, "%lldµs", (long long)(ns / 1000));
	else if (ns < 1000000000)
		snprintf(text, 40, "%lldms", (long long)(ns / 1000000));
	else if (ns < 60000000000)
		snprintf(text, 40, "%llds", (long long)(ns / 1000000000));
	else
		snprintf(text, 40, "%lldm%llds", (long long)(ns / 60000000000),
			 (long long)(ns / 1000000000 % 60));
}

static int put_set(struct facts *f, const struct rep_gc_facts *gc, size_t set, struct tp_err *err)
{
	struct rep_util_options opt = REP_UTIL_OPTIONS_INIT;
	struct rep_utils utils = {0};
	struct rep_mmu *mmu = NULL;
	int code;

	opt.include = sets[set].include;
	opt.per_p = sets[set].per_p;
	opt.as_go = true;
	code = rep_utils_add(&utils, gc, &opt, 0, err);
	if (!code)
		code = rep_mmu_new(&mmu, &utils, err);
	for (int64_t window = 1000; !code && window <= gc->duration_ns; window *= 10) {
		char text[40];

		window_name(text, window);
		facts_put_real(f, FACTS_FOUND, rep_mmu_minimum(mmu, window).util, "mmu %s %s",
			       sets[set].name, text);
	}
	rep_mmu_free(mmu);
	rep_utils_release(&utils);
	return code;
}

int gather_mmu(struct view *v, struct facts *f, int64_t duration_ns, struct tp_err *err)
{
	struct tp_run run = {.id = v->run, .name = "", .duration_ns = duration_ns};
	struct rep_gc_facts gc = {0};
	int64_t unused;
	int code;

	if (!facts_expects(f, "mmu", &unused))
		return 0;
	code = rep_gc_facts_load(&gc, v->store, &run, v->dict, REP_UTIL_ALL, err);
	if (!code)
		code = rep_gc_facts_as_go(&gc, v->store, &run, v->dict, err);
	for (size_t i = 0; !code && i < sizeof(sets) / sizeof(sets[0]); i++)
		code = put_set(f, &gc, i, err);
	rep_gc_facts_release(&gc);
	return code;
}
