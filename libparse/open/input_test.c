#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "open/input.h"
#include "open/unpack.h"

/* A temporary folder, and a path in it. */
struct place {
	char dir[64];
	char path[96];
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/tprof-input-XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(p->path, sizeof(p->path), "%s/dump", p->dir);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	rmdir(p->dir);
	free(p);
	return 0;
}

static void write_file(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Returns n bytes that compress, but not extremely. */
static uint8_t *make_bytes(size_t n)
{
	uint8_t *p = malloc(n ? n : 1);
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)(x >> 29);
	}
	return p;
}

static size_t pack_gz_at(int level, const uint8_t *data, size_t n, uint8_t *out, size_t room)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static size_t pack_gz(const uint8_t *data, size_t n, uint8_t *out, size_t room)
{
	return pack_gz_at(6, data, n, out, room);
}

static size_t pack_zst(const uint8_t *data, size_t n, uint8_t *out, size_t room)
{
	size_t size = ZSTD_compress(out, room, data, n, 3);

	assert_false(ZSTD_isError(size));
	return size;
}

static void assert_hash(const struct tp_input *in)
{
	XXH128_canonical_t want;

	XXH128_canonicalFromHash(&want, XXH3_128bits(in->data, in->size));
	assert_memory_equal(in->hash, want.digest, 16);
}

#define N ((size_t)700001)

static void test_open_plain(void **state)
{
	struct place *p = *state;
	uint8_t *data = make_bytes(N);
	struct tp_err err = {0};
	struct tp_input *in;
	char damaged[160];

	write_file(p->path, data, N);
	assert_int_equal(tp_input_open(&in, p->path, NULL, damaged, &err), 0);
	assert_int_equal(in->size, N);
	assert_int_equal(in->stored_size, N);
	assert_memory_equal(in->data, data, N);
	assert_string_equal(in->packing, "");
	assert_string_equal(damaged, "");
	assert_true(in->mtime_ns > 1000000000LL * 1000000000);
	assert_hash(in);
	tp_input_done_with(in, 100, N - 5);
	tp_input_done_with(in, N, 3);
	assert_memory_equal(in->data, data, N);
	tp_input_close(in);
	free(data);
}

static void test_open_empty(void **state)
{
	struct place *p = *state;
	struct tp_err err = {0};
	struct tp_input *in;

	write_file(p->path, "", 0);
	assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), 0);
	assert_int_equal(in->size, 0);
	assert_non_null(in->data);
	assert_hash(in);
	tp_input_close(in);
}

enum packing { GZ, ZST, GZ_TWICE, ZST_TWICE, GZ_PADDED, ZST_SKIPPABLE };

static void test_open_packed(void **state)
{
	static const enum packing packings[] = {GZ,	   ZST,	      GZ_TWICE,
						ZST_TWICE, GZ_PADDED, ZST_SKIPPABLE};
	struct place *p = *state;
	uint8_t *data = make_bytes(N), *packed = malloc(2 * N);

	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		bool gz = packings[i] == GZ || packings[i] == GZ_TWICE || packings[i] == GZ_PADDED;
		bool twice = packings[i] == GZ_TWICE || packings[i] == ZST_TWICE;
		size_t first = twice ? 1000 : N, n = 0;
		struct tp_err err = {0};
		struct tp_input *in;
		char damaged[160];

		if (packings[i] == ZST_SKIPPABLE) {
			memcpy(packed, "\x51\x2a\x4d\x18\x03\0\0\0abc", 11);
			n = 11;
		}
		n += (gz ? pack_gz : pack_zst)(data, first, packed + n, 2 * N - n);
		if (twice)
			n += (gz ? pack_gz : pack_zst)(data + first, N - first, packed + n,
						       2 * N - n);
		if (packings[i] == GZ_PADDED) {
			memset(packed + n, 0, 1000);
			n += 1000;
		}
		write_file(p->path, packed, n);
		assert_int_equal(tp_input_open(&in, p->path, NULL, damaged, &err), 0);
		assert_int_equal(in->size, N);
		assert_int_equal(in->stored_size, n);
		assert_memory_equal(in->data, data, N);
		assert_string_equal(in->packing, gz ? "gz" : "zst");
		assert_string_equal(damaged, "");
		assert_hash(in);
		tp_input_done_with(in, 0, N);
		assert_memory_equal(in->data, data, N);
		tp_input_close(in);
	}
	free(packed);
	free(data);
}

