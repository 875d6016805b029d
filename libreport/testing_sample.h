/* For tests: the sample trace in a store of its own, whose folder goes with it. `set_up` and
 * `tear_down` are those of a cmocka group. */
#ifndef REP_TESTING_SAMPLE_H
#define REP_TESTING_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "import.h"
#include "run.h"
#include "timeline/timeline.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;

static inline int set_up(void **state)
{
	struct tp_import_options opt = {.name = "checkout"};
	struct tp_import_result result;
	struct tp_err err;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/tprof-report-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s.tprof", dir);
	assert_int_equal(tp_import("testdata/checkout.trace", path, &opt, &result, &err), 0);
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	return rep_runs_load(store, &runs, &err);
}

/* The same in segments of a block each, so that there are several. */
static inline int set_up_in_segments(void **state)
{
	uint32_t blocks = tp_segment_blocks;
	int code;

	tp_segment_blocks = 1;
	code = set_up(state);
	tp_segment_blocks = blocks;
	return code;
}

static inline int tear_down(void **state)
{
	(void)state;
	rep_runs_release(&runs);
	tp_store_close(store);
	unlink(path);
	rmdir(dir);
	return 0;
}

#endif
