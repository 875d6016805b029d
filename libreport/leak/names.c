/* Names: what of a stack tells where a goroutine waits, the same for every kind of dump. Profiles
 * have all frames, traces begin below runtime.gopark, dumps leave out what is not exported; lines
 * are alike, folders of files depend on how each was written. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "leak/parts.h"

int rep_leak_names_init(struct rep_leak_names *m, const struct tp_dict *from, struct tp_dict *to)
{
	*m = (struct rep_leak_names){.from = from, .to = to};
	m->frame = calloc(tp_dict_frames(from) + (size_t)1, sizeof(*m->frame));
	m->node = calloc(tp_dict_stacks(from) + (size_t)1, sizeof(*m->node));
	m->below = calloc(tp_dict_stacks(from) + (size_t)1, sizeof(*m->below));
	m->says = calloc(tp_dict_stacks(from) + (size_t)1, sizeof(*m->says));
	return m->frame && m->node && m->below && m->says ? 0 : TP_ENOMEM;
}

void rep_leak_names_release(struct rep_leak_names *m)
{
	free(m->frame);
	free(m->node);
	free(m->below);
	free(m->says);
	free(m->path);
	*m = (struct rep_leak_names){0};
}

static bool is(struct tp_text t, const char *name)
{
	return t.size == strlen(name) && !memcmp(t.text, name, t.size);
}

static struct tp_text name_of(const struct tp_dict *d, uint32_t node)
{
	return tp_dict_text(d, tp_dict_frame_name(d, tp_dict_stack_at(d, node).frame));
}

static uint32_t parent_of(const struct tp_dict *d, uint32_t node)
{
	uint32_t parent = tp_dict_stack_at(d, node).parent;

	return parent < node ? parent : 0;
}

/* What every goroutine begins with, shown by some dumps and not by others. */
static bool is_root(struct tp_text name)
{
	return !name.size || is(name, "runtime.goexit") || is(name, "runtime.main");
}

/* Frames of the runtime, also where other packages have its functions by name. */
static bool is_runtime(struct tp_text name)
{
	static const char *const linked[] = {
	    "sync.runtime_",	      "internal/sync.runtime_", "internal/poll.runtime_",
	    "internal/runtime/",      "runtime/internal/",	"time.runtime",
	    "internal/synctest.Wait",
	};

	/* Counted texts leave the names of these out (TP_LOCATION_RUNTIME). */
	if (!name.size || tp_text_begins(name, "runtime."))
		return true;
	for (size_t i = 0; i < sizeof(linked) / sizeof(linked[0]); i++)
		if (tp_text_begins(name, linked[i]))
			return true;
	return false;
}

/* What goroutines wait for in a function, in the words of goroutine dumps (Go: runtime/runtime2.go,
 * waitReasonStrings). The frame nearest to the root wins: sync's functions all end in semacquire1.
 */
static const struct {
	const char *function, *waits;
} waiting[] = {
    {"runtime.chanrecv", "chan receive"},
    {"runtime.chanrecv1", "chan receive"},
    {"runtime.chanrecv2", "chan receive"},
    {"runtime.chansend", "chan send"},
    {"runtime.chansend1", "chan send"},
    {"runtime.selectgo", "select"},
    {"runtime.block", "select (no cases)"},
    {"runtime.selectnbsend", "select"},
    {"time.Sleep", "sleep"},
    {"internal/poll.runtime_pollWait", "IO wait"},
    {"runtime.semacquire1", "semacquire"},
    {"sync.runtime_Semacquire", "semacquire"},
    {"sync.runtime_SemacquireWaitGroup", "sync.WaitGroup.Wait"},
    {"sync.runtime_SemacquireMutex", "sync.Mutex.Lock"},
    {"internal/sync.runtime_SemacquireMutex", "sync.Mutex.Lock"},
    {"sync.runtime_SemacquireRWMutex", "sync.RWMutex.Lock"},
    {"sync.runtime_SemacquireRWMutexR", "sync.RWMutex.RLock"},
    {"sync.runtime_notifyListWait", "sync.Cond.Wait"},
};

/* Its place in the table + 1, or 0. */
static uint8_t waits_in(struct tp_text name)
{
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
		if (is(name, waiting[i].function))
			return (uint8_t)(i + 1);
	return 0;
}

static int map_frame(struct rep_leak_names *m, uint32_t frame, uint32_t *out)
{
	struct tp_frame f = tp_dict_frame_at(m->from, frame);
	struct tp_function function = tp_dict_function_at(m->from, f.function);
	struct tp_text name = tp_dict_text(m->from, function.name);
	struct tp_text file = tp_dict_text(m->from, function.file);
	struct tp_function to = {0};
	struct tp_frame made = {.line = f.line};
	const char *slash;
	int code;

	if (m->frame[frame]) {
		*out = m->frame[frame] - 1;
		return 0;
	}
	slash = file.size ? memrchr(file.text, '/', file.size) : NULL;
	if (slash) {
		file.size -= (uint32_t)(slash + 1 - file.text);
		file.text = slash + 1;
	}
	code = tp_dict_string(m->to, name.text, name.size, &to.name);
	if (!code)
		code = tp_dict_string(m->to, file.text, file.size, &to.file);
	if (!code)
		code = tp_dict_function(m->to, &to, &made.function);
	if (!code)
		code = tp_dict_frame(m->to, &made, out);
	if (!code)
		m->frame[frame] = *out + 1;
	return code;
}

