/* Every report over whatever a damaged dump left in a store, driven by a fuzzer: with and without a
 * time range and a filter, in every format, and as a profile; and the profiles of waits by Go's
 * rule. A report may fail with a sentence; nothing may crash. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "decode/profile/encode.h"
#include "import.h"
#include "output.h"
#include "profile/trace.h"
#include "run.h"
#include "top/top.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static const struct rep_filter_text filters[] = {
    {0},
    {.from = "25%", .to = "75%"},
    {.focus = "main", .state = "running,blocked"},
    {.goroutine = "1", .ignore = "runtime"},
    {.task = "."},
    {.region = ".", .from = "10%"},
};

static void report(struct tp_store *s, const struct rep_runs *runs, const struct rep_report *r,
		   const struct rep_filter_text *filter, enum rep_format format)
{
	struct tp_buf text = {0};
	struct rep_output_options how = {
	    .format = format,
	    .width = 80,
	    .several = rep_top_several(r),
	    .sink = rep_sink_buf(&text),
	};
	struct rep_top_options opt = {
	    .report = r,
	    .filter = *filter,
	    .tables = format == REP_FORMAT_TABLE,
	    .each = filter->region && r->filters & REP_BY_EACH,
	    .regions = filter->region != NULL,
	    .slowest = r->filters & REP_BY_SLOWEST ? "40%" : NULL,
	};
	struct rep_output *out;
	struct tp_err err = {0};

	/* Not every filter makes sense for every report, nor is every time range within the run. */
	if (rep_top_check(&opt, &err) ||
	    rep_top_check_run(&opt, &runs->run[0], &err) == TP_EFORMAT)
		return;
	MUST(!rep_output_new(&out, &how, &err));
	if (rep_top(out, s, runs->run, runs->n, &opt, &err))
		MUST(err.code < 0 && err.msg[0]);
	else
		MUST(!rep_output_finish(out, &err));
	rep_output_free(out);
	/* Nothing of a dump reaches a terminal as it was. */
	for (size_t i = 0; i < text.size; i++)
		MUST(text.data[i] != '\033' && text.data[i] != 0);
	tp_buf_release(&text);
}

static void profile(int code, struct tp_profile *p, const struct tp_err *err)
{
	struct tp_buf bytes = {0};
	struct tp_err why;

	if (code) {
		MUST(!p && err->code < 0 && err->msg[0]);
		return;
	}
	MUST(!tp_profile_encode(p, NULL, &bytes, &why));
	tp_buf_release(&bytes);
	tp_profile_free(p);
}

static void profiles(struct tp_store *s, const struct rep_runs *runs,
		     const struct rep_filter_text *filter)
{
	struct tp_err err = {0};
	struct tp_profile *p;

	for (int k = REP_GO_NONE + 1; k < REP_NTRACE_GO; k++) {
		const struct rep_trace_profile_options opt = {
		    .go = (enum rep_trace_go)k, .filter = {.from = filter->from, .to = filter->to}};
		int code = rep_trace_profile(s, &runs->run[0], &opt, &p, &err);

		profile(code, p, &err);
	}
	for (size_t r = 0; rep_reports[r]; r++) {
		const struct rep_top_options opt = {.report = rep_reports[r], .filter = *filter};
		int code = rep_top_profile(&p, s, runs->run, runs->n, &opt, &err);

		profile(code, p, &err);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_import_options opt = {.threads = 1};
	char dir[] = "/dev/shm/tprof-fuzz-XXXXXX", store[64], dump[64];
	int fd = memfd_create("dump", MFD_CLOEXEC);
	struct tp_import_result result;
	struct rep_runs runs;
	struct tp_store *s;
	struct tp_err err;

	MUST(fd >= 0 && mkdtemp(dir));
	MUST(write(fd, data, size) == (ssize_t)size);
	snprintf(dump, sizeof(dump), "/proc/self/fd/%d", fd);
	snprintf(store, sizeof(store), "%s/s.tprof", dir);
	if (!tp_import(dump, store, &opt, &result, &err)) {
		MUST(!tp_store_open(&s, store, &err));
		MUST(!rep_runs_load(s, &runs, &err) && runs.n == 1);
		for (size_t r = 0; rep_reports[r]; r++)
			for (size_t f = 0; f < sizeof(filters) / sizeof(filters[0]); f++)
				report(s, &runs, rep_reports[r], &filters[f],
				       (enum rep_format)((r + f) % REP_NFORMATS));
		for (size_t f = 0; f < 2; f++)
			profiles(s, &runs, &filters[f]);
		rep_runs_release(&runs);
		tp_store_close(s);
	}
	unlink(store);
	MUST(!rmdir(dir));
	close(fd);
	return 0;
}
