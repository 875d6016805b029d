/* Profiles as files. */
#include <errno.h>
#include <string.h>

#include "tprof-record/api/lib.h"
#include "tprof-record/convert/profile/profile.h"

static int profile_kind(const char *name, enum rec_profile_kind *kind)
{
	for (int i = REC_PROFILE_HEAP; i < REC_NPROFILES; i++)
		if (!strcmp(name, rec_profile_name((enum rec_profile_kind)i))) {
			*kind = (enum rec_profile_kind)i;
			return 0;
		}
	return EINVAL;
}

static int make_profile(const struct rec_host *h, enum rec_profile_kind kind, bool text,
			const uint64_t *own, size_t nown, struct tp_buf *out)
{
	struct api_stacks stacks = {0};
	struct tp_profile *made = NULL;
	struct tp_err err = {0};
	int code = 0;

	h->modules_read();
	if (kind == REC_PROFILE_LEAK)
		code = api_leaks(h, &stacks.live);
	if (kind == REC_PROFILE_GOROUTINE)
		code = api_stacks_take(h, own, nown, SIZE_MAX, &stacks);
	else if (!code)
		code = api_errno(api_process_copy(h, &stacks.process, &err));
	if (!code)
		code = api_errno(
		    rec_profile_write(&stacks.process, kind, &stacks.live, text, out, &made, &err));
	tp_profile_free(made);
	api_stacks_release(&stacks);
	return code;
}

int tprof_write_profile(const char *name, int fd, int debug)
{
	struct api_inside was;
	enum rec_profile_kind kind;
	const struct rec_host *h;
	uint64_t own[API_MAX_DEPTH];
	struct tp_buf out = {0};
	size_t nown;
	int code = name ? profile_kind(name, &kind) : EINVAL;

	if (code || debug < 0)
		return EINVAL;
	code = api_begin(&h);
	if (code)
		return code;
	nown = h->backtrace(own, API_MAX_DEPTH, 1);
	was = api_inside(h);
	if (kind == REC_PROFILE_GOROUTINE && debug >= 2)
		code = api_text_stacks(h, own, nown, true, &out);
	else
		code = make_profile(h, kind, debug > 0, own, nown, &out);
	if (!code)
		code = api_write(fd, out.data, out.size);
	if (!code && rec_profile_loses(&(struct rec_process){.arena = *api_arena(h)}, kind))
		code = ENOBUFS;
	tp_buf_release(&out);
	api_outside(h, was);
	return code;
}
