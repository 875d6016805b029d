#include "decode/period.h"

#include <string.h>

static int64_t number(const char *digit, size_t n)
{
	int64_t ns = 0;

	if (n > 10)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (digit[i] < '0' || digit[i] > '9')
			return 0;
		ns = ns * 10 + digit[i] - '0';
	}
	return ns;
}

int64_t tp_cpu_period(const struct tp_dict *d, uint32_t *string)
{
	for (uint32_t n = tp_dict_strings(d); *string < n; ++*string) {
		struct tp_text t = tp_dict_text(d, *string);
		int64_t ns = 0;

		if (t.size > TP_CPU_PERIOD_SIZE &&
		    !memcmp(t.text, TP_CPU_PERIOD, TP_CPU_PERIOD_SIZE))
			ns = number(t.text + TP_CPU_PERIOD_SIZE, t.size - TP_CPU_PERIOD_SIZE);
		if (ns > 0)
			return ns;
	}
	return 0;
}
