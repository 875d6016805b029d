/* An unpredictable seed for hash tables whose keys come from an input, so that an input cannot make
 * all keys collide. Nothing that is stored or shown may depend on it. */
#ifndef TP_BASE_SEED_H
#define TP_BASE_SEED_H

#include <stdint.h>

uint64_t tp_seed(void);

#endif
