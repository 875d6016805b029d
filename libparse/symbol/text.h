/* Puts texts of symbols into a dictionary; private to libparse/symbol.
 *
 * A text keeps its address in memory, so each text is read only once, however many symbols have it.
 * Names can be as long as the file that they are in. */
#ifndef TP_SYMBOL_TEXT_H
#define TP_SYMBOL_TEXT_H

#include "decode/dict.h"
#include "symbol/frame.h"
#include "symbol/memo.h"

/* Makes the function of a symbol. `known` caches texts of files that are still open, for one
 * dictionary. Returns 0 or an error of tp_dict_string. */
int tp_symbol_function(struct tp_memo *known, struct tp_dict *dict, const struct tp_symbol *s,
		       struct tp_function *f);

#endif
