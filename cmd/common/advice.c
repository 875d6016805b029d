#include "common/advice.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "common/limit.h"
#include "common/near.h"

/* Limit on the names of a folder that are compared with a mistyped one. */
#define MOST_NAMES 10000

const char *cmd_advice(int number)
{
	switch (number) {
	case ENOSPC:
	case EDQUOT:
		return "; make room, or choose another place";
	case EMFILE:
		return "; allow more at once (ulimit -n)";
	case ENFILE:
		return "; close other programs";
	case EIO:
		return "; the disk or its connection may be failing; see the system's log";
	case EROFS:
	case EACCES:
	case EPERM:
		return "; choose another place";
	case ENOENT:
		return "; make the folder first, or choose another place";
	case ENOTDIR:
		return "; that is a file; choose another place";
	case EISDIR:
		return "; give the name of a file in it";
	default:
		return "";
	}
}

/* Advice for messages of libparse and libreport. */
static const struct {
	int code;
	const char *says, *advice;
} known[] = {
    {TP_ESTORE, "not a tprof store", "; tprof-import imports dumps into a store"},
    {TP_ESTORE, "not a regular file", "; give the name of a file, or of a new one"},
    {TP_ESTORE, "store without its tables", "; import the dumps again into another store"},
    {TP_ESTORE, "the store is damaged", "; import the dumps again into another store"},
    {TP_ENOENT, REP_NO_RUNS, CMD_ADD_RUN},
    {TP_EUNKNOWN, "this is a folder",
     "; name files in it, or put all of it into a store: tprof-import -o STORE FOLDER"},
    {TP_EUNKNOWN, "is empty",
     "; a program has to end its recording (trace.Stop, pprof.StopCPUProfile) before it exits"},
    {TP_EFORMAT, "have no sample type in common",
     "; --sample-index=TYPE adds up those that have it"},
    {TP_ENOENT, "no function of the profile matches", "; without a report all are listed"},
    {TP_ENOENT, "no function with", "; without a report all are listed"},
    /* These files are not dumps, so the manual about damaged ones would not help. */
    {TP_EFORMAT, "not an ELF file", "; give the program that the dump is of, not stripped"},
    {TP_EFORMAT, "not SQL", "; give a text file of statements"},
    /* These are errors in the request, not in the trace. */
    {TP_EFORMAT, "the time range from", ""},
    {TP_EFORMAT, "the report '", ""},
    {TP_EFORMAT, "there is nothing before --to", ""},
    {TP_EFORMAT, "nothing says at what time of day", ""},
    {TP_EIO, "cannot create", "; choose another place"},
    {TP_EBUSY, "replaced or moved meanwhile", "; try again"},
    {TP_EBUSY, "", "; try again when it is done"},
    {TP_EFORMAT, "", "; see DAMAGED TRACES in tprof-import(1)"},
    {TP_ETRUNC, "", "; see DAMAGED TRACES in tprof-import(1)"},
};

static const char *no_memory(char text[CMD_ADVICE_SIZE])
{
	char most[TP_UNITS_SIZE];

	if (!cmd_limit())
		return "; close other programs, or use a machine with more memory";
	tp_fmt_bytes(most, cmd_limit());
	snprintf(text, CMD_ADVICE_SIZE,
		 ": input of this size may take %s; TPROF_MEMORY=1GiB (or unlimited) lets it take "
		 "more",
		 most);
	return text;
}

/* Returns advice about a path that does not exist: a similar name in its folder, or that the folder is
 * missing. */
static const char *missing(char text[CMD_ADVICE_SIZE], const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char folder[1024] = ".", best[256] = "";
	struct cmd_near near = {0};
	struct dirent *e;
	DIR *dir;

	if (slash && (size_t)(slash - path) + 1 >= sizeof(folder))
		return "";
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path),
			 path);
	dir = *base ? opendir(folder) : NULL;
	if (!dir && *base && errno == ENOENT) {
		snprintf(text, CMD_ADVICE_SIZE, "; the folder %.200s does not exist either",
			 folder);
		return text;
	}
	for (int i = 0; dir && i < MOST_NAMES && (e = readdir(dir)); i++) {
		cmd_near_try(&near, base, e->d_name);
		if (near.word == e->d_name)
			near.word = memcpy(best, e->d_name, strlen(e->d_name) + 1);
	}
	if (dir)
		closedir(dir);
	if (!near.word)
		return "; check the name and the folder";
	snprintf(text, CMD_ADVICE_SIZE, "; did you mean %.*s%s?", (int)(base - path), path, best);
	return text;
}

