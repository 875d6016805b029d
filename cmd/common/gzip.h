/* Output that is gzipped on its way, as pprof and the Go toolchain want profiles. */
#ifndef CMD_GZIP_H
#define CMD_GZIP_H

#include "base/buf.h"
#include "base/err.h"

/* Writes the bytes to stdout, compressed; equal bytes give equal output. 0, TP_ENOMEM, or what
 * cmd_write returns. */
int cmd_write_gzipped(const struct tp_buf *b, struct tp_err *err);

#endif
