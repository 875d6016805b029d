/* What a client sends to tprof-mcp: lines of JSON-RPC, and the arguments of tools. Answers are lines of JSON, and
 * the command lines of calls name files of the current folder only and write nothing. No command is run. */
#include <json-c/json.h>
#include <string.h>

#include "harness/fuzz.h"
#include "tprof-mcp/session.h"

static int check_answer(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct json_tokener *tok = json_tokener_new();
	const char *text = data;
	struct json_object *o;

	(void)ctx;
	(void)err;
	MUST(tok && size && text[size - 1] == '\n');
	for (size_t i = 0; i + 1 < size; i++)
		MUST((unsigned char)text[i] >= ' ');
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)size);
	MUST(o);
	json_object_put(o);
	json_tokener_free(tok);
	return 0;
}

static void check_line(const struct mcp_call *call)
{
	bool query = call->line[0] && !strcmp(call->line[0], "tprof-query"),
	     guide = call->line[0] && !strcmp(call->line[0], "tprof"), within = false, list = false;

	MUST(call->line[0] || call->folder[0]);
	MUST(call->budget >= MCP_LEAST && call->budget <= MCP_MOST);
	MUST(call->folder[0] != '/' && strncmp(call->folder, "..", 2) != 0);
	for (size_t i = 1; call->line[i]; i++) {
		const char *w = call->line[i];

		list |= !strncmp(w, "--list=", 7);
		within |= !strcmp(w, "--source-within");
		MUST(strncmp(w, "--output", 8) != 0 && strncmp(w, "-o", 2) != 0);
		MUST(strncmp(w, "--write", 7) != 0 && strncmp(w, "--file", 6) != 0);
		MUST(strncmp(w, "--binary", 8) != 0 && strncmp(w, "--symbol-path", 13) != 0);
		MUST(strncmp(w, "--source-path", 13) != 0 || !strcmp(w, "--source-path=."));
		MUST(strcmp(w, "-") != 0);
		/* Of a query the last word is SQL, and of the guide any word. */
		if (!guide && (!query || call->line[i + 1]))
			MUST(w[0] != '/' && strncmp(w, "../", 3) != 0);
	}
	MUST(!list || within);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char first[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
	    "{\"protocolVersion\":\"2025-03-26\"}}\n";
	struct mcp_session *s = calloc(1, sizeof(*s));

	if (!s)
		return 0;
	s->source = "--source-path=.";
	s->seconds = 1;
	s->write = check_answer;
	mcp_session_take(s, first, strlen(first));
	MUST(s->revision);
	/* Messages come in pieces. */
	mcp_session_take(s, (const char *)data, size / 2);
	mcp_session_take(s, (const char *)data + size / 2, size - size / 2);
	mcp_session_end(s);
	MUST(!s->failed);
	for (size_t i = 0; i < MCP_CALLS; i++)
		if (s->task[i].id)
			check_line(&s->task[i].job.call);
	mcp_session_release(s);
	free(s);
	return 0;
}