/* Data that fills the buffer for unpacked bytes exactly is still complete. */
static void test_open_packed_full_rooms(void **state)
{
	struct place *p = *state;
	size_t n = 2 * TP_UNPACK_BYTES;
	uint8_t *data = make_bytes(n), *packed = malloc(2 * n);

	for (int gz = 0; gz < 2; gz++) {
		struct tp_err err = {0};
		struct tp_input *in;
		char damaged[160];

		write_file(p->path, packed, (gz ? pack_gz : pack_zst)(data, n, packed, 2 * n));
		assert_int_equal(tp_input_open(&in, p->path, NULL, damaged, &err), 0);
		assert_string_equal(damaged, "");
		assert_int_equal(in->size, n);
		assert_memory_equal(in->data, data, n);
		tp_input_close(in);
	}
	free(packed);
	free(data);
}

/* A cut or changed compressed file does not crash the reader, and the bytes read are a prefix. */
static void test_open_packed_damaged(void **state)
{
	struct place *p = *state;
	uint8_t *data = make_bytes(N), *packed = malloc(2 * N);

	for (int gz = 0; gz < 2; gz++) {
		size_t n = (gz ? pack_gz : pack_zst)(data, N, packed, 2 * N);

		for (size_t cut = 5; cut < n; cut += n / 23) {
			struct tp_err err = {0};
			struct tp_input *in;
			char damaged[160];
			int code;

			write_file(p->path, packed, cut);
			assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), TP_EFORMAT);
			assert_null(in);
			code = tp_input_open(&in, p->path, NULL, damaged, &err);
			if (code) {
				assert_int_equal(code, TP_EFORMAT);
				assert_true(cut < n / 2);
				continue;
			}
			assert_true(in->size > 0 && in->size <= N);
			assert_memory_equal(in->data, data, in->size);
			assert_non_null(strstr(damaged, "too early"));
			assert_hash(in);
			tp_input_close(in);
		}
		for (size_t at = n / 2; at < n; at += n / 17) {
			struct tp_err err = {0};
			struct tp_input *in;
			char damaged[160];

			packed[at] ^= 0x55;
			write_file(p->path, packed, n);
			packed[at] ^= 0x55;
			if (!tp_input_open(&in, p->path, NULL, damaged, &err)) {
				assert_true(in->size <= N);
				/* This zstd data has no checksum, so a changed literal is not detected. */
				if (gz)
					assert_true(damaged[0]);
				tp_input_close(in);
			}
		}
	}
	free(packed);
	free(data);
}

static void test_open_gz_garbage_behind(void **state)
{
	struct place *p = *state;
	uint8_t *data = make_bytes(5000), packed[10000];
	size_t n = pack_gz(data, 5000, packed, sizeof(packed));
	struct tp_err err = {0};
	struct tp_input *in;
	char damaged[160];

	memcpy(packed + n, "xyz", 3);
	write_file(p->path, packed, n + 3);
	assert_int_equal(tp_input_open(&in, p->path, NULL, damaged, &err), 0);
	assert_int_equal(in->size, 5000);
	assert_non_null(strstr(damaged, "follows"));
	tp_input_close(in);
	free(data);
}

