#include "tprof-record/api/process.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* What is appended refers to what is older, in this order: gs and buckets to stacks, sets and
 * strings. So the counts of what is referred to are read after all that refers to it was copied. */
static void copy_part(void *to, const void *from, struct rec_growth *count,
		      const struct rec_growth *now, size_t size, uint32_t most)
{
	uint32_t used = atomic_load_explicit(&now->used, memory_order_acquire);

	if (used > most)
		used = most;
	memcpy(to, from, used * size);
	atomic_store_explicit(&count->used, used, memory_order_relaxed);
}

static void copy_arena(struct rec_arena *to, const struct rec_arena *from)
{
	struct rec_header *count = to->header;
	const struct rec_header *now = from->header;
	uint32_t gs;

	memcpy((void *)count, (const void *)now, sizeof(*count));
	memcpy((void *)to->chains, (const void *)from->chains, REC_NHASH * sizeof(*to->chains));
	gs = atomic_load_explicit(&now->gs.used, memory_order_acquire);
	gs = gs < REC_NGS ? gs : REC_NGS;
	rec_process_copy_gs(to->gs, from->gs, gs);
	atomic_store(&count->gs.used, gs);
	copy_part(to->buckets, from->buckets, &count->buckets, &now->buckets, sizeof(*to->buckets),
		  REC_NBUCKETS);
	copy_part(to->modules, from->modules, &count->modules, &now->modules, sizeof(*to->modules),
		  REC_NMODULES);
	copy_part(to->nodes, from->nodes, &count->nodes, &now->nodes, sizeof(*to->nodes),
		  REC_NNODES);
	copy_part(to->sets, from->sets, &count->sets, &now->sets, sizeof(*to->sets),
		  REC_NSETS * 16);
	copy_part(to->strings, from->strings, &count->strings, &now->strings, 1, REC_STRING_BYTES);
	atomic_store(&count->chunks.used, 0);
}

int api_process_copy(const struct rec_host *h, struct rec_process *p, struct tp_err *err)
{
	struct timespec wall;
	size_t wrong;
	int code;
	void *base = mmap(NULL, REC_ARENA_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memset(p, 0, sizeof(*p));
	if (base == MAP_FAILED)
		return tp_nomem(err);
	p->arena = rec_arena_at(base);
	copy_arena(&p->arena, api_arena(h));
	p->pid = p->arena.header->pid;
	p->alive = true;
	p->end_ns = h->now();
	clock_gettime(CLOCK_REALTIME, &wall);
	p->end_sec = (uint64_t)wall.tv_sec;
	p->end_nsec = (uint64_t)wall.tv_nsec;
	code = rec_process_check(p, &wrong, err);
	if (code)
		api_process_free(p);
	return code;
}

void api_process_free(struct rec_process *p)
{
	if (p->arena.header)
		munmap(p->arena.header, REC_ARENA_SIZE);
	memset(p, 0, sizeof(*p));
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
