/* Divides dumps among tasks so that all tasks take about equally long. */
#ifndef IMPORT_BALANCE_H
#define IMPORT_BALANCE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the cost of a dump in bytes of large dumps: its size plus a fixed cost for opening it and
 * beginning a run. */
uint64_t balance_cost(uint64_t bytes);

/* Returns how many tasks are worth starting for n dumps of this total cost, from 1 to `most`. */
size_t balance_tasks(uint64_t cost, size_t n, size_t most);

/* Sets task[i] to the task of dump i, from 0 to tasks - 1. Dumps are assigned in order of falling
 * cost, each to the task with the least so far. So no task has more than the mean and one dump, and
 * each has a dump if the dumps are enough. The result depends only on the costs. Returns 0, or -1
 * when memory is out. */
int balance(const uint64_t *cost, size_t n, size_t tasks, uint32_t *task);

#endif
