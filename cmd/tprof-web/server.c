#include "tprof-web/server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tprof-web/page.h"
#include "tprof-web/runs.h"
#include "tprof-web/watch.h"

#define CONNECTION_MEMORY ((size_t)64 << 10)
#define UNPROCESSABLE	  422 /* older versions of the library name it otherwise */
#define STACK_SIZE	  ((size_t)512 << 10)
#define URI_SIZE	  (WEB_QUERY_SIZE + 256)

/* What a connection holds for its requests, one after the other. */
struct connection {
	char uri[URI_SIZE]; /* as it was sent; "" if it was longer */
	struct web_request request;
	int fd;
	bool trusted; /* a request of it had the cookie */
	bool busy;    /* a request is being answered */
	struct connection *next;
};

/* ---- connections ---- */

/* Whoever connects and sends nothing, or a byte now and then, must not keep the page from being served: where
 * connections become few, the oldest that has not shown the cookie is closed. */
static struct {
	pthread_mutex_t lock;
	struct connection *first; /* the newest */
	size_t n;
} open_ones = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void make_room(void)
{
	struct connection *oldest = NULL;

	for (struct connection *c = open_ones.first; c; c = c->next)
		if (!c->trusted && c->fd >= 0)
			oldest = c;
	if (oldest) {
		shutdown(oldest->fd, SHUT_RDWR);
		oldest->fd = -1;
	}
}

static struct connection *begin_connection(int fd)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->fd = fd;
	pthread_mutex_lock(&open_ones.lock);
	if (open_ones.n >= WEB_CONNECTIONS / 2)
		make_room();
	c->next = open_ones.first;
	open_ones.first = c;
	open_ones.n++;
	pthread_mutex_unlock(&open_ones.lock);
	return c;
}

static void trust(struct connection *c)
{
	pthread_mutex_lock(&open_ones.lock);
	c->trusted = true;
	pthread_mutex_unlock(&open_ones.lock);
}

static void end_connection(struct connection *c)
{
	struct connection **at = &open_ones.first;

	pthread_mutex_lock(&open_ones.lock);
	while (*at && *at != c)
		at = &(*at)->next;
	if (*at) {
		*at = c->next;
		open_ones.n--;
	}
	pthread_mutex_unlock(&open_ones.lock);
	free(c);
}

/* ---- answers ---- */

#define POLICY                                                                                     \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "          \
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static const char *const headers[][2] = {
    {"Content-Security-Policy", POLICY},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

/* Takes over a response with its type. */
static enum MHD_Result send_response(struct MHD_Connection *c, unsigned status, const char *type,
				     struct MHD_Response *response)
{
	enum MHD_Result sent = MHD_YES;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]) && sent; i++)
		sent = MHD_add_response_header(response, headers[i][0], headers[i][1]);
	if (sent)
		sent = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (sent && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		sent = MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (sent)
		sent = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return sent;
}

/* Takes over the content of a buffer. */
static enum MHD_Result send_buf(struct MHD_Connection *c, unsigned status, const char *type,
				struct tp_buf *b)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
	    b->size, b->data, b->data ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);

	if (response)
		*b = (struct tp_buf){0};
	return send_response(c, status, type, response);
}

static enum MHD_Result send_constant(struct MHD_Connection *c, const char *type, const void *data,
				     size_t size)
{
	return send_response(
	    c, MHD_HTTP_OK, type,
	    MHD_create_response_from_buffer(size, (void *)(uintptr_t)data, MHD_RESPMEM_PERSISTENT));
}

static const char plain[] = "text/plain; charset=utf-8";

static enum MHD_Result send_error(struct MHD_Connection *c, unsigned status, struct tp_err *err)
{
	char line[sizeof(err->msg) + 1];
	int n;

