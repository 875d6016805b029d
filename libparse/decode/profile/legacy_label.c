/* Labels as Go writes them beside a stack: {"key":"value", "key":"value"}, quoted as %q does
 * (Go: runtime/pprof/label.go, strconv/quote.go). */
#include <string.h>

#include "decode/profile/legacy.h"

static int put_rune(struct tp_buf *out, uint32_t r)
{
	uint8_t u[4];
	size_t n;

	if (r < 0x80) {
		u[0] = (uint8_t)r;
		n = 1;
	} else if (r < 0x800) {
		u[0] = (uint8_t)(0xc0 | r >> 6);
		n = 2;
	} else if (r < 0x10000) {
		u[0] = (uint8_t)(0xe0 | r >> 12);
		n = 3;
	} else {
		u[0] = (uint8_t)(0xf0 | r >> 18);
		n = 4;
	}
	for (size_t i = 1; i < n; i++)
		u[i] = (uint8_t)(0x80 | (r >> 6 * (n - 1 - i) & 0x3f));
	return tp_buf_put(out, u, n);
}

/* What comes behind a backslash. */
static int put_escape(struct tp_scan *s, struct tp_buf *out, bool *ok)
{
	static const char plain[] = "abfnrtv\\\"'", means[] = "\a\b\f\n\r\t\v\\\"'";
	static const struct {
		char letter;
		int digits;
	} coded[] = {{'x', 2}, {'u', 4}, {'U', 8}};
	const char *p;

	*ok = false;
	if (s->at == s->end || !*s->at)
		return 0;
	p = strchr(plain, *s->at);
	if (p) {
		s->at++;
		*ok = true;
		return tp_buf_put(out, &means[p - plain], 1);
	}
	for (size_t i = 0; i < sizeof(coded) / sizeof(coded[0]); i++) {
		struct tp_scan digits = {s->at + 1, s->at + 1 + coded[i].digits};
		uint64_t v;

		if (*s->at != coded[i].letter || s->end - s->at <= coded[i].digits)
			continue;
		if (tp_scan_hex(&digits, &v) != TP_NUMBER_OK || digits.at != digits.end ||
		    v > 0x10ffff)
			return 0;
		s->at = digits.end;
		*ok = true;
		return coded[i].letter == 'x' ? tp_buf_put(out, &(uint8_t){(uint8_t)v}, 1)
					      : put_rune(out, (uint32_t)v);
	}
	return 0;
}

int tp_go_unquote(struct tp_scan *s, struct tp_buf *out, bool *ok)
{
	struct tp_scan at = *s;
	int code = 0;

	out->size = 0;
	*ok = tp_scan_text(&at, "\"");
	while (*ok && !code) {
		const char *from = at.at;

		while (at.at < at.end && *at.at != '"' && *at.at != '\\')
			at.at++;
		code = tp_buf_put(out, from, (size_t)(at.at - from));
		if (at.at == at.end) {
			*ok = false;
		} else if (*at.at++ == '"') {
			*s = at;
			break;
		} else if (!code) {
			code = put_escape(&at, out, ok);
		}
	}
	return code;
}

static int quoted(struct tp_legacy *l, struct tp_scan *s, uint32_t *string, bool *ok)
{
	int code = tp_legacy_fail(l, tp_go_unquote(s, &l->scratch, ok));

	if (code || !*ok)
		return code;
	return tp_legacy_string(l, l->scratch.size ? (const char *)l->scratch.data : "",
				l->scratch.size, string);
}

int tp_legacy_labels(struct tp_legacy *l, struct tp_scan s, uint32_t *set)
{
	struct tp_buf labels = {0};
	bool ok = tp_scan_text(&s, "{"), more = !tp_scan_begins(s, "}");
	int code = 0;

	while (ok && more && !code) {
		struct tp_label label = {0};

		code = quoted(l, &s, &label.key, &ok);
		ok = ok && !code && tp_scan_text(&s, ":");
		if (ok)
			code = quoted(l, &s, &label.text, &ok);
		if (ok && !code)
			code = tp_legacy_fail(l, tp_buf_put(&labels, &label, sizeof(label)));
		more = ok && tp_scan_text(&s, ", ");
		ok = ok && labels.size < TP_LEGACY_LABELS * sizeof(label);
	}
	ok = ok && tp_scan_text(&s, "}");
	if (ok && !code)
		code = tp_legacy_fail(l, tp_profile_label_set(l->p, (const void *)labels.data,
							      labels.size / sizeof(struct tp_label),
							      set));
	tp_buf_release(&labels);
	return code ? code : !ok;
}
