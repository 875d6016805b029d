/* The scan over a JSON text. Private to base/json. */
#ifndef TP_BASE_JSON_SCAN_H
#define TP_BASE_JSON_SCAN_H

#include "base/json.h"

/* A scan over a value: checks it, and counts what it would become. */
struct tp_json_scan {
	const char *at, *end;
	const char *wrong; /* at `at`; NULL: nothing */
	size_t objects, arrays, members, values;
	bool nul; /* the string read last has one */
};

/* Skips one value with all that is in it. Returns false with `wrong` set if it is damaged. */
bool tp_json_skip(struct tp_json_scan *s);
/* Returns whether the digits [at, end) are a number of 64 bits. */
bool tp_json_fits(const char *at, const char *end, bool negative);

#endif
