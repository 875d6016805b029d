/* Finds the sources of Go programs: Go's own below GOROOT, those of modules in the module cache and
 * in vendor folders, those of the main module beside its go.mod. Works for programs built with
 * -trimpath, or on another machine:
 *
 *	net/http/server.go                      GOROOT/src
 *	/usr/local/go/src/net/http/server.go    GOROOT/src
 *	github.com/Foo/bar@v1.2.3/a.go          module cache, as github.com/!foo/…; vendor
 *	/root/go/pkg/mod/github.com/!foo/…      module cache; vendor
 *	/src/shop/vendor/github.com/Foo/bar/…   vendor
 *	example.com/shop/cart.go                the folder of example.com/shop's go.mod
 *	/root/go/src/example.com/a/a.go         GOPATH/src
 *
 * See Go modules reference, "Module cache" and "Vendoring". */
#ifndef REP_PROFILE_CODE_GOSOURCE_H
#define REP_PROFILE_CODE_GOSOURCE_H

#include <stdbool.h>

#include "decode/dict.h"

/* The variables of Go's environment; NULL or "": unknown. Borrowed. */
struct rep_go_places {
	const char *goroot;
	const char *modcache; /* else the folder pkg/mod of each of GOPATH */
	const char *gopath;   /* folders, separated by colons */
};

/* Tries to open a file; *found says whether it exists. */
typedef int (*rep_go_try)(void *ctx, const char *path, bool *found);

/* Calls `try` with the places where the source file `path` may be, until one is found. Modules and
 * vendor folders are looked for in `search` (separated by colons), beside `program` (may be NULL),
 * and in all folders above these. No other places are tried. Returns what `try` returns. */
int rep_go_source_find(const struct rep_go_places *places, const char *search, const char *program,
		       struct tp_text path, rep_go_try try, void *ctx, bool *found);

#endif
