#include "mutate.h"

MUTATOR(mutate_records(&dialect_v2, data, size, max, seed),
	cross_records(&dialect_v2, a, asize, b, bsize, out, max, seed))
