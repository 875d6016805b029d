/* Labels as Go writes them beside a stack: {"key":"value", "key":"value"}, quoted as %q does
 * (Go: runtime/pprof/label.go, strconv/quote.go). */
#include "decode/profile/legacy.h"
#include "open/log.h"

int tp_legacy_unquote(struct tp_legacy *l, struct tp_scan *s, uint32_t *string, bool *ok)
{
	struct tp_scan content;
	bool odd = false;
	int code;

	*ok = tp_scan_begins(*s, "\"") && tp_log_string(s, &content);
	if (!*ok)
		return 0;
	l->scratch.size = 0;
	code = tp_log_unescape(&l->scratch, content, TP_LOG_BACKSLASH, &odd);
	*ok = !odd;
	if (code || odd)
		return tp_legacy_fail(l, code);
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

		code = tp_legacy_unquote(l, &s, &label.key, &ok);
		ok = ok && !code && tp_scan_text(&s, ":");
		if (ok)
			code = tp_legacy_unquote(l, &s, &label.text, &ok);
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
