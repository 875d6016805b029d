/* Downloads debugging information from the servers of DEBUGINFOD_URLS. elfutils' client does it, keeps the files in the
 * user's cache, and obeys more variables (debuginfod_find_debuginfo(3)). It and the thirty libraries that it needs are
 * loaded for the first download only. For one thread. */
#ifndef RECORD_PARENT_DEBUGINFOD_H
#define RECORD_PARENT_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

/* Begins with zeros. */
struct rec_debuginfod {
	void *library;
	struct debuginfod_client *client;
	bool begun;
	char trouble[120]; /* why nothing more is asked for, or "" */
};

/* Returns the path of the debugging information of a build id, which the caller frees. NULL: DEBUGINFOD_URLS is not set,
 * or no server has it, or asking has failed. After a failure nothing more is asked for, as each one can take 90 s.
 * `ctx` is a struct rec_debuginfod. */
char *rec_debuginfod_fetch(void *ctx, const char *build_id);
void rec_debuginfod_end(struct rec_debuginfod *d);

/* Cancels the download that is under way, within a second, and all further ones. Returns false if nothing is
 * being downloaded, or it is cancelled already. Any thread may call it. */
bool rec_debuginfod_cancel(void);

/* Appends to a remark why there are no names and lines from servers, if asking has failed. */
void rec_debuginfod_remark(const struct rec_debuginfod *d, char *remark, size_t room);

#endif
