/* Receives an encoder's bytes. */
#ifndef TP_BASE_OUT_H
#define TP_BASE_OUT_H

#include <stddef.h>

#include "base/err.h"

struct tp_out {
	/* Returns 0, or an error code (with err filled in) that the encoder returns. */
	int (*write)(void *ctx, const void *data, size_t size, struct tp_err *err);
	void *ctx;
};

#endif
