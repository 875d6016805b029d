/* The reports of this folder; private to it. */
#ifndef REP_PROFILE_REPORT_REPORTS_H
#define REP_PROFILE_REPORT_REPORTS_H

#include "profile/report.h"

extern const struct rep_profile_report rep_profile_report_tree, rep_profile_report_peek,
    rep_profile_report_traces, rep_profile_report_tags, rep_profile_report_raw,
    rep_profile_report_comments, rep_profile_report_list, rep_profile_report_dot,
    rep_profile_report_svg, rep_profile_report_callgrind, rep_profile_report_disasm;

#endif
