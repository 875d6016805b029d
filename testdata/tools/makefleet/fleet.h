/* A fleet that is not there: services in several versions on several hosts, and what they cost.
 *
 * Every number follows from the seed, so that what was planted is known. A dump is drawn from:
 *
 *   what a stack costs	     lognormal by stack, and leaves drawn so that few functions are in most
 *   its leaf's version	     the product of what was planted up to it
 *   the host		     some are faster (10 %), some have other caches (3 %, by function)
 *   the hour		     load follows the time of day (30 %), and chance (5 %)
 *   the profiler	     it samples: what it counts is Poisson's
 *
 * Names and addresses are as in builds: closures are numbered anew by each version, code moves. */
#ifndef MAKEFLEET_FLEET_H
#define MAKEFLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/profile.h"

#define FLEET_FUNCTIONS 500
#define FLEET_STACKS	200000 /* at most */
#define FLEET_DEPTH	40
#define FLEET_VERSIONS	16
#define FLEET_SERVICES	8

enum fleet_kind { FLEET_CPU, FLEET_HEAP, FLEET_KINDS };
extern const char *const fleet_kinds[FLEET_KINDS];

struct fleet_options {
	long seed, hosts, versions, dumps, services, stacks;
	long planted; /* in each service but the last, kind and version but the first */
	long limit;   /* percent: what is planted is well above it, or near it on either side */
	long busy;    /* how many times as much as expected there is to sample */
	long noise;   /* percent: what hosts differ by, function by function */
	bool canary;  /* the last version is on a quarter of the hosts only */
};

struct fleet_path {
	uint16_t depth; /* at least 10 */
	uint16_t function[FLEET_DEPTH];
};

struct fleet_service {
	const char *name;
	struct fleet_path *path; /* stacks of them */
	double *weight[FLEET_KINDS];
	double factor[FLEET_VERSIONS][FLEET_KINDS][FLEET_FUNCTIONS]; /* of the leaf */
};

/* A change of what a function costs itself. */
struct fleet_change {
	const char *service;
	enum fleet_kind kind;
	long version; /* from the one before it */
	unsigned function;
	double percent;
};

struct fleet {
	struct fleet_options opt;
	struct fleet_service service[FLEET_SERVICES];
	struct fleet_change *change;
	size_t nchanges;
};

/* 0 or an error of libparse: memory. To be released in every case. */
int fleet_make(struct fleet *f, const struct fleet_options *opt);
void fleet_release(struct fleet *f);

struct fleet_dump {
	long service, host, version, number; /* of its host and version, from 0 */
	enum fleet_kind kind;
};

/* Does this host run that version? */
bool fleet_runs(const struct fleet *f, long host, long version);
/* How many dumps of each kind a host gives of a version it runs. */
long fleet_dumps(const struct fleet *f, long version);
/* The caller frees *p, NULL after an error. */
int fleet_profile(const struct fleet *f, const struct fleet_dump *d, struct tp_profile **p);

/* As it is called in dumps of that version. */
#define FLEET_NAME 96
void fleet_function(const struct fleet_service *s, unsigned function, long version,
		    char name[FLEET_NAME]);

#endif
