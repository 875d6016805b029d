#include "common/engine/url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/many.h"

#define PLAIN_PORT  8123
#define TLS_PORT    8443
#define TIMEOUT_S   300
#define CONNECT_S   10
#define MOST_S	    86400
#define DATABASE    "tprof"
#define FILE_MOST   (64 << 10)
#define LABELS_MOST 64
#define SECRET_MOST 1000

static const char plain_scheme[] = "clickhouse://", tls_scheme[] = "clickhouses://";

static size_t scheme_of(const char *text, bool *tls)
{
	*tls = !strncmp(text, tls_scheme, sizeof(tls_scheme) - 1);
	if (*tls)
		return sizeof(tls_scheme) - 1;
	return strncmp(text, plain_scheme, sizeof(plain_scheme) - 1) ? 0 : sizeof(plain_scheme) - 1;
}

bool cmd_engine_is_url(const char *text)
{
	bool tls;

	return scheme_of(text, &tls) != 0;
}

/* Returns the end of the authority, the part before the path. Sets *at to its last @, or NULL. */
static const char *authority_end(const char *from, const char **at)
{
	const char *end = from + strcspn(from, "/?#");

	*at = NULL;
	for (const char *p = from; p < end; p++)
		if (*p == '@')
			*at = p;
	return end;
}

void cmd_engine_url_hide(char *text)
{
	bool tls;
	size_t n = scheme_of(text, &tls), size = strlen(text), gone;
	const char *at;

	authority_end(text + n, &at);
	if (!n || !at)
		return;
	gone = (size_t)(at - (text + n)) + 1;
	memmove(text + n, at + 1, size - n - gone);
	explicit_bzero(text + size - gone, gone);
}

/* ---- parts ---- */

static int wrong(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s in the address of an engine; an address is "
			  "clickhouse://[USER@]HOST[:PORT][/DATABASE][?label=KEY=VALUE&...]",
			  what);
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decodes %XX. Bytes that are 0 or end a line are errors. The caller frees *out. */
static int decode(const char *from, const char *end, char **out, struct tp_err *err)
{
	char *to = malloc((size_t)(end - from) + 1);
	size_t n = 0;

	*out = to;
	if (!to)
		return tp_nomem(err);
	to[0] = '\0';
	while (from < end) {
		int c = (unsigned char)*from++;

		if (c == '%') {
			int high = end - from < 2 ? -1 : digit(from[0]);
			int low = high < 0 ? -1 : digit(from[1]);

			if (high < 0 || low < 0)
				return wrong(err, "a % that is not followed by two digits");
			c = high * 16 + low;
			from += 2;
		}
		if (!c || c == '\n' || c == '\r')
			return wrong(err, "an end of a line");
		to[n++] = (char)c;
		to[n] = '\0';
	}
	return 0;
}

static int parse_user(struct cmd_engine_url *u, const char *from, const char *end,
		      struct tp_err *err)
{
	const char *colon = memchr(from, ':', (size_t)(end - from));
	int code;

	free(u->user);
	u->user = NULL;
	code = decode(from, colon ? colon : end, &u->user, err);
	if (code || !colon)
		return code;
	free(u->password);
	u->password = NULL;
	code = decode(colon + 1, end, &u->password, err);
	return !code && strlen(u->password) > SECRET_MOST ? wrong(err, "a very long password")
							  : code;
}

static int parse_number(const char *text, unsigned most, unsigned *number)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !n || n > most)
		return TP_EFORMAT;
	*number = (unsigned)n;
	return 0;
}

/* Parses the host: a name, an address, or an address with colons in brackets. */
static int parse_host(struct cmd_engine_url *u, const char *from, const char *end,
		      struct tp_err *err)
{
	static const char letters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	const char *stop = from;
	char port[8] = "";

