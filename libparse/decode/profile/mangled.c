#include "decode/profile/mangled.h"

#include <string.h>

bool tp_profile_is_hash(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	unsigned seen = 0;

	for (int i = 0; i < TP_HASH_SIZE; i++) {
		const char *digit = memchr(digits, text[i], sizeof(digits) - 1);

		if (!digit)
			return false;
		seen |= 1u << (digit - digits);
	}
	return __builtin_popcount(seen) >= 5;
}

bool tp_profile_is_mangled(struct tp_scan name)
{
	size_t n = (size_t)(name.end - name.at);

	return (n >= 2 && name.at[0] == '_' && (name.at[1] == 'Z' || name.at[1] == 'R')) ||
	       (n > TP_HASH_SIZE + 3 && !memcmp(name.end - TP_HASH_SIZE - 3, "::h", 3) &&
		tp_profile_is_hash(name.end - TP_HASH_SIZE));
}
