#include "balance.h"

#include <stdlib.h>

#include "base/many.h"

/* A small profile takes as long as 64 KiB of a large dump. */
#define LEAST_COST ((uint64_t)64 << 10)
/* Some ten seconds of work: starting a task takes up to one. */
#define TASK_COST ((uint64_t)128 << 20)

struct item {
	uint64_t cost;
	uint32_t at;
};

uint64_t balance_cost(uint64_t bytes)
{
	return bytes < UINT64_MAX - LEAST_COST ? bytes + LEAST_COST : UINT64_MAX;
}

size_t balance_tasks(uint64_t cost, size_t n, size_t most)
{
	uint64_t tasks = cost / TASK_COST + (cost % TASK_COST != 0);

	if (tasks > n)
		tasks = n;
	if (tasks > most)
		tasks = most;
	return tasks ? (size_t)tasks : 1;
}

static int dearest_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int less(const struct item *a, const struct item *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->at < b->at;
}

/* Restores the order of the heap after the cost of its root has grown. */
static void sink(struct item *heap, size_t n)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
		struct item moved = heap[at];

		if (child + 1 < n && less(&heap[child + 1], &heap[child]))
			child++;
		if (!less(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		heap[child] = moved;
	}
}

int balance(const uint64_t *cost, size_t n, size_t tasks, uint32_t *task)
{
	struct item *dumps = tp_many(n + 1, sizeof(*dumps));
	struct item *heap = tp_many(tasks, sizeof(*heap));

	if (!dumps || !heap) {
		free(dumps);
		free(heap);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		dumps[i] = (struct item){cost[i], (uint32_t)i};
	qsort(dumps, n, sizeof(*dumps), dearest_first);
	for (size_t i = 0; i < tasks; i++)
		heap[i] = (struct item){0, (uint32_t)i};
	for (size_t i = 0; i < n; i++) {
		task[dumps[i].at] = heap->at;
		heap->cost += dumps[i].cost;
		sink(heap, tasks);
	}
	free(dumps);
	free(heap);
	return 0;
}
