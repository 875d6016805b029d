/* The table of this copy of core, visible to the whole process (libtprof-record hides its own). */
#include "tprof-record/core/host.h"

static struct rec_self *self(void)
{
	return &rec_self;
}

static const struct rec_host host = {
#define REC_X(name) .name = rec_##name,
    REC_HOST_FUNCTIONS(REC_X)
#undef REC_X
	.version = REC_VERSION,
    .size = sizeof(struct rec_host),
    .size_of_self = sizeof(struct rec_self),
    .core = &rec_core,
    .sampled = rec_sampled,
    .self = self,
};

__attribute__((visibility("default"))) const struct rec_host *tprof_record_host(void)
{
	return &host;
}
