/* Errors: a code, an offset in the input, and a sentence.
 *
 * Every function of libparse that can fail returns 0 or one of the codes below and, if given one,
 * fills a struct tp_err. Callers prefix context ("generation 3: "), so that a user reads
 * `go.trace: generation 3: batch at 0x1f2c: varint overflow`. */
#ifndef TP_BASE_ERR_H
#define TP_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

enum tp_code {
	TP_OK = 0,
	TP_ENOMEM = -1,	  /* an allocation failed */
	TP_EIO = -2,	  /* a system call on a file failed (disk full, permission, read error) */
	TP_EFORMAT = -3,  /* the input violates its format */
	TP_ETRUNC = -4,	  /* the input ends in the middle of something */
	TP_EVERSION = -5, /* an unsupported version of the format or the store */
	TP_ELIMIT = -6,	  /* a limit that protects memory or time was reached */
	TP_ENOENT = -7,	  /* a named thing (file, run, table) does not exist */
	TP_ESTORE = -8,	  /* SQLite reported an error, or the store's content is inconsistent */
	TP_EBUSY = -9,	  /* the store stayed in use for too long */
	TP_ECANCEL = -10, /* the caller's progress callback asked to stop */
	TP_EUNKNOWN = -11 /* the input is of no known format */
};

#define TP_OFFSET_NONE UINT64_MAX

struct tp_err {
	int code;	 /* enum tp_code */
	uint64_t offset; /* byte in the (decompressed) input, or TP_OFFSET_NONE */
	/* A sentence without a full stop, and without its middle if too long. It may hold bytes of
	 * the input: escape it before showing it (rep_escape, or tp_err_printable). */
	char msg[320];
};

/* Fills in err (which may be NULL) and returns code, so that `return tp_err_set(…)` reads well. */
int tp_err_set(struct tp_err *err, int code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports that memory has run out. Returns TP_ENOMEM. */
int tp_nomem(struct tp_err *err);
/* Reports why something cannot grow: memory has run out (TP_ENOMEM), or its limit is reached, which
 * the sentence `limit` describes. Returns code. */
int tp_err_full(struct tp_err *err, int code, const char *limit);
/* Shows the returned value to analyzers (make lint), which see one file at a time. */
#ifdef TP_ANALYZER
#define tp_err_set(err, code, ...)    (tp_err_set(err, code, __VA_ARGS__), (code))
#define tp_nomem(err)		      (tp_nomem(err), TP_ENOMEM)
#define tp_err_full(err, code, limit) (tp_err_full(err, code, limit), (code))
#endif

/* Puts "prefix: " before the message; the code does not change. err may be NULL. */
void tp_err_prefix(struct tp_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Replaces control bytes of the message by '?', so that it can be written to a terminal. */
void tp_err_printable(struct tp_err *err);

/* Returns the exit status of tprof(1) for a code: 0, 3 (bad input) or 4 (system error). */
int tp_err_exit_status(int code);

#endif
