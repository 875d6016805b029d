/* A number that nobody who makes an input can know, for hash tables whose keys come from it: keys
 * cannot be chosen so that they all meet. Nothing that is stored or shown may depend on it. */
#ifndef TP_BASE_SEED_H
#define TP_BASE_SEED_H

#include <stdint.h>

uint64_t tp_seed(void);

#endif
