#include "mutate.h"

MUTATOR(mutate_text(data, size, max, seed), cross_text(a, asize, b, bsize, out, max, seed))