static void test_open_bomb(void **state)
{
	struct place *p = *state;
	size_t n = (size_t)96 << 20;
	uint8_t *zeros = calloc(1, n), *packed = malloc(n / 100);
	struct tp_input_options low = {.max_ratio = 50}, small = {.max_size = 1 << 20};
	struct tp_input_options high = {.max_ratio = 100000};
	struct tp_err err = {0};
	struct tp_input *in;

	write_file(p->path, packed, pack_gz_at(1, zeros, n, packed, n / 100));
	assert_int_equal(tp_input_open(&in, p->path, &low, NULL, &err), TP_ELIMIT);
	assert_null(in);
	assert_non_null(strstr(err.msg, "50 times"));
	assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), TP_ELIMIT);
	assert_non_null(strstr(err.msg, "100 times"));
	assert_int_equal(tp_input_open(&in, p->path, &small, NULL, &err), TP_ELIMIT);
	assert_int_equal(tp_input_open(&in, p->path, &high, NULL, &err), 0);
	assert_int_equal(in->size, n);
	tp_input_close(in);
	/* gzip at a low level packs zeros 200 to 1; zstd packs them better. */
	write_file(p->path, packed, pack_zst(zeros, n, packed, n / 100));
	assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), TP_ELIMIT);
	free(packed);
	free(zeros);
}

static void test_open_not_a_file(void **state)
{
	struct place *p = *state;
	struct tp_err err = {0};
	struct tp_input *in = (void *)1;

	assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), TP_ENOENT);
	assert_null(in);
	assert_int_equal(tp_input_open(&in, p->dir, NULL, NULL, &err), TP_EUNKNOWN);
	assert_non_null(strstr(err.msg, "folder"));
	write_file(p->path, "x", 1);
	assert_int_equal(chmod(p->path, 0), 0);
	if (geteuid())
		assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), TP_EIO);
}

/* Makes standard input a pipe whose writer writes small pieces. */
static void feed_stdin(const uint8_t *data, size_t n, void (*check)(const uint8_t *, size_t))
{
	int ends[2], saved = dup(0);
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		close(ends[0]);
		for (size_t at = 0, step = 1; at < n; at += step, step = step * 2 + 1) {
			size_t left = n - at < step ? n - at : step;

			if (write(ends[1], data + at, left) != (ssize_t)left)
				_exit(1);
			if (step < 64)
				usleep(1000);
		}
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	check(data, n);
	dup2(saved, 0);
	close(saved);
	waitpid(child, NULL, 0);
}

static void check_stdin_plain(const uint8_t *data, size_t n)
{
	struct tp_err err = {0};
	struct tp_input *in;

	assert_int_equal(tp_input_open(&in, "-", NULL, NULL, &err), 0);
	assert_int_equal(in->size, n);
	assert_memory_equal(in->data, data, n);
	assert_int_equal(in->mtime_ns, 0);
	assert_hash(in);
	tp_input_close(in);
}

static void check_stdin_gz(const uint8_t *data, size_t n)
{
	struct tp_err err = {0};
	struct tp_input *in;

	(void)data;
	assert_int_equal(tp_input_open(&in, "-", NULL, NULL, &err), 0);
	assert_int_equal(in->stored_size, n);
	assert_int_equal(in->size, 100000);
	assert_string_equal(in->packing, "gz");
	tp_input_close(in);
}

static void test_open_stdin(void **state)
{
	uint8_t *data = make_bytes(100000), *packed = malloc(200000);

	(void)state;
	feed_stdin(data, 100000, check_stdin_plain);
	feed_stdin(data, 2, check_stdin_plain);
	feed_stdin(packed, pack_gz(data, 100000, packed, 200000), check_stdin_gz);
	free(packed);
	free(data);
}

static void test_open_fifo(void **state)
{
	struct place *p = *state;
	struct tp_err err = {0};
	struct tp_input *in;
	pid_t child;

	assert_int_equal(mkfifo(p->path, 0600), 0);
	child = fork();
	if (!child) {
		int fd = open(p->path, O_WRONLY);

		_exit(write(fd, "hello", 5) != 5);
	}
	assert_int_equal(tp_input_open(&in, p->path, NULL, NULL, &err), 0);
	assert_int_equal(in->size, 5);
	assert_memory_equal(in->data, "hello", 5);
	tp_input_close(in);
	waitpid(child, NULL, 0);
}

static int stop_at_once(void *ctx, uint64_t done, uint64_t total)
{
	*(uint64_t *)ctx = total;
	return done > 0;
}

