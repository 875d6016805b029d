#include "tprof-web/request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Takes as long for any text of that length. */
static bool same(const char *given, size_t n, const char secret[WEB_SECRET])
{
	unsigned char differs = 0;

	if (n != WEB_SECRET - 1)
		return false;
	for (size_t i = 0; i < n; i++)
		differs |= (unsigned char)(given[i] ^ secret[i]);
	return !differs;
}

static bool has_cookie(const struct web_access *a, const char *sent)
{
	size_t name = strlen(a->cookie_name);

	while (sent) {
		sent += strspn(sent, "; ");
		if (!strncmp(sent, a->cookie_name, name) && sent[name] == '=' &&
		    same(sent + name + 1, strcspn(sent + name + 1, "; "), a->cookie))
			return true;
		sent = strchr(sent, ';');
	}
	return false;
}

/* Returns whether a host, with or without its port, cannot be a name that somebody else owns. */
static bool is_ours(const char *host, const char *own)
{
	bool bracket = host[0] == '[';
	size_t n = bracket ? strcspn(host, "]") : strcspn(host, ":");
	const char *port = host + n + bracket;
	char name[256];
	unsigned char address[16];

	host += bracket;
	n -= bracket;
	if (n >= sizeof(name) || (bracket && host[n] != ']') ||
	    (*port && (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1))))
		return false;
	memcpy(name, host, n);
	name[n] = '\0';
	if (bracket)
		return inet_pton(AF_INET6, name, address) == 1;
	return inet_pton(AF_INET, name, address) == 1 || !strcasecmp(name, "localhost") ||
	       (own && !strcasecmp(name, own));
}

static bool is_origin(const char *origin, const char *host)
{
	return !strncasecmp(origin, "http://", 7) && !strcasecmp(origin + 7, host);
}

static unsigned refuse(struct web_request *r, unsigned status, const char *why)
{
	tp_err_set(&r->err, TP_EFORMAT, TP_OFFSET_NONE, "%s", why);
	return status;
}

/* Splits the address. Returns 0 or a status. */
static unsigned find_route(struct web_request *r, const char *uri)
{
	static const struct {
		const char *path;
		enum web_route route;
	} folders[] = {{"/run/", WEB_RUN}, {"/lanes/", WEB_LANES}};
	size_t n = strcspn(uri, "?"), skip = 0;

	r->route = WEB_PAGE;
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(uri, folders[i].path, strlen(folders[i].path))) {
			r->route = folders[i].route;
			skip = strlen(folders[i].path);
		}
	if (uri[0] != '/' || n - skip >= sizeof(r->name))
		return refuse(r, 404, "there is no such page");
	memcpy(r->name, uri + skip, n - skip);
	r->name[n - skip] = '\0';
	if (web_query_parse(&r->query, uri + n + (uri[n] == '?'), strlen(uri + n) - (uri[n] == '?'),
			    &r->err))
		return 400;
	if (!strcmp(r->name, "/about") && r->route == WEB_PAGE)
		r->route = WEB_ABOUT;
	if (!strcmp(r->name, "/") && r->route == WEB_PAGE && web_query_get(&r->query, "secret"))
		r->route = WEB_ENTER;
	return 0;
}

static bool may_enter(const struct web_request *r, struct web_access *a)
{
	const char *given = web_query_get(&r->query, "secret");

	return same(given, strlen(given), a->secret) ||
	       (same(given, strlen(given), a->opener) && !atomic_exchange(&a->opened, true));
}

unsigned web_request_check(struct web_request *r, struct web_access *a, const struct web_sent *sent)
{
	static const char locked[] =
	    "this page is locked: open the address that tprof-web printed, with its secret";
	bool opens;
	unsigned status;

	if (strcmp(sent->method, "GET") != 0 && strcmp(sent->method, "HEAD") != 0)
		return refuse(r, 405, "only GET and HEAD are answered");
	if (!sent->host || !is_ours(sent->host, a->host))
		return refuse(r, 403, "this server is not asked by that name; use its address");
	status = find_route(r, sent->uri);
	if (status)
		return status;
	opens = r->route == WEB_ENTER || !strcmp(r->name, "/");
	if ((sent->origin && !is_origin(sent->origin, sent->host)) ||
	    (!opens && sent->site && strcmp(sent->site, "same-origin") != 0 &&
	     strcmp(sent->site, "none") != 0))
		return refuse(r, 403, "another page may not ask");
	if (r->route == WEB_ENTER ? !may_enter(r, a) : !has_cookie(a, sent->cookie))
		return refuse(r, 403, locked);
	return 0;
}
