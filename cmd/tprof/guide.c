#include "tprof/guide.h"

#include <string.h>

/* Sections are "## WORD: QUESTION"; other headings are for agents only. */
static const unsigned char bytes[] = {
#include "SKILL.md.inc"
    0};

struct section {
	char word[24];
	const char *question, *body, *end; /* in the bytes; the question ends with its line */
};

/* Moves to the next section; false after the last. Start with a section of zeros. */
static bool next(struct section *s)
{
	const char *at = strstr(s->end ? s->end : (const char *)bytes, "\n## ");
	size_t n;

	while (at && ((n = strcspn(at + 4, ":\n")) >= sizeof(s->word) || at[4 + n] != ':'))
		at = strstr(at + 4, "\n## ");
	if (!at)
		return false;
	memcpy(s->word, at + 4, n);
	s->word[n] = '\0';
	s->question = at + 4 + n + 2;
	s->body = strchr(s->question, '\n') + 1;
	s->end = strstr(s->body, "\n## ");
	if (!s->end)
		s->end = strchr(s->body, '\0');
	return true;
}

static int line(const char *at)
{
	return (int)strcspn(at, "\n");
}

void guide_list(FILE *out)
{
	struct section s = {.end = NULL};

	fputs("Usage: tprof guide WORD\n\nThe question behind each word, and a command to begin "
	      "with:\n\n",
	      out);
	while (next(&s)) {
		const char *first = strstr(s.body, "\n$ ");

		fprintf(out, "  %-10s  %.*s\n", s.word, line(s.question), s.question);
		if (first && first < s.end)
			fprintf(out, "  %-10s  %.*s\n", "", line(first + 3), first + 3);
	}
	fputs("\n'tprof guide slow' shows examples with their output. Manual: tprof(1).\n", out);
}

bool guide_show(const char *word, FILE *out)
{
	struct section s = {.end = NULL};

	while (next(&s)) {
		if (strcmp(word, s.word) != 0)
			continue;
		fprintf(out, "%.*s\n", line(s.question), s.question);
		for (const char *at = s.body; at < s.end; at += line(at) + 1)
			if (strncmp(at, "```", 3) != 0)
				fprintf(out, "%.*s\n", line(at), at);
		return true;
	}
	return false;
}
