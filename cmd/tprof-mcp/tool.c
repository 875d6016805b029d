#include "tprof-mcp/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/allowed.h"
#include "open/input.h"
#include "output/output.h"
#include "tprof-mcp/folder.h"

/* ---- the tools ---- */

enum take {
	TEXT,	/* a string or a number, behind `option` */
	NUMBER, /* likewise, an integer that is not negative */
	FLAG,	/* a boolean: `option` or nothing */
	WORD,	/* a word of the command line */
	PLACE,	/* a file or folder */
	FILES,	/* files, behind the word `option` if there is one */
	OPTIONS,
	BUDGET,
	CURSOR,
};

/* Arguments mean the same in all tools. */
static const struct param {
	const char *name;
	enum take take;
	const char *option, *doc;
} params[] = {
    {"base", FILES, "--base", "Files before the change"},
    {"budget", BUDGET, NULL, "Bytes of the answer (default: 8000)"},
    {"cum", FLAG, "--cum", "Rank functions by what they call as well"},
    {"cursor", CURSOR, NULL, "From the last line of an answer that was cut; goes on there"},
    {"file", PLACE, NULL, "A trace, profile or store, as list shows it"},
    {"files", FILES, NULL, "A trace or store, or one or several profiles"},
    {"focus", TEXT, "--focus=", "Only stacks with a function matching this regular expression"},
    {"from", TEXT, "--from=", "Begin of a time range: 1.5s, 250ms, 25%"},
    {"function", TEXT, "--list=", "Regular expression for functions: main\\.less$"},
    {"goroutine", TEXT, "--goroutine=", "Goroutines: an id, or a regular expression for functions"},
    {"new", FILES, "--", "Files after the change"},
    {"options", OPTIONS, NULL, "More options, as \"--name\" or \"--name=value\":"},
    {"path", PLACE, NULL, "A folder or a store (default: the whole folder)"},
    {"peek", TEXT, "--peek=", "Callers and callees of functions of a profile: regular expression"},
    {"report", WORD, NULL, "A report on the trace"},
    {"rows", NUMBER, "--rows=", "Rows of a table (-n); 0: all"},
    {"run", TEXT, "--run=", "Run of a store: latest (default), all, id, name, KEY=VALUE"},
    {"sample", TEXT, "--sample-index=", "Sample type: cpu, inuse_space, alloc_objects, delay"},
    {"slowest", TEXT, "--slowest=", "How many of the slowest tasks to compare: 3, 1%"},
    {"sql", WORD, NULL, "One statement of SQLite, .tables, or .schema TABLE"},
    {"task", TEXT, "--task=", "User tasks: an id or a name"},
    {"to", TEXT, "--to=", "End of the time range"},
    {"word", WORD, NULL, "slow, cpu, heap, lock, leak, gc, regression, crash, many or sql"},
};

struct mcp_tool {
	const char *name, *title;
	const char *command; /* of common/allowed.h, or "guide" */
	const char *report;  /* the report on a trace, if it is always the same, or NULL */
	const char *params;  /* names between blanks, required ones with '!' */
	const char *doc;
};

#define ALL " budget cursor "

