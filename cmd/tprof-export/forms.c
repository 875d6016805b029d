/* The forms that tprof-export writes, by name. */
#include <string.h>

#include "tprof-export/export.h"

const struct export_form export_forms[] = {
    {"events", "of a trace: its events, one line each, in order", 0, export_events},
    {"pprof", "of profiles and views of traces: their sum, for pprof and PGO",
     EXPORT_BINARY | EXPORT_SEVERAL | EXPORT_SAMPLES | EXPORT_BASE | EXPORT_NAMES_OFF,
     export_pprof},
    {"folded", "the same as a line per stack, for flame graphs of other makes",
     EXPORT_SEVERAL | EXPORT_SAMPLES, export_folded},
    {"speedscope", "the same as JSON for speedscope.app", EXPORT_SEVERAL | EXPORT_SAMPLES,
     export_speedscope},
    {"csv", "of any run: its tables, one or all of them", EXPORT_TABLES, export_csv},
    {"raw", "of a trace: its file event by event, as it is encoded", 0, export_raw},
    {"parsed", "of a trace: its events in order, with whole stacks", 0, export_parsed},
    {"footprint", "of a trace: events and bytes of its file by type", 0, export_footprint},
    {"trace", "a trace, or a part of one, as go 1.26 would have written it",
     EXPORT_BINARY | EXPORT_RANGE | EXPORT_NAMES_OFF, export_cut},
    {"perfetto", "traces in Chrome's JSON for ui.perfetto.dev; several on one clock",
     EXPORT_RANGE | EXPORT_RUNS | EXPORT_NAMES_OFF, export_perfetto},
    {0},
};

char *export_form_names(char text[EXPORT_NAMES], unsigned needs)
{
	const char *name[sizeof(export_forms) / sizeof(export_forms[0])];
	size_t n = 0;
	int at = 0;

	for (const struct export_form *f = export_forms; f->name; f++)
		if ((f->needs & needs) == needs)
			name[n++] = f->name;
	text[0] = '\0';
	for (size_t i = 0; i < n && at >= 0 && at < EXPORT_NAMES; i++)
		at += snprintf(text + at, EXPORT_NAMES - (size_t)at, "%s%s",
			       !i	    ? ""
			       : i + 1 == n ? " and "
					    : ", ",
			       name[i]);
	return text;
}
