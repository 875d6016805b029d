#include "store/sqlerr.h"

#include <errno.h>
#include <string.h>

bool tp_is_full(int number)
{
	return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

int(tp_sys_err)(struct tp_err *err, int number, const char *path, const char *doing)
{
	char text[128];

	if (number == ENOMEM)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "%s: out of memory", path);
	if (tp_is_full(number))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full while writing %s: %s",
				  path, strerror_r(number, text, sizeof(text)));
	return tp_err_set(err, number == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s %s: %s",
			  doing, path, strerror_r(number, text, sizeof(text)));
}
