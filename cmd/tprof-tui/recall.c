#include "tprof-tui/recall.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tprof-tui/state.h"

#define MOST_LINES 500
#define MOST_FILE  (1 << 20)

/* A line of the file is one text: "\n" stands for a new line, "\\" for a backslash. */
static int put_text(struct tp_buf *b, const char *text)
{
	int failed = 0;

	for (; *text; text++)
		failed |= *text == '\n'	  ? tp_buf_put(b, "\\n", 2)
			  : *text == '\\' ? tp_buf_put(b, "\\\\", 2)
					  : tp_buf_put(b, text, 1);
	return failed | tp_buf_put(b, "\n", 1);
}

/* In place. Other control characters than new lines are nobody's typing. */
static bool unescape(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		if ((unsigned char)*from < ' ' || *from == 0x7f)
			return false;
		if (*from != '\\') {
			*to++ = *from;
		} else if (from[1] == 'n' || from[1] == '\\') {
			*to++ = from[1] == 'n' ? '\n' : '\\';
			from++;
		} else {
			return false;
		}
	}
	*to = '\0';
	return *text && to - text < TUI_LINE_SIZE;
}

void tui_recall_load(struct tui_line *line, const char *name)
{
	char *all = malloc(MOST_FILE), *rest = NULL;

	if (all && tui_state_read(name, all, MOST_FILE))
		for (char *text = strtok_r(all, "\n", &rest); text;
		     text = strtok_r(NULL, "\n", &rest))
			if (unescape(text))
				tui_line_recall(line, text);
	free(all);
}

/* The file's last lines, so that the new one fits. */
static const char *last_lines(const char *all)
{
	size_t n = strlen(all), lines = 0;

	while (n && lines < MOST_LINES)
		lines += all[--n] == '\n';
	return lines == MOST_LINES ? all + n + 1 : all;
}

void tui_recall_keep(struct tui_line *line, const char *name)
{
	char *all, path[PATH_MAX];
	struct tp_buf b = {0};
	int failed = 0;

	if (!line->size)
		return;
	tui_line_remember(line);
	all = malloc(MOST_FILE);
	if (!all)
		return;
	if (tui_state_read(name, all, MOST_FILE)) {
		const char *old = last_lines(all);

		failed = tp_buf_put(&b, old, strlen(old));
		if (b.size && b.data[b.size - 1] != '\n')
			failed |= tp_buf_put(&b, "\n", 1);
	}
	failed |= put_text(&b, line->text);
	if (!failed)
		tui_state_write(name, b.data, b.size, path, sizeof(path));
	tp_buf_release(&b);
	free(all);
}
