/* Which requests are let in. */
#include "tprof-web/query.c"
#include "tprof-web/request.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SECRET "00112233445566778899aabbccddeeff"
#define OPENER "ffeeddccbbaa99887766554433221100"
#define COOKIE "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
#define GOOD   "tprof-1=" COOKIE

static struct web_request r;

static const struct web_access access_default = {
    .cookie_name = "tprof-1", .cookie = COOKIE, .secret = SECRET, .opener = OPENER};

static unsigned ask(struct web_access *a, struct web_sent sent)
{
	memset(&r, 0, sizeof(r));
	if (!sent.method)
		sent.method = "GET";
	if (!sent.uri)
		sent.uri = "/about";
	if (!sent.host)
		sent.host = "127.0.0.1:1";
	return web_request_check(&r, a, &sent);
}

static void test_request_routes(void **state)
{
	static const struct {
		const char *uri, *name;
		enum web_route route;
	} tests[] = {
	    {"/", "/", WEB_PAGE},
	    {"/?x=1", "/", WEB_PAGE},
	    {"/web.js", "/web.js", WEB_PAGE},
	    {"/timeline/rows.js", "/timeline/rows.js", WEB_PAGE},
	    {"/about", "/about", WEB_ABOUT},
	    {"/run/top?a=@", "top", WEB_RUN},
	    {"/run/", "", WEB_RUN},
	    {"/lanes/cells?run=1", "cells", WEB_LANES},
	    {"/run//about", "/about", WEB_RUN},
	};
	struct web_access a = access_default;

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		assert_int_equal(ask(&a, (struct web_sent){.uri = tests[i].uri, .cookie = GOOD}),
				 0);
		assert_int_equal(r.route, tests[i].route);
		assert_string_equal(r.name, tests[i].name);
	}
}

static void test_request_cookies(void **state)
{
	static const struct {
		const char *cookie;
		unsigned status;
	} tests[] = {
	    {NULL, 403},
	    {"", 403},
	    {GOOD, 0},
	    {"a=b; " GOOD "; c", 0},
	    {"a=b;" GOOD, 0},
	    {"tprof-1=; " GOOD, 0},
	    {"tprof-1", 403},
	    {"tprof-1=", 403},
	    {"tprof-1=" SECRET, 403},
	    {"tprof-2=" COOKIE, 403},
	    {"xtprof-1=" COOKIE, 403},
	    {"tprof-1=" COOKIE "0", 403},
	    {"tprof-1=0f1e2d3c4b5a69788796a5b4c3d2e1f", 403},
	    {"tprof-1=0F1E2D3C4B5A69788796A5B4C3D2E1F0", 403},
	};
	struct web_access a = access_default;

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		assert_int_equal(ask(&a, (struct web_sent){.cookie = tests[i].cookie}),
				 tests[i].status);
}

static void test_request_secrets(void **state)
{
	struct web_access a = access_default;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret=" SECRET}), 0);
		assert_int_equal(r.route, WEB_ENTER);
	}
	/* The browser's is used up by its first use. */
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret=" OPENER}), 0);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret=" OPENER}), 403);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret=" COOKIE}), 403);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret="}), 403);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret"}), 403);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/?secret=x", .cookie = GOOD}), 403);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/about?secret=" SECRET}), 403);
}

static void test_request_hosts(void **state)
{
	static const struct {
		const char *host;
		unsigned status;
	} tests[] = {
	    {"127.0.0.1", 0},
	    {"127.0.0.1:9000", 0},
	    {"localhost:1", 0},
	    {"LocalHost", 0},
	    {"[::1]:1", 0},
	    {"10.0.0.7:1", 0},
	    {"evil.example", 403},
	    {"evil.example:1", 403},
	    {"127.0.0.1.evil.example:1", 403},
	    {"localhost.evil", 403},
	    {"", 403},
	    {":1", 403},
	    {"127.0.0.1:1@x", 403},
	    {"[::1", 403},
	    {"[evil]:1", 403},
	    {"[::1]x", 403},
	    {"machine:1", 403},
	    {"::1", 403},
	};
	struct web_access a = access_default;
	struct web_sent none = {.method = "GET", .uri = "/about", .cookie = GOOD};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		assert_int_equal(ask(&a, (struct web_sent){.host = tests[i].host, .cookie = GOOD}),
				 tests[i].status);
	assert_int_equal(web_request_check(&r, &a, &none), 403);
	a.host = "machine";
	assert_int_equal(ask(&a, (struct web_sent){.host = "Machine:1", .cookie = GOOD}), 0);
	assert_int_equal(ask(&a, (struct web_sent){.host = "evil:1", .cookie = GOOD}), 403);
}

static void test_request_other_pages(void **state)
{
	static const struct {
		const char *uri, *origin, *site;
		unsigned status;
	} tests[] = {
	    {"/about", NULL, "same-origin", 0},
	    {"/about", NULL, "none", 0},
	    {"/about", "http://127.0.0.1:1", "same-origin", 0},
	    {"/about", NULL, "cross-site", 403},
	    {"/about", NULL, "same-site", 403}, /* another port */
	    {"/web.js", NULL, "cross-site", 403},
	    {"/about", "http://127.0.0.1:2", NULL, 403},
	    {"/about", "https://127.0.0.1:1", NULL, 403},
	    {"/about", "null", NULL, 403},
	    {"/about", "http://evil.example", NULL, 403},
	    {"/", NULL, "cross-site", 0}, /* somebody followed a link */
	    {"/?secret=" SECRET, NULL, "cross-site", 0},
	    {"/?secret=" SECRET, "http://evil.example", "cross-site", 403},
	};
	struct web_access a = access_default;

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		assert_int_equal(ask(&a, (struct web_sent){.uri = tests[i].uri,
							   .origin = tests[i].origin,
							   .site = tests[i].site,
							   .cookie = GOOD}),
				 tests[i].status);
}

static void test_request_refuses(void **state)
{
	static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "get", ""};
	struct web_access a = access_default;
	char *uri = test_malloc(100001);

	(void)state;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		assert_int_equal(ask(&a, (struct web_sent){.method = methods[i], .cookie = GOOD}),
				 405);
	assert_int_equal(ask(&a, (struct web_sent){.method = "HEAD", .cookie = GOOD}), 0);
	memset(uri, '/', 100000);
	uri[100000] = '\0';
	assert_int_equal(ask(&a, (struct web_sent){.uri = uri, .cookie = GOOD}), 404);
	uri[1] = '?';
	assert_int_equal(ask(&a, (struct web_sent){.uri = uri, .cookie = GOOD}), 400);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "", .cookie = GOOD}), 404);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "*", .cookie = GOOD}), 404);
	assert_int_equal(
	    ask(&a, (struct web_sent){.uri = "http://127.0.0.1:1/about", .cookie = GOOD}), 404);
	assert_int_equal(ask(&a, (struct web_sent){.uri = "/about?%", .cookie = GOOD}), 400);
	test_free(uri);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_request_routes),	cmocka_unit_test(test_request_cookies),
	    cmocka_unit_test(test_request_secrets),	cmocka_unit_test(test_request_hosts),
	    cmocka_unit_test(test_request_other_pages), cmocka_unit_test(test_request_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