static const struct mcp_tool tools[] = {
    {"list", "List files or runs", "store", NULL, " path" ALL,
     "Lists the traces, profiles and stores below a folder, or the runs of a store. Begin here."},
    {"overview", "Overview of a file", "top", "overview", " file! run from to" ALL,
     "Says what a trace spent its time on: the first rows of its main reports. Of a profile: its "
     "type, total and top functions. Follow with top or path."},
    {"top", "Ranked tables", "top", NULL,
     " files! report peek cum sample focus rows run from to options" ALL,
     "Ranks where time or memory went: functions of a profile, or a report on a trace (groups of "
     "goroutines; block: waits by stack; sched: waiting for a P; locks: who holds them; tasks, "
     "outliers: slow requests; incident: what was unusual at the end, or --around=TIME; gc, "
     "stops, heap, logs). peek shows callers and callees."},
    {"diff", "Compare runs", "diff", NULL, " base new! sample focus rows options" ALL,
     "Compares profiles or traces before and after a change: what grew, and whether by more than "
     "noise, which takes several files on each side. For two runs of one store, new is the store "
     "and options has --base-label=ID and --label=ID."},
    {"path", "Critical path", "path", NULL,
     " file! task goroutine slowest report rows run from to options" ALL,
     "Says why a request of a trace was slow: what it waited for and who caused that, in sentences "
     "and tables. Give a task, a goroutine or a time range, or compare the slowest tasks with "
     "the others."},
    {"leaks", "Goroutine leaks", "leaks", NULL, " files! rows run options" ALL,
     "Finds goroutines that wait and do not end, in goroutine profiles, dumps and traces; of "
     "several files, what grows from one to the next."},
    {"source", "Annotated source", "top", NULL, " file! function! sample run" ALL,
     "Shows the source of functions of a profile with the cost of each line, if the source is "
     "in the folder, or in one that the server was given."},
    {"query", "SQL", "query", NULL, " file! sql! run" ALL,
     "Runs SQL that only reads on a trace, profile or store; times are ns. For what no report "
     "answers."},
    {"guide", "Guide", "guide", NULL, " word" ALL,
     "From a question to the commands that answer it, with examples. tprof-top FILE REPORT -n 5 "
     "--x=y is the tool top with files, report, rows and options [\"--x=y\"]."},
};

#define NTOOLS	(sizeof(tools) / sizeof(tools[0]))
#define NPARAMS (sizeof(params) / sizeof(params[0]))

/* Returns the next argument of a tool, NULL after the last; *list begins as t->params. */
static const struct param *next_param(const char **list, bool *required)
{
	const char *name = *list + strspn(*list, " ");
	size_t n = strcspn(name, "! ");

	*required = name[n] == '!';
	*list = name + n + *required;
	for (size_t i = 0; i < NPARAMS; i++)
		if (n && strlen(params[i].name) == n && !memcmp(params[i].name, name, n))
			return &params[i];
	return NULL;
}

