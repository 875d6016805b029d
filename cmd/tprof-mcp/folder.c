#include "tprof-mcp/folder.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "open/peek.h"
#include "output/text.h"

#define MOST_FILES 2000 /* that are looked into */
#define DEEPEST	   12	/* folders within folders */
/* Recognises all but stacks of goroutines that come late in a log. */
#define HEAD ((size_t)64 << 10)

/* ---- naming ---- */

/* Returns whether a path says itself that it leads out, so that nobody learns what is there. */
static bool leads_out(const char *path, const char *root)
{
	size_t n = strcmp(root, "/") ? strlen(root) : 0;

	if (*path == '/' && (strncmp(path, root, n) || (path[n] && path[n] != '/')))
		return true;
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += strspn(at, "/");
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return true;
	}
	return false;
}

int mcp_folder_find(const char *path, char found[PATH_MAX], struct tp_err *err)
{
	char root[PATH_MAX] = "", real[PATH_MAX] = "";
	struct stat st;
	const char *rest;
	bool out;

	if (!realpath(".", root))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "the folder is gone: %s",
				  strerror(errno));
	out = leads_out(path, root);
	if (!out && !realpath(*path ? path : ".", real))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "'%.150s': %s; the tool list shows the files there are", path,
				  strerror(errno));
	if (out || leads_out(real, root))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "'%.150s' is outside of the folder that this server reads; give "
				  "a path within it, as the tool list does",
				  path);
	if (stat(real, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "'%.150s' is neither a file nor a folder", path);
	rest = real + (strcmp(root, "/") ? strlen(root) : 0);
	rest += *rest == '/';
	/* What has no dot or slash could be taken for a report. */
	snprintf(found, PATH_MAX, "%s%s",
		 !*rest || *rest == '-' || !strpbrk(rest, "./") || strstr(rest, "://") ? "./" : "",
		 rest);
	return 0;
}

/* ---- listing ---- */

/* Returns what a file is, or NULL if tprof does not read it. */
static const char *kind_of(const char *path, struct tp_recognition *seen)
{
	static char head[HEAD];
	size_t size;

	if (tp_peek(path, head, sizeof(head), &size, NULL) || tp_recognise(head, size, seen, NULL))
		return NULL;
	return seen->format == TP_FORMAT_STORE ? "store" : seen->name;
}

enum tp_format mcp_folder_kind(const char *path)
{
	struct tp_recognition seen;

	return kind_of(path, &seen) ? seen.format : TP_FORMAT_UNKNOWN;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void put_file(const FTSENT *e, const char *kind)
{
	struct tp_buf name = {0};
	char size[TP_UNITS_SIZE];
	const char *path = e->fts_path;

	if (!strncmp(path, "./", 2))
		path += 2;
	if (!rep_escape(&name, path, strlen(path), REP_ESCAPE_SHOWN))
		printf("%-28s %8s  %.*s\n", kind, tp_fmt_bytes(size, e->fts_statp->st_size),
		       (int)name.size, (char *)name.data);
	tp_buf_release(&name);
}

int mcp_folder_list(const char *path, struct tp_err *err)
{
	char *paths[] = {(char *)(uintptr_t)path, NULL};
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	size_t files = 0, others = 0;
	FTSENT *e;

	if (!walk)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno));
	while (files < MOST_FILES && (e = fts_read(walk))) {
		bool hidden = e->fts_level > 0 && e->fts_name[0] == '.';
		struct tp_recognition seen;
		const char *kind;

		if (e->fts_info == FTS_D && (hidden || e->fts_level > DEEPEST))
			fts_set(walk, e, FTS_SKIP);
		if (e->fts_info != FTS_F || hidden)
			continue;
		kind = kind_of(e->fts_path, &seen);
		if (!files++)
			printf("%-28s %8s  %s\n", "KIND", "SIZE", "FILE");
		if (kind)
			put_file(e, kind);
		others += !kind;
	}
	printf("%zu files are traces, profiles or stores; %zu others are not shown\n",
	       files - others, others);
	if (files == MOST_FILES)
		printf("only the first %d files were looked at; give a folder below\n", MOST_FILES);
	fts_close(walk);
	return 0;
}
