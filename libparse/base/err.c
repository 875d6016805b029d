#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM sizeof(((struct tp_err *)NULL)->msg)
#define GAP  "..."
#define HEAD (ROOM / 4)
#define TAIL (ROOM - HEAD - sizeof(GAP)) /* without its NUL */

/* Copies a text of n bytes. Drops its middle if it is too long, because a message begins with a
 * file name, which may be long, and ends with the fault. */
static void fit(char msg[ROOM], const char *text, size_t n)
{
	if (n < ROOM) {
		memcpy(msg, text, n + 1);
		return;
	}
	memcpy(msg, text, HEAD);
	memcpy(msg + HEAD, GAP, sizeof(GAP) - 1);
	memcpy(msg + HEAD + sizeof(GAP) - 1, text + n - TAIL, TAIL + 1);
}

/* Formats a message. If memory is out, a long one loses its end instead of its middle. */
static void format(char msg[ROOM], const char *fmt, va_list ap)
{
	char *whole = NULL;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(msg, ROOM, fmt, ap);
	if (n >= (int)ROOM)
		whole = malloc((size_t)n + 1);
	if (whole) {
		vsnprintf(whole, (size_t)n + 1, fmt, again);
		fit(msg, whole, (size_t)n);
		free(whole);
	}
	va_end(again);
}

int(tp_err_set)(struct tp_err *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->offset = offset;
	va_start(ap, fmt);
	format(err->msg, fmt, ap);
	va_end(ap);
	return code;
}

int(tp_nomem)(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

int(tp_err_full)(struct tp_err *err, int code, const char *limit)
{
	return code == TP_ENOMEM ? tp_nomem(err)
				 : tp_err_set(err, code, TP_OFFSET_NONE, "%s", limit);
}

void tp_err_prefix(struct tp_err *err, const char *fmt, ...)
{
	char text[2 * ROOM];
	size_t n, more;
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	format(text, fmt, ap);
	va_end(ap);
	n = strlen(text);
	more = strnlen(err->msg, ROOM - 1);
	memcpy(text + n, ": ", 2);
	memcpy(text + n + 2, err->msg, more);
	text[n + 2 + more] = '\0';
	fit(err->msg, text, n + 2 + more);
}

void tp_err_printable(struct tp_err *err)
{
	for (unsigned char *c = (unsigned char *)err->msg; *c; c++) {
		/* C0, DEL, and the C1 range as it would appear in UTF-8 (0xc2 0x80..0x9f). */
		if (*c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
			*c = '?';
	}
}

int tp_err_exit_status(int code)
{
	switch (code) {
	case TP_OK:
		return 0;
	case TP_ENOMEM:
	case TP_EIO:
	case TP_EBUSY:
	case TP_ECANCEL:
		return 4;
	default:
		return 3;
	}
}
