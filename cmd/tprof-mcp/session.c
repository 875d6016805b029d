#include "tprof-mcp/session.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "output/text.h"
#include "tprof-mcp/cut.h"

/* Newest first. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
#define BATCHES	  2   /* the revision that has them */
#define MCP_BATCH 100 /* messages of one */

static const char instructions[] =
    "tprof reads Go execution traces, pprof profiles, goroutine dumps and stores of them. Begin "
    "with list, then overview of a file; guide says what to ask for which question. Answers are "
    "deterministic text with whole names; their last lines say what was left out (-n N there is "
    "the argument rows). Lines that begin with lost or note limit what may be concluded: quote "
    "them.";

/* Codes of JSON-RPC. */
enum {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	NO_METHOD = -32601,
	INVALID_PARAMS = -32602
};

/* ---- answers ---- */

/* Answers that are sent together once there is none to wait for. */
struct mcp_batch {
	size_t open;
	struct tp_buf answers;
};

static void send_line(struct mcp_session *s, const struct tp_buf *line)
{
	struct tp_err err;

	if (line->failed || s->write(s->ctx, line->data, line->size, &err))
		s->failed = true;
}

/* Sends the answers of a batch if none is missing. */
static void settle(struct mcp_session *s, struct mcp_batch *b)
{
	if (!b || --b->open)
		return;
	if (b->answers.size) {
		tp_buf_text(&b->answers, "]\n");
		send_line(s, &b->answers);
	}
	tp_buf_release(&b->answers);
	free(b);
}

/* Begins an answer; `what` is "result" or "error". */
static void begin(struct tp_buf *line, struct json_object *id, const char *what)
{
	const char *text = json_object_to_json_string_ext(id, JSON_C_TO_STRING_PLAIN |
								  JSON_C_TO_STRING_NOSLASHESCAPE);

	tp_buf_printf(line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"%s\":", text ? text : "null", what);
}

/* Ends an answer and sends it, or adds it to its batch. */
static void answer(struct mcp_session *s, struct mcp_batch *b, struct tp_buf *line)
{
	tp_buf_text(line, b ? "}" : "}\n");
	if (!b) {
		send_line(s, line);
	} else {
		tp_buf_text(&b->answers, b->answers.size ? "," : "[");
		if (line->failed || tp_buf_put(&b->answers, line->data, line->size))
			s->failed = true;
	}
	tp_buf_release(line);
}

static void put_json(struct tp_buf *out, const char *text)
{
	rep_put_json(out, text, strlen(text));
}

static void refuse(struct mcp_session *s, struct json_object *id, int code, const char *why)
{
	struct tp_buf line = {0};

	begin(&line, id, "error");
	tp_buf_printf(&line, "{\"code\":%d,\"message\":", code);
	put_json(&line, why);
	tp_buf_text(&line, "}");
	answer(s, s->batch, &line);
}

/* Answers a call by a text. */
static void tell(struct mcp_session *s, struct json_object *id, struct mcp_batch *b,
		 const char *text, size_t size, bool is_error)
{
	struct tp_buf line = {0};

	begin(&line, id, "result");
	tp_buf_text(&line, "{\"content\":[{\"type\":\"text\",\"text\":");
	rep_put_json(&line, size ? text : "", size);
	tp_buf_printf(&line, "}],\"isError\":%s}", is_error ? "true" : "false");
	answer(s, b, &line);
}

/* Answers a call by an error, which may quote what the client sent. */
static void tell_error(struct mcp_session *s, struct json_object *id, struct mcp_batch *b,
		       const struct tp_err *err)
{
	struct tp_buf text = {0};

	if (rep_escape(&text, err->msg, strlen(err->msg), REP_ESCAPE_SHOWN))
		s->failed = true;
	tell(s, id, b, (char *)text.data, text.size, true);
	tp_buf_release(&text);
}

/* ---- calls ---- */

static void free_task(struct mcp_session *s, struct mcp_task *t)
{
	mcp_job_release(&t->job);
	json_object_put(t->id);
	settle(s, t->batch);
	*t = (struct mcp_task){.id = NULL};
}

static struct mcp_task *find_task(struct mcp_session *s, struct json_object *id)
{
	for (size_t i = 0; i < MCP_CALLS; i++)
		if (id ? s->task[i].id && json_object_equal(s->task[i].id, id) : !s->task[i].id)
			return &s->task[i];
	return NULL;
}

