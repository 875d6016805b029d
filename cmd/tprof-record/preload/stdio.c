/* Reading through stdio, whose own calls of read have no hook. Data in the stream's buffer is read without a
 * wait; otherwise the descriptor decides (fd.h). */
#include <stdio.h>

#include "tprof-record/preload/fd.h"

static inline size_t buffered(const FILE *f)
{
	return (size_t)(f->_IO_read_end - f->_IO_read_ptr);
}

/* Defines a hook that calls the real function, and records the call if the buffer holds less than `needs`. */
#define STDIO(type, name, f, needs, params, ...)                                                   \
	LAST static type name##_slowly params                                                      \
	{                                                                                          \
		enum fd_kind kind = (f)->_fileno >= 0 ? fd_kind((f)->_fileno) : FD_NONBLOCKING;    \
                                                                                                   \
		FD_TRANSFER(type, REC_CALL_READ, (f)->_fileno, kind, 0, REAL(name)(__VA_ARGS__));  \
	}                                                                                          \
	HOOK type name params                                                                      \
	{                                                                                          \
		return likely(buffered(f) >= (needs)) ? REAL(name)(__VA_ARGS__)                    \
						      : name##_slowly(__VA_ARGS__);                \
	}

/* The macros of these functions would hide the hooks. */
#undef getc
#undef getchar
#undef fread_unlocked
#undef fgets_unlocked

/* clang-format off */
STDIO(size_t, fread, f, size * n, (void *restrict to, size_t size, size_t n, FILE *restrict f), to, size, n, f)
STDIO(size_t, fread_unlocked, f, size * n, (void *restrict to, size_t size, size_t n, FILE *restrict f), to, size, n, f)
STDIO(size_t, __fread_chk, f, size * n, (void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f), to, room, size, n, f)
/* A line may end beyond the buffer; that case is ignored, as lines usually arrive whole. */
STDIO(char *, fgets, f, 1, (char *restrict to, int size, FILE *restrict f), to, size, f)
STDIO(char *, fgets_unlocked, f, 1, (char *restrict to, int size, FILE *restrict f), to, size, f)
STDIO(char *, __fgets_chk, f, 1, (char *restrict to, size_t room, int size, FILE *restrict f), to, room, size, f)
STDIO(ssize_t, getline, f, 1, (char **restrict line, size_t *restrict size, FILE *restrict f), line, size, f)
STDIO(ssize_t, getdelim, f, 1, (char **restrict line, size_t *restrict size, int end, FILE *restrict f), line, size, end, f)
STDIO(ssize_t, __getdelim, f, 1, (char **restrict line, size_t *restrict size, int end, FILE *restrict f), line, size, end, f)
STDIO(int, fgetc, f, 1, (FILE *f), f)
STDIO(int, getc, f, 1, (FILE *f), f)
STDIO(int, getchar, stdin, 1, (void))
/* getc_unlocked calls this when the buffer is empty. */
STDIO(int, __uflow, f, 1, (FILE *f), f)
/* clang-format on */
