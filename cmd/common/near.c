#include "common/near.h"

#include <stdbool.h>
#include <string.h>

#define MAX_WORD 31
/* A word at a larger distance would be a guess, not a suggestion. */
#define MAX_DISTANCE 2

/* The least length of a typed word for a suggestion, by distance. */
static const int letters[MAX_DISTANCE + 1] = {0, 2, 6};

int cmd_distance(const char *a, const char *b)
{
	int d[MAX_WORD + 1][MAX_WORD + 1];
	int n = (int)strnlen(a, MAX_WORD), m = (int)strnlen(b, MAX_WORD);

	for (int i = 0; i <= n; i++)
		d[i][0] = i;
	for (int j = 0; j <= m; j++)
		d[0][j] = j;
	for (int i = 1; i <= n; i++) {
		for (int j = 1; j <= m; j++) {
			int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[n][m];
}

static bool begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

void cmd_near_try(struct cmd_near *near, const char *typed, const char *word)
{
	int d = cmd_distance(typed, word);

	/* A short word with two wrong letters is another word: 'bogus' does not suggest 'focus'. */
	if (d > MAX_DISTANCE || (int)strlen(typed) < letters[d])
		return;
	/* Of words that are as near, the one that was not typed to its end is meant. */
	if (near->word &&
	    (d > near->distance ||
	     (d == near->distance && (begins(near->word, typed) || !begins(word, typed)))))
		return;
	near->word = word;
	near->distance = d;
}

void cmd_near_task(struct cmd_near *near, const char *typed, const char *word)
{
	/* Each task with its names in other programs. */
	static const char *const names[][6] = {
	    {"list", "ls", "ll", "dir", "runs"},
	    {"show", "info", "cat", "describe", "stat", "inspect"},
	    {"rename", "mv", "move"},
	    {"label", "tag", "labels"},
	    {"delete", "rm", "del", "remove", "drop"},
	    {"prune", "expire", "clean"},
	    {"compact", "vacuum", "gc", "shrink"},
	    {"verify", "fsck", "check", "validate"},
	    {"upgrade", "migrate", "convert"},
	    {"diff", "compare", "cmp", "delta"},
	    {"export", "convert", "save"},
	    {"flame", "flamegraph", "svg"},
	    {"import", "add", "load", "read"},
	    {"query", "sql", "select"},
	    {"report", "html", "page"},
	    {"tui", "ui", "browse", "open"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 1; !strcmp(names[i][0], word) && k < 6 && names[i][k]; k++)
			if (!strcmp(names[i][k], typed))
				*near = (struct cmd_near){.word = word};
	cmd_near_try(near, typed, word);
}
