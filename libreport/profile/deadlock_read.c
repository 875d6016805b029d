/* Reads the goroutines of a dump for the search for deadlocks. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "open/lines.h"
#include "profile/deadlock_parts.h"

#define MINUTE_NS INT64_C(60000000000)

enum key { KEY_STATE, KEY_BY, KEY_AT, KEY_LEAKED, KEY_ADDRESSES, KEY_ID, KEY_CREATOR, NKEYS };

static const char *const keys[NKEYS] = {
    "state", "created_by", "created_at", "leaked", "addresses", "goroutine", "creator",
};

/* Go: runtime/runtime2.go, waitReasonStrings. A semacquire is told by its frames: before go 1.20
 * locks had that state, and before go 1.25 wait groups. */
static const struct {
	const char *state;
	enum rep_deadlock_wait wait;
} states[] =
    {
	{"running", REP_WAIT_RUNS},
	{"runnable", REP_WAIT_RUNS},
	{"preempted", REP_WAIT_RUNS},
	{"copystack", REP_WAIT_RUNS},
	{"syscall", REP_WAIT_OUTSIDE},
	{"sleep", REP_WAIT_OUTSIDE},
	{"IO wait", REP_WAIT_OUTSIDE},
	{"chan send (nil chan)", REP_WAIT_FOREVER},
	{"chan receive (nil chan)", REP_WAIT_FOREVER},
	{"select (no cases)", REP_WAIT_FOREVER},
	{"chan send", REP_WAIT_SEND},
	{"chan receive", REP_WAIT_RECEIVE},
	{"select", REP_WAIT_SELECT},
	{"sync.Mutex.Lock", REP_WAIT_LOCK},
	{"sync.RWMutex.Lock", REP_WAIT_LOCK},
	{"sync.RWMutex.RLock", REP_WAIT_RLOCK},
	{"sync.WaitGroup.Wait", REP_WAIT_GROUP},
	{"sync.Cond.Wait", REP_WAIT_COND},
},
  calls[] = {
      {"sync.(*RWMutex).RLock", REP_WAIT_RLOCK},
      {"sync.(*RWMutex).Lock", REP_WAIT_LOCK},
      {"sync.(*Mutex).", REP_WAIT_LOCK},
      {"sync.(*WaitGroup).Wait", REP_WAIT_GROUP},
};

uint32_t rep_deadlock_parent(const struct tp_dict *dict, uint32_t node)
{
	uint32_t parent = tp_dict_stack_at(dict, node).parent;

	return parent < node ? parent : 0;
}

static struct tp_text name_at(const struct tp_dict *dict, uint32_t node)
{
	return tp_dict_text(dict, tp_dict_frame_name(dict, tp_dict_stack_at(dict, node).frame));
}

#define MOST_ADDRESSES 128 /* of a goroutine; the decoder keeps about that many at most */

static bool is(struct tp_text t, const char *text)
{
	return t.size == strlen(text) && !memcmp(t.text, text, t.size);
}

uint32_t rep_deadlock_type(struct tp_dict *dict, uint32_t name, bool *failed)
{
	struct tp_text t = tp_dict_text(dict, name);
	const char *star = t.size ? memmem(t.text, t.size, ".(*", 3) : NULL;
	const char *end = star ? memchr(star, ')', (size_t)(t.text + t.size - star)) : NULL;
	uint32_t type = 0;

	if (end && tp_dict_string(dict, t.text, (size_t)(end + 1 - t.text), &type))
		*failed = true;
	return type;
}

uint64_t rep_deadlock_word(const struct rep_deadlocks *d, const struct rep_deadlock_goroutine *g,
			   unsigned frame, unsigned word)
{
	for (size_t i = g->arg; i < g->arg + g->nargs; i++)
		if (d->arg[i].frame == frame && d->arg[i].word == word)
			return d->arg[i].address;
	return 0;
}

/* Reads "5 2.0=c00002e2c0": see decode/profile/goroutines_args.c. Returns TP_ENOMEM; other texts,
 * such as a label of the program's own, and those of stacks that filters have changed are ignored. */
static int read_addresses(struct rep_deadlocks *d, struct rep_deadlock_goroutine *g,
			  struct tp_text text)
{
	struct tp_scan s = {text.text, text.text + text.size};
	int64_t frames, frame, word;
	uint64_t address;

