#include "decode/profile/kinds.h"

bool tp_goroutines_seen(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return false;
}

int tp_goroutines_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err)
{
	(void)data;
	(void)size;
	(void)opt;
	(void)p;
	return tp_err_set(err, TP_EUNKNOWN, 0, "not read yet");
}
