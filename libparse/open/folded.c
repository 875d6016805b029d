#include "open/folded.h"

#include <string.h>

#define BEGIN		(64 << 10) /* bytes whose lines are looked at */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Takes the last word off `s` if it is a number, DIGITS or DIGITS.DIGITS, with a blank before it. */
static bool take_count(struct tp_scan *s, struct tp_folded_count *count)
{
	struct tp_scan word = tp_scan_trim(*s);
	const char *at = word.end, *point = NULL;

	*count = (struct tp_folded_count){0};
	while (at > word.at && ((at[-1] >= '0' && at[-1] <= '9') || (at[-1] == '.' && !point)))
		if (*--at == '.')
			point = at;
	if (at == word.at || at == word.end || at == point || (at[-1] != ' ' && at[-1] != '\t'))
		return false;
	for (const char *c = at; c < word.end; c++) {
		if (c == point)
			continue;
		if (point && c - point > TP_FOLDED_PLACES) {
			count->rounded = true;
			count->huge |=
			    *c >= '5' && __builtin_add_overflow(count->digits, 1, &count->digits);
			break;
		}
		count->places += point && c > point;
		count->huge |= __builtin_mul_overflow(count->digits, 10, &count->digits) ||
			       __builtin_add_overflow(count->digits, *c - '0', &count->digits);
	}
	count->digits = count->huge ? 0 : count->digits;
	*s = tp_scan_trim((struct tp_scan){word.at, at});
	return true;
}

bool tp_folded_is_comment(struct tp_scan line)
{
	struct tp_folded_line l;

	line = tp_scan_trim(line);
	if (line.at == line.end || *line.at != '#')
		return line.at == line.end;
	return line.at + 1 == line.end || line.at[1] == ' ' || !tp_folded_line(line, &l) ||
	       !memchr(l.stack.at, ';', tp_scan_left(&l.stack));
}

/* Returns whether there are frames: a ';' that no blank follows, which prose hardly has. */
static bool has_frames(struct tp_scan stack)
{
	const char *at;

	for (; (at = memchr(stack.at, ';', tp_scan_left(&stack))) != NULL; stack.at = at + 1)
		if (at + 1 == stack.end || (at[1] != ' ' && at[1] != '\t'))
			return true;
	return false;
}

bool tp_folded_line(struct tp_scan line, struct tp_folded_line *out)
{
	memset(out, 0, sizeof(*out));
	tp_scan_text(&line, BYTE_ORDER_MARK);
	if (!take_count(&line, &out->count))
		return false;
	out->stack = line;
	out->has_before = take_count(&line, &out->before);
	out->stack_before = line;
	return true;
}

bool tp_folded_is(struct tp_scan text)
{
	struct tp_lines lines = tp_lines(text.at, tp_scan_left(&text));
	bool cut = text.at < text.end && text.end[-1] != '\n';
	uint64_t right = 0, wrong = 0, stacks = 0;

	while ((!(right + wrong) || lines.next - text.at < BEGIN) && tp_lines_next(&lines)) {
		struct tp_folded_line l;

		if (tp_folded_is_comment(lines.line) || (cut && lines.next == lines.end && right))
			continue;
		if (!tp_folded_line(lines.line, &l)) {
			wrong++;
			continue;
		}
		right++;
		stacks += has_frames(l.stack);
	}
	return stacks && stacks * 2 >= right && wrong * 4 <= right;
}
