/* /proc/PID/maps, mem and pagemap (Linux: Documentation/admin-guide/mm/pagemap.rst): bit 63 of a page's word
 * says that it is present, 62 that it is swapped out, 61 that it belongs to a file (or shared memory). In
 * private mappings only pages that are private copies are read: a page that is still the file's cannot point
 * to allocated memory. */
#include "tprof-record/parent/live/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/many.h"
#include "tprof-record/core/core.h"

#define NWINDOWS 256 /* a power of 2 */

struct rec_window {
	uint64_t from, region; /* its beginning, and that of the region whose it is; 0: free */
	bool empty;
	uint8_t byte[REC_WINDOW];
};

/* ---- the map ---- */

static int add(struct rec_memory *m, struct rec_region r)
{
	if (tp_grow(&m->region, &m->room, m->n, sizeof(*m->region)))
		return TP_ENOMEM;
	m->region[m->n++] = r;
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_own(const char *name)
{
	const char *slash = strrchr(name, '/');

	return begins(name, "/memfd:tprof-record") || begins(name, "[anon:tprof") ||
	       begins(slash ? slash + 1 : name, "tprof-preload.so") ||
	       begins(slash ? slash + 1 : name, "libtprof-record.so");
}

/* *guard: the end of the last inaccessible mapping. */
static int add_line(struct rec_memory *m, const char *line, uint64_t *guard)
{
	unsigned long long start, limit;
	char mode[5], name[256] = "";
	struct rec_region r;

	if (sscanf(line, "%llx-%llx %4s %*x %*x:%*x %*u %255[^\n]", &start, &limit, mode, name) < 3)
		return 0;
	if (begins(mode, "---"))
		*guard = limit;
	if (mode[0] != 'r' || start >= limit || limit > (uint64_t)1 << 47)
		return 0;
	r = (struct rec_region){
	    .start = start,
	    .limit = limit,
	    .writable = mode[1] == 'w',
	    .executable = mode[2] == 'x',
	    .shared = mode[3] == 's',
	    .heap = !strcmp(name, "[heap]"),
	    .main_stack = !strcmp(name, "[stack]"),
	    .anonymous = !*name || !strcmp(name, "[heap]") || begins(name, "[anon:"),
	    .own = is_own(name),
	    .guarded = start == *guard,
	};
	/* The process cannot have written there; the kernel's mappings are not memory. */
	if ((r.shared && !r.writable) || begins(name, "/dev/") || !strcmp(name, "[vvar]") ||
	    !strcmp(name, "[vdso]") || !strcmp(name, "[vsyscall]"))
		return 0;
	return add(m, r);
}

/* Returns whether core/ has mapped the memory for itself (rec_map): only such memory is neither accounted nor
 * inherited, flags "nr" and "wf" of /proc/PID/smaps. */
static bool is_ours(const char *flags)
{
	return strstr(flags, " nr") && strstr(flags, " wf");
}

static int read_map(struct rec_memory *m)
{
	char path[64], *line = NULL;
	size_t room = 0, n = 0;
	uint64_t guard = 0;
	int code = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps", m->pid);
	f = fopen(path, "re");
	if (!f) {
		snprintf(path, sizeof(path), "/proc/%d/maps", m->pid);
		f = fopen(path, "re");
	}
	if (!f)
		return TP_ENOENT;
	while (!code && getline(&line, &room, f) > 0) {
		/* Below a mapping's line, "Key: value". */
		if (*line < 'A' || *line > 'Z') {
			n = m->n;
			code = add_line(m, line, &guard);
		} else if (begins(line, "VmFlags:") && m->n > n && is_ours(line)) {
			m->region[n].own = true;
		}
	}
	free(line);
	fclose(f);
	return code;
}

static int open_file(const struct rec_memory *m, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", m->pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int rec_memory_open(struct rec_memory *m, pid_t pid, struct tp_err *err)
{
	int code, why;

	*m = (struct rec_memory){.pid = pid, .mem = -1, .pagemap = -1};
	m->mem = open_file(m, "mem");
	why = errno;
	if (m->mem < 0)
		return why == ENOENT || why == ESRCH
			   ? tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "process %d does not exist",
					pid)
			   : tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					"the memory of process %d may not be read: %s", pid,
					strerror(why));
	m->pagemap = open_file(m, "pagemap");
	m->window = calloc(NWINDOWS, sizeof(*m->window));
	code = m->window ? read_map(m) : TP_ENOMEM;
	if (!code)
		return 0;
	rec_memory_close(m);
	return tp_err_set(err, code, TP_OFFSET_NONE,
			  code == TP_ENOMEM ? "out of memory" : "process %d does not exist", pid);
}

