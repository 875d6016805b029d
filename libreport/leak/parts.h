/* What the sources of leaks share; private to libreport/leak. */
#ifndef REP_LEAK_PARTS_H
#define REP_LEAK_PARTS_H

#include "leak/leak.h"

/* Names of one source on their way into the common dictionary: functions with the last part of
 * their file's name, and lines. */
struct rep_leak_names {
	const struct tp_dict *from;
	struct tp_dict *to;
	uint32_t *frame, *node; /* id in `to` + 1, by id in `from` */
	/* By node of `from`: where the runtime's frames end, 0 unknown, and what they say. */
	uint32_t *below;
	uint8_t *says;
	uint32_t *path; /* room for a walk */
	size_t room;
};

int rep_leak_names_init(struct rep_leak_names *m, const struct tp_dict *from, struct tp_dict *to);
void rep_leak_names_release(struct rep_leak_names *m);

/* A stack without the runtime's own frames at its ends (but for its last one, where there is no
 * other), and what those at the leaf say it waits for: a known constant, NULL where they say
 * nothing. 0 or TP_ENOMEM, TP_ELIMIT. */
int rep_leak_stack(struct rep_leak_names *m, uint32_t stack, uint32_t *common, const char **waits);
/* The frame of a go statement, from the texts of a dump ("main.open", "/src/stuck.go:62"). */
int rep_leak_creator(struct tp_dict *d, struct tp_text function, struct tp_text at,
		     uint32_t *frame);
/* Whose goroutine a (trimmed) stack is, from its parent's answer (of 0 it is 0) and the name of its
 * own last frame. */
enum rep_leak_whose {
	REP_LEAK_SYSTEM = 1, /* the runtime's, or whoever writes the dump */
	REP_LEAK_MAIN = 2,   /* main.main's */
};
unsigned rep_leak_whose(unsigned parent, bool root, struct tp_text name);

/* A goroutine, or several that are alike. */
struct rep_leak_item {
	uint32_t stack, creator, created, waits; /* of the common dictionary */
	int64_t count;
	struct rep_goid id; /* REP_GOID_NONE: unknown */
	int64_t wait_ns;    /* or ticks; -1 unknown */
	bool certain;
	bool no_stack;	      /* `stack` is its entry function at most */
	bool in_trace, fresh; /* it is a trace; which saw it being created */
};

struct tp_dict *rep_leaks_common(struct rep_leaks *l);
const struct rep_leak_options *rep_leaks_options(const struct rep_leaks *l);
/* Begins the next source; `ticks`: its times are, as its trace has no clock. */
int rep_leaks_begin(struct rep_leaks *l, const char *name, bool ticks, struct tp_err *err);
/* Counts it in the source that was begun last. */
int rep_leaks_put(struct rep_leaks *l, const struct rep_leak_item *item, struct tp_err *err);
/* Counts goroutines that are left out of that source. */
void rep_leaks_leave_out(struct rep_leaks *l, enum rep_leak_left kind, int64_t count);
/* "out of memory" and the like. */
int rep_leak_fail(struct tp_err *err, int code);
#ifdef TP_ANALYZER
#define rep_leak_fail(err, code) (rep_leak_fail(err, code), (code))
#endif

#endif
