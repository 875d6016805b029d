/* Memory for large arrays, in huge pages if the system has them: otherwise the first access to an
 * array of many megabytes costs more than computing its content. The functions return memory for
 * free(), or NULL when memory is out. */
#ifndef TP_BASE_BIG_H
#define TP_BASE_BIG_H

#include <stddef.h>

/* Not zeroed. */
void *tp_big_alloc(size_t size);
/* n items of `size` bytes. */
void *tp_big_many(size_t n, size_t size);
/* n items of `size` bytes, zeroed. */
void *tp_big_zeroed(size_t n, size_t size);

#endif
