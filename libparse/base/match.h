/* Regular expressions matched, with lack of memory told apart: glibc's regexec says of that, too,
 * that there is no match. */
#ifndef TP_BASE_MATCH_H
#define TP_BASE_MATCH_H

#include <errno.h>
#include <regex.h>
#include <stddef.h>

/* 0: it matches; REG_NOMATCH; or REG_ESPACE, nobody knows. */
static inline int tp_match(const regex_t *re, const char *text)
{
	int was = errno, rc;

	errno = 0;
	rc = regexec(re, text, 0, NULL, 0);
	if (rc && errno == ENOMEM)
		rc = REG_ESPACE;
	errno = was;
	return rc;
}

#endif
