/* Goroutine profiles, and profiles as files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-record/api/process.h"
#include "tprof-record/api/spool.h"
#include "tprof-record/api/stacks.h"
#include "tprof-record/api/text.h"
#include "tprof-record/convert/profile/profile.h"

size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	struct api_inside was;
	const struct rec_host *h;
	struct tp_buf stacks = {0};
	const struct api_stack *s;
	uint64_t own[API_MAX_DEPTH];
	size_t n, nown;

	if (ok)
		*ok = true;
	if (api_begin(&h))
		return 0;
	/* Too few, surely: an estimate does. */
	n = api_count_goroutines(h);
	if (n > room) {
		if (ok)
			*ok = false;
		return n;
	}
	nown = h->backtrace(own, API_MAX_DEPTH, 1);
	was = api_inside(h);
	if (api_stacks(h, own, nown, true, &stacks)) {
		n = 0;
		goto done;
	}
	n = stacks.size / sizeof(*s);
	s = (const void *)stacks.data;
	if (n > room) {
		if (ok)
			*ok = false;
		goto done;
	}
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < TPROF_MAX_STACK; k++)
			p[i].stack[k] =
			    k < s[i].npcs ? (uintptr_t)s[i].pcs[k] + (s[i].exact && !k) : 0;
done:
	tp_buf_release(&stacks);
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

/* Of those that run, as convert/ is told of them by whoever looked. */
static int live_of(const struct tp_buf *stacks, struct rec_live *live)
{
	const struct api_stack *s = (const void *)stacks->data;
	int code = 0;

	for (size_t i = 0; i < stacks->size / sizeof(*s) && !code; i++)
		if (!s[i].since && s[i].npcs)
			code = rec_live_add(live, (struct rec_live_stack){.g = s[i].g,
									  .tid = s[i].tid,
									  .pcs = s[i].pcs,
									  .npcs = s[i].npcs});
	return code ? ENOMEM : 0;
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
	struct rec_process p;
	struct tp_buf stacks = {0};
	struct rec_live live = {0};
	struct tp_err err = {0};
	int code = 0;

	h->modules_read();
	if (kind == REC_PROFILE_GOROUTINE)
		code = api_stacks(h, own, nown, true, &stacks);
	if (code)
		return code;
	code = live_of(&stacks, &live);
	if (!code)
		code = api_errno(api_process_copy(h, &p, &err));
	if (!code) {
		code = encode(&p, kind, &live, text, out);
		rec_process_free(&p);
	}
	rec_live_release(&live);
	tp_buf_release(&stacks);
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