static void call_tool(struct mcp_session *s, struct json_object *id, struct json_object *params)
{
	struct mcp_task *t = find_task(s, NULL);
	struct json_object *name = NULL, *arguments = NULL;
	const struct mcp_tool *tool;
	struct tp_err err;

	json_object_object_get_ex(params, "name", &name);
	json_object_object_get_ex(params, "arguments", &arguments);
	tool = json_object_is_type(name, json_type_string) ? mcp_tool(json_object_get_string(name))
							   : NULL;
	if (!tool || (arguments && !json_object_is_type(arguments, json_type_object))) {
		refuse(s, id, INVALID_PARAMS,
		       tool ? "arguments must be an object"
			    : "there is no such tool; tools/list names those there are");
		return;
	}
	if (find_task(s, id)) {
		refuse(s, id, INVALID_REQUEST, "a call with this id is not answered yet");
		return;
	}
	if (!t) {
		tp_err_set(&err, TP_ELIMIT, TP_OFFSET_NONE,
			   "too many calls wait for an answer; call again later");
		tell_error(s, id, s->batch, &err);
		return;
	}
	if (mcp_call_make(&t->job.call, tool, arguments, s->source, &err)) {
		mcp_call_release(&t->job.call);
		tell_error(s, id, s->batch, &err);
		return;
	}
	t->id = json_object_get(id);
	t->batch = s->batch;
	if (t->batch)
		t->batch->open++;
}

/* Appends the command's notes to a page, or as many whole ones as fit into `most` bytes. */
static int put_notes(const struct mcp_job *job, size_t most, struct tp_buf *page)
{
	static const char more[] =
	    "[further notes are left out; give a larger budget, or fewer files]\n";
	const struct tp_buf *notes = &job->text[1];
	size_t n = notes->size;
	bool cut = job->cut || n > most;

	if (cut && n > most - (sizeof(more) - 1))
		n = most - (sizeof(more) - 1);
	while (cut && n && notes->data[n - 1] != '\n')
		n--;
	if (n)
		tp_buf_put(page, notes->data, n);
	return tp_buf_text(page, cut ? more : "");
}

/* Makes a page of the output, with the command's notes at its end. */
static int make_page(const struct mcp_job *job, struct tp_buf *page, struct tp_err *err)
{
	struct tp_buf notes = {0};
	int code = put_notes(job, job->call.budget / 2, &notes);

	if (!code)
		code = mcp_cut(&job->text[0], job->call.cursor, job->call.budget - notes.size, page,
			       err);
	if (!code && notes.size)
		code = tp_buf_put(page, notes.data, notes.size);
	tp_buf_release(&notes);
	return code == TP_ENOMEM ? tp_nomem(err) : code;
}

/* Answers a call whose job has ended. */
static void conclude(struct mcp_session *s, struct mcp_task *t)
{
	const char *name = t->job.call.line[0] ? t->job.call.line[0] : "the listing";
	struct tp_buf page = {0};
	struct tp_err err = {.msg = ""};

	if (t->job.end == MCP_LATE)
		tp_err_set(&err, TP_ELIMIT, TP_OFFSET_NONE,
			   "%s took longer than %lld seconds and was stopped; narrow it (from, to, "
			   "goroutine, fewer files, LIMIT in SQL)",
			   name, (long long)s->seconds);
	else if (t->job.end == MCP_TOO_LONG)
		tp_err_set(&err, TP_ELIMIT, TP_OFFSET_NONE,
			   "the output of %s is longer than %zu MiB; ask for fewer rows", name,
			   MCP_OUTPUT >> 20);
	else if (t->job.end == MCP_LOST)
		tp_err_set(&err, TP_EIO, TP_OFFSET_NONE, "%s was killed, or memory is out", name);
	/* 1: a check has found what it looks for. */
	else if (t->job.status > 1 && t->job.text[1].size)
		put_notes(&t->job, t->job.call.budget, &page);
	else if (t->job.status > 1)
		tp_err_set(&err, TP_EIO, TP_OFFSET_NONE, "%s failed", name);
	else
		make_page(&t->job, &page, &err);
	if (*err.msg)
		tell_error(s, t->id, t->batch, &err);
	else
		tell(s, t->id, t->batch, (char *)page.data, page.size, t->job.status > 1);
	tp_buf_release(&page);
	free_task(s, t);
}