	if (from < end && *from == '[') {
		while (stop < end && *stop != ']')
			stop++;
		if (stop == end ||
		    strspn(from + 1, "0123456789abcdefABCDEF:.") < (size_t)(stop - from - 1))
			return wrong(err, "no host");
		stop++;
	} else {
		stop += strspn(from, letters);
	}
	if (stop == from || stop > end)
		return wrong(err, "no host");
	u->host = strndup(from, (size_t)(stop - from));
	if (!u->host)
		return tp_nomem(err);
	if (stop == end)
		return 0;
	if (*stop != ':' || end - stop > 6)
		return wrong(err, "no host and port");
	memcpy(port, stop + 1, (size_t)(end - stop - 1));
	return parse_number(port, 65535, &u->port) ? wrong(err, "no port") : 0;
}

static int add_label(struct cmd_engine_url *u, const char *text, struct tp_err *err)
{
	char **more;

	if (*text == '=' || !strchr(text, '=') || u->nlabels == LABELS_MOST)
		return wrong(err, "label= without KEY=VALUE");
	more = tp_more(u->label, u->nlabels + 1, sizeof(*more));
	if (!more)
		return tp_nomem(err);
	u->label = more;
	more[u->nlabels] = strdup(text);
	return more[u->nlabels++] ? 0 : tp_nomem(err);
}

static int keep(char **to, char **text)
{
	*to = *text;
	*text = NULL;
	return 0;
}

static int parse_seconds(const char *name, const char *value, unsigned *s, struct tp_err *err)
{
	return parse_number(value, MOST_S, s)
		   ? tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				"%s= in the address of an engine takes a number of seconds from 1 "
				"to %d, not '%.60s'",
				name, MOST_S, value)
		   : 0;
}

/* Returns whether a parameter that may be given only once has been given before. */
static bool is_twice(unsigned *seen, const char *name)
{
	static const char *const once[] = {"timeout", "connect-timeout", "credentials", "ca"};
	bool twice = false;

	for (unsigned i = 0; i < sizeof(once) / sizeof(once[0]); i++) {
		if (strcmp(once[i], name) != 0)
			continue;
		twice = *seen >> i & 1;
		*seen |= 1u << i;
	}
	return twice;
}

static int parse_parameter(struct cmd_engine_url *u, const char *from, const char *end,
			   unsigned *seen, struct tp_err *err)
{
	const char *equals = memchr(from, '=', (size_t)(end - from));
	char *name = NULL, *value = NULL;
	int code =
	    equals ? decode(from, equals, &name, err) : wrong(err, "a parameter without a value");

	if (!code)
		code = decode(equals + 1, end, &value, err);
	if (code)
		goto done;
	if (is_twice(seen, name))
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s= is given twice in the address of an engine; leave one out",
				  name);
	else if (!strcmp(name, "label"))
		code = add_label(u, value, err);
	else if (!strcmp(name, "timeout"))
		code = parse_seconds(name, value, &u->timeout_s, err);
	else if (!strcmp(name, "connect-timeout"))
		code = parse_seconds(name, value, &u->connect_s, err);
	else if (!strcmp(name, "credentials"))
		code = keep(&u->credentials, &value);
	else if (!strcmp(name, "ca"))
		code = keep(&u->ca, &value);
	else
		code =
		    tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			       "'%.60s' is not a parameter of an engine's address; parameters are "
			       "label=KEY=VALUE, timeout=, connect-timeout=, credentials= and ca=",
			       name);
done:
	free(name);
	free(value);
	return code;
}

