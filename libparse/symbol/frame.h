/* The name of an address: a chain of frames, innermost first, of which all but the last are inlined
 * calls. */
#ifndef TP_SYMBOL_FRAME_H
#define TP_SYMBOL_FRAME_H

#include <stdint.h>

/* Texts are NUL-terminated and live as long as the symbolizer (or file) that they came from. */
struct tp_symbol {
	const char *name;	 /* as the language spells it */
	const char *system_name; /* the linker's name; the same pointer as name if they are equal */
	const char *file;	 /* "" unknown */
	int64_t line;		 /* 0 unknown */
	int64_t start_line;	 /* of the function, 0 unknown */
};

/* Longest chain kept; further outer frames are dropped. */
#define TP_SYMBOL_FRAMES 256

#endif
