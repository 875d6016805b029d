#include "profile/report/reports.h"

#include <string.h>

const struct rep_profile_report *const rep_profile_reports[] = {
    &rep_profile_report_tree,
    &rep_profile_report_peek,
    &rep_profile_report_list,
    &rep_profile_report_disasm,
    &rep_profile_report_traces,
    &rep_profile_report_tags,
    &rep_profile_report_goroutines,
    &rep_profile_report_deadlock,
    &rep_profile_report_raw,
    &rep_profile_report_comments,
    &rep_profile_report_dot,
    &rep_profile_report_svg,
    &rep_profile_report_callgrind,
    NULL,
};

const struct rep_profile_report *rep_profile_report_find(const char *name)
{
	for (size_t i = 0; rep_profile_reports[i]; i++)
		if (!strcmp(rep_profile_reports[i]->name, name))
			return rep_profile_reports[i];
	return NULL;
}
