#include "tprof-tui/state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MOST_LINES 500
#define MOST_FILE  (1 << 20)

void tui_history_load(struct tui_line *line, const char *name)
{
	char *all = malloc(MOST_FILE), *rest = NULL;

	if (all && tui_state_read(name, all, MOST_FILE))
		for (char *text = strtok_r(all, "\n", &rest); text;
		     text = strtok_r(NULL, "\n", &rest))
			if (tui_state_take_text(text, text, strlen(text)) && *text &&
			    strlen(text) < TUI_LINE_SIZE)
				tui_line_add_history(line, text);
	free(all);
}

/* Returns the last lines of the file: all but one of the lines that it may have. */
static const char *last_lines(const char *all)
{
	size_t n = strlen(all), lines = 0;

	while (n && lines < MOST_LINES)
		lines += all[--n] == '\n';
	return lines == MOST_LINES ? all + n + 1 : all;
}

void tui_history_add(struct tui_line *line, const char *name)
{
	char *all, path[PATH_MAX];
	struct tp_buf b = {0};
	int failed = 0;

	if (!line->size)
		return;
	tui_line_add_history(line, line->text);
	all = malloc(MOST_FILE);
	if (!all)
		return;
	if (tui_state_read(name, all, MOST_FILE)) {
		const char *old = last_lines(all);

		failed = tp_buf_put(&b, old, strlen(old));
		if (b.size && b.data[b.size - 1] != '\n')
			failed |= tp_buf_put(&b, "\n", 1);
	}
	failed |= tui_state_put_text(&b, line->text) | tp_buf_put(&b, "\n", 1);
	if (!failed)
		tui_state_write(name, b.data, b.size, path, sizeof(path));
	tp_buf_release(&b);
	free(all);
}