size_t mcp_session_poll(struct mcp_session *s, const sigset_t *mask, struct pollfd p[MCP_NPOLLS],
			int64_t *left_ns)
{
	size_t runs = 0, calls = 0;

	*left_ns = INT64_MAX;
	for (size_t i = 0; i < MCP_CALLS; i++)
		runs += s->task[i].job.pid != 0;
	for (size_t i = 0; i < MCP_CALLS; i++) {
		struct mcp_task *t = &s->task[i];
		struct tp_err err;

		if (t->id && !t->job.pid && runs < MCP_RUNS) {
			if (mcp_job_start(&t->job, s->seconds, mask, &err)) {
				tell_error(s, t->id, t->batch, &err);
				free_task(s, t);
			} else {
				runs++;
			}
		}
		calls += t->id != NULL;
		mcp_job_poll(&t->job, p + 2 * i);
		if (t->job.pid && mcp_job_left_ns(&t->job) < *left_ns)
			*left_ns = mcp_job_left_ns(&t->job);
	}
	return calls;
}

void mcp_session_step(struct mcp_session *s, const struct pollfd p[MCP_NPOLLS])
{
	for (size_t i = 0; i < MCP_CALLS; i++)
		if (mcp_job_step(&s->task[i].job, p + 2 * i))
			conclude(s, &s->task[i]);
}

/* ---- requests ---- */

static void initialize(struct mcp_session *s, struct json_object *id, struct json_object *params)
{
	struct json_object *asked = NULL;
	struct tp_buf line = {0};

	json_object_object_get_ex(params, "protocolVersion", &asked);
	if (s->revision || !json_object_is_type(asked, json_type_string)) {
		refuse(s, id, s->revision ? INVALID_REQUEST : INVALID_PARAMS,
		       s->revision ? "the session is initialized already"
				   : "initialize needs the text protocolVersion");
		return;
	}
	s->revision = revisions[0];
	for (size_t i = 0; i < sizeof(revisions) / sizeof(revisions[0]); i++)
		if (!strcmp(json_object_get_string(asked), revisions[i]))
			s->revision = revisions[i];
	begin(&line, id, "result");
	tp_buf_printf(&line,
		      "{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},\"serverInfo\":"
		      "{\"name\":\"tprof-mcp\",\"title\":\"tprof\",\"version\":\"" TPROF_VERSION
		      "\"},\"instructions\":",
		      s->revision);
	put_json(&line, instructions);
	tp_buf_text(&line, "}");
	answer(s, s->batch, &line);
}

static void ping(struct mcp_session *s, struct json_object *id, struct json_object *params)
{
	struct tp_buf line = {0};

	(void)params;
	begin(&line, id, "result");
	tp_buf_text(&line, "{}");
	answer(s, s->batch, &line);
}

static void list_tools(struct mcp_session *s, struct json_object *id, struct json_object *params)
{
	struct tp_buf line = {0};

	if (json_object_object_get_ex(params, "cursor", NULL)) {
		refuse(s, id, INVALID_PARAMS, "the list of tools has one page, and no cursors");
		return;
	}
	begin(&line, id, "result");
	tp_buf_text(&line, "{\"tools\":");
	mcp_tools_put(&line);
	tp_buf_text(&line, "}");
	answer(s, s->batch, &line);
}

static const struct {
	const char *name;
	void (*answer)(struct mcp_session *s, struct json_object *id, struct json_object *params);
	bool early; /* may come before initialize */
} methods[] = {
    {"initialize", initialize, true},
    {"ping", ping, true},
    {"tools/list", list_tools, false},
    {"tools/call", call_tool, false},
};

static void take_request(struct mcp_session *s, struct json_object *id, const char *method,
			 struct json_object *params)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (strcmp(methods[i].name, method) != 0)
			continue;
		if (!methods[i].early && !s->revision)
			refuse(s, id, INVALID_REQUEST, "the first request must be initialize");
		else
			methods[i].answer(s, id, params);
		return;
	}
	refuse(s, id, NO_METHOD, "there is no such method; this server has tools only");
}

static void take_notification(struct mcp_session *s, const char *method, struct json_object *params)
{
	struct json_object *id = NULL;
	struct mcp_task *t;

	if (strcmp(method, "notifications/cancelled") != 0)
		return;
	json_object_object_get_ex(params, "requestId", &id);
	t = id ? find_task(s, id) : NULL;
	if (t)
		free_task(s, t);
}

/* ---- messages ---- */

static bool is_id(struct json_object *id)
{
	enum json_type type = json_object_get_type(id);
	int64_t n = type == json_type_int ? json_object_get_int64(id) : 0;

	/* What json-c cannot hold would be answered with another id. */
	return type == json_type_string ||
	       (type == json_type_int && n != INT64_MAX && n != INT64_MIN) ||
	       (type == json_type_double && isfinite(json_object_get_double(id)));
}

