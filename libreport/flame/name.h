/* What a name tells: the package it belongs to, which gives it its colour, and the part of it that
 * is worth showing where there is little room. */
#ifndef REP_FLAME_NAME_H
#define REP_FLAME_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REP_FLAME_HUES	 16
#define REP_FLAME_SHADES 3
/* Not a package's: the Go runtime and what has no function are grey, so that a program's own code
 * stands out. */
#define REP_FLAME_GREY REP_FLAME_HUES

struct rep_flame_name {
	uint32_t package; /* bytes [from, package) are the package, from == package: none */
	uint32_t from;
	uint32_t brief; /* bytes before it are a path that can be left out: net/|http.Get */
	uint8_t hue;	/* of the package's hash: the same in every run and every picture */
	uint8_t shade;	/* of the whole name's: neighbours of one package differ */
};

/* Names of Go ("net/http.(*conn).serve"), C++ and Rust ("std::vector<int>::push_back"), Java
 * ("java.util.HashMap.put"), and those of tree.h that have a file or an address. */
struct rep_flame_name rep_flame_name(const char *text, size_t size);

/* Appends what fits of a name into so many cells: without the folders of its package, without the
 * package, then cut at its right (rep_shorten); behind all of it `share`, where there is room. The
 * name is escaped. TP_ENOMEM. */
int rep_flame_label(struct tp_buf *out, const char *name, size_t size, const char *share,
		    size_t room, bool ascii);

#endif
