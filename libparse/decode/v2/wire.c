#include "decode/v2/wire.h"

#include <stddef.h>

/* NARGS is the number of names in a list, 0 for NULL. */
#define COUNT(...)    (sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *))
#define FIRST(a, ...) (a)
#define NARGS(...)    (FIRST(__VA_ARGS__, NULL) != NULL ? COUNT(__VA_ARGS__) : 0)

const struct tp_v2_wire_event tp_v2_wires[TP_V2_NWIRES] = {
#define TP_X(n, number, s, t, ...)                                                                 \
	[number] = {.name = #n,                                                                    \
		    .since = s,                                                                    \
		    .timed = t,                                                                    \
		    .nargs = NARGS(__VA_ARGS__),                                                   \
		    .args = {__VA_ARGS__}},
    TP_V2_WIRE_EVENTS(TP_X)
#undef TP_X
};

const uint8_t tp_v2_arity[256] = {
#define TP_X(n, number, s, t, ...) [number] = (uint8_t)((t) ? NARGS(__VA_ARGS__) : 0),
    TP_V2_WIRE_EVENTS(TP_X)
#undef TP_X
};
