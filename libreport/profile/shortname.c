/* Shortens function names for pictures, as pprof does (graph.ShortenFunctionName):
 *
 *	github.com/google/pprof/v2/profile.(*Profile).Write    profile.(*Profile).Write
 *	com.example.Server.<init>(int)                         Server.<init>
 *	(anonymous namespace)::blink::Node::attach             Node::attach
 */
#include "profile/graph.h"

#include <stdbool.h>
#include <string.h>

/* Each matcher below replaces one of pprof's regular expressions, which stands above it. It finds
 * the same leftmost match, and reads each byte at most a few times. */

struct piece {
	const char *at;
	size_t n;
};

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}

static size_t skip_word(const char *s, size_t n, size_t at)
{
	while (at < n && is_word(s[at]))
		at++;
	return at;
}

static bool starts(const char *s, size_t n, const char *with)
{
	size_t size = strlen(with);

	return n >= size && !memcmp(s, with, size);
}

/* ^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$ : where the version of a module begins and ends */
static bool find_version(const char *s, size_t n, size_t *begin, size_t *end)
{
	if (memchr(s, '\n', n))
		return false;
	for (size_t i = 0; i + 3 < n; i++) {
		size_t d = i + 2;

		if (s[i] != '/' || s[i + 1] != 'v')
			continue;
		while (d < n && is_digit(s[d]))
			d++;
		if (d == i + 2 || d == n || (s[d] != '.' && s[d] != '/') || s[i + 2] == '0' ||
		    (d == i + 3 && s[i + 2] == '1'))
			continue;
		*begin = i;
		*end = d;
		return true;
	}
	return false;
}

/* ^(?:[\w\-\.]+\/)+([^.]+\..+) : Go, without the folders of the package */
static bool find_go(struct piece name, struct piece *found)
{
	const char *s = name.at;
	size_t n = name.n, folders = 0, segment = 0, dot = n;

	for (size_t i = 0; i < n && (is_word(s[i]) || s[i] == '-' || s[i] == '.' || s[i] == '/');
	     i++) {
		if (s[i] != '/')
			continue;
		if (i == segment)
			break;
		folders = segment = i + 1;
	}
	/* Find the longest sequence of folders that is followed by a name with a dot inside. `dot`
	 * is the first dot at or after i. */
	for (size_t i = n; i-- > 0;) {
		if (s[i] == '.')
			dot = i;
		if (i && i <= folders && s[i - 1] == '/' && dot > i && dot + 1 < n &&
		    s[dot + 1] != '\n') {
			const char *stop = memchr(s + dot + 1, '\n', n - dot - 1);

			*found = (struct piece){s + i, (stop ? (size_t)(stop - s) : n) - i};
			return true;
		}
	}
	return false;
}

/* ^(?:[a-z]\w*\.)*([A-Z][\w\$]*\.(?:<init>|[a-z][\w\$]*(?:\$\d+)?))(?:(?:\()|$) : Java */
static bool find_java(struct piece name, struct piece *found)
{
	const char *s = name.at;
	size_t n = name.n, i = 0, class;

	while (i < n && is_lower(s[i])) {
		i = skip_word(s, n, i);
		if (i == n || s[i++] != '.')
			return false;
	}
	class = i;
	if (i == n || !is_upper(s[i]))
		return false;
	while (i < n && (is_word(s[i]) || s[i] == '$'))
		i++;
	if (i == n || s[i++] != '.')
		return false;
	if (starts(s + i, n - i, "<init>")) {
		i += 6;
	} else {
		if (i == n || !is_lower(s[i]))
			return false;
		while (i < n && (is_word(s[i]) || s[i] == '$'))
			i++;
	}
	if (i < n && s[i] != '(')
		return false;
	*found = (struct piece){s + class, i - class};
	return true;
}

/* Returns the end of the identifier at i, or i if there is none. */
static size_t identifier(const char *s, size_t n, size_t i)
{
	return i < n && is_word(s[i]) && !is_digit(s[i]) ? skip_word(s, n, i) : i;
}

/* _*[A-Z]\w* of an identifier */
static bool is_class(const char *s, size_t from, size_t to)
{
	while (from < to && s[from] == '_')
		from++;
	return from < to && is_upper(s[from]);
}

/* ^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?) : C++ */
static bool find_cpp(struct piece name, struct piece *found)
{
	const char *s = name.at;
	size_t n = name.n, from = 0, class = 0, last = 0, tail;
	bool any = false;

	/* The scopes begin with a namespace. The last class that is followed by a name counts. */
	for (;;) {
		size_t to = identifier(s, n, from), next;

		if (to == from || !starts(s + to, n - to, "::"))
			break;
		next = to + 2;
		if (next < n && s[next] == '~')
			next++;
		if (from && is_class(s, from, to) && identifier(s, n, next) > next) {
			any = true;
			class = from;
			last = next;
		}
		from = to + 2;
	}
	if (!any)
		return false;
	tail = identifier(s, n, last);
	if (tail < n && s[tail] == '<') {
		const char *stop = memchr(s + tail, '\n', n - tail);

		for (size_t i = stop ? (size_t)(stop - s) : n; i-- > tail;) {
			if (s[i] == '>') {
				tail = i + 1;
				break;
			}
		}
	}
	*found = (struct piece){s + class, tail - class};
	return true;
}

int rep_function_short(const char *name, size_t size, struct tp_buf *out)
{
	static const char anonymous[] = "(anonymous namespace)::";
	struct tp_buf b = {0};
	struct piece whole = {name, size}, found;
	size_t begin, end;
	int code = 0;

	if (starts(name, size, anonymous)) {
		whole.at += sizeof(anonymous) - 1;
		whole.n -= sizeof(anonymous) - 1;
	}
	if (find_version(whole.at, whole.n, &begin, &end)) {
		tp_buf_put(&b, whole.at, begin);
		code = tp_buf_put(&b, whole.at + end, whole.n - end);
		whole = (struct piece){(const char *)b.data, b.size};
	}
	found = whole;
	if (!code &&
	    (find_go(whole, &found) || find_java(whole, &found) || find_cpp(whole, &found)))
		whole = found;
	if (!code && whole.n)
		code = tp_buf_put(out, whole.at, whole.n);
	tp_buf_release(&b);
	return code;
}
