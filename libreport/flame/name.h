/* Parts of a function's name: the package, which determines its colour, and the part that is shown
 * if there is little room. */
#ifndef REP_FLAME_NAME_H
#define REP_FLAME_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REP_FLAME_HUES	 16
#define REP_FLAME_SHADES 3
/* The Go runtime and frames without a function are grey, so that a program's own code stands
 * out. */
#define REP_FLAME_GREY REP_FLAME_HUES

struct rep_flame_name {
	uint32_t package; /* bytes [from, package) are the package; empty: no package */
	uint32_t from;
	uint32_t brief; /* offset after the path, which can be left out: net/|http.Get */
	uint8_t hue;	/* by the package's hash: the same in every run and every picture */
	uint8_t shade;	/* by the hash of the whole name: neighbours of one package differ */
};

/* Reads names of Go ("net/http.(*conn).serve"), C++ and Rust ("std::vector<int>::push_back"), Java
 * ("java.util.HashMap.put"), and those of tree.h with a file or an address. */
struct rep_flame_name rep_flame_name(const char *text, size_t size);

/* Appends as much of an escaped name as fits into `room` cells: without the folders of its package,
 * or without the package, or cut at its end (rep_shorten); then `share`, if it fits. Returns 0 or
 * TP_ENOMEM. */
int rep_flame_label(struct tp_buf *out, const char *name, size_t size, const char *share,
		    size_t room, bool ascii);

#endif
