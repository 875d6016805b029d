/* Pages about a run. */
#include "fuzz.h"
#include "page/page.h"

void fuzz_page(struct fuzz_store *f, uint64_t pick)
{
	const struct rep_page_options opt = {.target = "a.trace",
					     .diff = "b.trace a.trace",
					     .flame = "--base=b.trace a.trace",
					     .command = "tprof-report a.trace",
					     .version = "1",
					     .rows = 1 + fuzz_pick(&pick, 20)};
	struct tp_buf text = {0};
	const struct rep_sink sink = rep_sink_buf(&text);
	const struct rep_page_run run = {f->s, f->run};
	const struct rep_page_runs runs = {&run, &run, 1, 1};
	struct tp_err err = {0};
	int code;

	if (fuzz_pick(&pick, 3))
		code = rep_page_trace(f->s, f->run, &opt, &sink, &err);
	else
		code = rep_page_traces(&runs, &opt, &sink, &err);
	if (code)
		MUST_SAY(err);
	fuzz_printable(&text);
	tp_buf_release(&text);
}
