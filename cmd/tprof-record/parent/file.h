/* Files of a recording, which appear whole (common/draft.h). */
#ifndef RECORD_PARENT_FILE_H
#define RECORD_PARENT_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/out.h"
#include "common/draft.h"

struct rec_file {
	struct tp_out out; /* an encoder writes to it */
	struct cmd_draft draft;
	char part[PATH_MAX + 32]; /* draft.part, for rec_file_abandon */
	FILE *stream;
	uint64_t size; /* bytes so far */
};

/* Creates FOLDER/NAME. TP_EIO; then rec_file_end must not be called. */
int rec_file_begin(struct rec_file *f, const char *folder, const char *name, struct tp_err *err);
/* Renames the file to its final name if `code` is 0, else removes it. Returns code, or the error of this
 * call. */
int rec_file_end(struct rec_file *f, int code, struct tp_err *err);

/* Writes a file that holds `data`. */
int rec_file_put(const char *folder, const char *name, const void *data, size_t size,
		 struct tp_err *err);

/* Removes the file that is being written, in whichever thread, before the recorder dies. */
void rec_file_abandon(void);

/* Makes a folder and its missing parents; it may exist already. TP_EIO. */
int rec_folder_make(const char *path, struct tp_err *err);
/* Makes a new folder: `path`, or that with a number behind it if it exists already. TP_EIO. */
int rec_folder_new(char path[PATH_MAX], struct tp_err *err);
/* Removes the files of an earlier recording from a folder: only those with names that we use. */
void rec_folder_clear(const char *path);
/* Returns whether a file of that name belongs to a recording, or is one that was not finished. */
bool rec_folder_is_ours(const char *name);

#endif
