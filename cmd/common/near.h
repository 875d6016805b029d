/* Suggests the nearest known word for a mistyped one. */
#ifndef CMD_NEAR_H
#define CMD_NEAR_H

#include <stddef.h>

/* The nearest word seen so far; {0} to begin with. */
struct cmd_near {
	const char *word; /* NULL: none is near enough to be suggested */
	int distance;
};

/* Edits (a letter put in, left out, replaced, or two swapped) that make b of a; of their first 31
 * letters. */
int cmd_distance(const char *a, const char *b);
/* Is `word`, which there is, what `typed` was meant to be? It is kept, not copied. */
void cmd_near_try(struct cmd_near *near, const char *typed, const char *word);
/* The same for what a command can do: a task that other programs call `typed` ("ls", of list) is the
 * nearest. */
void cmd_near_task(struct cmd_near *near, const char *typed, const char *word);

#endif
