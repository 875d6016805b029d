#include "tprof-record/api/process.h"

#include <errno.h>
#include <time.h>

int api_process_copy(const struct rec_host *h, struct rec_process *p, struct tp_err *err)
{
	struct timespec wall;
	size_t wrong;
	int code = rec_process_copy(p, api_arena(h), err);

	if (code)
		return code;
	p->pid = p->arena.header->pid;
	p->alive = true;
	p->end_ns = h->now();
	clock_gettime(CLOCK_REALTIME, &wall);
	p->end_sec = (uint64_t)wall.tv_sec;
	p->end_nsec = (uint64_t)wall.tv_nsec;
	code = rec_process_check(p, &wrong, err);
	if (code)
		rec_process_free(p);
	return code;
}

int api_errno(int code)
{
	switch (code) {
	case 0:
		return 0;
	case TP_ENOMEM:
		return ENOMEM;
	case TP_ELIMIT:
		return E2BIG;
	default:
		return EIO;
	}
}
