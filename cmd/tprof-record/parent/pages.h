/* Memory that is sure to be used gets its pages by one system call: as many page faults take ten times as long. */
#ifndef RECORD_PARENT_PAGES_H
#define RECORD_PARENT_PAGES_H

#include <stddef.h>

/* These do nothing where the kernel has no such call (before 5.14). */

/* The first 360 KiB that malloc will give: before the first thread begins. */
void rec_pages_heap(void);
/* The next `size` bytes of the caller's stack, at most 64 KiB. */
void rec_pages_stack(size_t size);

#endif
