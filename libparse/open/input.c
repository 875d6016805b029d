#include "open/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/big.h"
#include "open/gunzip.h"
#include "open/unpack.h"

/* Bytes hashed before their pages are released. Hashing adds that much to resident memory. */
#define WINDOW ((size_t)4 << 20)

/* Values of tp_input.priv: data is our mapping, or allocated memory. */
static char mapped_mark, memory_mark;

static const struct tp_input_options no_options;

static int map(struct tp_input *in, int fd, uint64_t size, struct tp_err *err)
{
	void *p;

	in->data = (const uint8_t *)"";
	in->size = 0;
	if (!size)
		return 0;
	if (size > SIZE_MAX / 2)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "is too large to be mapped on this machine");
	p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return tp_err_set(err, errno == ENOMEM ? TP_ENOMEM : TP_EIO, TP_OFFSET_NONE,
				  "cannot map the file: %s", strerror(errno));
	in->data = p;
	in->size = (size_t)size;
	in->priv = &mapped_mark;
	return 0;
}

/* Hashes the bytes up to `to`. */
static void hash_on(struct tp_input *in, size_t to)
{
	XXH3_128bits_update(in->hashing, in->data + in->hashed, to - in->hashed);
	in->hashed = to;
}

int tp_input_hash(struct tp_input *in, const struct tp_input_options *opt, struct tp_err *err)
{
	if (!in->hashing)
		return 0;
	while (in->hashed < in->size) {
		size_t from = in->hashed, left = in->size - from;

		hash_on(in, from + (left < WINDOW ? left : WINDOW));
		tp_input_done_with(in, from, in->hashed);
		if (opt->progress && opt->progress(opt->progress_ctx, in->hashed, in->size))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "cancelled");
	}
	XXH128_canonicalFromHash((XXH128_canonical_t *)in->hash, XXH3_128bits_digest(in->hashing));
	XXH3_freeState(in->hashing);
	in->hashing = NULL;
	return 0;
}

/* Maps the file. If the file is cut while mapped, access to it raises SIGBUS; without a signal
 * handler, only changes made before the mapping is used can be detected. */
static int open_plain(struct tp_input *in, int fd, const struct stat *st,
		      const struct tp_input_options *opt, struct tp_err *err)
{
	struct stat now;
	int code;

	if (opt->max_size && (uint64_t)st->st_size > opt->max_size)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "is larger than the limit of %llu bytes",
				  (unsigned long long)opt->max_size);
	code = map(in, fd, (uint64_t)st->st_size, err);
	if (code)
		return code;
	in->hashing = XXH3_createState();
	if (!in->hashing)
		return tp_nomem(err);
	XXH3_128bits_reset(in->hashing);
	if (!opt->hash_later)
		code = tp_input_hash(in, opt, err);
	if (code)
		return code;
	if (fstat(fd, &now))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be examined: %s",
				  strerror(errno));
	if (now.st_size < st->st_size)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "became shorter while it was read");
	in->stored_size = (uint64_t)st->st_size;
	return 0;
}

static int open_stream(struct tp_input *in, struct tp_source *s, enum tp_packing packing,
		       const struct tp_input_options *opt, char *damaged, struct tp_err *err)
{
	static const char names[][8] = {
	    [TP_PACKING_NONE] = "", [TP_PACKING_GZ] = "gz", [TP_PACKING_ZST] = "zst"};
	struct tp_unpacked unpacked;
	int code = tp_source_unpack(s, packing, opt, &unpacked, damaged, err);

	if (code)
		return code;
	memcpy(in->hash, unpacked.hash, sizeof(in->hash));
	memcpy(in->packing, names[packing], sizeof(in->packing));
	in->stored_size = s->taken;
	if (unpacked.fd >= 0) {
		code = map(in, unpacked.fd, unpacked.size, err);
		close(unpacked.fd);
		return code;
	}
	in->data = unpacked.memory ? unpacked.memory : (const uint8_t *)"";
	in->size = (size_t)unpacked.size;
	in->priv = unpacked.memory ? &memory_mark : NULL;
	return 0;
}