const struct mcp_tool *mcp_tool(const char *name)
{
	for (size_t i = 0; i < NTOOLS; i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

/* Returns whether an option is not for `options`: answers are text, or it is an argument itself. */
static bool is_own(const struct mcp_tool *t, const char *option, size_t n)
{
	const char *list = t->params;
	const struct param *p;
	bool required;

	if ((n == 6 && !memcmp(option, "format", n)) || (n == 9 && !memcmp(option, "json-head", n)))
		return true;
	while ((p = next_param(&list, &required)))
		if (p->option && strcspn(p->option, "=") == n + 2 &&
		    !memcmp(p->option + 2, option, n))
			return true;
	return false;
}

/* ---- their descriptions ---- */

/* Appends a text as JSON, after what comes before it. */
static void put_text(struct tp_buf *out, const char *before, const char *text)
{
	tp_buf_text(out, before);
	rep_put_json(out, text, strlen(text));
}

/* Appends the words of a list between blanks, which need no escapes; those of options without the tool's own. */
static void put_words(struct tp_buf *out, const struct mcp_tool *t, const char *list,
		      const char *before, const char *after)
{
	for (const char *at = list; *(at += strspn(at, " ")); at += strcspn(at, " "))
		if (*after || !is_own(t, at, strcspn(at, "[= ")))
			tp_buf_printf(out, "%s%.*s%s", at == list + 1 && *after ? "\"" : before,
				      (int)strcspn(at, " "), at, after);
}

static void put_param(struct tp_buf *out, const struct mcp_tool *t, const struct param *p)
{
	static const char *const types[] = {
	    [NUMBER] = "integer\", \"minimum\": 0",
	    [FLAG] = "boolean\"",
	    [FILES] = "array\", \"items\": {\"type\": \"string\"}, \"minItems\": 1",
	    [OPTIONS] = "array\", \"items\": {\"type\": \"string\"}",
	    [BUDGET] = "integer\", \"minimum\": 500, \"maximum\": 100000",
	    [CURSOR] = "string\"",
	};
	const struct cmd_allowed *c = cmd_allowed(t->command);

	tp_buf_printf(out, "\"%s\": {\"type\": \"%s", p->name,
		      types[p->take] ? types[p->take] : "string\"");
	if (p->take == WORD && c && c->words) {
		tp_buf_text(out, ", \"enum\": [");
		put_words(out, t, c->words, ", \"", "\"");
		tp_buf_text(out, "]");
	}
	put_text(out, ", \"description\": ", p->doc);
	if (p->take == OPTIONS && c && out->size) {
		out->size--; /* the quote */
		put_words(out, t, c->options, " --", "");
		tp_buf_text(out, "\"");
	}
	tp_buf_text(out, "}");
}

static void put_tool(struct tp_buf *out, const struct mcp_tool *t)
{
	const char *list = t->params, *comma = "";
	const struct param *p;
	bool required;

	put_text(out, "{\"name\": ", t->name);
	put_text(out, ", \"title\": ", t->title);
	put_text(out, ", \"description\": ", t->doc);
	tp_buf_text(out, ", \"inputSchema\": {\"type\": \"object\", \"properties\": {");
	for (; (p = next_param(&list, &required)); comma = ", ") {
		tp_buf_text(out, comma);
		put_param(out, t, p);
	}
	tp_buf_text(out, "}, \"required\": [");
	for (list = t->params, comma = ""; (p = next_param(&list, &required));)
		if (required) {
			put_text(out, comma, p->name);
			comma = ", ";
		}
	tp_buf_text(out, "], \"additionalProperties\": false}, \"annotations\": {\"readOnlyHint\": "
			 "true, \"idempotentHint\": true, \"openWorldHint\": false}}");
}

int mcp_tools_put(struct tp_buf *out)
{
	for (size_t i = 0; i < NTOOLS; i++) {
		tp_buf_text(out, i ? ", " : "[");
		put_tool(out, &tools[i]);
	}
	return tp_buf_text(out, "]");
}

/* ---- from arguments to a command line ---- */

static int wrong(struct tp_err *err, const char *name, const char *what)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "the argument \"%.40s\" %s", name, what);
}

/* Returns a text that belongs to the call, or NULL if memory is out or there are too many. */
__attribute__((format(printf, 2, 3))) static const char *own(struct mcp_call *call, const char *fmt,
							     ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = call->nown < 2 * MCP_WORDS ? vasprintf(&text, fmt, ap) : -1;
	va_end(ap);
	if (n < 0)
		return NULL;
	call->own[call->nown++] = text;
	return text;
}

/* Returns the text of a string, or of a number; NULL if it is neither, or has a NUL. */
static const char *text_of(struct json_object *value)
{
	enum json_type type = json_object_get_type(value);
	const char *text;

	if (type != json_type_string && type != json_type_int && type != json_type_double)
		return NULL;
	text = json_object_get_string(value);
	return !text || (type == json_type_string &&
			 strlen(text) != (size_t)json_object_get_string_len(value))
		   ? NULL
		   : text;
}

/* The parts of a command line before they are put in order. */
struct parts {
	struct mcp_call *call;
	const struct mcp_tool *tool;
	struct cmd_words words; /* "@" for the files */
	const char *file[2 * MCP_FILES + 2], *last;
	size_t nfiles;
};

static int add(struct parts *p, const char *word, struct tp_err *err)
{
	if (!word)
		return tp_nomem(err);
	if (p->words.n == CMD_WORDS - 2)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "more than %d options",
				  CMD_WORDS - 2);
	p->words.word[p->words.n++] = word;
	return 0;
}

static int add_file(struct parts *p, const struct param *param, struct json_object *value,
		    struct tp_err *err)
{
	const char *path = text_of(value);
	char found[PATH_MAX];
	struct stat st;
	int code;

