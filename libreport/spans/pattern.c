#include "spans/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERS = 1, MATCHES };

int rep_pattern_init(struct rep_pattern *p, const char *text, const char *option, bool ids,
		     struct tp_err *err)
{
	memset(p, 0, sizeof(*p));
	p->request = ids && text && *text == '?';
	if (!text || p->request)
		return 0;
	if (!ids || !*text || text[strspn(text, "0123456789")]) {
		p->given = true;
		return tp_regex_init(&p->regex, text, option, err);
	}
	errno = 0;
	p->by_id = true;
	p->id = (int64_t)strtoull(text, NULL, 10);
	return errno ? tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "%s: no task has the id %s",
				  option, text)
		     : 0;
}

int rep_pattern_run(struct rep_pattern *p, const struct tp_dict *dict, struct tp_err *err)
{
	free(p->answer);
	p->answer = NULL;
	p->dict = dict;
	p->nstrings = tp_dict_strings(dict);
	if (p->given)
		p->answer = calloc(p->nstrings + (size_t)1, 1);
	return p->answer || !p->given ? 0 : tp_nomem(err);
}

bool rep_pattern_matches(struct rep_pattern *p, int64_t string)
{
	if (!p->given)
		return true;
	if (string < 0 || string >= p->nstrings)
		string = 0;
	if (!p->answer[string]) {
		struct tp_text text = tp_dict_text(p->dict, (uint32_t)string);
		int rc = tp_regex_find(&p->regex, text.text, text.size);

		p->answer[string] = rc == 1 ? MATCHES : DIFFERS;
		if (rc < 0)
			p->unknown = rc;
	}
	return p->answer[string] == MATCHES;
}

int rep_pattern_settle(const struct rep_pattern *p, struct tp_err *err)
{
	return tp_regex_unknown(p->unknown, err);
}

void rep_pattern_release(struct rep_pattern *p)
{
	tp_regex_release(&p->regex);
	free(p->answer);
	memset(p, 0, sizeof(*p));
}
