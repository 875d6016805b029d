#include "flame/name.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "output/text.h"

/* Returns where type arguments, receiver, file or parameters begin. */
static size_t plain_end(const char *s, size_t from, size_t size)
{
	while (from < size && !memchr("([<{ ", s[from], 5))
		from++;
	return from;
}

/* Returns the end of the package: in net/http.Get after "http"; in main.main.func1 after the first
 * "main"; in java.util.HashMap.put before the class, which begins with a capital; in std::sort
 * after "std". */
static size_t package_end(const char *s, size_t from, size_t end, bool path)
{
	size_t first = end;

	for (size_t i = from; i < end; i++) {
		if (s[i] == ':' && i + 1 < end && s[i + 1] == ':')
			return i;
		if (s[i] != '.' || i == from)
			continue;
		if (first == end)
			first = i;
		if (path)
			break;
		if (i + 1 < end && s[i + 1] >= 'A' && s[i + 1] <= 'Z')
			return i;
	}
	return first < end ? first : from;
}

/* Returns the start of the brief form. In json/v2.Unmarshal the version alone is no name, so the
 * folder before it stays. */
static size_t brief_start(const char *s, size_t from, size_t slash, size_t end)
{
	size_t i = slash;

	if (slash <= from || slash >= end)
		return from;
	if (s[i] == 'v')
		for (i++; i < end && s[i] >= '0' && s[i] <= '9'; i++)
			;
	if (i < slash + 2 || i == end || s[i] != '.')
		return slash;
	for (i = slash - 1; i > from && s[i - 1] != '/'; i--)
		;
	return i;
}

static bool is_runtime(const char *s, size_t size)
{
	static const char *const packages[] = {"runtime", "internal/runtime", "syscall"};

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		size_t n = strlen(packages[i]);

		if (size >= n && !memcmp(s, packages[i], n) && (size == n || s[n] == '/'))
			return true;
	}
	return false;
}

struct rep_flame_name rep_flame_name(const char *text, size_t size)
{
	struct rep_flame_name n = {0};
	size_t from = 0, end, slash;

	/* An address in front is not part of the name. */
	if (size > 2 && text[0] == '0' && text[1] == 'x') {
		const char *space = memchr(text, ' ', size);

		from = space ? (size_t)(space - text) + 1 : size;
	}
	end = plain_end(text, from, size);
	for (slash = end; slash > from && text[slash - 1] != '/'; slash--)
		;
	n.from = (uint32_t)from;
	n.brief = (uint32_t)(from < size ? brief_start(text, from, slash, end) : 0);
	n.package = (uint32_t)package_end(text, slash, end, slash > from);
	n.shade = (uint8_t)(XXH3_64bits(text, size) % REP_FLAME_SHADES);
	if (n.package <= slash)
		n.package = (uint32_t)from;
	if (from == size || text[from] == '[' || is_runtime(text + from, n.package - from))
		n.hue = REP_FLAME_GREY;
	else if (n.package > from)
		n.hue = (uint8_t)(XXH3_64bits(text + from, n.package - from) % REP_FLAME_HUES);
	else
		n.hue = (uint8_t)(XXH3_64bits(text + from, end - from) % REP_FLAME_HUES);
	return n;
}

int rep_flame_label(struct tp_buf *out, const char *name, size_t size, const char *share,
		    size_t room, bool ascii)
{
	struct rep_flame_name n = rep_flame_name(name, size);
	size_t from = n.brief, width = rep_text_width(name + from, size - from);
	int code;

	/* Fewer than three letters of the function are less useful than the rest of the package. */
	if (width > room && n.package > n.brief && n.package < size) {
		size_t behind = n.package + (name[n.package] == ':' ? 2u : 1u);

		if (behind + 3 <= size)
			from = behind;
		width = rep_text_width(name + from, size - from);
	}
	code = rep_shorten(out, name + from, size - from, room, REP_SHORTEN_RIGHT, ascii);
	if (!code && *share && width + 1 + strlen(share) <= room)
		code = tp_buf_put(out, " ", 1) | tp_buf_put(out, share, strlen(share));
	return code;
}
