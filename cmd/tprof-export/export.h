/* The arguments of tprof-export, and the forms it writes, one file each. */
#ifndef TPROF_EXPORT_H
#define TPROF_EXPORT_H

#include "common/base.h"
#include "common/common.h"
#include "common/file.h"
#include "common/view_options.h"
#include "profile/options.h"

struct export_args;

struct export_form {
	const char *name, *doc;
	bool binary;  /* not for terminals */
	bool several; /* more than one file may be given */
	/* Writes to stdout; the exit status. */
	int (*write)(struct export_args *args);
};

struct export_args {
	struct cmd cmd;
	const char **paths; /* npaths of them */
	size_t npaths;
	const struct export_form *form;
	const char *out; /* file, NULL stdout */
	struct cmd_file file;
	struct rep_profile_options profile;
	struct cmd_base base; /* what is taken off */
	struct cmd_view_options view;
};

/* Before the first output, when what is to be written is known to be there: standard output becomes
 * the file. 0 or an exit status. */
int export_begin(struct export_args *args);

int export_events(struct export_args *args);
int export_proto(struct export_args *args);

#endif
