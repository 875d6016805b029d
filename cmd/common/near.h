/* Suggests the nearest known word for a mistyped one. */
#ifndef CMD_NEAR_H
#define CMD_NEAR_H

#include <stddef.h>

/* The nearest word so far; initialise it with {0}. */
struct cmd_near {
	const char *word; /* NULL: no word is near enough for a suggestion */
	int distance;
};

/* Returns the number of edits (insert, delete or replace a letter, swap two) that turn a into b, of their
 * first 31 letters. */
int cmd_distance(const char *a, const char *b);
/* Remembers the known word `word` if it is nearer to `typed` than those before. The pointer is kept. */
void cmd_near_try(struct cmd_near *near, const char *typed, const char *word);
/* Does the same for tasks of a command. A task that other programs call `typed` ("ls" for list) is the
 * nearest. */
void cmd_near_task(struct cmd_near *near, const char *typed, const char *word);

#endif
