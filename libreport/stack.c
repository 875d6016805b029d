#include "stack.h"

#include <stdio.h>
#include <string.h>

#include "base/many.h"

int rep_texts_end(struct rep_texts *t, int code, struct tp_err *err)
{
	if (!code)
		code = rep_own_settle(&t->own, err);
	tp_arena_clear(&t->arena);
	rep_own_release(&t->own);
	return code;
}

struct rep_value rep_texts_string(struct rep_texts *t, uint32_t id, const char *none)
{
	struct tp_text text = tp_dict_text(t->dict, id);

	if (!text.size)
		return rep_str(t->people ? none : "");
	return rep_text(text.text, text.size);
}

struct rep_value rep_texts_join(struct rep_texts *t, const struct tp_text *part, size_t n)
{
	size_t size = 0;
	char *text, *at;

	for (size_t i = 0; i < n; i++)
		size += part[i].size;
	text = at = tp_arena_alloc(&t->arena, size + 1);
	if (!text)
		return rep_lack();
	for (size_t i = 0; i < n; i++) {
		memcpy(at, part[i].text, part[i].size);
		at += part[i].size;
	}
	return rep_text(text, size);
}

struct rep_value rep_texts_log(struct rep_texts *t, uint32_t category, uint32_t message)
{
	struct tp_text name = tp_dict_text(t->dict, category);
	const struct tp_text parts[] = {name, rep_text_of(name.size ? ": " : ""),
					tp_dict_text(t->dict, message)};

	return rep_texts_join(t, parts, 3);
}

/* Where a goroutine waits inside the runtime or a lock tells less than who waits there. */
static bool is_plumbing(struct tp_text name)
{
	static const char *const packages[] = {
	    "runtime.", "runtime/internal", "internal/",  "sync.",
	    "sync/",	"syscall.",	    "time.Sleep", "reflect."};

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		if (tp_text_begins(name, packages[i]))
			return true;
	}
	return !name.size;
}

uint32_t rep_stack_site_node(const struct tp_dict *dict, uint32_t stack)
{
	uint32_t at = stack;

	while (at) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);

		if (!is_plumbing(tp_dict_text(dict, tp_dict_frame_name(dict, node.frame))))
			return at;
		at = node.parent < at ? node.parent : 0;
	}
	return stack;
}

uint32_t rep_stack_site(const struct tp_dict *dict, uint32_t stack)
{
	return tp_dict_stack_at(dict, rep_stack_site_node(dict, stack)).frame;
}

struct tp_text rep_stack_short(struct tp_text t)
{
	uint32_t from = 0, slash = 0;

	/* Slashes behind the first parenthesis or bracket belong to types, and those without a dot behind them
	 * to no package: ksoftirqd/0 is a thread. */
	for (uint32_t i = 0; i < t.size && t.text[i] != '(' && t.text[i] != '['; i++) {
		if (t.text[i] == '/')
			slash = i + 1;
		else if (t.text[i] == '.')
			from = slash;
	}
	return (struct tp_text){t.text + from, t.size - from};
}

static struct tp_text frame_name(const struct tp_dict *dict, uint32_t frame)
{
	struct tp_text t = tp_dict_text(dict, tp_dict_frame_name(dict, frame));

	return t.size ? t : (struct tp_text){"(unknown)", 9};
}

/* The frame of the garbage collector that is hidden before the site, 0 for none. Go gives 'sync' as
 * the reason for waiting on a lock of the collector; without this frame it looks like one of the
 * program's own. */
static uint32_t collector_node(const struct tp_dict *dict, uint32_t stack, uint32_t site)
{
	for (uint32_t at = stack; at && at != site;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_text name = tp_dict_text(dict, tp_dict_frame_name(dict, node.frame));

		/* Its reason, "GC mark assist wait for work", says as much. */
		if (tp_text_begins(name, "runtime.gcParkAssist"))
			return 0;
		if (tp_text_begins(name, "runtime.gc"))
			return at;
		at = node.parent < at ? node.parent : 0;
	}
	return 0;
}

uint32_t rep_stack_collector(const struct tp_dict *dict, uint32_t stack)
{
	uint32_t node = collector_node(dict, stack, rep_stack_site_node(dict, stack));

	return tp_dict_stack_at(dict, node).frame;
}

static bool is_lock(struct tp_text name)
{
	/* internal/sync since go 1.24. */
	static const char *const locks[] = {"sync.(*Mutex).", "sync.(*RWMutex).",
					    "internal/sync.(*Mutex).", "internal/poll.(*fdMutex)."};

	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		if (tp_text_begins(name, locks[i]))
			return true;
	}
	return false;
}

bool rep_entry_is_system(struct tp_text entry)
{
	return tp_text_begins(entry, "runtime.") &&
	       (entry.size != 12 || !tp_text_begins(entry, "runtime.main"));
}

bool rep_stack_waits_for_lock(const struct tp_dict *dict, uint32_t reason, uint32_t stack)
{
	struct tp_text why = tp_dict_text(dict, reason);
	bool plain = true;

	/* The last two: recorded programs (REC_REASONS in cmd/tprof-record/core/event.h). */
	if (strcmp(why.text, "sync") != 0)
		return !strcmp(why.text, "sync.RWMutex.RLock") ||
		       !strcmp(why.text, "sync.RWMutex.Lock");
	for (uint32_t at = stack; at;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_text name = tp_dict_text(dict, tp_dict_frame_name(dict, node.frame));

		if (is_lock(name))
			return true;
		if (!is_plumbing(name))
			return plain;
		plain = plain && !name.size;
		at = node.parent < at ? node.parent : 0;
	}
	return plain;
}

