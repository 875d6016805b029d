/* Divides dumps among tasks so that all tasks take about equally long. */
#ifndef IMPORT_BALANCE_H
#define IMPORT_BALANCE_H

#include <stddef.h>
#include <stdint.h>

/* What a dump costs, in bytes as large ones do: opening it and beginning a run is not for nothing.
 */
uint64_t balance_cost(uint64_t bytes);

/* How many tasks are worth their start, for n dumps of this cost; at most `most`, at least 1. */
size_t balance_tasks(uint64_t cost, size_t n, size_t most);

/* task[i], from 0 to tasks - 1, is the one that has dump i: the dearest first, each to the task
 * that has the least so far; no task has more than the mean and one dump. Where there are as many
 * dumps, each has one. It depends on the costs only. 0, or -1 where there is no memory. */
int balance(const uint64_t *cost, size_t n, size_t tasks, uint32_t *task);

#endif
