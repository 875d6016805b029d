/* Texts of symbols as strings of a dictionary; private to libparse/symbol.
 *
 * A text stays where it is, and is the same for as long: each is read once, however many addresses
 * have it. Names can be as long as the file they are in. */
#ifndef TP_SYMBOL_TEXT_H
#define TP_SYMBOL_TEXT_H

#include "decode/dict.h"
#include "symbol/frame.h"
#include "symbol/memo.h"

/* The function of a symbol. `known` is of one dictionary, and of files that are still open. 0 or as
 * tp_dict_string. */
int tp_symbol_function(struct tp_memo *known, struct tp_dict *dict, const struct tp_symbol *s,
		       struct tp_function *f);

#endif
