/* The functions of libparse/symbol that the recorder calls, from a library that is loaded when the first
 * of them is called. That library needs elfutils, whose libraries would otherwise be most of our start. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "symbol/image.h"
#include "symbol/unwind.h"
#include "tprof-record/parent/library.h"

/* clang-format off */
#define FUNCTIONS(F)                                                                               \
	F(int, tp_image_open, (struct tp_image **i, const char *p, struct tp_err *e), (i, p, e))   \
	F(const char *, tp_image_path, (const struct tp_image *i), (i))                            \
	F(const char *, tp_image_gnu_id, (const struct tp_image *i), (i))                          \
	F(bool, tp_image_is, (const struct tp_image *i, const char *id), (i, id))                  \
	F(bool, tp_image_has_lines, (const struct tp_image *i), (i))                               \
	F(const char *, tp_image_debug_link, (const struct tp_image *i, uint32_t *sum), (i, sum))  \
	F(uint32_t, tp_image_checksum, (const struct tp_image *i), (i))                            \
	F(uint64_t, tp_image_address, (const struct tp_image *i, const struct tp_image_mapping *m, \
				       uint64_t a), (i, m, a))                                     \
	F(size_t, tp_image_lookup, (struct tp_image *i, uint64_t a, struct tp_symbol *s, size_t n),\
	  (i, a, s, n))                                                                            \
	F(uint64_t, tp_image_function, (struct tp_image *i, uint64_t a), (i, a))                   \
	F(int, tp_unwinder_new, (struct tp_unwinder **u, int pid, struct tp_err *e), (u, pid, e))  \
	F(int, tp_unwind_sp, (void), ())                                                           \
	F(size_t, tp_unwinder_stack, (struct tp_unwinder *u, const struct tp_unwind_state *s,      \
				      uint64_t *pcs, size_t n, bool *cut), (u, s, pcs, n, cut))

#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
#define FIND(result, name, parameters, arguments) && (real.name = dlsym(library, #name))
#define FORWARD(result, name, parameters, arguments)                                               \
	result name parameters { load(); return real.name arguments; }
/* clang-format on */

static struct {
	FUNCTIONS(MEMBER)
	void (*tp_image_close)(struct tp_image *);
	void (*tp_unwinder_free)(struct tp_unwinder *);
} real;

/* ---- without the library ---- */

/* TP_EUNKNOWN, which the library's own functions do not return. */

static int no_image(struct tp_image **image, const char *path, struct tp_err *err)
{
	*image = NULL;
	return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			  "%s: tprof-symbols.so, which reads it, cannot be loaded", path);
}

static int no_unwinder(struct tp_unwinder **u, int pid, struct tp_err *err)
{
	*u = NULL;
	return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			  "--pid=%d: tprof-symbols.so, which reads stacks, cannot be loaded; "
			  "install tprof-record again",
			  pid);
}

static int no_register(void)
{
	return -1;
}

static void find(void)
{
	struct tp_err err = {0};
	char path[PATH_MAX];
	void *library = rec_library_beside("tprof-symbols.so", path, &err)
			    ? NULL
			    : dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (library FUNCTIONS(FIND) && (real.tp_image_close = dlsym(library, "tp_image_close")) &&
	    (real.tp_unwinder_free = dlsym(library, "tp_unwinder_free")))
		return;
	fprintf(stderr,
		"tprof-record: functions have no names and some stacks are missing: %s; install "
		"tprof-record again\n",
		err.msg[0] ? err.msg : dlerror());
	/* Without images and unwinders, the others are not called. */
	real.tp_image_open = no_image;
	real.tp_unwinder_new = no_unwinder;
	real.tp_unwind_sp = no_register;
}

static void load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find);
}

FUNCTIONS(FORWARD)

void tp_image_close(struct tp_image *image)
{
	if (image)
		real.tp_image_close(image);
}

void tp_unwinder_free(struct tp_unwinder *u)
{
	if (u)
		real.tp_unwinder_free(u);
}
