#include "common/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/many.h"
#include "common/decoder.h"
#include "common/file.h"
#include "common/files.h"
#include "common/number.h"
#include "common/progress.h"
#include "symbol/sidecar.h"

/* Files of the folder:
 *   HASH.NAME-VERSION.tprof   an entry: HASH is that of the dump's content, NAME that of its name.
 *                       Its modification time is when it was last used. If a file beside the dump
 *                       names its code (symbol/sidecar.h): HASH.HASH.NAME-VERSION.tprof
 *   ENTRY.part          an entry being imported (and files that SQLite keeps beside it)
 *   lock-0 … lock-f     locked during work on entries whose hash begins with that digit: shared
 *                       while one is opened, exclusive while one is made or removed
 *   key                 random bytes that hashes depend on, made under lock-k. Without the key,
 *                       anyone who knows one of your dumps could make another with its hash */
#define SUFFIX	   ".tprof"
#define PART	   ".part"
#define NAME_SIZE  96
#define BLOCK_SIZE (1 << 20)
#define LOCKS	   16
#define TRIES	   3
#define KEY_SIZE   192 /* of XXH3's secret; 136 at least */

struct cmd_cache {
	char *dir;
	int fd; /* descriptor of dir; everything is opened relative to it */
	int64_t limit;
	uint8_t key[KEY_SIZE];
};

static int system_error(struct tp_err *err, const char *what, const char *name)
{
	return tp_err_set(err, errno == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s %s: %s",
			  what, name, strerror(errno));
}

static bool is_of_cache(const char *name)
{
	return !strcmp(name, "key") || !strncmp(name, "lock-", 5) ||
	       !strncmp(name, "stdin" PART, sizeof("stdin" PART) - 1) /* of older versions */ ||
	       strstr(name, SUFFIX);
}

/* Opens the folder once more, to list it; NULL with errno. */
static DIR *list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static int empty(int folder)
{
	DIR *d = list(folder);
	struct dirent *e;
	int code = 0;

	if (!d)
		return -1;
	do {
		errno = 0;
		e = readdir(d);
		if (e ? is_of_cache(e->d_name) && unlinkat(folder, e->d_name, 0) && errno != ENOENT
		      : errno)
			code = -1;
	} while (e && !code);
	closedir(d);
	return code;
}

/* Entries are trusted, and only this user may read them. If other users could write to the folder, its
 * entries may be forged and are removed. The sticky bit marks a folder in which that is still to be done, for
 * other processes and in case this one is killed. */
static int make_private(int fd)
{
	const mode_t others = 022;
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if (st.st_uid != geteuid()) {
		errno = EPERM;
		return -1;
	}
	if (!(st.st_mode & (others | S_ISVTX)))
		return st.st_mode & 077 ? fchmod(fd, 0700) : 0;
	return fchmod(fd, 0700 | S_ISVTX) || empty(fd) || fchmod(fd, 0700) ? -1 : 0;
}

