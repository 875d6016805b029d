/* A trace that is written as it goes: the records so far become a part, which Go's tools can read as soon as it is
 * complete. */
#include "tprof-record/api/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/many.h"
#include "base/out.h"
#include "tprof-record/convert/names/images.h"
#include "tprof-record/convert/trace/trace.h"

enum {
	/* Records of a part. */
	MOST_RECORDS = 1 << 20,
	/* A part ends so long ago that what followed is known as well: who woke a thread, its name. */
	LAG_NS = 20000000,
};

const char *api_folder(void)
{
	static const char *const folders[] = {"/var/tmp", "/tmp", "/dev/shm"};

	for (size_t i = 0; i < TP_COUNT_OF(folders); i++)
		if (!access(folders[i], W_OK | X_OK))
			return folders[i];
	return ".";
}

static int put(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct api_stream *s = ctx;

	return tp_buf_put(&s->part, data, size) ? tp_nomem(err) : 0;
}

int api_stream_begin(struct api_stream *s, enum tprof_format format, uint64_t begin_ns)
{
	struct tp_out out = {.write = put, .ctx = s};

	*s = (struct api_stream){.begin_ns = begin_ns, .until = begin_ns};
	/* Without them, files are opened for each part. */
	s->images = rec_images_new(NULL, NULL);
	s->tracer = rec_trace_new(format == TPROF_GO_1_5 ? REC_GO_1_5 : REC_GO_1_26, &out, &s->err);
	return s->tracer ? 0 : api_errno(s->err.code);
}

void api_stream_end(struct api_stream *s)
{
	rec_trace_free(s->tracer);
	rec_images_free(s->images);
	tp_buf_release(&s->part);
	tp_buf_release(&s->symbols);
	*s = (struct api_stream){0};
}

/* Frees the disk space of the records that are not needed any more. */
static void drop_records(const struct api_stream *s, const struct rec_spool *records)
{
	off_t size = (off_t)(s->done * sizeof(struct rec_event)) & -sysconf(_SC_PAGESIZE);

	/* Where that is not possible, the file only stays larger. */
	if (size && fallocate(records->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size))
		return;
}

/* Writes the records of the file from the first one that is needed. */
static int add(struct api_stream *s, struct rec_process *p, const struct rec_spool *records,
	       size_t n, uint64_t until)
{
	off_t at = (off_t)(s->done * sizeof(struct rec_event)), page = at & -sysconf(_SC_PAGESIZE);
	size_t size = n * sizeof(struct rec_event) - (size_t)page, done;
	char *map = NULL;
	int code;

	if (n > s->done) {
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, records->fd, page);
		if (map == MAP_FAILED)
			return errno;
		p->events = (const struct rec_event *)(const void *)(map + (at - page));
		p->nevents = n - s->done;
	}
	if (p->nevents > MOST_RECORDS && p->events[MOST_RECORDS - 1].end < until &&
	    p->events[MOST_RECORDS - 1].end > s->until) {
		p->nevents = MOST_RECORDS;
		until = p->events[MOST_RECORDS - 1].end;
	}
	if (until < s->until)
		until = s->until;
	s->symbols.size = 0;
	code = rec_trace_add(s->tracer, p, until, &done, &s->symbols, &s->err);
	s->until = until;
	s->done += done;
	if (map)
		munmap(map, size);
	return api_errno(code);
}

int api_stream_part(const struct rec_host *h, struct api_stream *s, struct rec_spool *records,
		    size_t (*take)(const struct rec_host *), bool last)
{
	uint64_t now = h->now();
	struct rec_process p;
	int code;

	h->modules_read();
	if (!last)
		api_write_clocks(h);
	code = api_errno(api_process_copy(h, &p, &s->err));
	if (code)
		return code;
	p.begin_ns = s->begin_ns;
	p.images = s->images;
	/* What was over when the copy was made is in the records. */
	code = add(s, &p, records, take(h), last ? UINT64_MAX : now - LAG_NS);
	rec_process_free(&p);
	if (code)
		s->part.size = 0;
	else
		drop_records(s, records);
	return code;
}
