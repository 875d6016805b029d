/* The constructor: reads TPROF_RECORD, makes the arena and sends it to the recorder. If anything fails,
 * nothing is recorded and the program runs as it would have. */
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/un.h>
#include <unistd.h>

#include "tprof-record/core/hello.h"
#include "tprof-record/core/inside.h"
#include "tprof-record/preload/environment.h"
#include "tprof-record/preload/fd.h"
#include "tprof-record/preload/real.h"
#define AGAIN "again" /* a setting of our own: the process is not the first */
enum { CHILD_STACK = 1 << 16 };

static struct rec_options options;
static bool follows, again;
static char **arguments;
static struct sockaddr_un recorder = {.sun_family = AF_UNIX};
static socklen_t recorder_size;

bool start_follows(void)
{
	return follows;
}

/* ---- TPROF_RECORD=SOCKET-NAME key=number … ---- */

/* Returns the number of a setting, or `otherwise` if the text does not have it. */
static uint64_t setting(const char *text, const char *key, uint64_t otherwise)
{
	size_t size = strlen(key);

	while ((text = strchr(text, ' ')))
		if (!strncmp(++text, key, size) && text[size] == '=')
			return strtoull(text + size + 1, NULL, 10);
	return otherwise;
}

/* Parses TPROF_RECORD. Returns false if the socket's name is missing or too long. The numbers of 32-bit
 * fields fit. */
static bool parse(const char *text)
{
	size_t size = strcspn(text, " ");

	/* An abstract name begins with a zero byte and does not end with one. */
	if (!size || size >= sizeof(recorder.sun_path))
		return false;
	memcpy(recorder.sun_path + 1, text, size);
	recorder_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size);
#define REC_X(key, field)                                                                          \
	options.field = (__typeof__(options.field + 0))setting(text, key, options.field);
	REC_SETTINGS(REC_X)
#undef REC_X
	follows = setting(text, REC_SETTING_CHILDREN, 0);
	again = setting(text, AGAIN, 0);
	return true;
}

/* ---- hello ---- */

/* Returns a connection, or -1 if there is no recorder. The timeout keeps a stopped recorder from delaying the
 * program. */
static int call(void)
{
	struct timeval patience = {.tv_sec = 1};
	int fd = REAL(socket)(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!REAL(connect)(fd, (struct sockaddr *)&recorder, recorder_size))
		return fd;
	REAL(close)(fd);
	return -1;
}

static bool hello(int fd, enum rec_hello_kind kind)
{
	struct rec_hello text = {.magic = REC_HELLO_MAGIC, .kind = kind, .pid = (uint32_t)getpid()};
	struct iovec iov = {&text, sizeof(text)};
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &rec_core->fd, sizeof(int));
	return REAL(sendmsg)(fd, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(text);
}

/* Stores the program's path and arguments, as /proc/PID shows the next program's after an exec. */
static void name_program(void)
{
	struct rec_header *h = rec_core->arena.header;
	char text[PATH_MAX];
	long size = rec_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)text,
			     sizeof(text), 0, 0);
	size_t used = 0;

	if (size > 0)
		h->exe = rec_string(text, (size_t)size);
	for (char **a = arguments; a && *a && used < sizeof(text) - 1; a++) {
		size_t n = strnlen(*a, sizeof(text) - 1 - used);

		if (used)
			text[used++] = ' ';
		memcpy(text + used, *a, n);
		used += n;
	}
	h->args = rec_string(text, used);
}

static void close_arena(void)
{
	REAL(close)(rec_core->fd);
	rec_core->fd = -1;
}

/* Sends the arena once it contains everything that the recorder reads first. */
static bool begin_with(int fd, enum rec_hello_kind kind)
{
	if (rec_core_begin(&options, true) != 0)
		return false;
	real_boot_mark();
	if (!atomic_load(&modules_unasked))
		rec_modules_read();
	name_program();
	fd_begin();
	thread_watch_ends();
	if (!hello(fd, kind)) {
		close_arena();
		rec_core_end();
		return false;
	}
	/* If the kernel can populate memory without the descriptor (5.14), it is no longer needed; once
	 * closed, the program cannot close it by mistake. */
	if (!rec_call(SYS_madvise, (long)rec_core->arena.header, REC_PAGE, MADV_POPULATE_WRITE, 0,
		      0, 0))
		close_arena();
	return true;
}

static bool begin(enum rec_hello_kind kind)
{
	int fd = call();
	bool begun = fd >= 0 && begin_with(fd, kind);

	if (fd >= 0)
		REAL(close)(fd);
	return begun;
}

void start_no_more(const char *why)
{
	struct rec_header *h;

	if (!exit_is_own_process())
		return;
	h = rec_core->arena.header;
	rec_cpu_end();
	rec_threads_usage();
	atomic_store(&h->stopped, rec_string(why, strlen(why)));
	atomic_store(&h->stopped_ns, rec_now());
	rec_core_end();
}

void start_again(void)
{
	if (!rec_core || !rec_core->generation)
		return;
	atomic_store(&rec_core->arena.header->stopped_ns, 0);
	rec_core_resume();
}

static bool had_threads; /* when it forked */

void start_before_fork(void)
{
	had_threads = !__libc_single_threaded;
}

/* Calls a function on another stack. */
static void call_on(char *stack_end, void (*f)(void))
{
#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcallq *%1\n\tmovq %%rbx, %%rsp"
			 : "+r"(stack_end), "+r"(f)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
			   "memory");
#else
	__asm__ volatile("mov x19, sp\n\tmov sp, %0\n\tblr %1\n\tmov sp, x19"
			 : "+r"(stack_end), "+r"(f)
			 :
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			   "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "v0",
			   "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19",
			   "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
			   "v30", "v31", "cc", "memory");
#endif
}

static void begin_forked(void)
{
	begin(REC_HELLO_FORK);
}

/* Runs in the child of a fork, which has lost the parent's arena: makes a new one if children are
 * followed. The child may have a stack of a page only (clone, coroutines). */
void start_in_child(void)
{
	char *stack;

	if (had_threads) {
		atomic_store(&modules_unasked, true);
		atomic_store(&modules_changed, 0);
	}
	if (!recorder_size || !follows || !rec_may(REC_NEED_START) ||
	    rec_self.depth >= REC_OWN_FORK || !(stack = rec_map(CHILD_STACK)))
		return;
	call_on(stack + CHILD_STACK - 64, begin_forked);
	rec_unmap(stack, CHILD_STACK);
}

__attribute__((constructor(101))) static void start(int argc, char **argv, char **env)
{
	int saved = errno;
	const char *text;

	(void)argc;
	arguments = argv;
	real_find();
	options.depth = 128;
	options.profiler = 126;
	options.syscall_ns = REC_SYSCALL_NS;
	text = environment_read(env);
	if (text && parse(text)) {
		const char *mark = again ? "" : " " AGAIN "=1";

		follows = environment_take(env, mark, follows);
		/* Another constructor may have copied the environment (setenv). */
		if (environ && environ != env)
			environment_take(environ, mark, follows);
		if (options.cpu_hz)
			options.cpu_signal = signal_take();
		if (begin(again ? REC_HELLO_EXEC : REC_HELLO_START)) {
			exit_watch();
			pthread_atfork(start_before_fork, NULL, start_in_child);
		} else {
			recorder_size = 0;
		}
	}
	errno = saved;
}
