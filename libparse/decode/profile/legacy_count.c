/* Counted stacks as text (Go: runtime/pprof/pprof.go, printCountProfile; pprof: parseGoCount):
 *
 *   NAME profile: total N
 *   COUNT @ 0xADDRESS …
 *   # labels: {"key":"value"}
 *   #\t0xADDRESS\tNAME+0xOFFSET\tFILE:LINE
 * Goroutines, threads created, leaked goroutines, and profiles that a program defines itself. A
 * thread without a stack is "5 @". */
#include <stdio.h>
#include <string.h>

#include "decode/profile/legacy.h"

static int read_header(struct tp_legacy *l, int64_t *total)
{
	const char *middle = NULL, *word;
	struct tp_scan s, type = {0};
	struct tp_value_type t = {0};
	int code, nword;

	while (tp_lines_next(&l->lines) && tp_legacy_is_comment(l->lines.line))
		;
	s = l->lines.line;
	middle = tp_scan_find(s, " profile: total ");
	if (middle) {
		type = (struct tp_scan){s.at, middle};
		s.at = middle + strlen(" profile: total ");
	}
	if (!middle || tp_scan_int(&s, false, total) == TP_NUMBER_NONE)
		return tp_err_set(l->err, l->lines.next == l->lines.end ? TP_ETRUNC : TP_EFORMAT,
				  tp_lines_offset(&l->lines),
				  "line %llu is not a complete header (NAME profile: total N)",
				  (unsigned long long)l->lines.number);
	nword = tp_kind_count_name(l->lines.line.at, tp_scan_left(&l->lines.line), &word);
	if (!l->follows)
		snprintf(l->p->format, sizeof(l->p->format), "%.*s text", nword, word);
	code = tp_legacy_string(l, type.at, tp_scan_left(&type), &t.type);
	if (!code)
		code = tp_legacy_string(l, "count", 5, &t.unit);
	if (!code)
		code = tp_legacy_put_period_type(l, &t);
	l->p->period = 1;
	return code ? code : tp_legacy_put_type(l, &t);
}

static int read_sample(struct tp_legacy *l, int64_t *sum)
{
	struct tp_scan s = l->lines.line, number = tp_scan_run(&s, TP_DIGITS), rest;
	size_t n = tp_legacy_nsamples(l);
	int64_t count;
	int code;

	if (!tp_scan_left(&number) || !tp_scan_text(&s, " @"))
		return tp_legacy_lose(l, 1, "is not a count and a stack (COUNT @ 0xADDRESS)");
	if (!tp_scan_whole_int(number, &count))
		return tp_legacy_lose(l, 1, "has a count that does not fit 64 bits");
	rest = s;
	tp_scan_run(&rest, " x0123456789abcdef");
	if (rest.at != rest.end)
		return tp_legacy_lose(l, 1, "has something in its stack that is not an address");
	code = tp_legacy_add_sample(l, s, 1, &count, 0);
	if (tp_legacy_nsamples(l) > n && __builtin_add_overflow(*sum, count, sum))
		*sum = INT64_MAX;
	return code;
}

static int check_total(struct tp_legacy *l, int64_t sum, int64_t total)
{
	char why[120];

	if (sum >= total)
		return 0;
	snprintf(why, sizeof(why), "ends after %lld of %lld stacks", (long long)sum,
		 (long long)total);
	return tp_legacy_lose_rest(l, (uint64_t)(total - sum), why);
}

int tp_legacy_count(struct tp_legacy *l)
{
	int64_t total = 0, sum = 0;
	int code = read_header(l, &total);

	while (tp_legacy_next(l, &code) && !tp_scan_begins(l->lines.line, "---"))
		code = read_sample(l, &sum);
	if (!code)
		code = tp_legacy_find_maps(l);
	return code ? code : check_total(l, sum, total);
}
