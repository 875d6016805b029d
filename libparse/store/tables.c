#include "store/tables.h"

/* The columns of all tables, one after the other: TP_FIRST_<TABLE> is the place of a table's first
 * one, because TP_TABLES numbers them without gaps. */
static const struct tp_column_desc columns[] = {
#define TP_T(TABLE, name, doc)
#define TP_C(TABLE, column, kind, doc) {#column, TP_COL_##kind, doc},
    TP_TABLES(TP_T, TP_C)
#undef TP_T
#undef TP_C
};

/* The number of a table's columns is the size of a struct with a char for each, and one more. */
struct count_none {
	char start_;
#define TP_T(TABLE, name, doc)                                                                     \
	}                                                                                          \
	;                                                                                          \
	struct count_##TABLE {                                                                     \
		char start_;
#define TP_C(TABLE, column, kind, doc) char column;
	TP_TABLES(TP_T, TP_C)
#undef TP_T
#undef TP_C
};

const struct tp_table_desc tp_tables[TP_NTABLES] = {
#define TP_T(TABLE, name, doc)                                                                     \
	[TP_TABLE_##TABLE] = {#name, doc, columns + TP_FIRST_##TABLE,                              \
			      (unsigned)sizeof(struct count_##TABLE) - 1},
#define TP_C(TABLE, column, kind, doc)
    TP_TABLES(TP_T, TP_C)
#undef TP_T
#undef TP_C
};

#define TP_T(TABLE, name, doc)                                                                     \
	_Static_assert(sizeof(struct count_##TABLE) - 1 <= TP_MAX_COLUMNS, "too many columns");
#define TP_C(TABLE, column, kind, doc)
TP_TABLES(TP_T, TP_C)
#undef TP_T
#undef TP_C
