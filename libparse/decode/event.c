#include "decode/event.h"

#include <stddef.h>

/* "-" marks an unused field in the table; as a pointer that is NULL. */
#define FIELD(text) ((text)[0] == '-' && !(text)[1] ? NULL : (text))

const struct tp_event_desc tp_event_descs[TP_NEVENT_TYPES] = {
#define TP_X(name, number, w, k, subj, s, s2, a0, a1, a2)                                          \
	[number] = {.wire = w,                                                                     \
		    .kind = TP_KIND_##k,                                                           \
		    .subject = (subj)[0] == '-' ? 0 : (subj)[0],                                   \
		    .str = FIELD(s),                                                               \
		    .str2 = FIELD(s2),                                                             \
		    .arg = {FIELD(a0), FIELD(a1), FIELD(a2)}},
	TP_EVENT_TYPES(TP_X)
#undef TP_X
};

const char *const tp_kind_names[TP_NKINDS] = {
#define TP_X(name, text) [TP_KIND_##name] = text,
	TP_EVENT_KINDS(TP_X)
#undef TP_X
};

const char *const tp_state_names[TP_NSTATES] = {
#define TP_X(name, text) [TP_ST_##name] = text,
	TP_STATES(TP_X)
#undef TP_X
};
