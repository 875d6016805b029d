/* Which decoder a profile is for. */
#include <string.h>

#include "decode/profile/kinds.h"
#include "open/kind.h"

int tp_profile_several(struct tp_err *err, uint64_t offset)
{
	return tp_err_set(
	    err, TP_EFORMAT, offset,
	    "is several profiles one after the other: give them as files of their own");
}

int tp_profile_added_up(struct tp_profile *p, size_t n, struct tp_err *err)
{
	bool goroutines =
	    p->ntypes && tp_text_begins(tp_dict_text(p->dict, p->types[0].type), "goroutine");
	int code = n < 2 ? 0
			 : tp_profile_add_notice(p, TP_WARNING, TP_OFFSET_NONE,
						 "is %zu profiles one after the other; their "
						 "samples are added up%s",
						 n,
						 goroutines ? "; to compare such moments, give "
							      "them as files of their own"
							    : "");

	return code ? tp_nomem(err) : 0;
}

/* A sound profile may be empty; one that is damaged so that nothing of it is left is an error. */
static int check_left(const struct tp_profile *p, const void *data, size_t size, struct tp_err *err)
{
	char hint[200];

	if (p->nsamples || p->ncounters || !p->nlosses)
		return 0;
	if (tp_kind_hint(data, size, hint, sizeof(hint)))
		return tp_err_set(err, TP_EFORMAT, p->losses[0].offset, "%s", hint);
	return tp_err_set(err, TP_EFORMAT, p->losses[0].offset, "nothing is left of it: %s",
			  p->losses[0].reason);
}

int tp_profile_read(const void *data, size_t size, const struct tp_profile_options *opt,
		    struct tp_profile **p, struct tp_err *err)
{
	/* In this order: texts have words to know them by, the protocol buffer has only its fields.
	 */
	static const struct {
		bool (*seen)(const uint8_t *data, size_t size);
		tp_profile_reader read;
	} kinds[] = {
	    {tp_goroutines_seen, tp_goroutines_read},
	    {tp_legacy_seen, tp_legacy_read},
	    {tp_proto_seen, tp_proto_read},
	};
	static const struct tp_profile_options defaults = {0};

	*p = NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int code;

		if (!kinds[i].seen(data, size))
			continue;
		*p = tp_profile_new();
		code =
		    *p ? kinds[i].read(data, size, opt ? opt : &defaults, *p, err) : tp_nomem(err);
		if (!code)
			code = check_left(*p, data, size, err);
		if (code) {
			tp_profile_free(*p);
			*p = NULL;
		}
		return code;
	}
	return tp_err_set(err, TP_EUNKNOWN, 0, "is no profile of a known kind");
}