static void test_open_cancelled(void **state)
{
	struct place *p = *state;
	uint8_t *data = make_bytes(N), *packed = malloc(2 * N);
	uint64_t total = 0;
	struct tp_input_options opt = {.progress = stop_at_once, .progress_ctx = &total};
	struct tp_err err = {0};
	struct tp_input *in;
	size_t n;

	write_file(p->path, data, N);
	assert_int_equal(tp_input_open(&in, p->path, &opt, NULL, &err), TP_ECANCEL);
	assert_int_equal(total, N);
	/* Make the file larger than the first read, so that a second one reports progress. */
	n = pack_zst(data, N, packed, 2 * N);
	for (size_t i = 0; i < 3; i++)
		memcpy(packed + i * n, packed, n);
	write_file(p->path, packed, 3 * n);
	assert_int_equal(tp_input_open(&in, p->path, &opt, NULL, &err), TP_ECANCEL);
	assert_int_equal(total, 3 * n);
	free(packed);
	free(data);
}

static long resident_pages(void)
{
	long size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &size, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident;
}

/* MemorySanitizer keeps a byte for each byte that was read. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define HAS_SHADOW true
#endif
#endif
#ifndef HAS_SHADOW
#define HAS_SHADOW false
#endif

/* 64 MiB are hashed without staying in memory. */
static void test_open_stays_small(void **state)
{
	struct place *p = *state;
	size_t n = (size_t)64 << 20;
	struct rusage before, after;
	struct tp_err err = {0};
	struct tp_input *in;
	uint8_t *data;
	long pages;
	pid_t child;
	int status;

	if (HAS_SHADOW) {
		print_message("MemorySanitizer has a byte in memory for each that was looked at\n");
		skip();
	}
	data = make_bytes(n);
	write_file(p->path, data, n);
	free(data);
	/* The peak covers the whole life of a process, so measure it in a new child. */
	child = fork();
	if (!child) {
		getrusage(RUSAGE_SELF, &before);
		pages = resident_pages();
		if (tp_input_open(&in, p->path, NULL, NULL, &err))
			_exit(1);
		getrusage(RUSAGE_SELF, &after);
		if (resident_pages() - pages > (long)((8 << 20) / 4096))
			_exit(2);
		_exit(after.ru_maxrss > before.ru_maxrss + (24 << 10) ? 3 : 0);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* An unusable folder for temporary files is skipped; in a usable one no files remain. */
static void test_open_tmp_dir(void **state)
{
	struct place *p = *state;
	uint8_t *data = make_bytes(5000), packed[10000];
	const char *dirs[] = {p->dir, "/nowhere/at/all", ""};

	write_file(p->path, packed, pack_gz(data, 5000, packed, sizeof(packed)));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		struct tp_input_options opt = {.tmp_dir = dirs[i]};
		struct tp_err err = {0};
		struct tp_input *in;

		assert_int_equal(tp_input_open(&in, p->path, &opt, NULL, &err), 0);
		assert_memory_equal(in->data, data, 5000);
		/* tear_down removes the folder, which works only while it holds nothing but the
		 * dump. */
		tp_input_close(in);
	}
	assert_int_equal(unlink(p->path), 0);
	assert_int_equal(rmdir(p->dir), 0);
	free(data);
}

static void test_from_memory(void **state)
{
	struct tp_err err = {0};
	char data[] = "content";
	struct tp_input *in;

	(void)state;
	assert_int_equal(tp_input_from_memory(&in, data, 7, &err), 0);
	assert_hash(in);
	/* The caller's memory is never released. */
	tp_input_done_with(in, 0, 7);
	assert_memory_equal(in->data, "content", 7);
	tp_input_close(in);
	tp_input_close(NULL);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(test_open_plain),	    CASE(test_open_empty),
	    CASE(test_open_packed),	    CASE(test_open_packed_full_rooms),
	    CASE(test_open_packed_damaged), CASE(test_open_gz_garbage_behind),
	    CASE(test_open_bomb),	    CASE(test_open_not_a_file),
	    CASE(test_open_stdin),	    CASE(test_open_fifo),
	    CASE(test_open_cancelled),	    CASE(test_open_stays_small),
	    CASE(test_open_tmp_dir),	    cmocka_unit_test(test_from_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
