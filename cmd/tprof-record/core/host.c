/* The table of this copy of core, shown to the whole process (libtprof-record hides its own). */
#include "tprof-record/core/host.h"

#include "tprof-record/core/modules.h"

static struct rec_self *self(void)
{
	return &rec_self;
}

static const struct rec_host host = {
    .version = REC_VERSION,
    .size = sizeof(struct rec_host),
    .size_of_self = sizeof(struct rec_self),
    .core = &rec_core,
    .sampled = rec_sampled,
    .self = self,
    .begin = rec_core_begin,
    .end = rec_core_end,
    .thread_begin = rec_thread_begin,
    .thread_end = rec_thread_end,
    .thread_new = rec_thread_new,
    .thread_name = rec_thread_name,
    .g_take = rec_g_take,
    .g_leave = rec_g_leave,
    .wait_store = rec_wait_store,
    .wait_clear = rec_wait_clear,
    .modules_read = rec_modules_read,
    .now = rec_now,
    .stack = rec_stack,
    .backtrace = rec_backtrace,
    .stack_of = rec_stack_of,
    .stack_pcs = rec_stack_pcs,
    .string = rec_string,
    .label_set = rec_label_set,
    .write = rec_write,
    .wait_begin = rec_wait_begin,
    .wait_end = rec_wait_end,
    .settle_now = rec_settle_now,
    .post = rec_post,
    .malloc = rec_malloc,
    .free = rec_free,
    .set_heap_rate = rec_set_heap_rate,
    .block_event = rec_block_event,
    .mutex_event = rec_mutex_event,
    .create_event = rec_create_event,
    .next_cycle = rec_next_cycle,
    .flush = rec_flush,
    .post_sweep = rec_post_sweep,
};

__attribute__((visibility("default"))) const struct rec_host *tprof_record_host(void)
{
	return &host;
}
