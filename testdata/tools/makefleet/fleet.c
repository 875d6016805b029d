#include "fleet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

const char *const fleet_kinds[FLEET_KINDS] = {"cpu", "heap"};

static const char *const services[FLEET_SERVICES] = {"shop", "search", "mail", "billing",
						     "feed", "auth",   "chat", "maps"};

/* What all Go programs share; the others are the service's own. */
static const char *const common[] = {
    "runtime.mallocgc",
    "runtime.memmove",
    "runtime.scanobject",
    "runtime.mapaccess2_faststr",
    "runtime.growslice",
    "runtime.(*mspan).nextFreeIndex",
    "syscall.Syscall",
    "internal/poll.(*FD).Read",
    "encoding/json.(*decodeState).object",
    "encoding/json.(*encodeState).marshal",
    "compress/flate.(*compressor).deflate",
    "crypto/tls.(*Conn).Read",
    "strconv.ParseFloat",
    "strings.(*Builder).WriteString",
    "sort.Slice",
    "sync.(*Mutex).lockSlow",
};
#define COMMON (sizeof(common) / sizeof(common[0]))

/* How every request begins. */
static const char *const trunk[] = {
    "runtime.goexit",
    "net/http.(*Server).Serve.gowrap3",
    "net/http.(*conn).serve",
    "net/http.serverHandler.ServeHTTP",
};
#define TRUNK (sizeof(trunk) / sizeof(trunk[0]))

/* ---- chance ---- */

