/* Functions that the sources of leaks share; private to libreport/leak. */
#ifndef REP_LEAK_PARTS_H
#define REP_LEAK_PARTS_H

#include "leak/leak.h"

/* Translates stacks of one source into the common dictionary. There frames have the function, the
 * line and the last part of the file's name. */
struct rep_leak_names {
	const struct tp_dict *from;
	struct tp_dict *to;
	struct rep_own own, *common_own; /* of `from` and `to` */
	uint32_t *frame, *node;		 /* by id in `from`: 1 + the id in `to` */
	/* By node of `from`: the first node outside the runtime (0: not known yet), and what the
	 * runtime's frames say that the goroutine waits for. */
	uint32_t *below;
	uint8_t *says;
	uint32_t *path; /* room for a walk */
	size_t room;
};

int rep_leak_names_init(struct rep_leak_names *m, const struct tp_dict *from, struct tp_dict *to,
			struct rep_own *own);
void rep_leak_names_release(struct rep_leak_names *m);

/* Translates a stack without the runtime's own frames at its ends; one of them stays if the stack
 * has no others. Sets *waits to what the frames at the leaf say that the goroutine waits for: a
 * constant, or NULL if they say nothing. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_leak_stack(struct rep_leak_names *m, uint32_t stack, uint32_t *common, const char **waits);
/* Makes the frame of a go statement from the texts of a dump ("main.open", "/src/stuck.go:62"). */
int rep_leak_creator(struct tp_dict *d, struct tp_text function, struct tp_text at,
		     uint32_t *frame);
/* Bits that say to whom the goroutine of a stack belongs. rep_leak_whose returns them for a
 * translated stack; `parent` is its result for the stack's parent (0 if there is none), `name` the
 * function of the stack's last frame. */
enum rep_leak_whose {
	REP_LEAK_SYSTEM = 1, /* to the runtime, or to the writer of the dump */
	REP_LEAK_MAIN = 2,   /* to main.main */
};
unsigned rep_leak_whose(unsigned parent, bool root, struct tp_text name);

/* One goroutine, or several equal ones. */
struct rep_leak_item {
	uint32_t stack, creator, created, waits, label; /* of the common dictionary */
	int64_t count;
	struct rep_goid id; /* REP_GOID_NONE: unknown */
	int64_t wait_ns;    /* or ticks; -1 unknown */
	bool certain;
	bool no_stack;	      /* `stack` has at most its entry function */
	bool in_trace, fresh; /* the source is a trace; it contains the creation */
};

/* Begins the next source. `ticks` says that its times are ticks: the trace has no clock. */
int rep_leaks_begin(struct rep_leaks *l, const char *name, bool ticks, struct tp_err *err);
/* Counts goroutines in the source that was begun last. */
int rep_leaks_put(struct rep_leaks *l, const struct rep_leak_item *item, struct tp_err *err);
/* Counts goroutines of that source that are left out. */
void rep_leaks_leave_out(struct rep_leaks *l, enum rep_leak_left kind, int64_t count);
/* Adds the goroutines of a site to another one, and frees its counts. */
void rep_leaks_merge(const struct rep_leaks *l, struct rep_leak_site *to,
		     struct rep_leak_site *from);
/* Joins sites whose lines have moved: moved.c. Sites have counts for all sources. TP_ENOMEM. */
int rep_leaks_join_moved(struct rep_leaks *l);
/* Sets the message for TP_ENOMEM or TP_ELIMIT. Returns code. */
int rep_leak_fail(struct tp_err *err, int code);
#ifdef TP_ANALYZER
#define rep_leak_fail(err, code) (rep_leak_fail(err, code), (code))
#endif

#endif