static int lock(struct cmd_cache *c, char digit, int how)
{
	char name[8];
	int fd;

	snprintf(name, sizeof(name), "lock-%c", digit);
	do
		fd = openat(c->fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -1;
	while (flock(fd, how)) {
		if (errno != EINTR) {
			close(fd);
			return -1;
		}
	}
	return fd;
}

/* Returns false if there is no key, or it is not complete yet. */
static bool read_key(struct cmd_cache *c)
{
	int fd = openat(c->fd, "key", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	size_t at = 0;
	ssize_t n = 1;

	while (fd >= 0 && at < KEY_SIZE && n) {
		n = read(fd, c->key + at, KEY_SIZE - at);
		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	return at == KEY_SIZE;
}

static int write_key(struct cmd_cache *c)
{
	int fd = openat(c->fd, "key", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int code = fd < 0 || getrandom(c->key, KEY_SIZE, 0) != KEY_SIZE ? -1 : 0;

	for (size_t at = 0; at < KEY_SIZE && !code;) {
		ssize_t n = write(fd, c->key + at, KEY_SIZE - at);

		at += n > 0 ? (size_t)n : 0;
		if (n < 0 && errno != EINTR)
			code = -1;
	}
	if (!code)
		code = fsync(fd);
	if (fd >= 0 && close(fd))
		code = -1;
	return code;
}

static int load_key(struct cmd_cache *c)
{
	int held, code = 0;

	if (read_key(c))
		return 0;
	held = lock(c, 'k', LOCK_EX);
	if (held < 0)
		return -1;
	/* Another process may have made it while this one waited. */
	if (!read_key(c))
		code = write_key(c);
	close(held);
	return code;
}

struct cmd_cache *cmd_cache_open(const char *dir, int64_t limit_bytes, struct tp_err *err)
{
	struct cmd_cache *c = calloc(1, sizeof(*c));

	if (!c || !(c->dir = strdup(dir))) {
		free(c);
		tp_nomem(err);
		return NULL;
	}
	c->limit = limit_bytes;
	c->fd = -1;
	/* Only the owner may use the folder, as dumps may contain secrets. */
	if (cmd_make_folders(c->dir) ||
	    (c->fd = open(c->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    faccessat(c->fd, ".", W_OK, 0) || make_private(c->fd) || load_key(c)) {
		system_error(err, "cache folder", c->dir);
		cmd_cache_close(c);
		return NULL;
	}
	return c;
}

struct cmd_cache *cmd_cache_from_env(struct tp_err *err)
{
	const char *size = getenv("TPROF_CACHE_SIZE");
	int64_t limit = CMD_CACHE_SIZE;
	char dir[PATH_MAX];

	if (size && *size && !cmd_parse_size(size, &limit)) {
		tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			   "TPROF_CACHE_SIZE: '%s' is not a size like 500MiB or 2GiB", size);
		return NULL;
	}
	if (!cmd_xdg_folder(dir, "XDG_CACHE_HOME", ".cache")) {
		tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
			   "there is no cache folder, as neither XDG_CACHE_HOME nor HOME is set");
		return NULL;
	}
	return cmd_cache_open(dir, limit, err);
}

void cmd_cache_close(struct cmd_cache *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	free(c->dir);
	free(c);
}

/* Hashes everything that can be read from fd. */
static int hash_stream(const struct cmd_cache *c, int fd, char hash[33], const char *path,
		       struct tp_err *err)
{
	XXH3_state_t *state = XXH3_createState();
	uint8_t *block = malloc(BLOCK_SIZE);
	XXH128_canonical_t sum;
	int code = 0;
	ssize_t n;

	if (!state || !block) {
		code = tp_nomem(err);
		goto done;
	}
	XXH3_128bits_reset_withSecret(state, c->key, KEY_SIZE);
	while ((n = read(fd, block, BLOCK_SIZE)) != 0) {
		if (cmd_stopped()) {
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
			goto done;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			code = system_error(err, "cannot read", path);
			goto done;
		}
		XXH3_128bits_update(state, block, (size_t)n);
	}
	XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(state));
	for (int i = 0; i < 16; i++)
		snprintf(hash + 2 * i, 3, "%02x", sum.digest[i]);
done:
	XXH3_freeState(state);
	free(block);
	return code;
}

struct dump {
	const char *path; /* "-": standard input, which can be read again from its beginning */
	char hash[33], beside[18], name[18];
	struct stat st; /* the state before it was hashed */
};

static bool is_stdin(const char *path)
{
	return !strcmp(path, "-");
}

static int hash_dump(const struct cmd_cache *c, struct dump *d, struct tp_err *err)
{
	bool std = is_stdin(d->path);
	int fd, code;

	do
		fd = std ? STDIN_FILENO : open(d->path, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fstat(fd, &d->st) || (std && lseek(fd, 0, SEEK_SET)))
		code = tp_err_set(err, errno == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s",
				  strerror(errno));
	else
		code = hash_stream(c, fd, d->hash, std ? "standard input" : d->path, err);
	if (!code && std && lseek(fd, 0, SEEK_SET))
		code = system_error(err, "cannot read", "standard input");
	if (!std && fd >= 0)
		close(fd);
	return code;
}

/* Writes "." and a hash of the file beside the dump that names its code, or "" if there is no such file.
 * With other names, a dump is another entry. */
static void hash_beside(const struct cmd_cache *c, const char *path, char beside[18])
{
	char side[PATH_MAX], hash[33];
	struct stat st;
	int fd;

	*beside = '\0';
	if (is_stdin(path) || !tp_sidecar_find(path, side, sizeof(side)))
		return;
	fd = open(side, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* A file that is too large is not read for names. */
	if (fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size > TP_SIDECAR_MAX)
		snprintf(beside, 18, ".large");
	else if (fd >= 0 && !hash_stream(c, fd, hash, side, NULL))
		snprintf(beside, 18, ".%.16s", hash);
	if (fd >= 0)
		close(fd);
}

/* Writes "." and a hash of the run's name. The name is in the store, where queries can read it, so a
 * renamed or copied dump needs an entry of its own, although that takes room. */
static void hash_name(const struct cmd_cache *c, const char *name, char hash[18])
{
	XXH64_hash_t sum = XXH3_64bits_withSecret(name, strlen(name), c->key, KEY_SIZE);

	snprintf(hash, 18, ".%016llx", (unsigned long long)sum);
}

/* Returns whether the dump, or the file beside it, may have been changed or replaced since it was
 * hashed. */
static bool has_changed(const struct cmd_cache *c, const struct dump *d)
{
	const struct stat *a = &d->st;
	char beside[18];
	struct stat b;

	hash_beside(c, d->path, beside);
	return (is_stdin(d->path) ? fstat(STDIN_FILENO, &b) : stat(d->path, &b)) ||
	       a->st_dev != b.st_dev || a->st_ino != b.st_ino || a->st_size != b.st_size ||
	       a->st_mtim.tv_sec != b.st_mtim.tv_sec || a->st_mtim.tv_nsec != b.st_mtim.tv_nsec ||
	       a->st_ctim.tv_sec != b.st_ctim.tv_sec || a->st_ctim.tv_nsec != b.st_ctim.tv_nsec ||
	       strcmp(beside, d->beside) != 0;
}

struct entry {
	char name[NAME_SIZE];
	int64_t size;
	struct timespec used;
};

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);

	return n > s && !strcmp(name + n - s, suffix);
}

/* Lists the entries of the folder and their total size. The caller frees *entry. */
static size_t find_entries(struct cmd_cache *c, struct entry **entry, int64_t *total)
{
	DIR *d = list(c->fd);
	size_t n = 0, room = 0;
	struct dirent *e;

	*entry = NULL;
	*total = 0;
	while (d && (e = readdir(d))) {
		struct stat st;

		if (strlen(e->d_name) >= NAME_SIZE || !has_suffix(e->d_name, SUFFIX) ||
		    fstatat(c->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (tp_grow(entry, &room, n, sizeof(**entry)))
			break;
		memcpy((*entry)[n].name, e->d_name, strlen(e->d_name) + 1);
		(*entry)[n].size = (int64_t)st.st_blocks * 512;
		(*entry)[n].used = st.st_mtim;
		*total += (*entry)[n++].size;
	}
	if (d)
		closedir(d);
	return n;
}

/* Removes the least recently used entries until the rest takes at most `limit`; never `keep`, nor
 * entries in use. A failure is not an error, as the next import tries again. */
static void evict(struct cmd_cache *c, const char *keep, int64_t limit, int64_t *entries,
		  int64_t *bytes)
{
	struct entry *entry;
	int64_t total;
	size_t n = find_entries(c, &entry, &total);

	*entries = *bytes = 0;
	if (n && total > limit)
		qsort(entry, n, sizeof(*entry), by_use);
	for (size_t i = 0; i < n && total - *bytes > limit; i++) {
		int held;

		if (!strcmp(entry[i].name, keep))
			continue;
		held = lock(c, entry[i].name[0], LOCK_EX | LOCK_NB);
		if (held < 0)
			continue;
		if (!unlinkat(c->fd, entry[i].name, 0)) {
			*bytes += entry[i].size;
			++*entries;
		}
		close(held);
	}
	free(entry);
}

void cmd_cache_usage(struct cmd_cache *c, struct cmd_cache_usage *usage)
{
	struct entry *entry;

	usage->entries = (int64_t)find_entries(c, &entry, &usage->bytes);
	usage->limit = c->limit;
	usage->dir = c->dir;
	free(entry);
}

void cmd_cache_empty(struct cmd_cache *c, int64_t *entries, int64_t *bytes)
{
	evict(c, "", -1, entries, bytes);
}

static int open_entry(struct cmd_cache *c, const char *name, struct tp_store **store,
		      struct tp_err *err)
{
	char path[PATH_MAX];
	int code;

	snprintf(path, sizeof(path), "%s/%s", c->dir, name);
	code = tp_store_open(store, path, err);
	if (!code)
		utimensat(c->fd, name, NULL, 0);
	return code;
}

/* Removes files that killed imports left, and those that SQLite keeps beside them. Entries that
 * another process has locked stay; those that begin with `mine` are locked by the caller and go. */
static void remove_leftovers(struct cmd_cache *c, char mine)
{
	DIR *d = list(c->fd);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int held;

		if (!strstr(e->d_name, SUFFIX PART))
			continue;
		held = e->d_name[0] == mine ? -1 : lock(c, e->d_name[0], LOCK_EX | LOCK_NB);
		if (held >= 0 || e->d_name[0] == mine)
			unlinkat(c->fd, e->d_name, 0);
		if (held >= 0)
			close(held);
	}
	if (d)
		closedir(d);
}

/* Imports the dump and puts it in place. The caller holds the entry's lock, so a part that is
 * there already was left behind by a process that is gone. */
static int make_entry(struct cmd_cache *c, const char *name, const struct dump *d,
		      const struct tp_import_options *opt, struct tp_import_result *result,
		      struct tp_err *err)
{
	char part[NAME_SIZE + 8], part_path[PATH_MAX + NAME_SIZE];
	int code;

	snprintf(part, sizeof(part), "%s%s", name, PART);
	snprintf(part_path, sizeof(part_path), "%s/%s", c->dir, part);
	remove_leftovers(c, name[0]);
	code = cmd_import(d->path, part_path, opt, result, err);
	if (!code && has_changed(c, d))
		code = TP_EBUSY;
	if (!code && renameat(c->fd, part, c->fd, name))
		code = system_error(err, "cannot keep", name);
	remove_leftovers(c, name[0]);
	return code;
}

/* Opens the entry of a dump, or makes it. TP_EBUSY: the dump changed meanwhile. */
static int find_entry(struct cmd_cache *c, struct dump *d, const struct tp_import_options *opt,
		      struct tp_store **store, bool *fresh, struct tp_import_result *result,
		      struct tp_err *err)
{
	char name[NAME_SIZE];
	int64_t entries, bytes;
	int held, code;

	hash_beside(c, d->path, d->beside);
	/* A store of an older version may lack tables, so the version is part of the name. */
	snprintf(name, sizeof(name), "%s%s%s-%s.%d%s", d->hash, d->beside, d->name, TPROF_VERSION,
		 TP_STORE_VERSION, SUFFIX);
	held = lock(c, d->hash[0], LOCK_SH);
	if (held >= 0 && !faccessat(c->fd, name, R_OK, 0) && !open_entry(c, name, store, err)) {
		close(held);
		return 0;
	}
	/* The entry is missing, or damaged and has to be made again. */
	if (held >= 0)
		close(held);
	held = lock(c, d->hash[0], LOCK_EX);
	if (held < 0)
		return system_error(err, "cannot lock the cache folder", c->dir);
	/* Another process may have made it while this one waited. */
	if (!faccessat(c->fd, name, R_OK, 0) && !open_entry(c, name, store, err)) {
		close(held);
		return 0;
	}
	code = make_entry(c, name, d, opt, result, err);
	if (!code)
		code = open_entry(c, name, store, err);
	*fresh = !code;
	close(held);
	if (*fresh)
		evict(c, name, c->limit, &entries, &bytes);
	return code;
}

int cmd_cache_store(struct cmd_cache *c, const char *path, const struct tp_import_options *opt,
		    struct tp_store **store, bool *fresh, struct tp_import_result *result,
		    struct tp_err *err)
{
	struct dump d = {.path = path};
	int code = TP_EBUSY;

	*store = NULL;
	*fresh = false;
	hash_name(c, opt->name ? opt->name : cmd_file_name(path), d.name);
	/* Retry: a program that is still writing the dump may finish. */
	for (int tries = 0; code == TP_EBUSY && tries < TRIES; tries++) {
		code = hash_dump(c, &d, err);
		if (!code)
			code = find_entry(c, &d, opt, store, fresh, result, err);
		if (code == TP_EBUSY)
			tp_err_set(err, code, TP_OFFSET_NONE, "the file changes while it is read");
	}
	return code;
}