/* Returns advice about a file that cannot be read. */
static const char *unread(char text[CMD_ADVICE_SIZE], int number, const char *path)
{
	switch (number) {
	case ENOENT:
		return missing(text, path);
	case ENOTDIR:
		return "; one of the folders in this name is a file";
	case EISDIR:
		return "; give the name of a file in it";
	case EACCES:
	case EPERM:
		return "; you may not read it; ask its owner for a copy";
	default:
		return cmd_advice(number);
	}
}

/* Returns advice about errors that do not depend on the operation. */
static const char *unrelated(int number)
{
	return number == EMFILE || number == ENFILE || number == EIO || number == EROFS
		   ? cmd_advice(number)
		   : "";
}

/* Returns the file if the message says only that it could not be opened or read, and why, else NULL.
 * The file is `path` or is named in the message. */
static const char *only_unread(char name[1024], const char *path, const char *msg, const char *why)
{
	static const char *const ways[] = {"cannot be opened: ", "cannot be read: ",
					   "cannot read: ", "cannot open ", "cannot read "};
	bool named = !path;
	size_t n;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strncmp(msg, ways[i], strlen(ways[i]))) {
			msg += strlen(ways[i]);
			named = true;
			break;
		}
	n = (size_t)(strstr(msg, why) - msg);
	if (!n)
		return path;
	/* Only a path may precede the reason; anything with blanks is a sentence. */
	if (!named || n < 3 || n >= 1024 || msg[n - 2] != ':' || memchr(msg, ' ', n - 2))
		return NULL;
	memcpy(name, msg, n - 2);
	name[n - 2] = '\0';
	return name;
}

static bool is_refusal(int number)
{
	return number == EACCES || number == EPERM || number == EROFS;
}

const char *cmd_advise(char text[CMD_ADVICE_SIZE], const char *path, int code, const char *msg)
{
	static const int numbers[] = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ENOSPC,
				      EDQUOT, EMFILE,  ENFILE, EIO,    EROFS};
	static const char *const writing[] = {"cannot create", "cannot write", "cannot make",
					      "cannot rename", "be written"};
	/* Beginnings of messages about changes to an existing store. */
	static const char *const changing[] = {"cannot change",
					       "cannot delete",
					       "cannot compact",
					       "cannot upgrade",
					       "cannot update",
					       "cannot rename a run",
					       "the store cannot be written"};
	bool writes = false, changes = false;
	char name[1024];

	text[0] = '\0';
	if (code == TP_ENOMEM)
		return no_memory(text);
	for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]); i++)
		writes = writes || strstr(msg, writing[i]);
	for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++)
		changes = changes || !strncmp(msg, changing[i], strlen(changing[i]));
	writes = writes || changes;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *why = strerror(numbers[i]), *at = strstr(msg, why), *file;

		if ((code != TP_EIO && code != TP_ENOENT) || !at || at[strlen(why)])
			continue;
		/* The lock file is in the store's folder, so the folder must be writable. */
		if (writes && is_refusal(numbers[i]) && strstr(msg, ".lock: "))
			return "; work on a copy in a folder that you may write to";
		if (changes && is_refusal(numbers[i]))
			return "; work on a copy that you may write to";
		if (writes || numbers[i] == ENOSPC || numbers[i] == EDQUOT)
			return cmd_advice(numbers[i]);
		file = only_unread(name, path, msg, why);
		return file ? unread(text, numbers[i], file) : unrelated(numbers[i]);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].code == code && strstr(msg, known[i].says))
			return known[i].advice;
	return "";
}
