/* tprof-courier: brings statements to an engine (ClickHouse's HTTP interface) and its answers back,
 * for the command that has started it (common/engine/wire.h). Nothing else has connections, and
 * needs libcurl. Users and passwords come over the pipe, so no list of processes has them. */
#include <curl/curl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/engine/wire.h"

/* Of all requests. Answers come when they are complete: what goes wrong on the way is an error
 * then, instead of the end of something that looks like an answer. Rows are with their servers when
 * an INSERT returns. Lists of runs are long. */
static const char settings[] =
    "wait_end_of_query=1&buffer_size=1048576&enable_http_compression=1&insert_distributed_sync=1"
    "&max_query_size=268435456&max_ast_elements=10000000&max_expanded_ast_elements=10000000"
    "&max_bytes_before_external_group_by=300000000&max_bytes_before_external_sort=300000000"
    "&skip_unavailable_shards=0&output_format_write_statistics=0";

/* What is said before a request, in frames of their own. */
enum { URL, USER, PASSWORD, CA, TIMES, SQL, DATA, NTEXTS };
static const char kinds[NTEXTS] = {
    [URL] = CMD_WIRE_URL,  [USER] = CMD_WIRE_USER,   [PASSWORD] = CMD_WIRE_PASSWORD,
    [CA] = CMD_WIRE_CA,	   [TIMES] = CMD_WIRE_TIMES, [SQL] = CMD_WIRE_SQL,
    [DATA] = CMD_WIRE_DATA};

struct text {
	char *data; /* NUL-terminated */
	size_t size;
};

struct courier {
	struct text text[NTEXTS];
	bool has_data;
	unsigned connect_s, timeout_s;
	CURL *curl;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	char refused[CMD_WIRE_TEXT];
	size_t nrefused;
};

/* ---- frames ---- */

/* They end the process where the command is gone. */
static void read_all(void *data, size_t size)
{
	if (fread(data, 1, size, stdin) != size)
		_exit(1);
}

static void say(char kind, const void *data, size_t size)
{
	uint8_t head[CMD_WIRE_HEAD];

	cmd_wire_head(head, kind, (uint32_t)size);
	if (fwrite(head, 1, sizeof(head), stdout) != sizeof(head) ||
	    fwrite(data, 1, size, stdout) != size || fflush(stdout))
		_exit(1);
}

static void read_text(struct text *t, size_t size)
{
	char *more = realloc(t->data, size + 1);

	if (!more)
		_exit(1);
	t->data = more;
	t->size = size;
	read_all(more, size);
	more[size] = '\0';
}

/* ---- a request ---- */

static size_t on_body(char *data, size_t one, size_t n, void *ctx)
{
	struct courier *c = ctx;
	size_t size = one * n, room = sizeof(c->refused) - c->nrefused;
	long status = 0;

	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200) {
		say(CMD_WIRE_BYTES, data, size);
	} else {
		if (room > size)
			room = size;
		memcpy(c->refused + c->nrefused, data, room);
		c->nrefused += room;
		/* More is not told: it ends here, as it might not by itself. */
		if (room < size)
			return 0;
	}
	return size;
}

static char *make_url(struct courier *c)
{
	char *query = c->has_data
			  ? curl_easy_escape(c->curl, c->text[SQL].data, (int)c->text[SQL].size)
			  : NULL;
	char *url = NULL;

	if (c->has_data && !query)
		return NULL;
	if (asprintf(&url, "%s?%s&max_execution_time=%u%s%s", c->text[URL].data, settings,
		     c->timeout_s, query ? "&query=" : "", query ? query : "") < 0)
		url = NULL;
	curl_free(query);
	return url;
}

static void add_header(struct courier *c, const char *name, const struct text *value)
{
	char *line = NULL;
	struct curl_slist *more;

	if (!value->size)
		return;
	if (asprintf(&line, "%s: %s", name, value->data) < 0)
		_exit(1);
	more = curl_slist_append(c->headers, line);
	if (!more)
		_exit(1);
	c->headers = more;
	explicit_bzero(line, strlen(line));
	free(line);
}

