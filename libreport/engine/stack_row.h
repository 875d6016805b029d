/* The lists that a row of the table `stack` is made of (schema.c), in their order, each with a value
 * for every frame: who writes them and who reads them have to agree. */
#ifndef REP_ENGINE_STACK_ROW_H
#define REP_ENGINE_STACK_ROW_H

enum stack_column {
	FUNCTIONS,
	FILES,
	LINES,
	COLUMNS,
	MARKS,
	SYSTEM_NAMES,
	START_LINES,
	MAPPINGS,
	ADDRESSES,
	FLAGS,
	NCOLUMNS
};

#endif
