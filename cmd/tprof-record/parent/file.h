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
	struct tp_out out; /* what an encoder writes to */
	struct cmd_draft draft;
	char part[PATH_MAX + 32]; /* draft.part, for rec_file_abandon */
	FILE *stream;
	uint64_t size; /* bytes so far */
};

/* FOLDER/NAME. TP_EIO; then nothing is to be ended. */
int rec_file_begin(struct rec_file *f, const char *folder, const char *name, struct tp_err *err);
/* With `code` 0 it takes its name; else it is removed. Returns code, or what failed now. */
int rec_file_end(struct rec_file *f, int code, struct tp_err *err);

/* Writes a file that holds `data`. */
int rec_file_put(const char *folder, const char *name, const void *data, size_t size,
		 struct tp_err *err);

/* Removes the file that is being written, in any thread, before the recorder dies. */
void rec_file_abandon(void);

/* Makes a folder that may exist, and those above it. TP_EIO. */
int rec_folder_make(const char *path, struct tp_err *err);
/* Makes a new folder: `path`, or that with a number behind it if it exists already. TP_EIO. */
int rec_folder_new(char path[PATH_MAX], struct tp_err *err);
/* Removes the files of an earlier recording from a folder: those with our names, nothing else. */
void rec_folder_clear(const char *path);
/* Returns whether a file of that name belongs to a recording, or is one that was not finished. */
int rec_folder_is_ours(const char *name);

#endif
