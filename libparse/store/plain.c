#include "store/plain.h"

#include <string.h>
#include <strings.h>

/* Words that introduce an expression of a table or an index. */
static const char *const computes[] = {"AS", "CHECK", "DEFAULT", "GENERATED", "WHERE"};

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_computing(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(computes) / sizeof(computes[0]); i++)
		if (strlen(computes[i]) == n && !strncasecmp(computes[i], word, n))
			return true;
	return false;
}

bool tp_schema_plain(const char *sql, bool index)
{
	unsigned depth = 0;

	/* Quotes and operators are refused, so every word is a name, a type or a keyword. */
	for (const char *s = sql; *s;) {
		size_t n = 0;

		while (in_word(s[n]))
			n++;
		if (n) {
			if (is_computing(s, n))
				return false;
			s += n;
		} else if (s[0] == '-' && s[1] == '-') {
			s += strcspn(s, "\n");
		} else if (*s == '(' || *s == ')') {
			depth += *s == '(' ? 1 : -1u;
			/* Nested parentheses in an index are a function call. */
			if (index && depth > 1)
				return false;
			s++;
		} else if (is_space(*s) || *s == ',') {
			s++;
		} else {
			return false;
		}
	}
	return true;
}
