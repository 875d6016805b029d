/* Recognises speedscope's JSON, which decode/profile/speedscope.c reads. */
#ifndef TP_OPEN_SPEEDSCOPE_H
#define TP_OPEN_SPEEDSCOPE_H

#include <stdbool.h>

#include "open/lines.h"

/* Returns whether a text is an object whose "$schema" is that of speedscope's files. Other members may
 * come first, but only those that such files have. */
bool tp_speedscope_is(struct tp_scan text);

#endif