	tp_err_printable(err);
	n = snprintf(line, sizeof(line), "%s\n", err->msg);
	return send_response(
	    c, status, plain,
	    MHD_create_response_from_buffer((size_t)n, line, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result send_missing(struct MHD_Connection *c)
{
	struct tp_err err;

	tp_err_set(&err, TP_ENOENT, TP_OFFSET_NONE, "there is no such page");
	return send_error(c, MHD_HTTP_NOT_FOUND, &err);
}

/* ---- requests ---- */

/* Gives the cookie. A browser does not send a cookie that is SameSite=Strict where another page has led, even
 * by a redirect; there the page leads on itself. */
static enum MHD_Result enter(const struct web_server *s, struct MHD_Connection *c, const char *site)
{
	static const char text[] = "This page leads on to /\n";
	struct MHD_Response *response = MHD_create_response_from_buffer(
	    sizeof(text) - 1, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
	bool led = site && strcmp(site, "none") != 0;
	char cookie[128];

	snprintf(cookie, sizeof(cookie), "%s=%s; HttpOnly; SameSite=Strict; Path=/",
		 s->access.cookie_name, s->access.cookie);
	if (!response || !MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, cookie) ||
	    !MHD_add_response_header(response, led ? "Refresh" : MHD_HTTP_HEADER_LOCATION,
				     led ? "0; url=/" : "/")) {
		if (response)
			MHD_destroy_response(response);
		return MHD_NO;
	}
	return send_response(c, led ? MHD_HTTP_OK : MHD_HTTP_SEE_OTHER, plain, response);
}

static int reader_of(struct MHD_Connection *c)
{
	return MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static bool read_words(const struct web_query *q, struct cmd_words *words)
{
	words->n = 0;
	for (size_t i = 0; i < q->n; i++) {
		if (strcmp(q->pair[i].name, "a") != 0 || words->n == CMD_WORDS)
			return false;
		words->word[words->n++] = q->pair[i].value;
	}
	return true;
}

/* Sends a command's message. */
static enum MHD_Result send_message(const struct web_server *s, struct MHD_Connection *c,
				    const struct tp_buf *message)
{
	struct tp_buf b = {0};
	const char *at = (const char *)message->data, *end = at + message->size, *path;
	size_t n = strlen(s->store);
	enum MHD_Result sent;

	while ((path = memmem(at, (size_t)(end - at), s->store, n))) {
		tp_buf_put(&b, at, (size_t)(path - at));
		tp_buf_text(&b, s->file);
		at = path + n;
	}
	tp_buf_put(&b, at, (size_t)(end - at));
	sent = b.failed ? MHD_NO : send_buf(c, UNPROCESSABLE, plain, &b);
	tp_buf_release(&b);
	return sent;
}

static enum MHD_Result run(struct web_server *s, struct MHD_Connection *c,
			   const struct web_request *r)
{
	const struct cmd_allowed *command = cmd_allowed(r->name);
	struct tp_buf out = {0}, message = {0};
	enum MHD_Result sent = MHD_NO;
	struct cmd_words words;
	struct tp_err err;
	int code;

	if (!command)
		return send_missing(c);
	code = read_words(&r->query, &words)
		   ? cmd_allowed_check(command, &words, &err)
		   : tp_err_set(&err, TP_EFORMAT, TP_OFFSET_NONE,
				"words are a=WORD, and at most %d", CMD_WORDS);
	if (code)
		return send_error(c, MHD_HTTP_BAD_REQUEST, &err);
	code = web_ask_run(&s->ask, command, &words, reader_of(c), &out, &message, &err);
	if (!code)
		sent = send_buf(c, MHD_HTTP_OK, cmd_allowed_type(command, &words), &out);
	else if (code == TP_EFORMAT)
		sent = send_message(s, c, &message);
	else if (code != TP_ECANCEL)
		sent = send_error(
		    c, code == TP_ELIMIT ? UNPROCESSABLE : MHD_HTTP_INTERNAL_SERVER_ERROR, &err);
	tp_buf_release(&out);
	tp_buf_release(&message);
	return sent;
}

static enum MHD_Result lanes(struct web_server *s, struct MHD_Connection *c,
			     const struct web_request *r)
{
	const char *type = "application/json";
	enum MHD_Result sent;
	atomic_bool stop = false;
	struct tp_buf out = {0};
	struct tp_err err;
	int code;

	web_watch_begin(reader_of(c), &stop);
	code = web_lanes_answer(s->lanes, r->name, &r->query, &out, &type, &stop, &err);
	web_watch_end(&stop);
	if (!code)
		sent = send_buf(c, MHD_HTTP_OK, type, &out);
	else
		sent = send_error(c,
				  code == TP_EFORMAT   ? MHD_HTTP_BAD_REQUEST
				  : code == TP_ENOENT  ? MHD_HTTP_NOT_FOUND
				  : code == TP_ECANCEL ? MHD_HTTP_CONFLICT
						       : MHD_HTTP_INTERNAL_SERVER_ERROR,
				  &err);
	tp_buf_release(&out);
	return sent;
}

static enum MHD_Result about(const struct web_server *s, struct MHD_Connection *c)
{
	struct tp_buf b = {0};
	enum MHD_Result sent;
	struct tp_err err;
	int code;

	tp_buf_printf(&b, "%s, \"runs\": ", s->about);
	code = web_runs_put(&b, s->store, &err);
	if (!code && tp_buf_text(&b, "}\n"))
		code = tp_nomem(&err);
	sent = code ? send_error(c, MHD_HTTP_INTERNAL_SERVER_ERROR, &err)
		    : send_buf(c, MHD_HTTP_OK, "application/json", &b);
	tp_buf_release(&b);
	return sent;
}

static enum MHD_Result send_page(struct MHD_Connection *c, const struct web_request *r)
{
	const struct web_page *page = web_page(r->name);

	return page ? send_constant(c, page->type, page->data, page->size) : send_missing(c);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Called when a request's headers are there, and, unless that refuses it, again at its end: a connection
 * whose request is answered before closes. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **request)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;
	struct web_server *s = ctx;
	struct web_request *r;
	struct web_sent sent = {.method = method,
				.host = header(c, MHD_HTTP_HEADER_HOST),
				.origin = header(c, "Origin"),
				.site = header(c, "Sec-Fetch-Site"),
				.cookie = header(c, MHD_HTTP_HEADER_COOKIE)};
	unsigned status;

	(void)url, (void)version, (void)upload;
	if (!connection)
		return MHD_NO;
	r = &connection->request;
	if (!*request) {
		sent.uri = connection->uri;
		*request = r;
		status = web_request_check(r, &s->access, &sent);
		if (status)
			return send_error(c, status, &r->err);
		trust(connection);
		connection->busy = true;
		web_lanes_begin(s->lanes);
		return MHD_YES;
	}
	if (*upload_size) { /* a body is passed over */
		*upload_size = 0;
		return MHD_YES;
	}
	switch (r->route) {
	case WEB_ENTER:
		return enter(s, c, sent.site);
	case WEB_ABOUT:
		return about(s, c);
	case WEB_RUN:
		return run(s, c, r);
	case WEB_LANES:
		return lanes(s, c, r);
	case WEB_PAGE:
		break;
	}
	return send_page(c, r);
}

static void on_answered(void *ctx, struct MHD_Connection *c, void **request,
			enum MHD_RequestTerminationCode how)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;
	struct web_server *s = ctx;

	(void)request, (void)how;
	if (connection && connection->busy) {
		connection->busy = false;
		web_lanes_end(s->lanes);
	}
}

/* Keeps the address as it was sent, before libmicrohttpd decodes it in place. */
static void *on_uri(void *ctx, const char *uri, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;
	size_t n = strlen(uri);

	(void)ctx;
	if (connection) {
		connection->uri[0] = '\0';
		if (n < URI_SIZE)
			memcpy(connection->uri, uri, n + 1);
	}
	return NULL;
}

static void on_connection(void *ctx, struct MHD_Connection *c, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	(void)ctx;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*context = begin_connection(reader_of(c));
	} else {
		end_connection(*context);
		*context = NULL;
	}
}

int web_server_run(struct web_server *s, struct tp_err *err)
{
	struct MHD_Daemon *daemon;

	if (web_page_make(err))
		return TP_ENOMEM;
	daemon = MHD_start_daemon(
	    MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
		MHD_USE_ITC,
	    0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, s->listener,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)WEB_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
	    (unsigned)WEB_IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
	    MHD_OPTION_THREAD_STACK_SIZE, STACK_SIZE, MHD_OPTION_URI_LOG_CALLBACK, on_uri, NULL,
	    MHD_OPTION_NOTIFY_COMPLETED, on_answered, s, MHD_OPTION_NOTIFY_CONNECTION,
	    on_connection, NULL, MHD_OPTION_END);
	if (!daemon)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "the server cannot be started");
	web_watch();
	return 0;
}
