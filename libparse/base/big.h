/* Memory for large arrays. The system hands it out in huge pages where it can: touching a fresh
 * array of many megabytes otherwise costs more than computing what goes into it. */
#ifndef TP_BASE_BIG_H
#define TP_BASE_BIG_H

#include <stddef.h>

/* Not zeroed; to be freed by free(). NULL when memory is out. */
void *tp_big_alloc(size_t size);
/* n items of `size` bytes. */
void *tp_big_many(size_t n, size_t size);
/* n items of `size` bytes, zeroed. */
void *tp_big_zeroed(size_t n, size_t size);

#endif
