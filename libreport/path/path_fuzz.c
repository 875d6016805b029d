/* Paths and wake-ups over whatever a damaged dump left in a store, driven by a fuzzer: of tasks,
 * regions, goroutines and time ranges, as every report and as stacks. It may fail with a sentence;
 * nothing may crash, and what is walked adds up. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "decode/profile/encode.h"
#include "import.h"
#include "path/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static const struct rep_path_options picks[] = {
    {.at_most = INT64_MAX},
    {.task = ".", .at_most = INT64_MAX},
    {.task = ".", .at_most = INT64_MAX, .slowest = 1},
    {.region = ".", .at_most = INT64_MAX, .slowest_share = 0.5},
};

static const struct rep_filter_text filters[] = {
    {0},
    {.from = "25%", .to = "75%"},
    {.goroutine = "1"},
    {.goroutine = "."},
};

#define HOPS 20000 /* so that one input does not take for ever */

static struct rep_output *paper(struct tp_buf *text, enum rep_format format)
{
	const struct rep_output_options how = {
	    .format = format, .width = 80, .several = true, .sink = rep_sink_buf(text)};
	struct rep_output *out;
	struct tp_err err;

	MUST(!rep_output_new(&out, &how, &err));
	return out;
}

/* Nothing of a dump reaches a terminal as it was. */
static void done(struct rep_output *out, struct tp_buf *text, int code, const struct tp_err *err)
{
	struct tp_err why;

	if (code)
		MUST(err->code < 0 && err->msg[0]);
	else
		MUST(!rep_output_finish(out, &why));
	rep_output_free(out);
	for (size_t i = 0; i < text->size; i++)
		MUST(text->data[i] != '\033' && text->data[i] != 0);
	tp_buf_release(text);
}

static void show(struct rep_view *v, const struct rep_path_requests *list,
		 const struct rep_path *path, enum rep_format format)
{
	struct tp_profile *p;
	struct tp_err err = {0};

	for (int r = 0; r < REP_PATH_WAKERS; r++) {
		const struct rep_path_page page = {
		    .v = v, .list = list, .path = path, .rows = r % 2 ? 5 : -1, .stacks = r % 3};
		struct tp_buf text = {0};
		struct rep_output *out = paper(&text, format);

		done(out, &text, rep_path_show(out, &page, (enum rep_path_report)r, &err), &err);
	}
	if (!rep_path_profile(v, path, &p, &err)) {
		struct tp_buf bytes = {0};

		MUST(!tp_profile_encode(p, NULL, &bytes, &err));
		tp_buf_release(&bytes);
		tp_profile_free(p);
	}
}

static void walk(struct rep_view *v, const struct rep_path_options *opt, enum rep_format format)
{
	struct rep_path_requests list;
	struct rep_path path = {0};
	struct tp_err err = {0};
	int64_t total = 0;
	int code = rep_path_pick(v, opt, &list, &err);

	if (!code)
		code = rep_path_walk(v, list.request, list.n, HOPS, &path, &err);
	if (code) {
		MUST(err.code < 0 && err.msg[0]);
	} else {
		for (size_t i = 0; i < path.nsums; i++)
			total += path.sum[i].total_ns;
		MUST(total == path.total_ns || path.total_ns == INT64_MAX);
		for (size_t i = 1; i < path.nhop; i++)
			MUST(path.hop[i].from == path.hop[i - 1].to);
		show(v, &list, &path, format);
	}
	rep_path_release(&path);
	rep_path_requests_release(&list);
}

static void wakes(struct rep_view *v, enum rep_format format)
{
	struct rep_wakes w;
	struct tp_err err = {0};

	if (!rep_wakes_add_up(v, format % 2 ? "." : NULL, NULL, format % 3, &w, &err)) {
		struct tp_buf text = {0};
		struct rep_output *out = paper(&text, format);

		done(out, &text, rep_wakes_show(out, v, &w, -1, format % 3, &err), &err);
	}
	rep_wakes_release(&w);
}

static void look(struct tp_store *s, const struct rep_run *run, const struct rep_filter_text *text,
		 size_t n)
{
	struct rep_filter filter;
	struct rep_view v = {0};
	struct tp_err err;

	MUST(!rep_filter_init(&filter, text, &err));
	/* A time range may be empty. */
	if (!rep_view_init(&v, s, run, &filter, NULL, &err)) {
		for (size_t i = 0; i < sizeof(picks) / sizeof(picks[0]); i++)
			walk(&v, &picks[i], (enum rep_format)((i + n) % REP_NFORMATS));
		wakes(&v, (enum rep_format)(n % REP_NFORMATS));
	}
	rep_view_release(&v);
	rep_filter_release(&filter);
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
		for (size_t f = 0; f < sizeof(filters) / sizeof(filters[0]); f++)
			look(s, &runs.run[0], &filters[f], f);
		rep_runs_release(&runs);
		tp_store_close(s);
	}
	unlink(store);
	MUST(!rmdir(dir));
	close(fd);
	return 0;
}
