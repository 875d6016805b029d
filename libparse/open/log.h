/* Reads the lines of a goroutine dump from a log. Strips, line by line, the additions of journald,
 * syslog, Docker, Kubernetes, CI systems, JSON loggers, terminals and tickets to a dump:
 *
 *   the file        UTF-16 or UTF-8; lines end with LF, CRLF or CR
 *                   CRI ("stderr P …") and Docker (a "log" of 16 KiB without \n) cut long lines
 *                   into parts, which are joined
 *   a line          loses its BOM, colours, other terminal escape sequences and trailing blanks
 *   quoted          a string with escapes contains the line, or the whole dump: in JSON by its key,
 *                   in logfmt (msg="…") or bare; up to TP_LOG_LEVELS levels with the file
 *   escaped         the whole dump is one line with \n, #012 or &#xA; instead of line ends
 *   a prefix        learned from the line with "goroutine 18 [" and required on the lines after
 *                   it: words and punctuation must match; numbers (times, counters) and the names
 *                   of months, days, levels and streams may vary. If only the first line of a stack
 *                   has it (t.Errorf, log.Printf), the others have the prefix of the first call
 *
 * In the output of `docker compose logs` ("shop-1  | …") and `kubectl logs --prefix` ("[pod/…] …"),
 * only lines of the container that has the first stack are returned; lines of others are not part
 * of its log. Nothing else is interpreted: lines without the prefix are returned as TP_LOG_ALIEN.
 * Memory is bounded by the longest line, time by the file size and the number of levels. */
#ifndef TP_OPEN_LOG_H
#define TP_OPEN_LOG_H

#include "base/buf.h"
#include "open/lines.h"

#define TP_LOG_LEVELS 4
#define TP_LOG_PREFIX 512 /* bytes of the longest prefix recognised */
#define TP_LOG_KEY    64

/* The prefix of a line. */
struct tp_log_shape {
	char text[TP_LOG_PREFIX];
	size_t n;
};

/* How a level's lines contain the dump: directly, or in a string that is recognised by the prefix
 * before it, by its JSON key or by its logfmt name. */
enum tp_log_quote { TP_LOG_BARE, TP_LOG_PLAIN_STRING, TP_LOG_JSON, TP_LOG_LOGFMT };

/* A level: the file, or the strings in a line of the level above. */
struct tp_log_level {
	struct tp_scan rest; /* lines not read yet */
	struct tp_buf text;  /* their buffer, from the second level on */
	const char *word;    /* next place in `rest` that may be a header, or its end */
	bool may_begin;	     /* the current line contains that place */
	struct tp_buf line;  /* buffer for a rewritten line */
	bool whole;	     /* a string has several lines, so the text after it is unrelated */
	bool cut;	     /* the last string has no closing quote */
	/* The text contains: ESC; ESC spelled out; maybe Unicode blanks; lists of bytes. */
	bool escapes, spelled, wide, numbers;

	bool headed;	/* `head` holds the prefix of a stack's first line */
	bool learned;	/* `next` holds the prefix of the lines after it */
	unsigned tries; /* lines searched for `next` */
	bool plain;	/* lines have neither a prefix nor quotes */
	struct tp_log_shape head, next;
	enum tp_log_quote quote;
	char key[TP_LOG_KEY];
	size_t nkey;
};

enum tp_log_kind {
	TP_LOG_TEXT,  /* a line, possibly of a dump */
	TP_LOG_ALIEN, /* a line without the prefix or string that lines of the dump have */
	TP_LOG_CUT,   /* not a line: a quoted string has no closing quote */
	TP_LOG_END,   /* not a line: a quoted text begins or ends here */
};

struct tp_log {
	const char *start;
	unsigned utf16; /* 0: no; 1: little-endian, 2: big-endian */
	char end;	/* the character that ends a line */
	struct tp_log_level level[TP_LOG_LEVELS];
	unsigned depth;
	uint64_t number, offset, bytes; /* of the file's line that `text` is in; the first is 1 */
	enum tp_log_kind kind;
	struct tp_scan text;	    /* valid until the next call */
	bool header;		    /* `text` is known to be the first line of a stack */
	bool wrapped;		    /* something was stripped */
	struct tp_buf joined;	    /* a line whose parts are marked by CRI */
	bool joining;		    /* the next line is a part of it */
	bool may_begin;		    /* one of its parts may contain a header */
	bool part;		    /* the next level's text is to be continued by the next line */
	struct tp_log_shape source; /* the container that is read; empty if lines name none */
	struct tp_log_shape other;  /* another container with stacks, which are left out */
	uint64_t changed;	    /* the first line whose stack has another prefix; 0: unset */
	bool end_due;
};