static uint32_t parent_of(const struct tp_dict *dict, uint32_t node)
{
	uint32_t parent = tp_dict_stack_at(dict, node).parent;

	return parent < node ? parent : 0;
}

/* The node of the function that the goroutine began with; 0 if that is not of Go. */
static uint32_t entry_node(const struct tp_dict *dict, uint32_t stack)
{
	uint32_t entry = 0;

	for (uint32_t at = stack; at; at = parent_of(dict, at)) {
		struct tp_text name =
		    tp_dict_text(dict, tp_dict_frame_name(dict, tp_dict_stack_at(dict, at).frame));

		if (!tp_text_begins(name, "runtime.goexit"))
			entry = rep_own_is_go(name) ? at : 0;
	}
	return entry;
}

uint32_t rep_stack_below(struct rep_own *own, const struct tp_dict *dict, uint32_t leaf)
{
	uint32_t below = rep_own_node(own, dict, leaf);

	if (!below)
		below = entry_node(dict, leaf);
	return below == leaf ? 0 : below;
}

#define WHERE_FRAMES 4

struct rep_value rep_stack_where(struct rep_texts *t, uint32_t stack)
{
	uint32_t site = rep_stack_site_node(t->dict, stack);
	uint32_t collector = collector_node(t->dict, stack, site);
	uint32_t leaf = collector ? collector : site, at = leaf;
	uint32_t below = rep_stack_below(&t->own, t->dict, leaf);
	struct tp_text part[2 * WHERE_FRAMES];
	size_t n = 0;

	if (!stack)
		return rep_str("(no stack)");
	while (at && n < TP_COUNT_OF(part)) {
		bool gap = at == leaf && below;

		part[n++] =
		    rep_stack_short(frame_name(t->dict, tp_dict_stack_at(t->dict, at).frame));
		part[n++] = rep_text_of(gap ? REP_WHERE_GAP : " < ");
		at = gap ? below : parent_of(t->dict, at);
	}
	return rep_texts_join(t, part, n ? n - 1 : 0);
}

struct rep_value rep_stack_names(struct rep_texts *t, uint32_t stack)
{
	size_t size = 0;
	char *text = NULL;

	if (!stack)
		return rep_str("");
	/* Once to measure, once to write. */
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t at = stack; at;) {
			struct tp_stack_node node = tp_dict_stack_at(t->dict, at);
			struct tp_text name =
			    tp_dict_text(t->dict, tp_dict_frame_name(t->dict, node.frame));

			if (!name.size)
				name = (struct tp_text){"?", 1};
			for (uint32_t i = 0; text && i < name.size; i++)
				text[size + i] = name.text[i] == ';' ? ':' : name.text[i];
			size += name.size;
			if (text)
				text[size] = ';';
			size++;
			at = node.parent < at ? node.parent : 0;
		}
		if (!pass) {
			text = tp_arena_alloc(&t->arena, size);
			if (!text)
				return rep_lack();
			size = 0;
		}
	}
	return rep_text(text, size - 1);
}

struct rep_value rep_stack_frames(struct rep_texts *t, uint32_t stack)
{
	struct tp_buf b = {0};
	int failed = 0;
	size_t size;
	char *text;

	for (uint32_t at = stack; at && !failed;) {
		struct tp_stack_node node = tp_dict_stack_at(t->dict, at);
		struct tp_frame frame = tp_dict_frame_at(t->dict, node.frame);
		struct tp_function f = tp_dict_function_at(t->dict, frame.function);
		struct tp_text name = frame_name(t->dict, node.frame),
			       file = tp_dict_text(t->dict, f.file);
		char line[24];

		failed |= tp_buf_put(&b, "\n", b.size > 0);
		failed |= tp_buf_put(&b, name.text, name.size) | tp_buf_put(&b, "\t", 1);
		if (file.size) {
			int n = snprintf(line, sizeof(line), ":%lld", (long long)frame.line);

			failed |= tp_buf_put(&b, file.text, file.size);
			failed |= tp_buf_put(&b, line, (size_t)n);
		}
		at = node.parent < at ? node.parent : 0;
	}
	size = b.size;
	text = failed ? NULL : tp_arena_strndup(&t->arena, b.data, size);
	tp_buf_release(&b);
	return text ? rep_text(text, size) : rep_lack();
}

struct rep_value rep_stack_function(struct rep_texts *t, uint32_t stack)
{
	struct tp_text name = frame_name(t->dict, rep_stack_site(t->dict, stack));

	return stack ? rep_text(name.text, name.size) : rep_null();
}

struct rep_value rep_stack_location(struct rep_texts *t, uint32_t stack)
{
	struct tp_frame frame = tp_dict_frame_at(t->dict, rep_stack_site(t->dict, stack));
	struct tp_text file =
	    tp_dict_text(t->dict, tp_dict_function_at(t->dict, frame.function).file);
	char line[32];
	char *text;
	int n;

	if (!file.size)
		return rep_null();
	n = snprintf(line, sizeof(line), ":%lld", (long long)frame.line);
	text = tp_arena_alloc(&t->arena, file.size + (size_t)n + 1);
	if (!text)
		return rep_lack();
	memcpy(text, file.text, file.size);
	memcpy(text + file.size, line, (size_t)n);
	return rep_text(text, file.size + (size_t)n);
}
