/* What an address is called: the chain of frames at it, innermost first. */
#ifndef TP_SYMBOL_FRAME_H
#define TP_SYMBOL_FRAME_H

#include <stdint.h>

/* Texts are NUL-terminated and live as long as the symbolizer (or file) they came from. */
struct tp_symbol {
	const char *name;	 /* as the language spells it */
	const char *system_name; /* as the linker knows it; the same as name where it is the same */
	const char *file;	 /* "" unknown */
	int64_t line;		 /* 0 unknown */
	int64_t start_line;	 /* of the function, 0 unknown */
};

/* More calls than that are not inlined into one place: what is beyond is left out at the root. */
#define TP_SYMBOL_FRAMES 256

#endif
