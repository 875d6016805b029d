/* Packed files that are little themselves and much inside. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "hostile/cases.h"

static void gzip(struct pen *p, const void *data, size_t size)
{
	z_stream z = {0};
	size_t room;
	uint8_t *to;

	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
		p->failed = true;
		return;
	}
	room = deflateBound(&z, size);
	to = malloc(room);
	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = to;
	z.avail_out = (uInt)room;
	if (!to || deflate(&z, Z_FINISH) != Z_STREAM_END)
		p->failed = true;
	else
		pen_bytes(p, to, room - z.avail_out);
	deflateEnd(&z);
	free(to);
}

static void zstd(struct pen *p, const void *data, size_t size)
{
	size_t room = ZSTD_compressBound(size), n;
	uint8_t *to = malloc(room);

	n = to ? ZSTD_compress(to, room, data, size, 3) : 0;
	if (!to || ZSTD_isError(n))
		p->failed = true;
	else
		pen_bytes(p, to, n);
	free(to);
}

typedef void pack(struct pen *p, const void *data, size_t size);

/* A beginning, then zeros, of `size` bytes. */
static void pack_zeros(struct pen *p, pack *how, const char *head, size_t size)
{
	uint8_t *data = calloc(1, size);

	if (!data) {
		p->failed = true;
		return;
	}
	memcpy(data, head, strlen(head));
	how(p, data, size);
	free(data);
}

/* One member of as much as deflate can make of a file of this size. */
static void gz_bomb(struct pen *p)
{
	pack_zeros(p, gzip, "heap profile: 1: 1 [1: 1] @ heap/1\n", p->size * 1000);
}

static void gz_members(struct pen *p)
{
	while (!pen_full(p))
		pack_zeros(p, gzip, "heap profile: 1: 1 [1: 1] @ heap/1\n", 1 << 20);
}

static void gz_tiny_members(struct pen *p)
{
	struct pen one = {0};

	gzip(&one, "a", 1);
	while (!pen_full(p))
		pen_bytes(p, one.out.data, one.out.size);
	tp_buf_release(&one.out);
}

static void gz_empty_members(struct pen *p)
{
	struct pen one = {0};

	pen_text(&one, "heap profile: 1: 1 [1: 1] @ heap/1\n");
	gzip(p, one.out.data, one.out.size);
	tp_buf_release(&one.out);
	one.out = (struct tp_buf){0};
	gzip(&one, "", 0);
	while (!pen_full(p))
		pen_bytes(p, one.out.data, one.out.size);
	tp_buf_release(&one.out);
}

static void zst_bomb(struct pen *p)
{
	while (!pen_full(p))
		pack_zeros(p, zstd, "heap profile: 1: 1 [1: 1] @ heap/1\n", 100 << 20);
}

static void zst_frames(struct pen *p)
{
	struct pen one = {0};

	pack_zeros(&one, zstd, "a", 1 << 20);
	while (!pen_full(p))
		pen_bytes(p, one.out.data, one.out.size);
	tp_buf_release(&one.out);
}

/* Frames to be skipped, then one of a profile. */
static void zst_skippable(struct pen *p)
{
	while (!pen_full(p))
		pen_bytes(p, "\x50\x2a\x4d\x18\0\0\0\0", 8);
	zstd(p, "heap profile: 1: 1 [1: 1] @ heap/1\n", 35);
}

/* A window of 2 GiB, which a reader has to keep: frame header 0x00 = no size, no checksum; window
 * exponent 21 (1 << 31 bytes); blocks of one repeated byte. */
static void zst_window(struct pen *p)
{
	pen_bytes(p, "\x28\xb5\x2f\xfd\x00\xa8", 6);
	while (!pen_full(p)) {
		uint32_t block = 131072u << 3 | 1u << 1; /* RLE of 128 KiB */

		pen_bytes(p, &block, 3);
		pen_byte(p, 'a');
	}
}

/* The largest window that decoders take unasked, 128 MiB. */
static void zst_window_taken(struct pen *p)
{
	pen_bytes(p, "\x28\xb5\x2f\xfd\x00\x88", 6);
	while (!pen_full(p)) {
		uint32_t block = 131072u << 3 | 1u << 1;

		pen_bytes(p, &block, 3);
		pen_byte(p, 'a');
	}
}

