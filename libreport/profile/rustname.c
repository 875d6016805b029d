/* Source of the rules: rustc's legacy symbol mangling, and Go's demangle package (oldRustToString), which takes the
 * first underscore of an identifier for a separator. In this mangling there is none. */
#include "profile/rustname.h"

#include <string.h>

#include "decode/profile/mangled.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

uint32_t rep_rust_hash(struct tp_text name)
{
	const char *end = name.text + name.size;

	return name.size > 19 && !memcmp(end - 19, "::h", 3) && tp_profile_is_hash(end - 16) ? 19
											     : 0;
}

static void step(struct tp_text *t, size_t n)
{
	t->text += n;
	t->size -= (uint32_t)n;
}

/* Decodes "$LT$", "$u20$" … at the beginning. Returns its length, 0 if there is no such escape. */
static size_t escaped(struct tp_text id, char *c)
{
	static const char codes[][4] = {"SP@", "BP*", "RF&", "LT<", "GT>", "LP(", "RP)"};

	if (tp_text_begins(id, "$C$")) {
		*c = ',';
		return 3;
	}
	if (id.size > 4 && id.text[1] == 'u' && id.text[4] == '$') {
		int high = digit_of(id.text[2]), low = digit_of(id.text[3]);

		*c = (char)(high * 16 + low);
		return low >= 0 && high >= 2 && high <= 7 ? 5 : 0;
	}
	for (size_t i = 0; id.size > 3 && id.text[3] == '$' && i < 7; i++) {
		if (!memcmp(id.text + 1, codes[i], 2)) {
			*c = codes[i][2];
			return 4;
		}
	}
	return 0;
}

static void put_identifier(struct tp_text id, struct tp_buf *out)
{
	/* rustc puts an underscore before an escape at the beginning of an identifier. */
	if (tp_text_begins(id, "_$"))
		step(&id, 1);
	while (id.size) {
		char c = id.text[0];
		size_t n = 1;

		if (tp_text_begins(id, "..")) {
			tp_buf_text(out, "::");
			step(&id, 2);
			continue;
		}
		if (c == '$')
			n = escaped(id, &c);
		if (!n) {
			tp_buf_put(out, id.text, id.size);
			return;
		}
		tp_buf_put(out, &c, 1);
		step(&id, n);
	}
}

int rep_rust_demangle(struct tp_text name, bool whole, struct tp_buf *out, bool *put)
{
	size_t begin = out->size;
	int code;

	*put = false;
	if (!tp_text_begins(name, "_ZN"))
		return rep_rust_demangle_v0(name, whole, out, put);
	/* drop a suffix such as ".llvm.123" */
	for (uint32_t i = name.size - 1; i > 1; i--) {
		if (name.text[i - 1] == 'E' && name.text[i] == '.') {
			name.size = i;
			break;
		}
	}
	if (name.size <= 23 || name.text[name.size - 1] != 'E' ||
	    memcmp(name.text + name.size - 20, "17h", 3) != 0 ||
	    !tp_profile_is_hash(name.text + name.size - 17))
		return 0;
	step(&name, 3);
	name.size -= 20;
	while (name.size) {
		uint32_t n = 0, digits = 0;

		while (digits < name.size && digits < 9 && digit_of(name.text[digits]) >= 0 &&
		       digit_of(name.text[digits]) < 10)
			n = n * 10 + (uint32_t)digit_of(name.text[digits++]);
		step(&name, digits);
		if (!digits || n > name.size) {
			out->size = begin;
			return 0;
		}
		if (out->size > begin)
			tp_buf_text(out, "::");
		put_identifier((struct tp_text){name.text, n}, out);
		step(&name, n);
	}
	code = tp_buf_text(out, "");
	*put = !code;
	return code;
}
