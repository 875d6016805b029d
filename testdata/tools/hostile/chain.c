#include "hostile/chain.h"

#include <stdio.h>
#include <unistd.h>

#include "decode/profile.h"
#include "store/store.h"

#define BYTES_EACH 1 /* of a store, for each call: what repeats packs well */

static int fill(struct tp_profile *p, size_t calls)
{
	struct tp_frame line = {0};
	struct tp_function f = {0};
	uint32_t type, unit, stack = 0;
	int64_t value = 1;
	int code = tp_dict_string(p->dict, "samples", 7, &type);

	snprintf(p->format, sizeof(p->format), "pprof");
	if (!code)
		code = tp_dict_string(p->dict, "count", 5, &unit);
	if (!code)
		code = tp_profile_add_type(p, type, unit);
	for (size_t i = 0; i < calls && !code; i++) {
		struct tp_location l = {.address = 0x1000 + i};
		char name[16];
		int n = snprintf(name, sizeof(name), "f%zu", i % 100);

		code = tp_dict_string(p->dict, name, (size_t)n, &f.name);
		if (!code)
			code = tp_dict_function(p->dict, &f, &line.function);
		if (!code)
			code = tp_profile_push_location(p, &stack, &l, &line, 1);
		if (!code)
			code = tp_profile_add_sample(p, stack, 0, &value);
	}
	return code;
}

int hostile_chain(const char *path, size_t size)
{
	struct tp_store_options opt = {.wait_ms = -1};
	struct tp_run row = {.kind = "profile",
			     .name = "chain",
			     .source = "chain",
			     .hash = "00000000000000000000000000000001",
			     .format = "pprof",
			     .wall_ns = TP_NULL};
	struct tp_profile *p = tp_profile_new();
	struct tp_store_run *run = NULL;
	struct tp_err err = {.msg = "out of memory"};
	int code = p ? fill(p, size / BYTES_EACH) : TP_ENOMEM;

	unlink(path);
	if (!code)
		code = tp_store_begin(&run, path, &opt, &err);
	if (!code) {
		code = tp_store_put_profile(run, p, &err);
		if (code)
			tp_store_abort(run);
		else
			code = tp_store_commit(run, &row, &err);
	}
	tp_profile_free(p);
	if (code)
		fprintf(stderr, "hostile: %s: %s\n", path, err.msg);
	return code ? 4 : 0;
}
