#include "common/quote.h"

#include <string.h>

#include "base/buf.h"

int cmd_quote(struct tp_buf *b, const char *word)
{
	static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789_@%+=:,./-";
	int code = 0;

	if (*word && !word[strspn(word, harmless)])
		return tp_buf_put(b, word, strlen(word));
	code |= tp_buf_put(b, "'", 1);
	for (const char *c = word; *c; c++)
		code |= *c == '\'' ? tp_buf_put(b, "'\\''", 4) : tp_buf_put(b, c, 1);
	return code | tp_buf_put(b, "'", 1);
}
