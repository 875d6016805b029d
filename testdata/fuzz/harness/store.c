/* Stores of fuzz targets: files in memory. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "fuzz.h"
#include "open/peek.h"
#include "open/unpack.h"

static char folder[64];

void fuzz_sweep(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static void leave(void)
{
	fuzz_sweep();
	rmdir(folder);
}

const char *fuzz_path(const char *name)
{
	static char paths[8][sizeof(folder) + 64];
	static unsigned next;
	char *path = paths[next++ % 8];

	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "/dev/shm/tprof-fuzz-XXXXXX");
		MUST(mkdtemp(folder));
		atexit(leave);
	}
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
	const char *path = fuzz_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	MUST(fd >= 0);
	MUST(write(fd, data, size) == (ssize_t)size);
	close(fd);
	return path;
}

/* What lies in the folder: nothing but the files named is to be left. */
static void check_left(const char *a, const char *b)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	MUST(d);
	while ((e = readdir(d)))
		MUST(e->d_name[0] == '.' || !strcmp(e->d_name, a) || !strcmp(e->d_name, b));
	closedir(d);
}

/* Ways in which a dump comes to be a run, of which most inputs take the first. */
enum way { PLAIN, GZ, ZST, STDIN, DRAFT, LABELS, AGAIN, WAYS };

static void pack(const uint8_t *data, size_t size, enum way way, struct tp_buf *out)
{
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)size};

	if (way == ZST) {
		MUST(!tp_buf_reserve(out, ZSTD_compressBound(size)));
		out->size = ZSTD_compress(out->data, out->room, data, size, 1);
		MUST(!ZSTD_isError(out->size));
		return;
	}
	MUST(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	MUST(!tp_buf_reserve(out, deflateBound(&z, (uLong)size)));
	z.next_out = out->data;
	z.avail_out = (uInt)out->room;
	MUST(deflate(&z, Z_FINISH) == Z_STREAM_END);
	out->size = z.total_out;
	deflateEnd(&z);
}

/* What a dump begins with is seen through its packing. */
static void check_head(const char *dump, const uint8_t *data, size_t size)
{
	char head[48];
	size_t n, want = size < sizeof(head) ? size : sizeof(head);
	struct tp_err err;

	MUST(!tp_peek(dump, head, sizeof(head), &n, &err));
	MUST(n == want && !memcmp(head, data, n));
}

static int import_stdin(const char *dump, const char *path, const struct tp_import_options *opt,
			struct tp_import_result *result, struct tp_err *err)
{
	int saved = dup(STDIN_FILENO), fd = open(dump, O_RDONLY | O_CLOEXEC), code;

	MUST(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
	code = tp_import("-", path, opt, result, err);
	if (saved >= 0) {
		MUST(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
		close(saved);
	}
	return code;
}

/* One who may do little else fills the file that another one publishes. */
static int import_draft(const char *dump, const char *path, const struct tp_import_options *opt,
			struct tp_import_result *result, struct tp_err *err)
{
	struct tp_import_options with = *opt;
	struct tp_temp_store temp;
	int code;

	MUST(!tp_temp_store_create(&temp, path));
	with.store.temp = &temp;
	code = tp_import(dump, path, &with, result, err);
	if (!code && !result->known)
		code = tp_temp_store_close(&temp, false, err);
	if (!code)
		code = tp_import_publish(path, &with, result, err);
	tp_temp_store_release(&temp);
	return code;
}

/* The same dump once more changes nothing but labels. */
static void import_again(const char *dump, const char *path, const struct tp_import_options *opt,
			 const struct tp_import_result *first)
{
	static const char *const labels[] = {"rev=c", "more=", "rev=d"};
	struct tp_import_options with = *opt;
	struct tp_import_result second;
	struct tp_err err;

	with.labels = labels;
	with.nlabels = 3;
	MUST(!tp_import(dump, path, &with, &second, &err));
	MUST(second.known && second.run == first->run);
}

static int import_by(enum way way, const char *dump, const char *path,
		     const struct tp_import_options *opt, struct tp_import_result *result,
		     struct tp_err *err)
{
	static const char *const labels[] = {"rev=a", "rev=b", "x="};
	struct tp_import_options with = *opt;

	switch (way) {
	case STDIN:
		return import_stdin(dump, path, opt, result, err);
	case DRAFT:
		return import_draft(dump, path, opt, result, err);
	case LABELS:
		with.labels = labels;
		with.nlabels = 3;
		return tp_import(dump, path, &with, result, err);
	default:
		return tp_import(dump, path, opt, result, err);
	}
}

bool fuzz_import(const uint8_t *data, size_t size, const struct tp_import_options *opt,
		 struct fuzz_store *out)
{
	uint64_t pick = ~fuzz_hash(data, size);
	enum way way = fuzz_pick(&pick, 2 * WAYS);
	struct tp_buf packed = {0};
	struct tp_err err = {0};
	const char *dump;

	if (way >= WAYS || (way <= ZST && tp_packing_of(data, size) != TP_PACKING_NONE))
		way = PLAIN;
	if (way == GZ || way == ZST) {
		pack(data, size, way, &packed);
		dump = fuzz_file("dump", packed.data, packed.size);
		tp_buf_release(&packed);
	} else {
		dump = fuzz_file("dump", data, size);
	}
	if (way != PLAIN && tp_packing_of(data, size) == TP_PACKING_NONE)
		check_head(dump, data, size);
	memset(out, 0, sizeof(*out));
	out->path = fuzz_path("store");
	unlink(out->path);
	if (import_by(way, dump, out->path, opt, &out->result, &err)) {
		MUST_SAY(err);
		check_left("dump", "");
		return false;
	}
	if (way == AGAIN)
		import_again(dump, out->path, opt, &out->result);
	check_left("dump", "store");
	MUST(!tp_store_open(&out->s, out->path, &err));
	MUST(!rep_runs_load(out->s, &out->runs, &err) && out->runs.n == 1);
	out->run = &out->runs.run[0];
	return true;
}

void fuzz_close(struct fuzz_store *f)
{
	rep_runs_release(&f->runs);
	tp_store_close(f->s);
	unlink(f->path);
	memset(f, 0, sizeof(*f));
}
