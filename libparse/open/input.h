/* A dump as bytes in memory. A plain file is mapped. A .gz, a .zst (recognised by content) and standard input
 * are first unpacked: up to 8 MiB into memory, more into an unlinked temporary file, which is mapped. So
 * memory stays bounded whatever the size. */
#ifndef TP_OPEN_INPUT_H
#define TP_OPEN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_input {
	const uint8_t *data; /* decompressed bytes; valid until tp_input_close */
	size_t size;
	uint64_t stored_size; /* bytes of the file itself, compressed or not */
	char packing[8];      /* "", "gz", "zst" */
	/* XXH3-128 of the decompressed bytes, canonical (big-endian) order; with opt->hash_later only
	 * after tp_input_hash. */
	uint8_t hash[16];
	int64_t mtime_ns; /* of the file, Unix time; 0 if unknown (stdin) */
	void *priv;
	void *hashing; /* of bytes [0, hashed) */
	size_t hashed;
};

struct tp_input_options {
	uint64_t max_size;  /* limit on decompressed bytes; 0: only the disk limits them */
	uint64_t memory;    /* most decompressed bytes kept without a temporary file; 0: 8 MiB */
	unsigned max_ratio; /* limit on decompressed/compressed beyond 64 MiB; 0: 100 */
	int (*progress)(void *ctx, uint64_t done, uint64_t total); /* total 0: unknown */
	void *progress_ctx;
	/* Hash a plain file while its bytes are used instead of beforehand, so its pages are read only
	 * once. */
	bool hash_later;
	const char
	    *tmp_dir; /* folder of the temporary file; NULL or "": /var/tmp, /tmp */
	int tmp_fd;   /* > 0: an empty file to use instead; the caller still closes it */
};

/* Creates the temporary file that is used without tmp_fd: empty, unlinked, accessible only to its owner.
 * Returns its descriptor, or an error code. */
int tp_input_temporary(const char *tmp_dir, struct tp_err *err);

/* Opens path ("-" is standard input). Returns 0, TP_ENOENT, TP_EIO, TP_EUNKNOWN for a folder,
 * TP_ELIMIT, TP_ENOMEM, or TP_EFORMAT for damaged compression. If `damaged` is not NULL, damaged
 * compression is no error as long as some bytes can be unpacked; `damaged` then describes the
 * damage, and is "" otherwise. *in is NULL after an error.
 *
 * A plain file is mapped. If it is cut later, access to it raises SIGBUS, which a library cannot
 * prevent; if it is cut before tp_input_open returns, that is TP_EIO. Programs that write a trace
 * only append. */
int tp_input_open(struct tp_input **in, const char *path, const struct tp_input_options *opt,
		  char damaged[160], struct tp_err *err);
/* Opens bytes in memory that the caller owns and keeps (tests, fuzzers). */
int tp_input_from_memory(struct tp_input **in, const void *data, size_t size, struct tp_err *err);
void tp_input_close(struct tp_input *in);

/* Hashes the bytes that have not been hashed yet; then in->hash is valid. Returns 0 or TP_ECANCEL. */
int tp_input_hash(struct tp_input *in, const struct tp_input_options *opt, struct tp_err *err);

/* A hint that the bytes [from, to) will not be needed soon: their pages are released, but can still be read.
 * This bounds resident memory. */
void tp_input_done_with(struct tp_input *in, size_t from, size_t to);

enum tp_format {
	TP_FORMAT_UNKNOWN,
	TP_FORMAT_TRACE_V1, /* go 1.5 – 1.21 execution trace */
	TP_FORMAT_TRACE_V2, /* go 1.22 and later */
	TP_FORMAT_TRACE_SCHED, /* of the kernel's scheduler (open/perf.h) */
	TP_FORMAT_STORE,    /* a tprof store (or any SQLite file) */
	TP_FORMAT_PROFILE,  /* of any kind (open/kind.h) */
};

struct tp_recognition {
	enum tp_format format;
	int version;   /* minor version of a trace header, 0 without one */
	char name[48]; /* "go 1.22 trace", "heap profile (text)" */
	char column[16]; /* of a trace: run.format, "go 1.22" */
	int kind; /* of a profile: enum tp_kind (kind.h) */
};

/* Recognises a format by the first bytes (stacks of goroutines by a whole log, see tp_kind_of). Errors:
 * TP_EUNKNOWN, with a message that says what the file is and what makes a readable one of it, or else, after
 * TP_READS, what tprof reads; TP_EVERSION for a trace of an unsupported version, with a message that names it
 * and the supported ones. */
#define TP_READS "tprof reads Go execution traces"
int tp_recognise(const void *data, size_t size, struct tp_recognition *out, struct tp_err *err);

#endif
