#include "tprof-tui/save.h"

#include <errno.h>
#include <string.h>

#include "common/advice.h"
#include "common/draft.h"

bool tui_save(struct tui *t, const char *path, tui_save_write *write, void *ctx)
{
	struct cmd_draft draft;
	FILE *file = cmd_draft_open(&draft, path, true);
	struct tp_err err;
	int code;

	if (!file) {
		tui_error(t, "%.300s: %s%s", path, strerror(errno),
			  errno == EEXIST ? "; give another name" : cmd_advice(errno));
		return false;
	}
	code = write(ctx, file, &err);
	if (cmd_draft_close(&draft, file, !code) && !code) {
		tui_error(t, "%.300s: %s%s", path, strerror(errno), cmd_advice(errno));
		return false;
	}
	if (code)
		tui_error(t, "%.300s: %s", path, err.msg);
	return !code;
}
