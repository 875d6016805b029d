#include "profile/whole.h"

/* Limit on the frames of all stacks together: a fixed number, and so many more for each sample and
 * each stored stack node. Go's profiles have up to 128 frames for each sample, Java's up to 2,048
 * if the user asked for them. */
#define FRAMES_ANYWAY ((uint64_t)16 << 20)
#define FRAMES_EACH   512

int rep_stacks_whole(const struct tp_profile *p, struct tp_err *err)
{
	uint64_t most =
	    FRAMES_ANYWAY + FRAMES_EACH * ((uint64_t)p->nsamples + tp_dict_stacks(p->dict));
	uint64_t frames = 0;

	for (size_t i = 0; i < p->nsamples; i++)
		frames += p->stack[i] ? tp_dict_stack_at(p->dict, p->stack[i]).depth : 0;
	if (frames <= most)
		return 0;
	return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
			  "the stacks are too deep to be written whole: those of %zu samples have "
			  "%llu frames; --focus or --ignore picks fewer samples",
			  p->nsamples, (unsigned long long)frames);
}
