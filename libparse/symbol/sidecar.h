/* Names for the addresses of a trace of go 1.5, in a file beside it: FILE.symbols, a profile
 * (profile.proto, usually gzipped) that has each address as a location with its lines. tprof-record
 * writes it, because that format has no room for names, and the program may be gone or moved when
 * the trace is read. For one thread. */
#ifndef TP_SYMBOL_SIDECAR_H
#define TP_SYMBOL_SIDECAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbol/frame.h"

struct tp_sidecar;

/* The largest file, in bytes, packed or not: room for millions of addresses. */
#define TP_SIDECAR_MAX ((uint64_t)256 << 20)

/* Finds the file beside a dump: the dump's path with ".symbols" (in place of ".gz" or ".zst", or
 * after it). Returns false if no such file exists, or if its path is longer than `room`. */
bool tp_sidecar_find(const char *dump, char *path, size_t room);

/* Returns 0, TP_ENOENT, TP_EIO, TP_EFORMAT (not such a profile), TP_ELIMIT (too large) or
 * TP_ENOMEM. *s is NULL after an error. */
int tp_sidecar_open(struct tp_sidecar **s, const char *path, struct tp_err *err);
void tp_sidecar_close(struct tp_sidecar *s);

/* Finds the frames at an address of the trace, innermost first. Returns how many, at most `room`.
 * Sets *known to whether the file has this address. */
size_t tp_sidecar_lookup(const struct tp_sidecar *s, uint64_t address, struct tp_symbol *chain,
			 size_t room, bool *known);

#endif