static void set_up(struct courier *c)
{
	struct curl_slist *quiet = curl_slist_append(NULL, "Expect:");

	c->curl = curl_easy_init();
	if (!c->curl || !quiet ||
	    sscanf(c->text[TIMES].data, "%u %u", &c->connect_s, &c->timeout_s) != 2)
		_exit(1);
	c->headers = quiet;
	add_header(c, "X-ClickHouse-User", &c->text[USER]);
	add_header(c, "X-ClickHouse-Key", &c->text[PASSWORD]);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->headers);
	/* Where a proxy is set for the web, a database is not behind it. */
	curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(c->curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT, (long)c->connect_s);
	curl_easy_setopt(c->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c->curl, CURLOPT_LOW_SPEED_TIME, (long)c->timeout_s);
	curl_easy_setopt(c->curl, CURLOPT_ACCEPT_ENCODING, "gzip");
	curl_easy_setopt(c->curl, CURLOPT_USERAGENT, "tprof/" TPROF_VERSION);
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->error);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
	if (c->text[CA].size)
		curl_easy_setopt(c->curl, CURLOPT_CAINFO, c->text[CA].data);
}

static void go(struct courier *c)
{
	const struct text *body = c->has_data ? &c->text[DATA] : &c->text[SQL];
	char *url;
	long status = 0;
	CURLcode rc;

	if (!c->curl)
		set_up(c);
	url = make_url(c);
	if (!url)
		_exit(1);
	c->nrefused = 0;
	c->error[0] = '\0';
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body->data);
	/* On a connection that turns out to be dead libcurl sends again: rows must not be sent
	 * twice. */
	curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, c->has_data ? 1L : 0L);
	rc = curl_easy_perform(c->curl);
	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	free(url);
	if (rc == CURLE_WRITE_ERROR && c->nrefused == sizeof(c->refused))
		rc = CURLE_OK;
	if (rc != CURLE_OK) {
		const char *why = c->error[0] ? c->error : curl_easy_strerror(rc);
		char text[200];
		long number = 0;

		/* libcurl says where to and how long it took. */
		curl_easy_getinfo(c->curl, CURLINFO_OS_ERRNO, &number);
		if (rc == CURLE_COULDNT_CONNECT && number) {
			snprintf(text, sizeof(text),
				 "cannot be connected to: %s; is the server running, and this the "
				 "port of its HTTP interface?",
				 strerror((int)number));
			why = text;
		}
		say(CMD_WIRE_FAILED, why, strnlen(why, CMD_WIRE_TEXT));
	} else if (status != 200) {
		char text[sizeof(c->refused) + 2] = {(char)(status & 255), (char)(status >> 8)};

		memcpy(text + 2, c->refused, c->nrefused);
		say(CMD_WIRE_REFUSED, text, c->nrefused + 2);
	} else {
		say(CMD_WIRE_DONE, "", 0);
	}
}

static void take(struct courier *c, char kind, uint32_t size)
{
	for (int i = 0; i < NTEXTS; i++) {
		if (kinds[i] != kind)
			continue;
		read_text(&c->text[i], size);
		c->has_data |= i == DATA;
		return;
	}
	if (kind != CMD_WIRE_GO || !c->text[URL].data || !c->text[SQL].data || !c->text[TIMES].data)
		_exit(1);
	go(c);
	c->has_data = false;
}

int main(void)
{
	static struct courier c;
	uint8_t head[CMD_WIRE_HEAD];
	size_t n;

	/* What it has in memory is not for a file. */
	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGPIPE, SIG_IGN);
	if (isatty(STDIN_FILENO)) {
		fputs("tprof-courier is started by the commands of tprof; see "
		      "tprof-clickhouse(7)\n",
		      stderr);
		return 2;
	}
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return 1;
	while ((n = fread(head, 1, sizeof(head), stdin)) == sizeof(head)) {
		if (cmd_wire_size(head) > CMD_WIRE_MOST)
			return 1;
		take(&c, (char)head[0], cmd_wire_size(head));
	}
	return n != 0;
}
