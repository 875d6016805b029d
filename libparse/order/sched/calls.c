/* Names of system calls by their numbers, which differ from machine to machine (linux:
 * arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h): those in which threads wait. */
#include "order/sched/calls.h"

#include <string.h>

#include "open/lines.h"

static const struct {
	const char *name;
	int16_t number[TP_SCHED_MACHINES]; /* x86-64, arm64 and riscv; -1: there is none */
} calls[] = {
    {"read", {0, 63}},
    {"write", {1, 64}},
    {"readv", {19, 65}},
    {"writev", {20, 66}},
    {"pread64", {17, 67}},
    {"pwrite64", {18, 68}},
    {"open", {2, -1}},
    {"openat", {257, 56}},
    {"close", {3, 57}},
    {"poll", {7, -1}},
    {"ppoll", {271, 73}},
    {"select", {23, -1}},
    {"pselect6", {270, 72}},
    {"epoll_wait", {232, -1}},
    {"epoll_pwait", {281, 22}},
    {"epoll_pwait2", {441, 441}},
    {"futex", {202, 98}},
    {"futex_waitv", {449, 449}},
    {"nanosleep", {35, 101}},
    {"clock_nanosleep", {230, 115}},
    {"pause", {34, -1}},
    {"rt_sigtimedwait", {128, 137}},
    {"rt_sigsuspend", {130, 133}},
    {"wait4", {61, 260}},
    {"waitid", {247, 95}},
    {"accept", {43, 202}},
    {"accept4", {288, 242}},
    {"connect", {42, 203}},
    {"recvfrom", {45, 207}},
    {"recvmsg", {47, 212}},
    {"recvmmsg", {299, 243}},
    {"sendto", {44, 206}},
    {"sendmsg", {46, 211}},
    {"sendmmsg", {307, 269}},
    {"fsync", {74, 82}},
    {"fdatasync", {75, 83}},
    {"sync_file_range", {277, 84}},
    {"flock", {73, 32}},
    {"fcntl", {72, 25}},
    {"msgrcv", {70, 188}},
    {"msgsnd", {69, 189}},
    {"semop", {65, 193}},
    {"semtimedop", {220, 192}},
    {"mq_timedreceive", {243, 183}},
    {"mq_timedsend", {242, 182}},
    {"io_getevents", {208, 4}},
    {"io_uring_enter", {426, 426}},
    {"splice", {275, 76}},
    {"sendfile", {40, 71}},
    {"sched_yield", {24, 124}},
    {"vfork", {58, -1}},
    {"clone", {56, 220}},
    {"clone3", {435, 435}},
    {"execve", {59, 221}},
    {"exit", {60, 93}},
    {"exit_group", {231, 94}},
    {"mmap", {9, 222}},
    {"munmap", {11, 215}},
    {"mprotect", {10, 226}},
    {"madvise", {28, 233}},
    {"ioctl", {16, 29}},
    {"getdents64", {217, 61}},
    {"rename", {82, -1}},
    {"unlink", {87, -1}},
    {"mkdir", {83, -1}},
    {"stat", {4, -1}},
    {"newfstatat", {262, 79}},
    {"statx", {332, 291}},
    {"pipe2", {293, 59}},
    {"restart_syscall", {219, 128}},
};

/* What texts of these machines have in them: a stack of the kernel, or the header of perf script --header. */
static const struct {
	const char *text;
	int machine;
} signs[] = {
    {"entry_SYSCALL_64", 0}, {"__x64_sys_", 0},	      {"# arch : x86_64", 0},
    {"el0_svc", 1},	     {"__arm64_sys_", 1},     {"# arch : aarch64", 1},
    {"__riscv_sys_", 1},     {"# arch : riscv64", 1},
};

int tp_sched_machine(const void *data, size_t size)
{
	struct tp_scan all = {data, (const char *)data + size};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (tp_scan_find(all, signs[i].text))
			return signs[i].machine;
	return -1;
}

const char *tp_sched_call_name(int machine, int64_t number)
{
	for (size_t i = 0; machine >= 0 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number[machine] == number)
			return calls[i].name;
	return NULL;
}
