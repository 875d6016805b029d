/* Requests to tprof-web's server, as far as their parsing is ours: lines of the address, Host, Origin,
 * Sec-Fetch-Site, the cookie and the method. */
#include <string.h>

#include "harness/fuzz.h"
#include "common/allowed.h"
#include "tprof-web/request.h"

#define SECRET "00112233445566778899aabbccddeeff"
#define COOKIE "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

/* Nothing but the store is named as a file, and nothing writes. */
static void check_line(const struct cmd_allowed *c, const struct cmd_words *words)
{
	struct cmd_line line;
	size_t stores = 0, others = 0;

	cmd_allowed_line(c, words, "/STORE", NULL, &line);
	for (size_t i = 1; line.word[i]; i++) {
		const char *w = line.word[i];

		stores += !strcmp(w, "/STORE");
		others += w[0] != '-';
		MUST(strncmp(w, "--output", 8) != 0 && strncmp(w, "-o", 2) != 0);
		MUST(strncmp(w, "--write", 7) != 0 && strncmp(w, "--file", 6) != 0);
		MUST(strcmp(w, "-") != 0 && strcmp(w, "--") != 0);
		MUST(w[0] != '/' || !strcmp(w, "/STORE") || !strcmp(c->name, "query"));
	}
	MUST(stores >= 1 && others <= 2);
	MUST(cmd_allowed_type(c, words));
}

static void run(const struct web_request *r)
{
	const struct cmd_allowed *c = cmd_allowed(r->name);
	struct cmd_words words = {.n = 0};
	struct tp_err err;

	for (size_t i = 0; i < r->query.n && words.n < CMD_WORDS; i++)
		words.word[words.n++] = r->query.pair[i].value;
	if (!c)
		return;
	if (cmd_allowed_check(c, &words, &err))
		MUST_SAY(err);
	else
		check_line(c, &words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct web_request r;
	struct web_access access = {.cookie_name = "tprof-1",
				    .cookie = COOKIE,
				    .secret = SECRET,
				    .opener = SECRET,
				    .host = size % 2 ? "machine" : NULL};
	const char *line[6] = {"", "127.0.0.1", NULL, NULL, "tprof-1=" COOKIE, "GET"};
	char *text = strndup((const char *)data, size), *rest = text;
	struct web_sent sent;
	unsigned status;

	for (size_t i = 0; rest && i < 6; i++) {
		char *one = strsep(&rest, "\n");

		if (*one || !i)
			line[i] = one;
	}
	sent = (struct web_sent){line[5], line[0], line[1], line[2], line[3], line[4]};
	status = text ? web_request_check(&r, &access, &sent) : 0;
	if (status)
		MUST(status >= 400 && status < 500 && r.err.msg[0]);
	else if (text)
		MUST(r.route == WEB_ENTER ? strstr(sent.uri, "secret") != NULL
					  : strstr(sent.cookie, COOKIE) != NULL);
	if (text && !status && r.route == WEB_RUN)
		run(&r);
	free(text);
	return 0;
}