static void packed(struct pen *p, pack *how, const char *name, size_t size)
{
	struct pen inner = {0};

	hostile_make(&inner, name, size);
	p->failed |= inner.failed;
	how(p, inner.out.data, inner.out.size);
	tp_buf_release(&inner.out);
}

/* Another case, `times` as large as the file is to be. */
#define PACKED(name, how, of, times)                                                               \
	static void name(struct pen *p)                                                            \
	{                                                                                          \
		packed(p, how, of, p->size *(times));                                              \
	}

/* Traces and profiles that pack well. */
/* clang-format off */
PACKED(gz_spans, gzip, "v2-spans-tiny", 7)
PACKED(gz_goroutines, gzip, "v2-goroutines", 4)
PACKED(gz_threads, gzip, "sched-threads", 8)
PACKED(gz_regions, gzip, "v2-regions-open", 500)
PACKED(gz_heap_alike, gzip, "text-heap-alike", 400)
PACKED(gz_samples, gzip, "pb-samples", 8)
PACKED(gz_empty_strings, gzip, "pb-empty-strings", 200)
PACKED(gz_types, gzip, "pb-types-only", 200)
PACKED(gz_empty_samples, gzip, "pb-empty-samples", 200)
PACKED(gz_empty_batches, gzip, "v2-empty-batches", 200)
PACKED(gz_dump, gzip, "dump-goroutines", 8)
PACKED(gz_names_nearly, gzip, "text-heap-names-nearly", 60)
PACKED(gz_names_long, gzip, "text-heap-names-long", 60)
PACKED(gz_elsewhere, gzip, "text-counts-elsewhere", 60)
PACKED(symbols_name, gzip, "symbols-name", 60)
PACKED(zst_regions, zstd, "v2-regions-open", 500)
PACKED(zst_addresses, zstd, "elf-addresses", 4)
/* clang-format on */

/* gzip in gzip: what is unpacked is no profile. */
static void gz_gz(struct pen *p)
{
	struct pen inner = {.size = p->size};

	gz_bomb(&inner);
	gzip(p, inner.out.data, inner.out.size);
	p->failed |= inner.failed;
	tp_buf_release(&inner.out);
}

const struct hostile_case hostile_packed[] = {
    {"gz-bomb", "a thousand times its size of zeros", gz_bomb},
    {"gz-members", "members of a MiB each", gz_members},
    {"gz-tiny-members", "members of a byte", gz_tiny_members},
    {"gz-empty-members", "members of nothing", gz_empty_members},
    {"gz-gz", "a bomb packed once more", gz_gz},
    {"gz-spans", "a trace of spans", gz_spans},
    {"gz-goroutines", "a trace of goroutines", gz_goroutines},
    {"gz-threads", "a trace of threads", gz_threads},
    {"gz-regions", "a trace of open regions", gz_regions},
    {"gz-heap", "buckets that are all alike", gz_heap_alike},
    {"gz-samples", "samples", gz_samples},
    {"gz-empty-samples", "samples of nothing", gz_empty_samples},
    {"gz-empty-strings", "strings of nothing", gz_empty_strings},
    {"gz-types", "sample types of nothing", gz_types},
    {"gz-empty-batches", "batches of nothing", gz_empty_batches},
    {"gz-dump", "goroutines without stacks", gz_dump},
    {"gz-names-nearly", "mappings in lines of what nearly is a name", gz_names_nearly},
    {"gz-names-long", "mappings in lines of names that stand for much", gz_names_long},
    {"gz-elsewhere", "names for addresses that are elsewhere", gz_elsewhere},
    {"symbols-name-packed", "addresses of a trace, all of one very long name", symbols_name},
    {"zst-bomb", "zeros", zst_bomb},
    {"zst-frames", "frames of a MiB each", zst_frames},
    {"zst-skippable", "frames to be skipped", zst_skippable},
    {"zst-window", "a window of 2 GiB", zst_window},
    {"zst-window-taken", "a window of 128 MiB", zst_window_taken},
    {"zst-regions", "a trace of open regions", zst_regions},
    {"zst-addresses", "a profile of addresses for small programs", zst_addresses},
    {NULL, NULL, NULL},
};
