#include "engine/quote.h"

#include <string.h>

/* Bytes that are not plain characters become \xHH, so a statement is always ASCII. */
static void put_quoted(struct tp_buf *sql, char quote, const char *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	tp_buf_put(sql, &quote, 1);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '`' || c == '"')
			tp_buf_put(sql, (char[]){'\\', 'x', digits[c >> 4], digits[c & 15]}, 4);
		else
			tp_buf_put(sql, &c, 1);
	}
	tp_buf_put(sql, &quote, 1);
}

void rep_sql_string(struct tp_buf *sql, const void *data, size_t size)
{
	put_quoted(sql, '\'', data, size);
}

void rep_sql_name(struct tp_buf *sql, const char *name)
{
	put_quoted(sql, '`', name, strlen(name));
}

const char *rep_sql_text(struct tp_buf *sql)
{
	if (tp_buf_reserve(sql, 1))
		return NULL;
	sql->data[sql->size] = '\0';
	return (const char *)sql->data;
}
