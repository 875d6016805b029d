/* The lines of a goroutine dump, out of whatever it lies in: what journald, syslog, Docker,
 * Kubernetes, CI, JSON loggers, terminals and tickets put around a dump is taken off, line by line.
 *
 *   the file        UTF-16 or UTF-8, lines end with LF, CRLF or CR
 *   a line          without BOM, colours and other escape sequences of terminals, blanks at its end
 *   quoted          a string with escapes that holds the line, or the whole dump: JSON by its key,
 *                   logfmt (msg="…"), bare; in each other up to TP_LOG_LEVELS deep
 *   escaped         the whole dump on one line with \n, #012 or &#xA; for the ends of its lines
 *   a prefix        found before "goroutine 18 [", and held to by what follows: words and signs are
 *                   the same, numbers (times, counters) and what stands for a month or a level
 * vary. Where only the first line of a stack has it (t.Errorf, log.Printf), the lines behind it
 * have that of the first call.
 *
 * Nothing is interpreted beyond that: lines that do not have the prefix come out as TP_LOG_ALIEN.
 * Memory is bounded by the longest line, time by the size of the file and the levels. */
#ifndef TP_OPEN_LOG_H
#define TP_OPEN_LOG_H

#include "base/buf.h"
#include "open/lines.h"

#define TP_LOG_LEVELS 4
#define TP_LOG_PREFIX 512 /* bytes of the longest prefix that is held to */
#define TP_LOG_KEY    64

/* What comes before the content of lines. */
struct tp_log_shape {
	char text[TP_LOG_PREFIX];
	size_t n;
};

/* What is quoted by what. */
enum tp_log_quote { TP_LOG_BARE, TP_LOG_PLAIN_STRING, TP_LOG_JSON, TP_LOG_LOGFMT };

/* The file, or a string in a line of the level above. */
struct tp_log_level {
	struct tp_scan rest; /* lines to come */
	struct tp_buf text;  /* what they are in, from the second level on */
	const char *word;    /* where a header may be next in them, or their end */
	bool may_begin;	     /* the line at hand has it */
	struct tp_buf line;  /* a line that had to be written anew */
	bool whole;	     /* it holds several lines: what follows it is something else */
	bool cut;	     /* the string has no end */
	/* There are: ESC; other spellings of it; odd blanks; texts as lists of bytes. */
	bool escapes, spelled, wide, numbers;

	bool headed;	/* `head` is the prefix of a stack's first line */
	bool learned;	/* and `next` that of the lines behind it */
	unsigned tries; /* to learn that */
	bool plain;	/* neither takes anything off, nor does anything else */
	struct tp_log_shape head, next;
	enum tp_log_quote quote;
	char key[TP_LOG_KEY];
	size_t nkey;
};

enum tp_log_kind {
	TP_LOG_TEXT,  /* maybe a line of a dump */
	TP_LOG_ALIEN, /* it lacks the prefix, or the string, that lines of the dump have */
	TP_LOG_CUT,   /* no line: what was quoted has no end */
	TP_LOG_END,   /* no line: what was quoted ends (or begins) here */
};

struct tp_log {
	const char *start;
	unsigned utf16; /* 0: no; 1: little-endian, 2: big-endian */
	char end;	/* of a line */
	struct tp_log_level level[TP_LOG_LEVELS];
	unsigned depth;
	uint64_t number, offset, bytes; /* of the file's line that `text` is from; 1 is the first */
	enum tp_log_kind kind;
	struct tp_scan text; /* valid until the next call */
	bool header;	     /* it is known to be the first line of a stack */
	bool wrapped;	     /* something was taken off */
	bool end_due;
};

/* `data` stays the caller's. To be released in every case. */
void tp_log_init(struct tp_log *l, const void *data, size_t size);
/* 1 with the next line, 0 at the end, TP_ENOMEM. */
int tp_log_next(struct tp_log *l);
void tp_log_release(struct tp_log *l);

/* Is there a dump of goroutines in a text? A line that begins one alone, or, behind a prefix or
 * within a string, with a stack. Binary data before it: no. */
bool tp_log_has_dump(const void *data, size_t size);

/* Are there characters that no text has? */
bool tp_log_is_binary(const void *data, size_t size);

/* ---- private: log_text.c ---- */

/* Escapes of text in a line, as they are found after a header: none, \n, #012, &#xA;. */
enum tp_log_escape { TP_LOG_NO_ESCAPE, TP_LOG_BACKSLASH, TP_LOG_OCTAL, TP_LOG_ENTITY };
enum tp_log_escape tp_log_newline(struct tp_scan s);
/* Appends s without its escapes. */
int tp_log_unescape(struct tp_buf *out, struct tp_scan s, enum tp_log_escape how);
/* The content of the quoted string that begins at *s (a quote), which moves behind it; false where
 * it does not end. */
bool tp_log_string(struct tp_scan *s, struct tp_scan *content);
/* The line without what terminals and editors add; may be written into level->line. */
int tp_log_clean(struct tp_log_level *level, struct tp_scan *line);
/* What tp_log_clean has to look for. */
void tp_log_look(struct tp_log_level *level, struct tp_scan text);
/* A line of UTF-16 as UTF-8. */
int tp_log_utf16(struct tp_buf *out, struct tp_scan line, bool big);

/* ---- private: log_prefix.c ---- */

/* Where the content behind such a prefix begins; NULL where the line does not have it. */
const char *tp_log_match(const struct tp_log_shape *shape, struct tp_scan line);
/* Where the content of the line behind a header begins, which may have less of a prefix than that;
 * NULL where there is no line of a stack. */
const char *tp_log_first(const struct tp_log_shape *head, struct tp_scan line);
bool tp_log_shape(struct tp_log_shape *shape, const char *from, const char *to);

/* ---- private: log_quote.c ---- */

/* Is the place within a string of the line? Then what the string is known by is kept. */
bool tp_log_quoted(struct tp_log_level *level, struct tp_scan line, const char *at,
		   struct tp_scan *string);
/* The same for a list of bytes, as journald writes text with control characters. */
void tp_log_numbers(struct tp_log_level *level, struct tp_scan line);
bool tp_log_has_numbers(struct tp_scan text);
/* Strings of a line that were taken. */
struct tp_log_taken {
	struct tp_buf *out; /* what they hold, a line for each */
	bool whole;	    /* one has several lines */
	bool cut;	    /* the last has no end */
};

/* Takes the strings that are known by that; from `at` on, where that is not NULL, the first is
 * there. The number of them, or TP_ENOMEM. */
int tp_log_take(const struct tp_log_level *level, struct tp_scan line, const char *at,
		struct tp_log_taken *taken);
/* Is it only what holds JSON together? A whole record is more than that. */
bool tp_log_is_json(struct tp_scan line);

#endif
