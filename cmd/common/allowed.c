#include "common/allowed.h"

#include <stdio.h>
#include <string.h>

/* testdata/check/web.py compares these with the commands' own lists. */
#define VIEW " format= json-head run= rows= "
#define SCOPE                                                                                      \
	"from= to= goroutine= task= region= request= request-key= reason= state= pprof= view= "
#define VALUES "divide-by= mean relative-percentages sample-index= unit= "
#define SAMPLES                                                                                    \
	"all-frames focus= hide= ignore= prune-from= show= show-from= tag-focus= tag-hide= "       \
	"tag-ignore= tag-leaf= tag-root= tag-show= "
#define FRAMES	 "demangle= granularity= no-inlines "
#define BY_LABEL "base-label= label= normalize "

static const struct cmd_allowed commands[] = {
    {
	.name = "top",
	.options = VIEW SCOPE VALUES SAMPLES FRAMES
	"by= own= sort= counters over= comments deadlock goroutines list= peek= raw tags traces "
	"tree each "
	"log= "
	"max= min= slowest= show-columns trim-path= call-tree compact-labels cum flat "
	"drop-negative edgefraction= no-trim nodecount= nodefraction= as-go include= per-p "
	"window= last= around= ",
	.words = " groups goroutines breakdown block locks sched syscalls cpu gc tasks task "
		 "regions region logs outliers story procs overview mmu pauses stops heap "
		 "incident ",
	.most_words = 1,
    },
    {
	.name = "path",
	.options = VIEW "from= to= goroutine= task= region= request= request-key= reason= max= "
			"min= slowest[=] hops= "
			"own= sort= stacks title= what-if= ",
	.words = " summary hops tree totals requests wakers blame what-if ",
	.most_words = 1,
    },
    {
	.name = "diff",
	.options = VIEW SCOPE VALUES SAMPLES FRAMES BY_LABEL
	"all-stats average-by= by= exact-names per= sum alpha= changed min-share= power "
	"share-of= sort= gate= self-check[=] seed= cum drop-negative nodecount= ",
	.words = " ",
	.compares = true,
    },
    {
	.name = "leaks",
	.options =
	    VIEW "all by= created request= request-key= gate= min-wait= own= show-allowed sort= ",
	.words = " ",
    },
    {
	.name = "flame",
	.options = " format= run= " SCOPE "sample-index= all-frames focus= hide= ignore= "
		   "prune-from= show= show-from= tag-focus= tag-ignore= tag-leaf= tag-root= " FRAMES
		       BY_LABEL "show-columns trim-path= flame max-depth= min-width= reverse "
		   "sort= title= negate noise= width= base-from= base-to= ",
	.words = " ",
	.compares = true,
    },
    {
	.name = "query",
	.options = " format= json-head run= ",
	.least_words = 1,
	.most_words = 1,
    },
    {
	.name = "store",
	.options = " format= json-head ",
	.words = " ",
	.first = " list show clocks ",
    },
};

const struct cmd_allowed *cmd_allowed(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Returns whether `list`, words between blanks, has the word of n bytes with `end` after it. */
static bool lists(const char *list, const char *word, size_t n, const char *end)
{
	size_t tail = strlen(end);

	for (const char *at = list; n && !memchr(word, ' ', n) && (at = strchr(at, ' ')) && *++at;)
		if (!strncmp(at, word, n) && !strncmp(at + n, end, tail) && at[n + tail] == ' ')
			return true;
	return false;
}

static bool is_number(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && n < 19 && !text[n];
}

bool cmd_allowed_option(const struct cmd_allowed *c, const char *option)
{
	size_t n = strcspn(option, "=");

	return strspn(option, "abcdefghijklmnopqrstuvwxyz-") == n &&
	       (lists(c->options, option, n, option[n] ? "=" : "") ||
		lists(c->options, option, n, "[=]"));
}

static bool is_run(const char *word)
{
	return word[0] == '@' && is_number(word + 1);
}

static int refuse(struct tp_err *err, const char *what, const char *word)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "'%.100s' %s", word, what);
}

int cmd_allowed_check(const struct cmd_allowed *c, const struct cmd_words *words,
		      struct tp_err *err)
{
	size_t stores = 0, firsts = 0, others = 0;

	for (size_t i = 0; i < words->n; i++) {
		const char *w = words->word[i];

		if (!strcmp(w, "@") || is_run(w)) {
			stores++;
			if (stores > 1 &&
			    (!c->compares || w[1] == '\0' || !is_run(words->word[i - 1])))
				return refuse(err, "names a second file", w);
		} else if (!strncmp(w, "--", 2) && cmd_allowed_option(c, w + 2)) {
			continue;
		} else if (!strncmp(w, "-n", 2) && is_number(w + 2) &&
			   cmd_allowed_option(c, "rows=")) {
			continue;
		} else if (w[0] == '-') {
			return refuse(err, "is not an option that may be used here", w);
		} else if (!stores && c->first && !firsts++) {
			if (!lists(c->first, w, strlen(w), ""))
				return refuse(err, "is not a task that may be used here", w);
		} else if (!stores || ++others > c->most_words ||
			   (c->words && !lists(c->words, w, strlen(w), ""))) {
			return refuse(err, "is not a word that may be used here", w);
		}
	}
	if (stores < 1 || stores > 2 || others < c->least_words || (c->first && !firsts))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "tprof-%s: words are missing",
				  c->name);
	return 0;
}

static const char *value(const struct cmd_words *words, const char *option)
{
	const char *found = NULL;

	for (size_t i = 0; i < words->n; i++)
		if (!strncmp(words->word[i], option, strlen(option)))
			found = words->word[i] + strlen(option);
	return found;
}

void cmd_allowed_line(const struct cmd_allowed *c, const struct cmd_words *words, const char *store,
		      const char *source, struct cmd_line *line)
{
	static const char *const sides[] = {"base-label", "label"};
	size_t n = 0, runs = 0, run = 0;

	for (size_t i = 0; i < words->n; i++)
		runs += is_run(words->word[i]);
	snprintf(line->own[0], sizeof(line->own[0]), "tprof-%s", c->name);
	line->word[n++] = line->own[0];
	/* A profile may name any file; a page shows those of these folders only. */
	if (value(words, "--list=")) {
		if (source)
			line->word[n++] = source;
		line->word[n++] = "--source-within";
	}
	for (size_t i = 0; i < words->n; i++) {
		const char *w = words->word[i];

		if (is_run(w)) {
			char *own = line->own[1 + run];

			snprintf(own, sizeof(line->own[0]), "--%s=%s",
				 runs > 1 ? sides[run] : "run", w + 1);
			line->word[n++] = own;
			run++;
		}
		if (w[0] != '@')
			line->word[n++] = w;
		else if (run == runs)
			line->word[n++] = store;
	}
	line->word[n] = NULL;
}

const char *cmd_allowed_type(const struct cmd_allowed *c, const struct cmd_words *words)
{
	const char *format = value(words, "--format=");
	bool head = false;

	for (size_t i = 0; i < words->n; i++)
		head |= !strcmp(words->word[i], "--json-head");
	if (head || (format && lists(" json frames speedscope ", format, strlen(format), "")))
		return "application/json";
	/* tprof-flame writes pictures unless it is told otherwise. HTML is shown as text. */
	if (format ? !strcmp(format, "svg") : !strcmp(c->name, "flame"))
		return "image/svg+xml";
	return "text/plain; charset=utf-8";
}
