/* The clipboard and the editor. */
#include "tprof-tui/tui.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/profile_options.h"
#include "profile/code/source.h"
#include "tprof-tui/state.h"
#include "tprof-tui/view/rows.h"

#define MOST_CLIP ((size_t)74994) /* most bytes that xterm and tmux accept */

static int put_base64(struct tp_buf *out, const uint8_t *data, size_t size)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	int failed = 0;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t v = (uint32_t)data[i] << 16 |
			     (uint32_t)(i + 1 < size ? data[i + 1] : 0) << 8 |
			     (i + 2 < size ? data[i + 2] : 0);
		const char text[4] = {digits[v >> 18], digits[v >> 12 & 63],
				      i + 1 < size ? digits[v >> 6 & 63] : '=',
				      i + 2 < size ? digits[v & 63] : '='};

		failed |= tp_buf_put(out, text, 4);
	}
	return failed;
}

/* Wraps a sequence so that a multiplexer passes it on to its terminal. For tmux every escape is doubled;
 * for screen, which takes at most 768 bytes at a time, the sequence is split. */
static int put_wrapped(struct tp_buf *out, const struct tp_buf *sequence, bool tmux)
{
	int failed = 0;

	if (tmux) {
		failed |= tp_buf_put(out, "\033Ptmux;", 7);
		for (size_t i = 0; i < sequence->size; i++)
			failed |= (sequence->data[i] == 033 ? tp_buf_put(out, "\033", 1) : 0) |
				  tp_buf_put(out, &sequence->data[i], 1);
		return failed | tp_buf_put(out, "\033\\", 2);
	}
	for (size_t at = 0; at < sequence->size; at += 700) {
		size_t n = sequence->size - at < 700 ? sequence->size - at : 700;

		failed |= tp_buf_put(out, "\033P", 2) | tp_buf_put(out, sequence->data + at, n) |
			  tp_buf_put(out, "\033\\", 2);
	}
	return failed;
}

/* Sends OSC 52. In tmux it is sent twice: plain, for a tmux that handles clipboards (set-clipboard on),
 * and wrapped, for one that passes sequences on. A terminal that receives both gets the same text
 * twice. */
static bool to_terminal(const struct tp_buf *text)
{
	const char *tmux = getenv("TMUX"), *screen = getenv("STY");
	struct tp_buf b = {0}, all = {0};
	bool done = text->size <= MOST_CLIP && !tp_buf_put(&b, "\033]52;c;", 7) &&
		    !put_base64(&b, text->data, text->size) && !tp_buf_put(&b, "\a", 1);

	if (done && (!screen || !*screen))
		done = !tp_buf_put(&all, b.data, b.size);
	if (done && ((tmux && *tmux) || (screen && *screen)))
		done = !put_wrapped(&all, &b, tmux && *tmux);
	if (done)
		tui_screen_raw((const char *)all.data, all.size);
	tp_buf_release(&b);
	tp_buf_release(&all);
	return done;
}

void tui_clip(struct tui *t, struct tui_view *v, bool all)
{
	struct tp_buf text = {0};
	char path[4096];
	bool clipped, filed;

	if (tui_yank(v, all, &text)) {
		tui_nomem(t);
		tp_buf_release(&text);
		return;
	}
	clipped = to_terminal(&text);
	filed = tui_state_write("yank", text.data, text.size, path, sizeof(path));
	if (!text.size)
		tui_error(t, "there is nothing to copy here");
	else if (clipped || filed)
		tui_message(t, "copied %zu bytes%s%s%.300s", text.size,
			    clipped ? " to the terminal's clipboard" : "",
			    filed ? clipped ? " and to " : " to " : "", filed ? path : "");
	else
		tui_error(t, "cannot write %.300s: %s", path, strerror(errno));
	tp_buf_release(&text);
}

/* Finds a source file on this machine, like tprof-top --list: from the current folder upwards, and
 * in Go's source folders. */
static bool find_source(struct tui *t, char *file, size_t size)
{
	struct rep_source source;
	struct tp_err err;
	char here[4000];
	bool found = false;

	if (!getcwd(here, sizeof(here)))
		snprintf(here, sizeof(here), ".");
	rep_source_init(&source, here, NULL);
	source.go = cmd_go_places();
	if (rep_source_open(&source, (struct tp_text){file, (uint32_t)strlen(file)}, &err))
		tui_error(t, "%s", err.msg);
	else if (!source.found.size)
		tui_error(t, "%s", source.why);
	else
		found = (size_t)snprintf(file, size, "%s", (char *)source.found.data) < size;
	rep_source_release(&source);
	return found;
}

void tui_edit(struct tui *t, struct tui_view *v)
{
	const char *editor = getenv("VISUAL");
	char file[4096], place[32], command[2000];
	int64_t line = 0;

	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor || !*editor)
		editor = "vi";
	if (!tui_source(v, file, sizeof(file), &line)) {
		tui_error(t, "there is no source line under the cursor");
		return;
	}
	if (!find_source(t, file, sizeof(file)))
		return;
	/* $EDITOR may contain options, so a shell runs it. The file is passed as an argument, so its
	 * name is not parsed. A truncated command is refused, as it could mean something else. */
	if ((size_t)snprintf(command, sizeof(command), "exec %s \"$@\"", editor) >=
	    sizeof(command)) {
		tui_error(t, "the command in $EDITOR is too long");
		return;
	}
	snprintf(place, sizeof(place), "+%" PRId64, line > 0 ? line : 1);
	if (!tui_screen_run((char *const[]){(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
					    command, (char *)(uintptr_t) "sh", place, file, NULL}))
		tui_error(t, "the editor '%.200s' failed; set $EDITOR to another one", editor);
}