	if (!path)
		return wrong(err, param->name, "must be a path");
	code = mcp_folder_find(path, found, err);
	if (code)
		return code;
	if (stat(found, &st))
		return wrong(err, param->name, "names a file that is gone");
	if (!S_ISREG(st.st_mode) && !strcmp(param->name, "path"))
		snprintf(p->call->folder, sizeof(p->call->folder), "%s", found);
	else if (!S_ISREG(st.st_mode))
		return wrong(err, param->name,
			     "names a folder; the tool list shows the files in it");
	p->file[p->nfiles++] = own(p->call, "%s", found);
	return p->file[p->nfiles - 1] ? 0 : tp_nomem(err);
}

static int add_files(struct parts *p, const struct param *param, struct json_object *value,
		     struct tp_err *err)
{
	bool is_list = json_object_is_type(value, json_type_array);
	size_t n = is_list ? json_object_array_length(value) : 1;
	int code = 0;

	if (n < 1 || n > MCP_FILES)
		return wrong(err, param->name, "must be a list of 1 to 64 paths");
	/* "--" ends the files of --base; alone it is not needed. */
	if (param->option && (strcmp(param->option, "--") || p->nfiles))
		p->file[p->nfiles++] = param->option;
	for (size_t i = 0; i < n && !code; i++)
		code =
		    add_file(p, param, is_list ? json_object_array_get_idx(value, i) : value, err);
	return code;
}

static int add_options(struct parts *p, const struct param *param, struct json_object *value,
		       struct tp_err *err)
{
	const struct cmd_allowed *c = cmd_allowed(p->tool->command);
	size_t n = json_object_is_type(value, json_type_array) ? json_object_array_length(value)
							       : SIZE_MAX;
	int code = 0;

	if (n == SIZE_MAX)
		return wrong(err, param->name, "must be a list of options, [\"--name=value\"]");
	for (size_t i = 0; i < n && !code; i++) {
		const char *word = text_of(json_object_array_get_idx(value, i));

		if (!word || strncmp(word, "--", 2) || !cmd_allowed_option(c, word + 2) ||
		    is_own(p->tool, word + 2, strcspn(word + 2, "=")))
			return tp_err_set(
			    err, TP_EFORMAT, TP_OFFSET_NONE,
			    "'%.100s' is not an option that \"options\" takes; its description "
			    "lists them, each with its value in the same text: \"--name=value\"",
			    word ? word : json_object_to_json_string(value));
		code = add(p, own(p->call, "%s", word), err);
	}
	return code;
}

static int add_number(struct parts *p, const struct param *param, struct json_object *value,
		      struct tp_err *err)
{
	int64_t n = json_object_get_int64(value);
	size_t least = param->take == BUDGET ? MCP_LEAST : 0,
	       most = param->take == BUDGET ? MCP_MOST : UINT32_MAX;
	char range[80];

	if (!json_object_is_type(value, json_type_int) || n < (int64_t)least || n > (int64_t)most) {
		snprintf(range, sizeof(range), "must be an integer from %zu to %zu", least, most);
		return wrong(err, param->name, range);
	}
	if (param->take == NUMBER)
		return add(p, own(p->call, "%s%lld", param->option, (long long)n), err);
	p->call->budget = (size_t)n;
	return 0;
}

static int add_text(struct parts *p, const struct param *param, struct json_object *value,
		    struct tp_err *err)
{
	const char *text = text_of(value);

	if (!text)
		return wrong(err, param->name, "must be a text without zero bytes");
	if (param->take == TEXT)
		return add(p, own(p->call, "%s%s", param->option, text), err);
	/* A comment of SQL must not be taken for an option. */
	text = own(p->call, "%s%s", strchr("-@", *text) && *text ? " " : "", text);
	*(param->take == WORD ? &p->last : &p->call->cursor) = text;
	return text ? 0 : tp_nomem(err);
}

static int add_param(struct parts *p, const struct param *param, struct json_object *value,
		     struct tp_err *err)
{
	switch (param->take) {
	case TEXT:
	case WORD:
	case CURSOR:
		return add_text(p, param, value, err);
	case NUMBER:
	case BUDGET:
		return add_number(p, param, value, err);
	case PLACE:
		return add_file(p, param, value, err);
	case FILES:
		return add_files(p, param, value, err);
	case OPTIONS:
		return add_options(p, param, value, err);
	case FLAG:
		if (!json_object_is_type(value, json_type_boolean))
			return wrong(err, param->name, "must be true or false");
		return json_object_get_boolean(value) ? add(p, param->option, err) : 0;
	}
	return 0;
}