static int put_path(struct rep_leak_names *m, size_t n, uint32_t node)
{
	if (tp_grow(&m->path, &m->room, n, sizeof(*m->path)))
		return TP_ENOMEM;
	m->path[n] = node;
	return 0;
}

/* Walks towards the root until a node that has been mapped, then back. */
static int map_node(struct rep_leak_names *m, uint32_t node, uint32_t *out)
{
	uint32_t at = node, common = 0, frame;
	size_t n = 0;
	int code = 0;

	for (; at && !m->node[at]; at = parent_of(m->from, at))
		if (put_path(m, n++, at))
			return TP_ENOMEM;
	if (at)
		common = m->node[at] - 1;
	while (!code && n) {
		struct tp_text name;

		at = m->path[--n];
		name = name_of(m->from, at);
		if (!common && is_root(name)) {
			m->node[at] = 1;
			continue;
		}
		code = map_frame(m, tp_dict_stack_at(m->from, at).frame, &frame);
		if (!code)
			code = tp_dict_stack(m->to, common, frame, &common);
		if (!code)
			m->node[at] = common + 1;
	}
	*out = common;
	return code;
}

/* Finds where the runtime's frames above a node end, and what they wait for: towards the root until
 * that is known of a node, then back. A store can have a chain of them, and a goroutine in each. */
static int pass_runtime(struct rep_leak_names *m, uint32_t stack)
{
	uint32_t at = stack, up, below = 0;
	uint8_t says = 0;
	size_t n = 0;

	while (!m->below[at]) {
		if (put_path(m, n++, at))
			return TP_ENOMEM;
		if (!is_runtime(name_of(m->from, at)))
			break;
		up = parent_of(m->from, at);
		/* Only the runtime's: its entry function tells which. */
		if (!up || (!parent_of(m->from, up) && is_root(name_of(m->from, up))))
			break;
		at = up;
	}
	below = m->below[at] ? m->below[at] : at;
	says = m->says[at];
	while (n) {
		at = m->path[--n];
		/* The frame nearest to the root wins. */
		if (!says)
			says = waits_in(name_of(m->from, at));
		m->below[at] = below;
		m->says[at] = says;
	}
	return 0;
}

int rep_leak_stack(struct rep_leak_names *m, uint32_t stack, uint32_t *common, const char **waits)
{
	*waits = NULL;
	/* A store says what it likes. */
	if (stack >= tp_dict_stacks(m->from))
		stack = 0;
	if (!stack)
		return map_node(m, stack, common);
	if (pass_runtime(m, stack))
		return TP_ENOMEM;
	if (m->says[stack])
		*waits = waiting[m->says[stack] - 1].waits;
	return map_node(m, m->below[stack], common);
}

/* "/src/stuck.go:62" */
static void split_place(struct tp_text at, struct tp_text *file, int64_t *line)
{
	uint32_t from = 0, end = at.size;

	for (uint32_t i = 0; i < at.size; i++) {
		if (at.text[i] == '/')
			from = i + 1;
		if (at.text[i] == ':')
			end = i;
	}
	*line = 0;
	for (uint32_t i = end + 1; i < at.size && i < end + 10; i++) {
		if (at.text[i] < '0' || at.text[i] > '9')
			break;
		*line = *line * 10 + (at.text[i] - '0');
	}
	if (end < from)
		end = at.size;
	*file = (struct tp_text){at.size ? at.text + from : "", end - from};
}

int rep_leak_creator(struct tp_dict *d, struct tp_text name, struct tp_text at, uint32_t *frame)
{
	struct tp_function function = {0};
	struct tp_frame made = {0};
	struct tp_text file;
	int code;

	*frame = 0;
	if (!name.size)
		return 0;
	split_place(at, &file, &made.line);
	code = tp_dict_string(d, name.text, name.size, &function.name);
	if (!code)
		code = tp_dict_string(d, file.text, file.size, &function.file);
	if (!code)
		code = tp_dict_function(d, &function, &made.function);
	return code ? code : tp_dict_frame(d, &made, frame);
}

unsigned rep_leak_whose(unsigned parent, bool root, struct tp_text name)
{
	if (tp_text_begins(name, "runtime/pprof.write"))
		return parent | REP_LEAK_SYSTEM;
	if (!root)
		return parent;
	if (is(name, "main.main"))
		return REP_LEAK_MAIN;
	return tp_text_begins(name, "runtime.") || tp_text_begins(name, "runtime/trace.") ||
		       tp_text_begins(name, "runtime/pprof.")
		   ? REP_LEAK_SYSTEM
		   : 0;
}