/* Unpacks a small .gz whose beginning is in `s`. Returns false if it has done nothing. */
static bool open_small_gz(struct tp_input *in, struct tp_source *s, const struct stat *st,
			  const struct tp_input_options *opt)
{
	size_t size = (size_t)st->st_size, unpacked = 0, at = s->have;
	uint8_t *gz = s->buf, *data;

	if ((uint64_t)st->st_size > TP_GUNZIP_MAX || size < s->have)
		return false;
	if (size > s->have) {
		gz = tp_big_alloc(size);
		if (!gz)
			return false;
		memcpy(gz, s->buf, s->have);
		while (at < size) {
			ssize_t n = pread(s->fd, gz + at, size - at, (off_t)at);

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break;
			at += (size_t)n;
		}
	}
	data = at == size ? tp_gunzip(gz, size, &unpacked) : NULL;
	if (gz != s->buf)
		free(gz);
	if (data && opt->max_size && unpacked > opt->max_size) {
		free(data);
		data = NULL;
	}
	in->hashing = data ? XXH3_createState() : NULL;
	if (!in->hashing) {
		free(data);
		return false;
	}
	XXH3_128bits_reset(in->hashing);
	in->data = data;
	in->size = unpacked;
	in->stored_size = size;
	in->priv = &memory_mark;
	memcpy(in->packing, "gz", 3);
	return true;
}

static int open_fd(struct tp_input *in, int fd, const struct tp_input_options *opt, char *damaged,
		   struct tp_err *err)
{
	struct tp_source s = {.fd = fd, .opt = opt};
	enum tp_packing packing;
	bool whole;
	struct stat st;
	long n = 1;
	int code;

	if (fstat(fd, &st))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot be examined: %s",
				  strerror(errno));
	if (S_ISDIR(st.st_mode))
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "this is a folder; a dump is needed");
	/* Standard input may be a file of which a part has been read already. */
	whole = S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
	if (S_ISREG(st.st_mode)) {
		in->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		s.total = (uint64_t)st.st_size;
	}
	s.buf = malloc(TP_UNPACK_BYTES);
	if (!s.buf)
		return tp_nomem(err);
	while (s.have < 4 && n > 0)
		n = tp_source_fill(&s);
	if (n < 0) {
		code = tp_source_error(&s, err);
		goto done;
	}
	packing = tp_packing_of(s.buf, s.have);
	/* Files of /proc and the like are regular, have no size and cannot be mapped. */
	if (whole && packing == TP_PACKING_NONE && (st.st_size || !s.have))
		code = open_plain(in, fd, &st, opt, err);
	else if (whole && packing == TP_PACKING_GZ && open_small_gz(in, &s, &st, opt))
		code = opt->hash_later ? 0 : tp_input_hash(in, opt, err);
	else
		code = open_stream(in, &s, packing, opt, damaged, err);
done:
	free(s.buf);
	return code;
}

int tp_input_open(struct tp_input **out, const char *path, const struct tp_input_options *opt,
		  char damaged[160], struct tp_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = STDIN_FILENO, code;
	struct tp_input *in;

	*out = NULL;
	if (damaged)
		damaged[0] = 0;
	in = calloc(1, sizeof(*in));
	if (!in)
		return tp_nomem(err);
	if (!is_stdin) {
		do
			fd = open(path, O_RDONLY | O_CLOEXEC);
		while (fd < 0 && errno == EINTR);
	}
	if (fd < 0) {
		bool none = errno == ENOENT || errno == ENOTDIR;

		code = tp_err_set(err, none ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s%s",
				  none ? "" : "cannot be opened: ", strerror(errno));
	} else {
		code = open_fd(in, fd, opt ? opt : &no_options, damaged, err);
		if (!is_stdin)
			close(fd);
	}
	if (code) {
		tp_input_close(in);
		return code;
	}
	*out = in;
	return 0;
}

int tp_input_from_memory(struct tp_input **out, const void *data, size_t size, struct tp_err *err)
{
	struct tp_input *in = calloc(1, sizeof(*in));

	*out = NULL;
	if (!in)
		return tp_nomem(err);
	in->data = size ? data : (const uint8_t *)"";
	in->size = size;
	in->stored_size = size;
	XXH128_canonicalFromHash((XXH128_canonical_t *)in->hash, XXH3_128bits(in->data, size));
	*out = in;
	return 0;
}

void tp_input_close(struct tp_input *in)
{
	if (!in)
		return;
	if (in->priv == &mapped_mark)
		munmap((void *)(uintptr_t)in->data, in->size);
	if (in->priv == &memory_mark)		   /* then malloc allocated it */
		free((void *)(uintptr_t)in->data); /* NOLINT(clang-analyzer-unix.Malloc) */
	XXH3_freeState(in->hashing);
	free(in);
}

void tp_input_done_with(struct tp_input *in, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* Memory that is not a mapping of a file would lose its content. */
	if (in->priv != &mapped_mark)
		return;
	if (to > in->size)
		to = in->size;
	/* These pages are about to be released: hash them now, or they must be read again. */
	if (in->hashing && from <= in->hashed + page && to > in->hashed)
		hash_on(in, to);
	from &= ~(page - 1);
	if (to < in->size)
		to &= ~(page - 1);
	if (from < to)
		madvise((void *)(uintptr_t)(in->data + from), to - from, MADV_DONTNEED);
}