static int check_names(const struct mcp_tool *t, struct json_object *arguments, struct tp_err *err)
{
	json_object_object_foreach(arguments, name, value)
	{
		const char *list = t->params;
		const struct param *p;
		bool required;

		(void)value;
		while ((p = next_param(&list, &required)) && strcmp(p->name, name) != 0)
			;
		if (!p)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "the tool %s has no argument \"%.60s\"; it takes%s (! is "
					  "required)",
					  t->name, name, t->params);
	}
	return 0;
}

static int push(struct mcp_call *call, const char *word, struct tp_err *err)
{
	if (!word)
		return tp_nomem(err);
	if (call->n == MCP_WORDS)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "too many words");
	call->line[call->n++] = word;
	return 0;
}

/* Puts the command line in order, once its words have been checked. */
static int put_line(struct parts *p, const char *source, struct tp_err *err)
{
	const struct cmd_words *w = &p->words;
	struct mcp_call *call = p->call;
	int code = push(call, own(call, "tprof-%s", p->tool->command), err);

	for (size_t i = 0; i < w->n && !code; i++) {
		if (!strncmp(w->word[i], "--list=", 7)) {
			/* A profile may name any file; only those in these folders are for a client. */
			code = push(call, source, err);
			if (!code)
				code = push(call, "--source-within", err);
		}
		if (!code && strcmp(w->word[i], "@") != 0)
			code = push(call, w->word[i], err);
		else
			for (size_t k = 0; k < p->nfiles && !code; k++)
				code = push(call, p->file[k], err);
	}
	return code;
}

static int make_command(struct parts *p, const char *source, struct tp_err *err)
{
	const struct cmd_allowed *c = cmd_allowed(p->tool->command);
	int code = 0;

	if (!strcmp(c->name, "store"))
		code = add(p, "list", err);
	if (!code)
		code = add(p, "@", err);
	if (!code && p->tool->report && mcp_folder_kind(p->file[0]) != TP_FORMAT_PROFILE)
		p->last = p->tool->report;
	else if (!code && p->tool->report)
		code = add(p, "--rows=10", err);
	if (!code && p->last)
		code = add(p, p->last, err);
	if (!code)
		code = cmd_allowed_check(c, &p->words, err);
	return code ? code : put_line(p, source, err);
}

static int make_guide(struct parts *p, struct tp_err *err)
{
	int code = push(p->call, "tprof", err);

	if (!code)
		code = push(p->call, "guide", err);
	if (!code && p->last)
		code = push(p->call, p->last, err);
	return code;
}

int mcp_call_make(struct mcp_call *call, const struct mcp_tool *tool, struct json_object *arguments,
		  const char *source, struct tp_err *err)
{
	struct parts p = {.call = call, .tool = tool};
	const char *list = tool->params;
	const struct param *q;
	bool required;
	int code = arguments ? check_names(tool, arguments, err) : 0;

	*call = (struct mcp_call){.budget = MCP_BUDGET};
	while (!code && (q = next_param(&list, &required))) {
		struct json_object *value = NULL;

		/* null is as good as nothing. */
		json_object_object_get_ex(arguments, q->name, &value);
		if (value)
			code = add_param(&p, q, value, err);
		else if (required)
			code = wrong(err, q->name, "is missing");
	}
	if (code)
		return code;
	if (!strcmp(tool->command, "guide"))
		return make_guide(&p, err);
	if (!strcmp(tool->name, "list") && (!p.nfiles || *call->folder)) {
		if (!p.nfiles)
			strcpy(call->folder, ".");
		return 0;
	}
	return make_command(&p, source, err);
}

void mcp_call_release(struct mcp_call *call)
{
	for (size_t i = 0; i < call->nown; i++)
		free(call->own[i]);
	call->nown = 0;
}
