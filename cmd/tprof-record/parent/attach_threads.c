/* The threads of a program that is recorded from outside: what the kernel tells of them becomes records as the
 * library in a program would have written them. */
#include "tprof-record/parent/attach_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/many.h"

static struct rec_attach_thread *find(const struct rec_attach *a, uint32_t tid)
{
	uint32_t i = tp_ids_get(&a->by_tid, tid);

	return i == TP_NO_ID ? NULL : &a->threads[i];
}

struct rec_attach_thread *rec_attach_thread(struct rec_attach *a, uint32_t tid, uint32_t number)
{
	struct rec_attach_thread *t;

	if (tp_grow(&a->threads, &a->room, a->nthreads, sizeof(*a->threads)) ||
	    tp_ids_put(&a->by_tid, tid, (uint32_t)a->nthreads))
		return NULL;
	t = &a->threads[a->nthreads++];
	*t = (struct rec_attach_thread){.tid = tid, .number = number, .delay = REC_DELAY_UNKNOWN};
	return t;
}

/* ---- what /proc says ---- */

struct task {
	char state; /* 0: it is over */
	char name[16];
	uint64_t cpu, delay; /* schedstat */
	bool counted;	     /* these are known */
};

static size_t read_file(const struct rec_attach *a, uint32_t tid, const char *name, char *text,
			size_t room)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/%s", (int)a->pid, tid, name);
	f = fopen(path, "re");
	if (f)
		n = fread(text, 1, room - 1, f);
	if (f)
		fclose(f);
	text[n] = 0;
	return n;
}

static struct task look_at(const struct rec_attach *a, uint32_t tid)
{
	struct task task = {0};
	const char *open, *close;
	char text[512];
	size_t n;

	read_file(a, tid, "stat", text, sizeof(text));
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || close[1] != ' ')
		return task;
	task.state = close[2];
	n = (size_t)(close - open - 1);
	if (n >= sizeof(task.name))
		n = sizeof(task.name) - 1;
	memcpy(task.name, open + 1, n);
	read_file(a, tid, "schedstat", text, sizeof(text));
	task.counted = sscanf(text, "%" SCNu64 " %" SCNu64, &task.cpu, &task.delay) == 2;
	return task;
}

/* The kernel counts the CPU time of a thread that runs when its clock ticks. */
static uint32_t stamp(const struct task *task)
{
	return task->counted && task->state != 'R' ? (uint32_t)(task->cpu >> REC_CPU_SHIFT) | 1 : 0;
}

/* ---- records ---- */

static void put(const struct rec_attach_thread *t, struct rec_event e)
{
	e.g = e.m = t->g;
	if (e.kind != REC_BLOCK)
		e.start = e.end;
	rec_write_inside(&e);
}

static void set_name(struct rec_attach_thread *t, uint32_t name, uint64_t time)
{
	const char *text = rec_core->arena.strings + name;

	t->name = name;
	if (t->slot)
		memcpy(t->slot->name, text, strnlen(text, sizeof(t->slot->name) - 1) + 1);
	if (t->begun && name)
		put(t, (struct rec_event){.kind = REC_THREAD_NAME, .arg = name, .end = time});
}

static void number(struct rec_attach_thread *t, const struct rec_attach_thread *creator)
{
	t->g = atomic_fetch_add_explicit(&rec_core->arena.header->next_g, 1, memory_order_relaxed);
	t->slot = rec_g_take(t->g);
	if (t->slot && creator)
		t->slot->creator = creator->g;
}

/* It runs for the first time. */
static void begin(struct rec_attach_thread *t, uint64_t time, uint32_t cpu)
{
	t->begun = true;
	if (t->slot) {
		t->slot->start = time;
		t->slot->m = t->g;
		t->slot->tid = t->tid;
	}
	put(t, (struct rec_event){
		   .kind = REC_THREAD_START, .object = t->tid, .cpu = cpu, .end = time});
	set_name(t, t->name, time);
}

/* ---- what the kernel tells: when it is read ---- */

/* Keeps a switch-out until the kernel says whether it was a wait. */
static void keep_wait(struct rec_attach *a, uint32_t cpu, const struct perf_event_header *record,
		      uint32_t tid)
{
	struct rec_attach_wait *w = cpu < REC_ATTACH_CPUS ? &a->wait[cpu] : NULL;

	if (!w || (!w->record && !(w->record = malloc(UINT16_MAX + 1))))
		return;
	memcpy(w->record, record, record->size);
	w->tid = tid;
}

static uint32_t take_wait(struct rec_attach *a, uint32_t cpu, const struct rec_event *e)
{
	struct rec_attach_wait *w = cpu < REC_ATTACH_CPUS ? &a->wait[cpu] : NULL;
	uint32_t tid = w ? w->tid : 0;

	if (w)
		w->tid = 0;
	if (!tid || tid != e->g || e->kind != REC_SWITCH_OUT || e->flags)
		return 0;
	return rec_attach_stack(a, (const void *)w->record);
}

