#include "tprof-record/api/lib.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/many.h"
#include "tprof-record/convert/trace/trace.h"

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
	struct api_layout *to = ctx;

	if (!to->error)
		to->error = api_write(to->fd, data, size);
	if (to->error)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "temporary file: %s",
				  strerror(to->error));
	to->size += size;
	return 0;
}

int api_lay_out(const struct rec_host *h, struct rec_spool *records, struct api_layout *to)
{
	enum rec_trace_format format = to->format == TPROF_GO_1_5 ? REC_GO_1_5 : REC_GO_1_26;
	struct tp_out out = {.write = put, .ctx = to};
	struct rec_process p;
	struct tp_err err = {0};
	int code;

	to->fd = rec_nameless_file(api_folder());
	if (to->fd < 0)
		to->fd = memfd_create("tprof", MFD_CLOEXEC);
	if (to->fd < 0)
		return errno;
	h->modules_read();
	code = api_process_copy(h, &p, &err);
	if (code)
		return api_errno(code);
	code = rec_spool_map(records, &p.events, &err);
	p.nevents = records->n;
	p.begin_ns = to->begin_ns;
	if (!code)
		code = rec_trace_write(&p, format, &out, &to->symbols, NULL, &err);
	rec_process_free(&p);
	return to->error ? to->error : api_errno(code);
}
