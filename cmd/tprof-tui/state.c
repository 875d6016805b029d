#include "tprof-tui/state.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "common/file.h"

static bool folder(char path[PATH_MAX])
{
	return cmd_xdg_folder(path, "XDG_STATE_HOME", ".local/state");
}

/* Replaces the file as a whole, since another tprof-tui may be reading it. Only its owner may read it. */
bool tui_state_write(const char *name, const void *data, size_t size, char *path, size_t room)
{
	char dir[PATH_MAX];
	struct cmd_draft draft;
	FILE *f;
	bool done;

	snprintf(path, room, "%s", name);
	if (!folder(dir) || cmd_make_folders(dir))
		return false;
	snprintf(path, room, "%s/%s", dir, name);
	f = cmd_draft_open(&draft, path, 0);
	if (!f)
		return false;
	done = !fchmod(draft.fd, 0600) && (!size || fwrite(data, 1, size, f) == size);
	return !cmd_draft_close(&draft, f, done) && done;
}

bool tui_state_read(const char *name, char *text, size_t room)
{
	char dir[PATH_MAX], path[PATH_MAX + 256];
	size_t size;
	FILE *f;

	if (!folder(dir))
		return false;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	size = fread(text, 1, room - 1, f);
	text[size] = '\0';
	fclose(f);
	return true;
}

int tui_state_put_text(struct tp_buf *b, const char *text)
{
	int failed = 0;

	for (; text && *text; text++)
		failed |= *text == '\t'	  ? tp_buf_put(b, "\\t", 2)
			  : *text == '\n' ? tp_buf_put(b, "\\n", 2)
			  : *text == '\\' ? tp_buf_put(b, "\\\\", 2)
					  : tp_buf_put(b, text, 1);
	return failed ? TP_ENOMEM : 0;
}

bool tui_state_take_text(char *to, const char *from, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if ((unsigned char)from[i] < ' ' || from[i] == 0x7f)
			return false;
		if (from[i] != '\\') {
			*to++ = from[i];
			continue;
		}
		i++;
		if (i >= size || !strchr("tn\\", from[i]))
			return false;
		*to++ = from[i] == 't' ? '\t' : from[i] == 'n' ? '\n' : '\\';
	}
	*to = '\0';
	return true;
}