void rec_memory_close(struct rec_memory *m)
{
	if (m->mem >= 0)
		close(m->mem);
	if (m->pagemap >= 0)
		close(m->pagemap);
	free(m->region);
	free(m->window);
	*m = (struct rec_memory){.mem = -1, .pagemap = -1};
}

struct rec_region *rec_memory_find(const struct rec_memory *m, uint64_t address)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->region[mid].limit <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->n && m->region[low].start <= address ? &m->region[low] : NULL;
}

int rec_memory_split(struct rec_memory *m, uint64_t at)
{
	struct rec_region *r = rec_memory_find(m, at);
	size_t i;
	int code;

	if (!r || r->start == at)
		return 0;
	i = (size_t)(r - m->region);
	code = add(m, *r);
	if (code)
		return code;
	memmove(&m->region[i + 1], &m->region[i], (m->n - 1 - i) * sizeof(*m->region));
	m->region[i].limit = at;
	m->region[i + 1].start = at;
	m->region[i + 1].guarded = false;
	return 0;
}

/* ---- content ---- */

size_t rec_memory_read(const struct rec_memory *m, uint64_t address, void *to, size_t size)
{
	ssize_t n = address <= INT64_MAX ? pread(m->mem, to, size, (off_t)address) : -1;

	return n > 0 ? (size_t)n : 0;
}

static bool is_there(const struct rec_region *r, uint64_t word)
{
	bool present = word >> 63 & 1, swapped = word >> 62 & 1, file = word >> 61 & 1;

	return swapped || (present && (r->shared || !file));
}

static void load(struct rec_memory *m, const struct rec_region *r, struct rec_window *w,
		 uint64_t from)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE), n = REC_WINDOW / size;
	uint64_t page[REC_WINDOW / REC_PAGE], low = from > r->start ? from : r->start,
					      high = from + REC_WINDOW;
	bool known = n && m->pagemap >= 0 &&
		     pread(m->pagemap, page, n * 8, (off_t)(from / size * 8)) == (ssize_t)(n * 8);

	if (high > r->limit)
		high = r->limit;
	w->from = from;
	w->empty = true;
	for (uint64_t at = low; at < high;) {
		uint64_t end = at;

		while (end < high && (!known || is_there(r, page[(end - from) / size])))
			end += size;
		if (end == at) {
			at += size;
			continue;
		}
		if (w->empty)
			memset(w->byte, 0, sizeof(w->byte));
		w->empty = false;
		rec_memory_read(m, at, w->byte + (at - from), (size_t)(end - at));
		m->left -= m->left < end - at ? m->left : end - at;
		at = end;
	}
	m->over |= m->end_ns && (!m->left || rec_now() > m->end_ns);
}

const uint8_t *rec_memory_peek(struct rec_memory *m, const struct rec_region *r, uint64_t address,
			       size_t *size)
{
	uint64_t from = address & ~(uint64_t)(REC_WINDOW - 1), high = from + REC_WINDOW;
	struct rec_window *w = &m->window[from / REC_WINDOW & (NWINDOWS - 1)];

	if (high > r->limit)
		high = r->limit;
	*size = (size_t)(high - address);
	if (m->over)
		return NULL;
	if (w->from != from || w->region != r->start) {
		load(m, r, w, from);
		w->region = r->start;
	}
	return w->empty ? NULL : w->byte + (address - from);
}
