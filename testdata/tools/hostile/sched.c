/* What perf script prints of the kernel's scheduler. */
#include "hostile/cases.h"

/* What a line begins with. */
static void at(struct pen *p, uint64_t cpu, uint64_t n)
{
	pen_text(p, "a 1 [%03llu] 1.%06llu: ", (unsigned long long)cpu,
		 (unsigned long long)n % 1000000);
}

/* A switch, so that the beginning is a trace's. */
static void head(struct pen *p)
{
	at(p, 0, 0);
	pen_text(p, "sched:sched_switch: a:1 [1] S ==> b:2 [1]\n");
}

static void threads(struct pen *p)
{
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "sched:sched_switch: a:%llu [1] S ==> a:%llu [1]\n",
			 (unsigned long long)n, (unsigned long long)n + 1);
	}
}

/* Numbers of threads that are far from each other. */
static void far(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "sched:sched_waking: a:%llu [1]\n",
			 (unsigned long long)(pen_mix(n) >> 1));
	}
}

static void processors(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, n, n);
		pen_text(p, "sched:sched_switch: a:1 [1] S ==> b:2 [1]\n");
	}
}

/* Two threads that take turns, and have a new name each time. */
static void names(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "sched:sched_switch: %llx:%llu [1] S ==> %llx:%llu [1]\n",
			 (unsigned long long)n, (unsigned long long)(n & 1) + 1,
			 (unsigned long long)n, (unsigned long long)(~n & 1) + 1);
	}
}

/* Threads that nothing but their own lines tells of. */
static void names_long(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		for (size_t i = 0; i < 65500; i++)
			pen_byte(p, 'a');
		pen_text(p, " %llu [%03llu] 1.%06llu: sched:sched_waking: b:2 [1]\n",
			 (unsigned long long)n, (unsigned long long)n, (unsigned long long)n);
	}
}

static void backwards(struct pen *p)
{
	head(p);
	for (uint64_t n = 999999; !pen_full(p); n--) {
		at(p, 0, n);
		pen_text(p, "sched:sched_switch: a:%llu [1] R ==> a:%llu [1]\n",
			 (unsigned long long)(n & 1) + 1, (unsigned long long)(~n & 1) + 1);
	}
}

/* One number, of a new thread each time. */
static void reborn(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "sched:sched_process_fork: comm=a pid=1 child_comm=a child_pid=3\n");
	}
}

/* A thread that is switched in on one processor after the other, and out on none. */
static void contradictions(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, n & 7, n);
		pen_text(p, "sched:sched_switch: c:3 [1] S ==> b:2 [1]\n");
	}
}

/* A stack that never ends. */
static void deep(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "\t1 %llx (a)\n", (unsigned long long)n);
	at(p, 0, 1);
	pen_text(p, "sched:sched_switch: b:2 [1] S ==> a:1 [1]\n");
}

static void stacks(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "sched:sched_switch: a:%llu [1] S ==> a:%llu [1]\n\t1 %llx\n",
			 (unsigned long long)(n & 1) + 1, (unsigned long long)(~n & 1) + 1,
			 (unsigned long long)n);
	}
}

/* Waits, each in a system call with a name of its own. */
static void calls(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "syscalls:sys_enter_%llx: \n", (unsigned long long)n);
		at(p, 0, n);
		pen_text(p, "sched:sched_switch: a:%llu [1] S ==> a:%llu [1]\n",
			 (unsigned long long)(n & 1) + 1, (unsigned long long)(~n & 1) + 1);
	}
}

static void events(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "a:%llx: \n", (unsigned long long)n);
	}
}

static void samples(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++)
		pen_text(p, "b 2 [000] 1.%06llu: 1 c: 1 f\n", (unsigned long long)n);
}

/* Fields that nearly are those of a switch. */
static void nearly(struct pen *p)
{
	head(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		at(p, 0, n);
		pen_text(p, "sched:sched_switch: a:%llu [1] S", (unsigned long long)(~n & 1) + 1);
		for (size_t i = 0; i < 80; i++)
			pen_text(p, " ==> ");
		pen_text(p, "a:%llu [1]\n", (unsigned long long)(n & 1) + 1);
	}
}

const struct hostile_case hostile_sched[] = {
    {"sched-threads", "the kernel's scheduler: as many threads as there is room for", threads},
    {"sched-far", "numbers of threads far from each other", far},
    {"sched-processors", "as many processors", processors},
    {"sched-names", "threads with a new name for each event", names},
    {"sched-names-long", "lines of threads with names of 64 KiB", names_long},
    {"sched-backwards", "times that go back", backwards},
    {"sched-reborn", "one number, of a new thread each time", reborn},
    {"sched-contradictions", "a thread that runs on all processors", contradictions},
    {"sched-deep", "one stack", deep},
    {"sched-stacks", "as many stacks as there is room for", stacks},
    {"sched-calls", "each wait in a system call of its own", calls},
    {"sched-events", "each event with a name of its own", events},
    {"sched-samples", "samples at one time", samples},
    {"sched-nearly", "fields that nearly are those of a switch", nearly},
    {NULL, NULL, NULL},
};
