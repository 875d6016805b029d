/* What a dump is, by its content; kinds of profiles are known in kind.c. Trace headers: 16 bytes,
 * "go 1.N trace" padded with NULs (Go: internal/trace/tracev2/spec.go,
 * internal/trace/internal/tracev1/parser.go parseHeader). */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "open/input.h"
#include "open/kind.h"

#define HEADER_BYTES 16
#define READ_TRACES  "1.5, 1.7 to 1.11, 1.19, 1.21, 1.22, 1.23, 1.25 and 1.26"

/* Versions of the header, in the order of their release, not every release changed it. */
static const int versions[] = {5, 7, 8, 9, 10, 11, 19, 21, 22, 23, 25, 26};

static bool starts(const void *data, size_t size, const char *text)
{
	size_t n = strlen(text);

	return size >= n && !memcmp(data, text, n);
}

static int recognise_trace(const uint8_t *data, size_t size, struct tp_recognition *out,
			   struct tp_err *err)
{
	size_t at = strlen("go 1.");
	char expect[HEADER_BYTES + 8];
	int minor = 0;

	if (size < HEADER_BYTES)
		return tp_err_set(err, TP_ETRUNC, size,
				  "ends within the %d bytes of the header of a Go execution trace",
				  HEADER_BYTES);
	while (at < 8 && data[at] >= '0' && data[at] <= '9')
		minor = minor * 10 + (data[at++] - '0');
	memset(expect, 0, sizeof(expect));
	snprintf(expect, sizeof(expect), "go 1.%d trace", minor);
	if (memcmp(data, expect, HEADER_BYTES))
		return tp_err_set(err, TP_EUNKNOWN, at,
				  "begins like a Go execution trace, but its header is damaged");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i] != minor)
			continue;
		out->format = minor >= 22 ? TP_FORMAT_TRACE_V2 : TP_FORMAT_TRACE_V1;
		out->version = minor;
		snprintf(out->name, sizeof(out->name), "go 1.%d trace", minor);
		return 0;
	}
	return tp_err_set(
	    err, TP_EVERSION, 0,
	    "is an execution trace in the format of go 1.%d, which is not known here; "
	    "known are those of go %s%s",
	    minor, READ_TRACES, minor == 27 ? "" : " (go 1.27 writes that of 1.26)");
}

static int say_unknown(const uint8_t *data, size_t size, struct tp_err *err)
{
	static const struct {
		const char *magic, *what;
	} known[] = {
	    {"\x7f"
	     "ELF",
	     "an ELF program"},
	    {"PK\x03\x04", "a zip archive (unpack it first)"},
	    {"\xfd"
	     "7zXZ",
	     "an xz file (unpack it first)"},
	    {"BZh", "a bzip2 file (unpack it first)"},
	    {"\x04\x22\x4d\x18", "an lz4 file (unpack it first)"},
	    {"\x1f\x8b", "a gzip file inside another one (unpack it first)"},
	    {"\x28\xb5\x2f\xfd", "a zstd file inside another one (unpack it first)"},
	    {"<!DOCTYPE", "an HTML page"},
	    {"<html", "an HTML page"},
	    {"{", "JSON text"},
	    {"PERFILE2", "a Linux perf recording"},
	};
	const char *what = "of no known format";

	if (!size)
		return tp_err_set(err, TP_EUNKNOWN, 0, "is empty");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (starts(data, size, known[i].magic)) {
			what = known[i].what;
			break;
		}
	}
	return tp_err_set(
	    err, TP_EUNKNOWN, 0,
	    "is %s; read are Go execution traces (go 1.5 to 1.27), profiles of pprof's "
	    "formats and stacks of goroutines, also as .gz or .zst",
	    what);
}

int tp_recognise(const void *bytes, size_t size, struct tp_recognition *out, struct tp_err *err)
{
	const uint8_t *data = bytes;
	enum tp_kind kind;

	memset(out, 0, sizeof(*out));
	if (starts(data, size, "go 1.") || (size && size < 5 && !memcmp(data, "go 1.", size)))
		return recognise_trace(data, size, out, err);
	if (size >= 16 && !memcmp(data, "SQLite format 3", 16)) {
		out->format = TP_FORMAT_STORE;
		snprintf(out->name, sizeof(out->name), "SQLite database");
		return 0;
	}
	kind = tp_kind_of(data, size);
	if (kind) {
		out->format = TP_FORMAT_PROFILE;
		tp_kind_name(kind, data, size, out->name, sizeof(out->name));
		return 0;
	}
	return say_unknown(data, size, err);
}
