#include "spans/lookahead.h"

static void *work(void *ctx)
{
	struct rep_lookahead *a = ctx;

	a->code = rep_index_read(&a->index[!a->at], a->v, a->segment, &a->options, &a->err);
	return NULL;
}

/* Waits for the thread, or ends it, if it reads something else than this segment. Returns whether it has read
 * the segment. */
static bool finish(struct rep_lookahead *a, size_t segment)
{
	bool ran = a->running, wanted = a->segment == segment;

	if (!ran)
		return false;
	atomic_store(&a->stop, !wanted);
	pthread_join(a->thread, NULL);
	a->running = false;
	return wanted;
}

int rep_lookahead_get(struct rep_lookahead *a, size_t segment, const struct rep_index **x,
		      struct tp_err *err)
{
	if (!finish(a, segment)) {
		a->options.stop = NULL;
		a->segment = segment;
		work(a);
	}
	a->at = !a->at;
	*x = &a->index[a->at];
	if (a->code && err)
		*err = a->err;
	return a->code;
}

void rep_lookahead_start(struct rep_lookahead *a, size_t segment)
{
	a->segment = segment;
	a->options.stop = &a->stop;
	atomic_store(&a->stop, false);
	a->running = !pthread_create(&a->thread, NULL, work, a);
}

void rep_lookahead_release(struct rep_lookahead *a)
{
	finish(a, SIZE_MAX);
	for (unsigned i = 0; i < 2; i++)
		rep_index_release(&a->index[i]);
}