static void take_message(struct mcp_session *s, struct json_object *m)
{
	struct json_object *version = NULL, *id = NULL, *method = NULL, *params = NULL;
	bool has_id, has_method;

	if (!json_object_is_type(m, json_type_object)) {
		refuse(s, NULL, INVALID_REQUEST, "a message is an object");
		return;
	}
	json_object_object_get_ex(m, "jsonrpc", &version);
	has_id = json_object_object_get_ex(m, "id", &id);
	has_method = json_object_object_get_ex(m, "method", &method);
	json_object_object_get_ex(m, "params", &params);
	/* An answer, though nothing was asked. */
	if (!has_method && has_id &&
	    (json_object_object_get_ex(m, "result", NULL) ||
	     json_object_object_get_ex(m, "error", NULL)))
		return;
	if (!json_object_is_type(version, json_type_string) ||
	    strcmp(json_object_get_string(version), "2.0") != 0 ||
	    !json_object_is_type(method, json_type_string) || (has_id && !is_id(id)))
		refuse(
		    s, is_id(id) ? id : NULL, INVALID_REQUEST,
		    "a request has \"jsonrpc\": \"2.0\", a method, and a string or a number as id");
	else if (params && !json_object_is_type(params, json_type_object) && has_id)
		refuse(s, id, INVALID_PARAMS, "params must be an object");
	else if (has_id)
		take_request(s, id, json_object_get_string(method), params);
	else if (json_object_is_type(params, json_type_object))
		take_notification(s, json_object_get_string(method), params);
}

static void take_batch(struct mcp_session *s, struct json_object *list)
{
	size_t n = json_object_array_length(list);

	if (!n || n > MCP_BATCH || s->revision != revisions[BATCHES]) {
		refuse(
		    s, NULL, INVALID_REQUEST,
		    !n ? "the batch is empty"
		    : s->revision == revisions[BATCHES]
			? "the batch has more than 100 messages"
			: "this revision of the protocol has no batches; send one message a line");
		return;
	}
	s->batch = calloc(1, sizeof(*s->batch));
	if (!s->batch) {
		s->failed = true;
		return;
	}
	s->batch->open = 1; /* this function */
	for (size_t i = 0; i < n; i++)
		take_message(s, json_object_array_get_idx(list, i));
	settle(s, s->batch);
	s->batch = NULL;
}

static void take_line(struct mcp_session *s)
{
	struct json_tokener *tok = json_tokener_new_ex(MCP_DEPTH);
	struct tp_buf *line = &s->line;
	struct json_object *m = NULL;
	enum json_tokener_error error;

	if (!tok) {
		s->failed = true;
		return;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	m = json_tokener_parse_ex(tok, (const char *)line->data, (int)line->size);
	error = json_tokener_get_error(tok);
	/* A number ends with what follows it. */
	if (error == json_tokener_continue)
		m = json_tokener_parse_ex(tok, "", 1), error = json_tokener_get_error(tok);
	/* A NUL ends a text for json-c. */
	if (error == json_tokener_success && memchr(line->data, 0, line->size))
		error = json_tokener_error_parse_unexpected;
	if (error != json_tokener_success)
		refuse(s, NULL, PARSE_ERROR,
		       error == json_tokener_error_depth
			   ? "the message has more than 64 values in one another"
			   : "the message is not JSON in UTF-8 on one line");
	else if (json_object_is_type(m, json_type_array))
		take_batch(s, m);
	else
		take_message(s, m);
	json_object_put(m);
	json_tokener_free(tok);
}

/* A message has ended. */
static void end_line(struct mcp_session *s)
{
	struct tp_buf *line = &s->line;
	size_t blank = 0;

	while (blank < line->size && strchr(" \t\r", line->data[blank]) && line->data[blank])
		blank++;
	if (!s->skips && blank < line->size)
		take_line(s);
	s->skips = false;
	line->size = 0;
}

void mcp_session_take(struct mcp_session *s, const char *data, size_t size)
{
	while (size && !s->failed) {
		const char *stop = memchr(data, '\n', size);
		size_t n = stop ? (size_t)(stop - data) : size;

		if (!s->skips && s->line.size + n > MCP_LINE) {
			refuse(s, NULL, INVALID_REQUEST, "the message is longer than 1 MiB");
			s->skips = true;
		}
		if (!s->skips && tp_buf_put(&s->line, data, n))
			s->failed = true;
		if (stop)
			end_line(s);
		data += n + (stop != NULL);
		size -= n + (stop != NULL);
	}
}

void mcp_session_end(struct mcp_session *s)
{
	if (s->line.size && !s->failed)
		end_line(s);
}

void mcp_session_release(struct mcp_session *s)
{
	for (size_t i = 0; i < MCP_CALLS; i++)
		if (s->task[i].id)
			free_task(s, &s->task[i]);
	tp_buf_release(&s->line);
}
