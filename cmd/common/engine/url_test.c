#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/engine/url.h"

static void test_parse_parts(void **state)
{
	static const struct {
		const char *text, *host;
		unsigned port;
		const char *database, *user, *password;
		bool tls;
	} cases[] = {
	    {"clickhouse://h", "h", 8123, "tprof", "", "", false},
	    {"clickhouses://h/", "h", 8443, "tprof", "", "", true},
	    {"clickhouse://h:1/d", "h", 1, "d", "", "", false},
	    {"clickhouse://u@h:65535", "h", 65535, "tprof", "u", "", false},
	    {"clickhouse://u:p%40%3a@h/d%20e", "h", 8123, "d e", "u", "p@:", false},
	    {"clickhouse://u:a@b@h/d", "h", 8123, "d", "u", "a@b", false},
	    {"clickhouse://[::1]:9/d", "[::1]", 9, "d", "", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmd_engine_url u;
		struct tp_err err;

		assert_int_equal(cmd_engine_url_parse(&u, cases[i].text, &err), 0);
		assert_string_equal(u.host, cases[i].host);
		assert_int_equal(u.port, cases[i].port);
		assert_string_equal(u.database, cases[i].database);
		assert_string_equal(u.user, cases[i].user);
		assert_string_equal(u.password, cases[i].password);
		assert_int_equal(u.tls, cases[i].tls);
		cmd_engine_url_release(&u);
	}
}

static void test_parse_parameters(void **state)
{
	struct cmd_engine_url u;
	struct tp_err err;

	(void)state;
	assert_int_equal(
	    cmd_engine_url_parse(&u,
				 "clickhouse://h/d?label=a=b=c&label=k%26=%25&timeout=7"
				 "&connect-timeout=3&credentials=/x/y&ca=z",
				 &err),
	    0);
	assert_int_equal(u.nlabels, 2);
	assert_string_equal(u.label[0], "a=b=c");
	assert_string_equal(u.label[1], "k&=%");
	assert_int_equal(u.timeout_s, 7);
	assert_int_equal(u.connect_s, 3);
	assert_string_equal(u.credentials, "/x/y");
	assert_string_equal(u.ca, "z");
	cmd_engine_url_release(&u);
}

static void test_parse_wrong(void **state)
{
	static const char *const cases[] = {
	    "clickhouse://",
	    "clickhouse:///d",
	    "clickhouse://h:0/",
	    "clickhouse://h:65536/",
	    "clickhouse://h:x",
	    "clickhouse://h h/",
	    "clickhouse://h\r\nX: y/",
	    "clickhouse://u:%0a@h/",
	    "clickhouse://u:%00@h/",
	    "clickhouse://h/%zz",
	    "clickhouse://h/%4",
	    "clickhouse://[::1/d",
	    "clickhouse://h/d#x",
	    "clickhouse://h/d?label",
	    "clickhouse://h/d?label=a",
	    "clickhouse://h/d?label==a",
	    "clickhouse://h/d?timeout=0",
	    "clickhouse://h/d?timeout=99999999999",
	    "clickhouse://h/d?timeout=x",
	    "clickhouse://h/d?timeout=1&timeout=1",
	    "clickhouse://h/d?ca=x&ca=y",
	    "clickhouse://h/d?ca=a&label=a=b&ca=b",
	    "clickhouse://h/d?secret-thing=hunter2",
	    "clickhouse://u:hunter2@/d",
	    "http://h/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmd_engine_url u;
		struct tp_err err;

		if (cmd_engine_url_parse(&u, cases[i], &err) != TP_EFORMAT)
			fail_msg("taken: %s", cases[i]);
		assert_null(strstr(err.msg, "hunter2"));
		cmd_engine_url_release(&u);
	}
}

static void test_hide(void **state)
{
	static const struct {
		const char *text, *hidden;
	} cases[] = {
	    {"clickhouse://u:p@h/d?label=a=b@c", "clickhouse://h/d?label=a=b@c"},
	    {"clickhouses://u@h", "clickhouses://h"},
	    {"clickhouse://h/d@e", "clickhouse://h/d@e"},
	    {"clickhouse://u:a@b@h", "clickhouse://h"},
	    {"file@x", "file@x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[80] = "";
		size_t n = strlen(cases[i].text);

		memcpy(text, cases[i].text, n);
		cmd_engine_url_hide(text);
		assert_string_equal(text, cases[i].hidden);
		for (size_t k = strlen(text); k < n; k++)
			assert_int_equal(text[k], 0);
	}
}

static int with_file(const char *lines, mode_t mode, const char *address, struct cmd_engine_url *u,
		     struct tp_err *err)
{
	char path[] = "/tmp/tprof-url-XXXXXX";
	int fd = mkstemp(path), code;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	fchmod(fd, mode);
	close(fd);
	assert_int_equal(cmd_engine_url_parse(u, address, err), 0);
	code = cmd_engine_credentials(u, path, err);
	unlink(path);
	return code;
}

static void test_credentials(void **state)
{
	static const char lines[] = "# a comment\n\n"
				    "other u1 p1\n"
				    "h:9 u2 p2\r\n"
				    "h u3 with blanks in it\n"
				    "h u4 p4";
	static const struct {
		const char *address, *user, *password;
	} cases[] = {
	    {"clickhouse://h:9", "u2", "p2"},	      {"clickhouse://h", "u3", "with blanks in it"},
	    {"clickhouse://u4@h", "u4", "p4"},	      {"clickhouse://nobody@h", "nobody", ""},
	    {"clickhouse://me:mine@h", "me", "mine"}, {"clickhouse://unknown", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cmd_engine_url u;
		struct tp_err err;

		assert_int_equal(with_file(lines, 0600, cases[i].address, &u, &err), 0);
		assert_string_equal(u.user, cases[i].user);
		assert_string_equal(u.password, cases[i].password);
		cmd_engine_url_release(&u);
	}
}

static void test_credentials_mode(void **state)
{
	static const mode_t modes[] = {0640, 0604, 0620, 0610};
	struct cmd_engine_url u;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(with_file("h u p", modes[i], "clickhouse://h", &u, &err), TP_EIO);
		cmd_engine_url_release(&u);
	}
	assert_int_equal(cmd_engine_url_parse(&u, "clickhouse://h?credentials=/nowhere/x", &err),
			 0);
	assert_int_equal(cmd_engine_credentials(&u, NULL, &err), TP_EIO);
	cmd_engine_url_release(&u);
	assert_int_equal(cmd_engine_url_parse(&u, "clickhouse://h", &err), 0);
	assert_int_equal(cmd_engine_credentials(&u, "/nowhere/x", &err), 0);
	cmd_engine_url_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parse_parts), cmocka_unit_test(test_parse_parameters),
	    cmocka_unit_test(test_parse_wrong), cmocka_unit_test(test_hide),
	    cmocka_unit_test(test_credentials), cmocka_unit_test(test_credentials_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