static double uniform(uint64_t *seed)
{
	return ((double)(tp_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(6.283185307179586 * uniform(seed));
}

static double lognormal(double sd, uint64_t *seed)
{
	return exp(sd * normal(seed));
}

static uint64_t below(uint64_t n, uint64_t *seed)
{
	return tp_random(seed) % n;
}

/* Knuth's product where it is short, else the normal that it comes near to. */
static int64_t poisson(double mean, uint64_t *seed)
{
	double product, least = exp(-mean);
	int64_t n = 0;

	if (mean > 30) {
		double v = floor(mean + sqrt(mean) * normal(seed) + 0.5);

		return v > 0 ? (int64_t)v : 0;
	}
	product = uniform(seed);
	while (product > least) {
		product *= uniform(seed);
		n++;
	}
	return n;
}

/* A seed of its own for each thing, so that nothing depends on the order in which it is asked. */
static uint64_t seed_of(const struct fleet *f, uint64_t what, uint64_t a, uint64_t b)
{
	uint64_t h = tp_mix64((uint64_t)f->opt.seed + 0x51ed2701u, what);

	return tp_mix64(tp_mix64(h, a), b);
}

enum { SEED_PATHS, SEED_PLANT, SEED_HOST, SEED_CACHE, SEED_DUMP };

/* ---- services ---- */

void fleet_function(const struct fleet_service *s, unsigned function, long version,
		    char name[FLEET_NAME])
{
	if (function < COMMON)
		snprintf(name, FLEET_NAME, "%s", common[function]);
	else if (function % 11 == 0)
		snprintf(name, FLEET_NAME, "example.com/%s/pkg%u.Handle%u.func%ld", s->name,
			 function % 23, function, 1 + version % 3);
	else
		snprintf(name, FLEET_NAME, "example.com/%s/pkg%u.(*Type%u).method%u", s->name,
			 function % 23, function % 7, function);
}

/* Few functions are leaves of most stacks. */
static uint16_t leaf(uint64_t *seed)
{
	double u = uniform(seed);
	unsigned rank = (unsigned)(FLEET_FUNCTIONS * u * u * u);

	return (uint16_t)(rank * 61 % FLEET_FUNCTIONS);
}

/* Each begins like one that was there before and leaves it somewhere. */
static void make_paths(struct fleet *f, struct fleet_service *s, uint64_t *seed)
{
	for (long i = 0; i < f->opt.stacks; i++) {
		struct fleet_path *p = &s->path[i];
		uint16_t depth = (uint16_t)(10 + below(FLEET_DEPTH - 9, seed)), at = 0;

		if (i) {
			const struct fleet_path *before = &s->path[below((uint64_t)i, seed)];

			*p = *before;
			at = (uint16_t)below(before->depth, seed);
			at = at < depth ? at : (uint16_t)(depth - 1);
		}
		for (; at < depth; at++)
			p->function[at] =
			    (uint16_t)(COMMON + below(FLEET_FUNCTIONS - COMMON, seed));
		p->depth = depth;
		p->function[depth - 1] = leaf(seed);
		for (int k = 0; k < FLEET_KINDS; k++)
			s->weight[k][i] = lognormal(1.2, seed);
	}
}

/* What a function costs itself, of all. */
static double share(const struct fleet *f, const struct fleet_service *s, enum fleet_kind kind,
		    unsigned function)
{
	double of = 0, all = 0;

	for (long i = 0; i < f->opt.stacks; i++) {
		const struct fleet_path *p = &s->path[i];

		all += s->weight[kind][i];
		if (p->function[p->depth - 1] == function)
			of += s->weight[kind][i];
	}
	return of / all;
}

static bool is_taken(const struct fleet *f, const struct fleet_service *s, enum fleet_kind kind,
		     unsigned function)
{
	for (size_t i = 0; i < f->nchanges; i++)
		if (f->change[i].service == s->name && f->change[i].kind == kind &&
		    f->change[i].function == function)
			return true;
	return false;
}

/* One that matters and is not most of it; not a closure, whose name is not the same twice. */
static bool choose(const struct fleet *f, const struct fleet_service *s, enum fleet_kind kind,
		   uint64_t *seed, unsigned *function)
{
	for (int tries = 0; tries < 20000; tries++) {
		double of;

		*function = leaf(seed);
		if (*function < COMMON || *function % 11 == 0 || is_taken(f, s, kind, *function))
			continue;
		of = share(f, s, kind, *function);
		if (of >= 0.01 && of <= 0.04)
			return true;
	}
	return false;
}

/* Of three: well above the limit; near it, from above and from below; and one that got better. */
static double how_much(long i, double limit, uint64_t *seed)
{
	double u = uniform(seed);

	switch (i % 4) {
	case 0:
		return limit * (2 + 3 * u);
	case 1:
		return limit * (1.5 + 0.2 * u);
	case 2:
		return limit * (0.4 + 0.2 * u);
	default:
		return -limit * (2 + 2 * u);
	}
}

static void plant(struct fleet *f, struct fleet_service *s)
{
	for (long v = 0; v < f->opt.versions; v++) {
		for (int k = 0; k < FLEET_KINDS; k++) {
			uint64_t seed = seed_of(f, SEED_PLANT, (uint64_t)(s - f->service),
						(uint64_t)(v * FLEET_KINDS + k));

			for (unsigned i = 0; i < FLEET_FUNCTIONS; i++)
				s->factor[v][k][i] = v ? s->factor[v - 1][k][i] : 1;
			for (long i = 0; v && i < f->opt.planted; i++) {
				struct fleet_change c = {
				    .service = s->name, .kind = (enum fleet_kind)k, .version = v};

				if (!choose(f, s, c.kind, &seed, &c.function))
					break;
				c.percent = how_much(i, (double)f->opt.limit, &seed);
				s->factor[v][k][c.function] *= 1 + c.percent / 100;
				f->change[f->nchanges++] = c;
			}
		}
	}
}

int fleet_make(struct fleet *f, const struct fleet_options *opt)
{
	long n = opt->services * opt->versions * FLEET_KINDS * opt->planted;

	*f = (struct fleet){.opt = *opt};
	f->change = calloc((size_t)n + 1, sizeof(*f->change));
	if (!f->change)
		return TP_ENOMEM;
	for (long i = 0; i < opt->services; i++) {
		struct fleet_service *s = &f->service[i];
		uint64_t seed = seed_of(f, SEED_PATHS, (uint64_t)i, 0);

		s->name = services[i];
		s->path = calloc((size_t)opt->stacks, sizeof(*s->path));
		for (int k = 0; k < FLEET_KINDS; k++)
			s->weight[k] = calloc((size_t)opt->stacks, sizeof(*s->weight[k]));
		if (!s->path || !s->weight[FLEET_CPU] || !s->weight[FLEET_HEAP])
			return TP_ENOMEM;
		make_paths(f, s, &seed);
		/* The last one never changes, where there are several. */
		if (i + 1 == opt->services && i)
			f->opt.planted = 0;
		plant(f, s);
		f->opt.planted = opt->planted;
	}
	return 0;
}

void fleet_release(struct fleet *f)
{
	for (size_t i = 0; i < FLEET_SERVICES; i++) {
		free(f->service[i].path);
		for (int k = 0; k < FLEET_KINDS; k++)
			free(f->service[i].weight[k]);
	}
	free(f->change);
	*f = (struct fleet){0};
}

/* ---- hosts and hours ---- */

static bool is_canary(const struct fleet *f, long host)
{
	return host < (f->opt.hosts + 3) / 4;
}

bool fleet_runs(const struct fleet *f, long host, long version)
{
	return !f->opt.canary || version + 1 < f->opt.versions || is_canary(f, host);
}

long fleet_dumps(const struct fleet *f, long version)
{
	return f->opt.canary && version + 1 == f->opt.versions ? 4 * f->opt.dumps : f->opt.dumps;
}

/* Hours since the first dump: a version is rolled out host by host. */
static double hour(const struct fleet *f, const struct fleet_dump *d)
{
	double stagger = (double)d->host / (double)f->opt.hosts;

	return (double)(d->version * f->opt.dumps + d->number) + stagger;
}

static double load(const struct fleet *f, const struct fleet_dump *d, uint64_t *seed)
{
	uint64_t host = seed_of(f, SEED_HOST, (uint64_t)d->host, 0);

	return lognormal(0.1, &host) * (1 + 0.3 * sin(hour(f, d) / 24 * 6.283185307179586)) *
	       lognormal(0.05, seed);
}

/* ---- a dump ---- */

static int string(struct tp_profile *p, const char *text, uint32_t *id)
{
	return tp_dict_string(p->dict, text, strlen(text), id);
}

static int add_types(struct tp_profile *p, enum fleet_kind kind)
{
	static const char *const types[FLEET_KINDS][8] = {
	    {"samples", "count", "cpu", "nanoseconds"},
	    {"alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "count",
	     "inuse_space", "bytes"},
	};
	uint32_t type = 0, unit = 0;
	int code = 0;

	for (size_t i = 0; i < 8 && types[kind][i] && !code; i += 2) {
		code = string(p, types[kind][i], &type) | string(p, types[kind][i + 1], &unit);
		if (!code)
			code = tp_profile_add_type(p, type, unit);
	}
	p->period_type = (struct tp_value_type){type, unit};
	p->period = kind == FLEET_HEAP ? 524288 : 10000000;
	p->duration_ns = kind == FLEET_HEAP ? 0 : 30000000000;
	return code;
}

struct drawing {
	const struct fleet *f;
	const struct fleet_service *s;
	const struct fleet_dump *d;
	struct tp_profile *p;
	uint32_t mapping;
};

static int start(struct drawing *w)
{
	struct tp_mapping m = {.start = 0x400000,
			       .limit = 0x4000000,
			       .flags = TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
					TP_MAPPING_LINES | TP_MAPPING_INLINES};
	char text[80];
	int code;

	snprintf(text, sizeof(text), "/srv/%s", w->s->name);
	code = string(w->p, text, &m.file);
	snprintf(text, sizeof(text), "%s-%ld-%ld", w->s->name, w->d->version, w->f->opt.seed);
	code |= string(w->p, text, &m.build_id);
	if (!code)
		code = add_types(w->p, w->d->kind);
	return code ? code : tp_profile_add_mapping(w->p, &m, &w->mapping);
}

static int push(struct drawing *w, const char *name, const char *file, uint32_t at, uint32_t *node)
{
	/* Code moves from build to build, and lines with it. */
	struct tp_location l = {.address = 0x400000 + at * 512 + (uint64_t)w->d->version * 64,
				.mapping = w->mapping};
	struct tp_frame line = {.line = at % 90 * 10 + 3 + (uint32_t)w->d->version};
	struct tp_function fn = {.start_line = at % 90 * 10 + (uint32_t)w->d->version};
	int code = string(w->p, name, &fn.name) | string(w->p, file, &fn.file);

	fn.system_name = fn.name;
	if (!code)
		code = tp_dict_function(w->p->dict, &fn, &line.function);
	return code ? code : tp_profile_push_location(w->p, node, &l, &line, 1);
}

static int push_path(struct drawing *w, const struct fleet_path *path, uint32_t *node)
{
	char name[FLEET_NAME], file[FLEET_NAME];
	int code = 0;

	for (uint32_t i = 0; i < TRUNK && !code; i++)
		code = push(w, trunk[i], "net/http/server.go", FLEET_FUNCTIONS + i, node);
	for (size_t i = TRUNK; i < path->depth && !code; i++) {
		unsigned function = path->function[i];

		fleet_function(w->s, function, w->d->version, name);
		snprintf(file, sizeof(file), "example.com/%s/pkg%u/file%u.go", w->s->name,
			 function % 23, function % 5);
		code = push(w, name, file, function, node);
	}
	return code;
}

/* What the profiler has seen of a stack; nothing where that is none. */
static int add_stack(struct drawing *w, const struct fleet_path *path, double mean, long size,
		     uint64_t *seed)
{
	int64_t n = poisson(mean, seed), bytes = n * 524288;
	/* A process has allocated several times what it holds. */
	int64_t allocated = n ? bytes * (int64_t)(3 + below(5, seed)) : 0;
	uint32_t node = 0;
	int code = n ? push_path(w, path, &node) : 0;

	if (!n || code)
		return code;
	return tp_profile_add_sample(
	    w->p, node, 0,
	    w->d->kind == FLEET_HEAP
		? (int64_t[]){allocated / size + 1, allocated, bytes / size + 1, bytes}
		: (int64_t[]){n, 10000000 * n, 0, 0});
}

/* Samples that are expected in a dump where nothing is special: 45 s of processors, 2 GiB. */
static const double expected[FLEET_KINDS] = {4500, 4096};

static int fill(struct drawing *w)
{
	const struct fleet_dump *d = w->d;
	uint64_t where = (uint64_t)(d->host * FLEET_SERVICES + d->service);
	uint64_t what = (uint64_t)((d->number * FLEET_VERSIONS + d->version) * FLEET_KINDS);
	uint64_t seed = seed_of(w->f, SEED_DUMP, where, what + (uint64_t)d->kind);
	const double *weight = w->s->weight[d->kind];
	double all = 0, scale;
	int code = start(w);

	for (long i = 0; i < w->f->opt.stacks; i++)
		all += weight[i];
	scale = expected[d->kind] * (double)w->f->opt.busy * load(w->f, d, &seed) / all;
	w->p->time_ns = 1790000000000000000 + (int64_t)(hour(w->f, d) * 3600e9);
	for (long i = 0; i < w->f->opt.stacks && !code; i++) {
		const struct fleet_path *path = &w->s->path[i];
		unsigned function = path->function[path->depth - 1];
		uint64_t cache = seed_of(w->f, SEED_CACHE, where, function);
		double mean = scale * weight[i] * w->s->factor[d->version][d->kind][function] *
			      lognormal((double)w->f->opt.noise / 100, &cache);

		code = add_stack(w, path, mean, 32L << function % 8, &seed);
	}
	return code;
}

int fleet_profile(const struct fleet *f, const struct fleet_dump *d, struct tp_profile **p)
{
	struct drawing w = {.f = f, .s = &f->service[d->service], .d = d};
	int code;

	*p = w.p = tp_profile_new();
	code = w.p ? fill(&w) : TP_ENOMEM;
	if (!code)
		return 0;
	tp_profile_free(w.p);
	*p = NULL;
	return code;
}
