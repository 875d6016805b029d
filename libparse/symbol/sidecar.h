/* Names for the addresses of one trace of go 1.5, which lie beside it: FILE.symbols, a profile
 * (profile.proto, mostly gzipped) that has each address as a location with its lines. tprof-record
 * writes it, as that format has no room for names and the program may be gone or moved by the time
 * it is read. One thread. */
#ifndef TP_SYMBOL_SIDECAR_H
#define TP_SYMBOL_SIDECAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbol/frame.h"

struct tp_sidecar;

/* Bytes at most, packed or not: room for millions of addresses. */
#define TP_SIDECAR_MAX ((uint64_t)256 << 20)

/* The path of what lies beside a dump: its own with ".symbols" (in place of ".gz" or ".zst", or
 * behind it). False where there is no such file, or the path is longer than `room`. */
bool tp_sidecar_find(const char *dump, char *path, size_t room);

/* TP_ENOENT, TP_EIO, TP_EFORMAT (no profile, or one of another kind), TP_ELIMIT (too large),
 * TP_ENOMEM. *s is NULL after an error. */
int tp_sidecar_open(struct tp_sidecar **s, const char *path, struct tp_err *err);
void tp_sidecar_close(struct tp_sidecar *s);

/* The frames at an address that the trace has, innermost first; how many, at most `room`. *known:
 * the address is one of those the sidecar was made for. */
size_t tp_sidecar_lookup(const struct tp_sidecar *s, uint64_t address, struct tp_symbol *chain,
			 size_t room, bool *known);

#endif
