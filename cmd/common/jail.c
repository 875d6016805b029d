/* Sources: Documentation/userspace-api/landlock.rst and seccomp_filter.rst of Linux. Landlock's
 * constants are written as numbers, because headers are often older than the kernel. */
#include "common/jail.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/jail_calls.h"

/* ---- Landlock ---- */

#ifdef __alpha__
#define CALL_BASE 554
#else
#define CALL_BASE 444 /* landlock_create_ruleset; landlock_add_rule and …_restrict_self follow */
#endif

#define GET_VERSION  1u
#define PATH_BENEATH 1

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_TRUNCATE = 1 << 14,
};

struct ruleset {
	uint64_t files, net, scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* Returns all rights that a version of Landlock can forbid. */
static struct ruleset everything(int version)
{
	/* 13 rights of version 1; then: linking to other folders, truncating, devices' ioctls. */
	uint64_t files = (1u << 13) - 1;

	if (version >= 2)
		files |= 1u << 13;
	if (version >= 3)
		files |= FS_TRUNCATE;
	if (version >= 5)
		files |= 1u << 15;
	return (struct ruleset){
	    .files = files,
	    .net = version >= 4 ? 3 : 0,    /* bind and connect, TCP */
	    .scoped = version >= 6 ? 3 : 0, /* abstract sockets, signals */
	};
}

int cmd_jail_landlock(void)
{
	long version = syscall(CALL_BASE, NULL, 0, GET_VERSION);

	return version > 0 ? (int)version : 0;
}

/* Allows a file or a folder; the kernel refuses a rule that gives a file a right of folders. */
static void allow(int ruleset, const char *path, uint64_t file, uint64_t folder)
{
	struct path_beneath rule = {.parent = open(path, O_PATH | O_CLOEXEC)};
	struct stat st;

	if (rule.parent < 0)
		return;
	if (!fstat(rule.parent, &st)) {
		rule.allowed = S_ISDIR(st.st_mode) ? folder : file;
		/* Fails for pipes and the like: they are on no file system, so not restricted. */
		(void)syscall(CALL_BASE + 1, ruleset, PATH_BENEATH, &rule, 0);
	}
	close(rule.parent);
}

static bool is_link(int dir, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_LNK;
	return !fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode);
}

/* Allows the targets of links in a folder. */
static void allow_links(int ruleset, const char *path)
{
	DIR *dir = opendir(path);
	char name[PATH_MAX];

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (is_link(dirfd(dir), e) &&
		    snprintf(name, sizeof(name), "%s/%s", path, e->d_name) < (int)sizeof(name))
			allow(ruleset, name, FS_READ_FILE, 0);
	if (dir)
		closedir(dir);
}

/* Allows the targets of links in a folder, and in its folders named by the first two digits of build ids (see
 * libparse/symbol/path.c). Folders of binaries and debug files often consist of links. */
static void allow_linked(int ruleset, const char *path)
{
	static const char *const of_ids[] = {"", "/.build-id"};
	char name[PATH_MAX];
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return;
	allow_links(ruleset, path);
	for (unsigned i = 0; i < 2 * 256; i++) {
		if (snprintf(name, sizeof(name), "%s%s/%02x", path, of_ids[i / 256], i % 256) >=
		    (int)sizeof(name))
			return;
		allow(ruleset, name, 0, FS_READ_FILE);
		allow_links(ruleset, name);
	}
}

static bool enter_landlock(const struct cmd_jail *jail)
{
	int version = cmd_jail_landlock();
	struct ruleset rules = everything(version);
	size_t size = version >= 6   ? sizeof(rules)
		      : version >= 4 ? 2 * sizeof(rules.files)
				     : sizeof(rules.files);
	bool entered;
	int fd;

	if (!version)
		return false;
	fd = (int)syscall(CALL_BASE, &rules, size, 0);
	if (fd < 0)
		return false;
	for (size_t i = 0; i < jail->nread; i++) {
		allow(fd, jail->read[i], FS_READ_FILE, FS_READ_FILE | FS_READ_DIR);
		allow_linked(fd, jail->read[i]);
	}
	/* SQLite reads its seed, and opens /dev/null in place of closed standard files. */
	allow(fd, "/dev/urandom", FS_READ_FILE, 0);
	allow(fd, "/dev/null", FS_READ_FILE | FS_WRITE_FILE, 0);
	if (jail->write)
		allow(fd, jail->write, (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE) & rules.files,
		      0);
	entered = !syscall(CALL_BASE + 2, fd, 0);
	close(fd);
	return entered;
}

/* ---- both ---- */

void cmd_jail_allow(struct cmd_jail *jail, const char *path)
{
	if (path && *path && jail->nread < CMD_JAIL_PATHS)
		jail->read[jail->nread++] = path;
}

unsigned cmd_jail_enter(const struct cmd_jail *jail)
{
	unsigned has = 0;

	/* Required by Landlock and seccomp. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 0;
	if (enter_landlock(jail))
		has |= CMD_JAIL_LANDLOCK;
	if (cmd_jail_calls_only(jail->serves))
		has |= CMD_JAIL_SECCOMP;
	return has;
}

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif

/* LeakSanitizer traces the process, ThreadSanitizer asks for personality(), coverage is written to
 * files when a process ends. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(TPROF_COVERAGE) ||    \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer) ||                             \
    HAS_FEATURE(memory_sanitizer) || HAS_FEATURE(undefined_behavior_sanitizer)
#define BY_ITSELF CMD_JAIL_OFF
#else
#define BY_ITSELF CMD_JAIL_AUTO
#endif

/* Valgrind runs the program in its own process, so a filter would apply to valgrind, too. */
static bool in_valgrind(void)
{
	const char *loaded = getenv("LD_PRELOAD");

	return loaded && strstr(loaded, "/vgpreload_");
}

enum cmd_jail_mode cmd_jail_mode(void)
{
	const char *set = getenv("TPROF_JAIL");

	if (!set || !*set)
		return in_valgrind() ? CMD_JAIL_OFF : BY_ITSELF;
	return !strcmp(set, "auto")	 ? CMD_JAIL_AUTO
	       : !strcmp(set, "require") ? CMD_JAIL_REQUIRE
	       : !strcmp(set, "off")	 ? CMD_JAIL_OFF
					 : CMD_JAIL_UNKNOWN;
}

int cmd_jail_withdraw(struct tp_err *err)
{
	static bool done;
	enum cmd_jail_mode mode = cmd_jail_mode();

	if (done || mode == CMD_JAIL_OFF)
		return 0;
	/* The process needs its files, so Landlock is not used; but a required jail needs it. */
	if (mode == CMD_JAIL_REQUIRE && !cmd_jail_landlock())
		return tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "not read: TPROF_JAIL=require needs Landlock, which this system does not have");
	done = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && cmd_jail_calls_without();
	if (done || mode != CMD_JAIL_REQUIRE)
		return 0;
	return tp_err_set(
	    err, TP_EIO, TP_OFFSET_NONE,
	    "not read: TPROF_JAIL=require needs seccomp filters, which this system does not have");
}