	if (tp_scan_int(&s, false, &frames) != TP_NUMBER_OK ||
	    frames != tp_dict_stack_at(d->p->dict, g->stack).depth)
		return 0;
	g->arg = d->nargs;
	while (g->nargs < MOST_ADDRESSES && tp_scan_text(&s, " ") &&
	       tp_scan_int(&s, false, &frame) == TP_NUMBER_OK && tp_scan_text(&s, ".") &&
	       tp_scan_int(&s, false, &word) == TP_NUMBER_OK && tp_scan_text(&s, "=") &&
	       tp_scan_hex(&s, &address) == TP_NUMBER_OK) {
		if (tp_grow(&d->arg, &d->arg_room, d->nargs, sizeof(*d->arg)))
			return TP_ENOMEM;
		d->arg[d->nargs++] =
		    (struct rep_deadlock_arg){address, (uint32_t)frame, (uint32_t)word};
		g->nargs++;
	}
	return 0;
}

static int read_labels(struct rep_deadlocks *d, size_t sample, const uint32_t key[NKEYS])
{
	const struct tp_profile *p = d->p;
	const struct tp_label_set *set = &p->sets[p->label_set[sample]];
	struct rep_deadlock_goroutine *g = &d->g[sample];
	int code = 0;

	for (uint32_t i = 0; i < set->n && !code; i++) {
		const struct tp_label *l = &p->labels[set->first + i];

		if (l->numeric && l->key == key[KEY_ID] && g->id < 0)
			g->id = l->number;
		else if (l->numeric && l->key == key[KEY_CREATOR] && g->creator < 0)
			g->creator = l->number;
		else if (l->numeric)
			continue;
		else if (l->key == key[KEY_STATE] && !g->state)
			g->state = l->text;
		else if (l->key == key[KEY_BY] && !g->created_by)
			g->created_by = l->text;
		else if (l->key == key[KEY_AT] && !g->created_at)
			g->created_at = l->text;
		else if (l->key == key[KEY_LEAKED])
			g->leaked = true;
		else if (l->key == key[KEY_ADDRESSES] && !g->nargs)
			code = read_addresses(d, g, tp_dict_text(p->dict, l->text));
	}
	return code;
}

/* Returns whether a frame belongs to a lock, or to the runtime, and not to whoever waits. */
static bool is_inside(struct tp_text name)
{
	return tp_text_begins(name, "sync.") || tp_text_begins(name, "internal/sync.") ||
	       tp_text_begins(name, "runtime.") || tp_text_begins(name, "internal/runtime/");
}

static enum rep_deadlock_wait wait_of(struct tp_text state)
{
	static const char durable[] = " (durable)"; /* in a bubble of testing/synctest */
	size_t n = strlen(durable);

	if (state.size > n && !memcmp(state.text + state.size - n, durable, n))
		state.size -= (uint32_t)n;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (is(state, states[i].state))
			return states[i].wait;
	return REP_WAIT_OTHER;
}

/* Reads the frames: what it waits for, where, and whether the stack has code of the user's. */
static void read_frames(struct rep_deadlocks *d, struct rep_deadlock_goroutine *g,
			struct rep_own *own)
{
	struct tp_dict *dict = d->p->dict;
	bool semaphore = is(tp_dict_text(dict, g->state), "semacquire"), writer = false;
	uint64_t fallback = 0;
	uint32_t node = g->stack, last = 0;

