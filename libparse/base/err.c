#include "base/err.h"

#include <stdio.h>
#include <string.h>

int(tp_err_set)(struct tp_err *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
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
	char text[2 * sizeof(err->msg)];
	va_list ap;
	int n;

	if (!err)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(err->msg) - 2)
		return;
	/* text has room for both whole; a message that grows too long loses its end. */
	memcpy(text + n, ": ", 2);
	memcpy(text + n + 2, err->msg, strnlen(err->msg, sizeof(err->msg) - 1) + 1);
	memcpy(err->msg, text, sizeof(err->msg) - 1);
	err->msg[sizeof(err->msg) - 1] = '\0';
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