static bool make_fork(const struct rec_attach *a, const char *record, struct rec_event *e)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
	} fork;

	memcpy(&fork, record, sizeof(fork));
	e->kind = fork.pid == (uint32_t)a->pid ? REC_ATTACH_FORK : REC_ATTACH_CHILD;
	e->m = (uint32_t)a->pid;
	e->g = fork.ptid;
	e->start = fork.tid;
	return fork.ppid == (uint32_t)a->pid;
}

static bool make_name(const char *record, size_t size, bool exec, struct rec_event *e)
{
	struct {
		uint32_t pid, tid;
	} who;

	memcpy(&who, record, sizeof(who));
	e->kind = exec ? REC_ATTACH_EXEC : REC_ATTACH_NAME;
	e->m = who.pid;
	e->g = who.tid;
	e->start = rec_string_inside(record + sizeof(who),
				     strnlen(record + sizeof(who), size - sizeof(who)));
	return true;
}

static void make_map(struct rec_attach *a, const char *record, size_t size)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint32_t device[2];
		uint64_t inode[2];
		uint32_t protection, flags;
	} map;
	const char *file = record + sizeof(map);

	if (size <= sizeof(map) || !memchr(file, 0, size - sizeof(map)))
		return;
	memcpy(&map, record, sizeof(map));
	if (map.pid == (uint32_t)a->pid && map.protection & PROT_EXEC)
		rec_attach_map(a, map.start, map.start + map.size, map.offset, file);
}

bool rec_attach_make(void *attach, uint32_t cpu, const struct perf_event_header *h,
		     struct rec_event *e)
{
	struct rec_attach *a = attach;
	const char *body = (const char *)(h + 1);
	size_t size = h->size - sizeof(*h);

	if (h->type == PERF_RECORD_LOST) {
		/* Switches matter more than the stacks that fill the memory for both. */
		if (a->kernel && !a->flood_ns) {
			a->flood_ns = e->end;
			rec_switches_disable_odd(a->switches);
		}
		return true;
	}
	if (e->m != (uint32_t)a->pid)
		return false;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		e->kind = REC_ATTACH_SAMPLE;
		/* Events with odd numbers are switches. */
		if (e->object & 1)
			keep_wait(a, cpu, h, e->g);
		else
			e->stack = rec_attach_sample(a, h);
		return !(e->object & 1);
	case PERF_RECORD_SWITCH:
		e->stack = take_wait(a, cpu, e);
		return true;
	case PERF_RECORD_EXIT:
		return true;
	case PERF_RECORD_FORK:
		return make_fork(a, body, e);
	case PERF_RECORD_COMM:
		return make_name(body, size, h->misc & PERF_RECORD_MISC_COMM_EXEC, e);
	case PERF_RECORD_MMAP2:
		make_map(a, body, size);
		return false;
	default:
		return false;
	}
}

/* ---- what the kernel tells: in the order of time ---- */

/* A thread that was listed while its creator was followed already has both events of its own and copies of its
 * creator's. The records of only one are taken. */
static bool is_twice(const struct rec_attach_thread *t, const struct rec_event *e)
{
	return t->number != e->object >> 1;
}

static void see_fork(struct rec_attach *a, const struct rec_event *e)
{
	struct rec_attach_thread *parent = find(a, e->g), *t = find(a, (uint32_t)e->start);

	if ((parent && is_twice(parent, e)) || (t && !t->dead))
		return;
	if (e->kind == REC_ATTACH_CHILD) {
		a->children++;
		return;
	}
	t = rec_attach_thread(a, (uint32_t)e->start, (uint32_t)(e->object >> 1));
	if (!t)
		return;
	parent = find(a, e->g);
	number(t, parent);
	t->name = parent ? parent->name : 0;
	if (parent)
		put(parent, (struct rec_event){.kind = REC_THREAD_NEW, .arg = t->g, .end = e->end});
}

/* Where a thread was when the recording began follows from the last it did before, or the first it did then. */
static void settle(struct rec_attach *a, struct rec_attach_thread *t, const struct rec_event *e)
{
	struct rec_event *first = &a->first[t - a->threads];
	bool before = e->end < a->start_ns;

	if (t->settled && !before)
		return;
	t->settled = true;
	if (before ? e->kind == REC_SWITCH_OUT : e->kind == REC_SWITCH_IN) {
		first->kind = REC_SWITCH_OUT;
		if (before)
			first->flags = e->flags;
		t->out = a->start_ns;
		t->runnable = first->flags & REC_SWITCH_RUNNABLE;
	} else {
		first->kind = REC_SWITCH_IN;
		first->flags = 0;
		t->out = 0;
	}
}

