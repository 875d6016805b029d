#include "mutate.h"

MUTATOR(mutate_records(&dialect_v1, data, size, max, seed),
	cross_records(&dialect_v1, a, asize, b, bsize, out, max, seed))
