#include "common/head.h"

#include <string.h>

#include "base/buf.h"

static struct tp_buf head;

static void put_number(const char *name, int64_t n)
{
	char text[64];

	snprintf(text, sizeof(text), ", \"%s\": %lld", name, (long long)n);
	tp_buf_text(&head, text);
}

static void put_text(const char *name, const char *text)
{
	tp_buf_text(&head, ", \"");
	tp_buf_text(&head, name);
	tp_buf_text(&head, "\": ");
	rep_put_json(&head, text, strlen(text));
}

static void put_run(const struct rep_run *run)
{
	const struct tp_run *r = &run->row;
	char id[40];

	snprintf(id, sizeof(id), "\n{\"id\": %lld", (long long)r->id);
	tp_buf_text(&head, id);
	put_text("name", r->name);
	put_text("kind", r->kind);
	put_text("format", r->format);
	tp_buf_text(&head, ", \"labels\": [");
	for (size_t i = 0; i < run->nlabels; i++) {
		tp_buf_text(&head, i ? ", " : "");
		rep_put_json(&head, run->labels[i], strlen(run->labels[i]));
	}
	tp_buf_text(&head, "]");
	put_number("duration_ns", r->duration_ns);
	tp_buf_text(&head, r->ticks ? ", \"ticks\": true" : ", \"ticks\": false");
	put_number("losses", run->losses);
	put_number("lost_bytes", r->lost_bytes);
	put_number("lost_events", r->lost_events);
	tp_buf_text(&head, "}");
}

const char *cmd_json_head(const struct cmd *cmd)
{
	tp_buf_release(&head);
	tp_buf_text(&head, "\"tprof\": \"" TPROF_VERSION "\",\n\"command\": [");
	rep_put_json(&head, cmd->name, strlen(cmd->name));
	for (int i = 1; i < cmd->nwords; i++) {
		tp_buf_text(&head, ", ");
		rep_put_json(&head, cmd->words[i], strlen(cmd->words[i]));
	}
	tp_buf_text(&head, "],\n\"runs\": [");
	for (size_t i = 0; i < cmd->runs.n; i++) {
		tp_buf_text(&head, i ? "," : "");
		put_run(&cmd->runs.run[i]);
	}
	return tp_buf_put(&head, "]", 2) ? NULL : (char *)head.data;
}

void cmd_json_head_release(void)
{
	tp_buf_release(&head);
}