static void see_sample(const struct rec_attach_thread *t, const struct rec_event *e)
{
	uint32_t at = rec_bucket_of(REC_CPU_BUCKET, e->stack, (uint64_t)t->name << 32);

	if (at)
		atomic_fetch_add_explicit(&rec_core->arena.buckets[at - 1].u.block.cycles, 1,
					  memory_order_relaxed);
	put(t, (struct rec_event){.kind = REC_CPU, .object = 1, .stack = e->stack, .end = e->end});
}

static void see_switch(struct rec_attach_thread *t, const struct rec_event *e)
{
	if (e->kind == REC_SWITCH_IN) {
		if (t->out && t->stack)
			put(t, (struct rec_event){.kind = REC_BLOCK,
						  .arg = REC_ON_KERNEL,
						  .stack = t->stack,
						  .start = t->out,
						  .end = e->end});
		t->out = 0;
		return;
	}
	t->out = e->end;
	t->stack = e->stack;
	t->runnable = e->flags & REC_SWITCH_RUNNABLE;
	if (e->flags & REC_SWITCH_EXIT) {
		t->dead = true;
		rec_g_leave(t->slot);
		t->slot = NULL;
	}
}

bool rec_attach_see(void *attach, struct rec_event *e)
{
	struct rec_attach *a = attach;
	struct rec_attach_thread *t;
	bool is_switch = e->kind == REC_SWITCH_IN || e->kind == REC_SWITCH_OUT;

	if (e->kind == REC_SWITCH_LOST)
		return true;
	/* What comes after an exec is another program's. */
	if (a->end_ns)
		return false;
	if (e->kind == REC_ATTACH_FORK || e->kind == REC_ATTACH_CHILD) {
		see_fork(a, e);
		return false;
	}
	if (e->kind == REC_ATTACH_EXEC) {
		a->end_ns = e->end;
		(void)!write(a->bell, &(uint64_t){1}, sizeof(uint64_t));
		return false;
	}
	t = find(a, e->g);
	/* Its creation was lost. */
	if (!t && (t = rec_attach_thread(a, e->g, (uint32_t)(e->object >> 1))))
		number(t, NULL);
	if (!t || t->dead || is_twice(t, e))
		return false;
	if (e->kind == REC_ATTACH_NAME) {
		set_name(t, (uint32_t)e->start, e->end);
		return false;
	}
	if ((size_t)(t - a->threads) < a->nfirst)
		settle(a, t, e);
	if (e->end < a->start_ns)
		return false;
	if (!t->begun)
		begin(t, e->end, 1);
	if (is_switch)
		see_switch(t, e);
	else
		see_sample(t, e);
	return is_switch;
}

/* ---- beginning and end ---- */

int rec_attach_begin(struct rec_attach *a, struct tp_err *err)
{
	a->first = calloc(a->nthreads + 1, sizeof(*a->first));
	if (!a->first)
		return tp_nomem(err);
	a->nfirst = a->nthreads;
	for (size_t i = 0; i < a->nfirst; i++) {
		struct rec_attach_thread *t = &a->threads[i];
		struct task task = look_at(a, t->tid);

		a->first[i] = (struct rec_event){
		    .kind = REC_SWITCH_OUT,
		    .flags = task.state == 'R' ? REC_SWITCH_RUNNABLE : 0,
		    .g = t->tid,
		    .m = (uint32_t)a->pid,
		    .end = a->start_ns,
		};
		t->out = a->start_ns;
		t->runnable = task.state == 'R';
		t->delay = task.counted ? task.delay : REC_DELAY_UNKNOWN;
		number(t, NULL);
		t->name = rec_string_inside(task.name, strlen(task.name));
		begin(t, a->start_ns, stamp(&task));
	}
	return 0;
}

static void end(struct rec_attach *a, struct rec_attach_thread *t, uint64_t now)
{
	struct task task = look_at(a, t->tid);
	uint64_t delay = task.delay - t->delay;

	if (task.counted)
		put(t, (struct rec_event){
			   .kind = REC_THREAD_USAGE,
			   .object = t->delay == REC_DELAY_UNKNOWN ? REC_DELAY_UNKNOWN : delay,
			   .cpu = stamp(&task),
			   .end = now});
	if (t->out && !t->runnable && t->slot)
		rec_wait_store(t->slot, &(struct rec_event){.kind = REC_BLOCK,
							    .arg = REC_ON_KERNEL,
							    .stack = t->stack,
							    .g = t->g,
							    .m = t->g,
							    .start = t->out});
}

void rec_attach_end(struct rec_attach *a, uint64_t now)
{
	for (size_t i = 0; i < a->nthreads; i++) {
		struct rec_attach_thread *t = &a->threads[i];

		/* It has done nothing but run. */
		if (i < a->nfirst && !t->settled && a->first[i].flags) {
			a->first[i].kind = REC_SWITCH_IN;
			a->first[i].flags = 0;
			t->out = 0;
		}
		if (t->begun && !t->dead)
			end(a, t, now);
	}
}