	g->wait = wait_of(tp_dict_text(dict, g->state));
	for (unsigned i = 0; node && i < REP_DEADLOCK_FRAMES; i++) {
		struct tp_text name = name_at(dict, node);

		writer |= tp_text_begins(name, "runtime/pprof.write");
		g->own |= rep_own_frame(own, dict, tp_dict_stack_at(dict, node).frame);
		if (!g->site && !is_inside(name)) {
			g->site = node;
			g->direct = i;
		} else if (!g->site) {
			uint64_t word = rep_deadlock_word(d, g, i, 0);
			bool inner = memmem(name.text, name.size, ".runtime_", 9) != NULL;

			g->once |= tp_text_begins(name, "sync.(*Once)");
			if (inner && !fallback)
				fallback = word;
			else if (!inner && !g->object)
				g->object = word;
			for (size_t k = 0; semaphore && k < sizeof(calls) / sizeof(calls[0]); k++)
				if (tp_text_begins(name, calls[k].state))
					g->wait = calls[k].wait;
		}
		last = node;
		node = rep_deadlock_parent(dict, node);
	}
	g->main = last && !node && is(name_at(dict, last), "main.main");
	if (g->wait == REP_WAIT_COND && !g->object)
		g->object = fallback;
	if (g->wait == REP_WAIT_RUNS)
		g->level = REP_LEVEL_RUNS;
	else if (g->wait == REP_WAIT_OUTSIDE)
		g->level = g->own ? REP_LEVEL_OUTSIDE : REP_LEVEL_LIBRARY;
	/* Whoever writes the dump does nothing else. */
	if (writer && !g->main) {
		g->wait = REP_WAIT_OTHER;
		g->level = REP_LEVEL_NONE;
	}
}

/* What of the arguments identifies the thing that it waits for. */
static void read_object(struct rep_deadlocks *d, struct rep_deadlock_goroutine *g, bool *failed)
{
	struct tp_dict *dict = d->p->dict;
	uint32_t frame = tp_dict_stack_at(dict, g->site).frame;

	if (!g->site)
		return;
	g->type = rep_deadlock_type(dict, tp_dict_frame_name(dict, frame), failed);
	g->receiver = g->type ? rep_deadlock_word(d, g, g->direct, 0) : 0;
	for (size_t i = g->arg; i < g->arg + g->nargs && g->object; i++) {
		uint64_t a = d->arg[i].address;

		if (d->arg[i].frame == g->direct && a <= g->object &&
		    g->object - a < REP_DEADLOCK_NEAR && a > g->base)
			g->base = a;
	}
}

static int find_types(const struct tp_profile *p, size_t *goroutine, size_t *wait,
		      struct tp_err *err)
{
	*goroutine = *wait = p->ntypes;
	for (size_t i = 0; i < p->ntypes; i++) {
		struct tp_text type = tp_dict_text(p->dict, p->types[i].type);

		if (is(type, "goroutine"))
			*goroutine = i;
		if (is(type, "wait"))
			*wait = i;
	}
	if (*goroutine < p->ntypes && *wait < p->ntypes)
		return 0;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the file does not list single goroutines; use a dump, "
			  "/debug/pprof/goroutine?debug=2, or the output of a crash");
}

int rep_deadlock_read(struct rep_deadlocks *d, struct tp_err *err)
{
	struct tp_profile *p = d->p;
	struct rep_own own = {0};
	uint32_t key[NKEYS];
	bool failed = false;
	size_t goroutine, wait;
	int code = find_types(p, &goroutine, &wait, err);

	/* Ids and addresses of one process mean nothing in another one. */
	for (size_t i = 0; i < p->nsamples && !code; i++)
		if (p->value[i * p->ntypes + goroutine] != 1)
			code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
					  "the goroutines of several dumps are added up or "
					  "subtracted; give one dump");
	if (code)
		return code;
	for (size_t i = 0; i < NKEYS && !failed; i++)
		failed = tp_dict_string(p->dict, keys[i], strlen(keys[i]), &key[i]) != 0;
	d->g = calloc(p->nsamples + 1, sizeof(*d->g));
	failed |= !d->g;
	for (size_t i = 0; i < p->nsamples && !failed; i++) {
		struct rep_deadlock_goroutine *g = &d->g[d->n++];

		*g = (struct rep_deadlock_goroutine){.id = -1, .creator = -1, .stack = p->stack[i]};
		if (p->value[i * p->ntypes + wait] >= MINUTE_NS)
			g->wait_ns = p->value[i * p->ntypes + wait];
		failed = read_labels(d, i, key) != 0;
		if (failed)
			break;
		read_frames(d, g, &own);
		read_object(d, g, &failed);
	}
	for (size_t i = 0; i < p->ncomments; i++)
		d->asleep |= tp_text_begins(tp_dict_text(p->dict, p->comments[i]),
					    "fatal error: all goroutines are asleep");
	code = failed ? tp_nomem(err) : rep_own_settle(&own, err);
	rep_own_release(&own);
	return code;
}
