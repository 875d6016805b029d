/* Private to libreport/engine, for reading profiles: the headers of each (headers.c), the stacks of
 * all (known.c), and samples run by run (samples.c). */
#ifndef REP_ENGINE_PROFILES_H
#define REP_ENGINE_PROFILES_H

#include "base/table.h"
#include "engine/fetching.h"
#include "engine/spool.h"

#define REP_FETCH_HEADERS (REP_ENGINE_COUNTER - REP_ENGINE_PROFILE + 1)

/* Profiles requested in one statement; a variable for tests only. */
extern size_t rep_fetch_at_once;

/* A profile's rows of the header tables as received; rows[0] is REP_ENGINE_PROFILE's. */
struct header {
	struct tp_buf rows[REP_FETCH_HEADERS];
};

struct known_stack {
	uint8_t hash[REP_STACK_HASH];
	size_t at; /* position in `stacks`, after the hash */
	uint32_t size;
};

/* A sample's row, and the number of its stack in the run it came from. */
struct place {
	size_t at, size;
	uint32_t node;
};

/* The profile being filled with samples. */
struct current {
	struct tp_profile *profile; /* NULL: none has begun */
	size_t run;
	struct rep_mapping_place *place;
	uint32_t *by_key;     /* its mappings, sorted by the keys of their places */
	uint32_t *node;	      /* by known stack: its node + 1 */
	struct tp_buf rows;   /* of its samples, as received */
	struct place *sample; /* nsamples of them */
	size_t nsamples, room;
	size_t held; /* bytes of the samples, of the stacks in its dictionary, and of its labels */
};

struct rep_profiles {
	const struct rep_fetching *f;
	struct header *header; /* by run */
	size_t *group;	       /* by run: profiles that the engine may add up share one */
	bool add_up;
	struct rep_spool stacks;   /* rows */
	struct known_stack *stack; /* nstacks of them */
	size_t nstacks, stack_room;
	struct tp_table by_hash; /* of `stack` */
	uint64_t seed;
	rep_fetch_profile *each;
	void *each_ctx;
	size_t next; /* first run that is not finished */
	struct current now;
	enum rep_engine_table_id table; /* header table being read */
};

struct texts {
	struct tp_profile *profile;
	int code;
};
/* Returns the string's id. After the first failure, which t->code keeps, returns 0. */
uint32_t rep_fetch_intern(struct texts *t, struct tp_slice s);
/* Turns an error code of a profile's function into an error with a sentence. */
int rep_fetch_checked(int code, struct tp_err *err);

/* Measures the stacks and labels of a profile. Samples share them, so a sample counts with what it
 * adds to them and not with the size of its row. rep_fetch_hold returns TP_ELIMIT if the growth
 * since `before` exceeds the memory limit. */
struct measured {
	size_t entries;
	uint32_t strings;
};
struct measured rep_fetch_measure(const struct tp_profile *p);
int rep_fetch_hold(struct rep_profiles *p, struct measured before, struct tp_err *err);

/* Read the headers, and the stacks, of all picked profiles. */
int rep_fetch_headers(struct rep_profiles *p, struct tp_err *err);
int rep_fetch_stacks(struct rep_profiles *p, struct tp_err *err);
/* Start p->now as the profile of a run, without samples; and drop it. */
int rep_fetch_start(struct rep_profiles *p, size_t run, struct tp_err *err);
void rep_fetch_drop(struct rep_profiles *p);
/* Finds or makes the node of a stack in the current profile. Returns TP_ELIMIT if the stack with
 * its names exceeds the memory limit. */
int rep_fetch_stack(struct rep_profiles *p, const uint8_t *hash, uint32_t *node,
		    struct tp_err *err);

/* Takes a sample (a rep_engine_row). Samples come in the order of their runs. */
int rep_fetch_sample(void *profiles, struct tp_cursor *c, struct tp_err *err);
/* Passes on the finished profiles: those of all runs before `run`, including those without
 * samples. */
int rep_fetch_finish(struct rep_profiles *p, size_t run, struct tp_err *err);

#endif
