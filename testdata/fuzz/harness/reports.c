/* Which reports a trace goes through. */
#include "fuzz.h"

static void (*const reports[])(struct fuzz_store *f, uint64_t pick) = {
    fuzz_lanes,	 fuzz_path_reports, fuzz_top, fuzz_trace_profiles, fuzz_trace_diff,
    fuzz_export, fuzz_time,	    fuzz_sql, fuzz_page,	   fuzz_leaks,
};

void fuzz_trace_reports(struct fuzz_store *f, uint64_t pick)
{
	unsigned r = fuzz_pick(&pick, (unsigned)(sizeof(reports) / sizeof(reports[0])));

	reports[r](f, pick);
}
