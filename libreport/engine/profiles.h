/* Inside of reading profiles: what each says of itself (headers.c), the stacks of all (known.c),
 * and samples run by run (samples.c). */
#ifndef REP_ENGINE_PROFILES_H
#define REP_ENGINE_PROFILES_H

#include "base/table.h"
#include "engine/fetching.h"
#include "engine/spool.h"

#define REP_FETCH_HEADERS (REP_ENGINE_COUNTER - REP_ENGINE_PROFILE + 1)

/* So many profiles are asked for in one statement; that, but in tests. */
extern size_t rep_fetch_at_once;

/* Rows as they came, one after the other, by table, the first one REP_ENGINE_PROFILE. */
struct header {
	struct tp_buf rows[REP_FETCH_HEADERS];
};

struct known_stack {
	uint8_t hash[REP_STACK_HASH];
	size_t at; /* in `stacks`, behind the hash */
	uint32_t size;
};

/* A sample's row, and the number that its stack had where it came from. */
struct place {
	size_t at, size;
	uint32_t node;
};

/* The profile that samples are put into. */
struct current {
	struct tp_profile *profile; /* NULL: none yet */
	size_t run;
	struct rep_mapping_place *place;
	uint32_t *by_key;     /* numbers of its mappings, sorted by the keys of their places */
	uint32_t *node;	      /* by known stack: its node + 1 */
	struct tp_buf rows;   /* of its samples, as they came */
	struct place *sample; /* nsamples of them */
	size_t nsamples, room;
	size_t held; /* bytes of these, of the stacks in its dictionary, and of its labels */
};

struct rep_profiles {
	const struct rep_fetching *f;
	struct header *header; /* by run */
	size_t *group;	       /* by run: those that are alike are one */
	bool add_up;
	struct rep_spool stacks;   /* rows */
	struct known_stack *stack; /* nstacks of them */
	size_t nstacks, stack_room;
	struct tp_table by_hash; /* of these */
	uint64_t seed;
	rep_fetch_profile *each;
	void *each_ctx;
	size_t next; /* run that is to be made */
	struct current now;
	enum rep_engine_table_id table; /* of headers that are asked for */
};

struct texts {
	struct tp_profile *profile;
	int code;
};
/* The string's id; after the first failure, which t->code keeps, 0. */
uint32_t rep_fetch_intern(struct texts *t, struct tp_slice s);
/* The error that belongs to a code of a profile's. */
int rep_fetch_checked(int code, struct tp_err *err);

/* What a profile has of stacks and labels: samples share them, so what is held is what each adds,
 * not its row. TP_ELIMIT: with what came since then it would be too much. */
struct measured {
	size_t entries;
	uint32_t strings;
};
struct measured rep_fetch_measure(const struct tp_profile *p);
int rep_fetch_hold(struct rep_profiles *p, struct measured before, struct tp_err *err);

/* Asks for the headers, and the stacks, of all profiles that are picked. */
int rep_fetch_headers(struct rep_profiles *p, struct tp_err *err);
int rep_fetch_stacks(struct rep_profiles *p, struct tp_err *err);
/* Makes p->now the profile of that run, without samples; and forgets it. */
int rep_fetch_start(struct rep_profiles *p, size_t run, struct tp_err *err);
void rep_fetch_drop(struct rep_profiles *p);
/* A stack of the profile that is made. TP_ELIMIT: with its names it would be too much to hold. */
int rep_fetch_stack(struct rep_profiles *p, const uint8_t *hash, uint32_t *node,
		    struct tp_err *err);

/* Takes a sample (fits struct rep_answer), which follows those of runs before it. */
int rep_fetch_sample(void *profiles, struct tp_cursor *c, struct tp_err *err);
/* Hands on what is complete: the profiles before `run`, and those without samples among them. */
int rep_fetch_finish(struct rep_profiles *p, size_t run, struct tp_err *err);

#endif