int cmd_engine_url_parse(struct cmd_engine_url *u, const char *text, struct tp_err *err)
{
	const char *at, *from, *end;
	unsigned seen = 0;
	size_t n;
	int code = 0;

	*u = (struct cmd_engine_url){.timeout_s = TIMEOUT_S, .connect_s = CONNECT_S};
	n = scheme_of(text, &u->tls);
	if (!n)
		return wrong(err, "no clickhouse://");
	u->port = u->tls ? TLS_PORT : PLAIN_PORT;
	u->user = strdup("");
	u->password = strdup("");
	if (!u->user || !u->password)
		return tp_nomem(err);
	from = text + n;
	end = authority_end(from, &at);
	if (at)
		code = parse_user(u, from, at, err);
	if (!code)
		code = parse_host(u, at ? at + 1 : from, end, err);
	if (code)
		return code;
	from = end;
	if (*from == '/') {
		from++;
		end = from + strcspn(from, "?#");
		if (end > from)
			code = decode(from, end, &u->database, err);
		from = end;
	}
	if (!code && !u->database && !(u->database = strdup(DATABASE)))
		code = tp_nomem(err);
	if (!code && strlen(u->database) > 200)
		code = wrong(err, "a very long name");
	if (!code && *from == '#')
		code = wrong(err, "a #");
	while (!code && *from) {
		from++;
		end = from + strcspn(from, "&");
		if (end > from)
			code = parse_parameter(u, from, end, &seen, err);
		from = end;
	}
	return code;
}

static void wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void cmd_engine_url_release(struct cmd_engine_url *u)
{
	for (size_t i = 0; i < u->nlabels; i++)
		free(u->label[i]);
	free(u->label);
	free(u->host);
	free(u->database);
	free(u->credentials);
	free(u->ca);
	wipe(u->user);
	wipe(u->password);
	*u = (struct cmd_engine_url){0};
}

/* ---- credentials ---- */

static bool is_host(const struct cmd_engine_url *u, const char *word)
{
	char whole[300];

	snprintf(whole, sizeof(whole), "%.280s:%u", u->host, u->port);
	return !strcmp(word, u->host) || !strcmp(word, whole);
}

/* Takes user and password from a line "HOST[:PORT] USER PASSWORD" for this host; the password is the rest of
 * the line. */
static int take_line(struct cmd_engine_url *u, char *line, bool *found, struct tp_err *err)
{
	char *host = line + strspn(line, " \t"), *user, *password;

	if (!*host || *host == '#')
		return 0;
	user = host + strcspn(host, " \t");
	if (*user)
		*user++ = '\0';
	user += strspn(user, " \t");
	password = user + strcspn(user, " \t");
	if (*password)
		*password++ = '\0';
	password += strspn(password, " \t");
	if (!is_host(u, host) || (*u->user && strcmp(u->user, user) != 0))
		return 0;
	wipe(u->user);
	wipe(u->password);
	u->user = strdup(user);
	u->password = strdup(password);
	*found = true;
	return u->user && u->password ? 0 : tp_nomem(err);
}

static int take_lines(struct cmd_engine_url *u, char *text, struct tp_err *err)
{
	bool found = false;
	int code = 0;

	for (char *line = text; line && !found && !code;) {
		char *next = strchr(line, '\n');

		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		code = take_line(u, line, &found, err);
		line = next;
	}
	return code;
}

static int read_file(struct cmd_engine_url *u, int fd, const char *path, struct tp_err *err)
{
	static char text[FILE_MOST + 1];
	size_t size = 0;
	ssize_t n = 1;
	int code;

	while (n && size < FILE_MOST) {
		n = read(fd, text + size, FILE_MOST - size);
		if (n < 0 && errno != EINTR)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.200s: %s", path,
					  strerror(errno));
		size += n > 0 ? (size_t)n : 0;
	}
	text[size] = '\0';
	code = take_lines(u, text, err);
	explicit_bzero(text, sizeof(text));
	return code;
}

int cmd_engine_credentials(struct cmd_engine_url *u, const char *otherwise, struct tp_err *err)
{
	const char *path = u->credentials ? u->credentials : otherwise;
	struct stat st;
	int fd, code;

	if (*u->password || !path)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && !u->credentials)
		return 0;
	if (fd < 0 || fstat(fd, &st))
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.200s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		code =
		    tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.200s: is not a regular file", path);
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "%.200s: contains passwords and belongs to another user; make a "
				  "copy of your own",
				  path);
	else if (st.st_mode & 077)
		code = tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "%.200s: contains passwords and is open to other users; run chmod 600 on it",
		    path);
	else
		code = read_file(u, fd, path, err);
	if (fd >= 0)
		close(fd);
	return code;
}