/* Prepares to read `data`, which is borrowed until l is released. Cannot fail. */
void tp_log_init(struct tp_log *l, const void *data, size_t size);
/* Reads the next line into l->text. Returns 1, 0 at the end, or TP_ENOMEM. */
int tp_log_next(struct tp_log *l);
void tp_log_release(struct tp_log *l);

/* Returns whether a text contains a goroutine dump: a line that begins a stack, or, after a prefix
 * or within a string, such a line followed by a stack. Returns false if binary data comes before
 * it, and true when out of memory, which the decoder then reports. */
bool tp_log_has_dump(const void *data, size_t size);

/* Returns whether the data has characters that do not occur in text. */
bool tp_log_is_binary(const void *data, size_t size);

/* ---- private: log_text.c ---- */

/* How line ends are escaped in the text after a header: not at all, as \n, #012 or &#xA;. */
enum tp_log_escape { TP_LOG_NO_ESCAPE, TP_LOG_BACKSLASH, TP_LOG_OCTAL, TP_LOG_ENTITY };
enum tp_log_escape tp_log_newline(struct tp_scan s);
/* Appends s with its escapes decoded. Invalid escapes are copied unchanged and set *odd, unless it
 * is NULL. Returns 0 or TP_ENOMEM. */
int tp_log_unescape(struct tp_buf *out, struct tp_scan s, enum tp_log_escape how, bool *odd);
/* Sets *content to the text of the quoted string that begins at *s (a quote), still escaped, and
 * moves *s past it. Returns false if the closing quote is missing. */
bool tp_log_string(struct tp_scan *s, struct tp_scan *content);
/* Strips additions of terminals and editors from *line; the result may be in level->line. Returns 0
 * or TP_ENOMEM. */
int tp_log_clean(struct tp_log_level *level, struct tp_scan *line);
/* Sets the flags in `level` that tell what `text` may contain. */
void tp_log_look(struct tp_log_level *level, struct tp_scan text);
/* Converts a line of UTF-16 to UTF-8, replacing the content of `out`. Returns 0 or TP_ENOMEM. */
int tp_log_utf16(struct tp_buf *out, struct tp_scan line, bool big);

/* ---- private: log_prefix.c ---- */

/* Returns where the content after the prefix begins; NULL if the line does not have it. */
const char *tp_log_match(const struct tp_log_shape *shape, struct tp_scan line);
/* Returns where the content of the line after a header begins; its prefix may be shorter than the
 * header's, or another one. Returns NULL if the line does not belong to a stack. */
const char *tp_log_first(const struct tp_log_shape *head, struct tp_scan line);
bool tp_log_shape(struct tp_log_shape *shape, const char *from, const char *to);
/* Returns the content of a line that CRI writes, "TIME STREAM FLAG content", in which *part is
 * whether the flag is P; NULL for other lines. */
const char *tp_log_cri(struct tp_scan line, bool *part);
/* Returns the name of a container at the beginning of a line, as docker compose and kubectl write
 * it; empty if the line has none. */
struct tp_scan tp_log_source(struct tp_scan line);

/* ---- private: log_quote.c ---- */

/* Returns whether `at`, where a stack begins, is within a quoted string of the line. If so, sets
 * *string to the line from the opening quote on, and stores in `level` how such strings are
 * recognised. */
bool tp_log_quoted(struct tp_log_level *level, struct tp_scan line, const char *at,
		   struct tp_scan *string);
/* Stores in `level` how a list of bytes in the line is recognised, if the line has one. journald
 * writes text with control characters as such a list. */
void tp_log_numbers(struct tp_log_level *level, struct tp_scan line);
bool tp_log_has_numbers(struct tp_scan text);
/* The strings taken from a line. */
struct tp_log_taken {
	struct tp_buf *out; /* their contents, each with a line end */
	bool whole;	    /* one of them has several lines */
	bool cut;	    /* the last one has no closing quote */
	bool part;	    /* the last one goes on in the next line */
};

/* Takes the strings of a line that `level` recognises. If `at` is not NULL, the first one is there.
 * Returns their number, or TP_ENOMEM. */
int tp_log_take(const struct tp_log_level *level, struct tp_scan line, const char *at,
		struct tp_log_taken *taken);
/* Returns whether the line is only a part of a JSON value, such as a bracket or a key; a whole
 * record on one line is not. */
bool tp_log_is_json(struct tp_scan line);

#endif
