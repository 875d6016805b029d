/* Goroutine profiles as records, and all profiles as files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-record/api/process.h"
#include "tprof-record/api/spool.h"
#include "tprof-record/api/stacks.h"
#include "tprof-record/api/text.h"
#include "tprof-record/convert/profile/profile.h"

static void put_stack(struct tprof_stack_record *r, const uint64_t *pcs, size_t n)
{
	for (size_t i = 0; i < TPROF_MAX_STACK; i++)
		r->stack[i] = i < n ? (uintptr_t)pcs[i] : 0;
}

size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	struct api_inside was;
	const struct rec_host *h;
	struct api_stacks stacks;
	uint64_t own[API_MAX_DEPTH], pcs[REC_MAX_DEPTH];
	size_t n = 0, nown;

	if (ok)
		*ok = true;
	if (api_begin(&h))
		return 0;
	nown = h->backtrace(own, API_MAX_DEPTH, 1);
	was = api_inside(h);
	if (!api_stacks_take(h, own, nown, room ? room - 1 : 0, &stacks))
		n = stacks.others.n + 1;
	if (n > room) {
		if (ok)
			*ok = false;
	} else if (n) {
		put_stack(&p[0], own, nown);
		for (size_t i = 1; i < n; i++)
			put_stack(&p[i], pcs,
				  rec_row_pcs(&stacks.process, &stacks.others.row[i - 1], pcs));
	}
	api_stacks_release(&stacks);
	api_outside(h, was);
	return n;
}

static int profile_kind(const char *name, enum rec_profile_kind *kind)
{
	for (int i = 0; i < REC_PROFILE_LEAK; i++)
		if (!strcmp(name, rec_profile_name((enum rec_profile_kind)i))) {
			*kind = (enum rec_profile_kind)i;
			return 0;
		}
	return EINVAL;
}

static int encode(const struct rec_process *p, enum rec_profile_kind kind,
		  const struct rec_live *live, bool text, struct tp_buf *out)
{
	struct tp_profile *profile = NULL;
	struct tp_err err = {0};
	int code;

	if (text)
		return api_errno(rec_profile_text(p, kind, live, out, &err));
	code = api_errno(rec_profile_make(p, kind, live, &profile, &err));
	if (!code)
		code = api_errno(rec_profile_pack(profile, out, &err));
	tp_profile_free(profile);
	return code;
}

static int make_profile(const struct rec_host *h, enum rec_profile_kind kind, bool text,
			const uint64_t *own, size_t nown, struct tp_buf *out)
{
	struct api_stacks stacks = {0};
	struct tp_err err = {0};
	int code;

	h->modules_read();
	code = kind == REC_PROFILE_GOROUTINE
		   ? api_stacks_take(h, own, nown, SIZE_MAX, &stacks)
		   : api_errno(api_process_copy(h, &stacks.process, &err));
	if (!code)
		code = encode(&stacks.process, kind, &stacks.live, text, out);
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
	tp_buf_release(&out);
	api_outside(h, was);
	return code;
}
