/* Files of a recording. They appear whole: each is written beside its place under a name that
 * begins with a dot, and renamed. One that could not be finished leaves nothing behind. */
#ifndef RECORD_PARENT_FILE_H
#define RECORD_PARENT_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"

struct rec_file {
	struct tp_out out; /* what an encoder writes to */
	char path[PATH_MAX], part[PATH_MAX];
	int fd;
	uint64_t size; /* bytes so far */
	int error;     /* errno of what failed, 0 nothing */
	char *buffer;
	size_t held;
};

/* FOLDER/NAME. TP_EIO, TP_ENOMEM. */
int rec_file_begin(struct rec_file *f, const char *folder, const char *name, struct tp_err *err);
/* With `code` 0 it takes its name; else it is removed. Returns code, or what failed now. */
int rec_file_end(struct rec_file *f, int code, struct tp_err *err);

/* A file that holds `data`, or gzip of it (without a time, so that equal data are equal files);
 * *written (may be NULL) is its size. */
int rec_file_put(const char *folder, const char *name, const void *data, size_t size, int packed,
		 uint64_t *written, struct tp_err *err);

/* Removes what is being written right now, in any thread: for a recorder that is about to die. Only
 * system calls. */
void rec_file_abandon(void);

/* A folder, and those above it where they are missing. TP_EIO. */
int rec_folder_make(const char *path, struct tp_err *err);
/* Removes the files of an earlier recording from a folder: those with our names, nothing else. */
void rec_folder_clear(const char *path);
/* Is that the name of a file that recordings consist of, or of one that was not finished? */
int rec_folder_is_ours(const char *name);

#endif
