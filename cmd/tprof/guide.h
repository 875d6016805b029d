/* The guide: from a question to the command that answers it. Its text is cmd/tprof/skill/SKILL.md, which is
 * compiled in; agents read the same file. */
#ifndef TPROF_GUIDE_H
#define TPROF_GUIDE_H

#include <stdbool.h>
#include <stdio.h>

/* Lists the questions, each with the word that stands for it and the first command of its section. */
void guide_list(FILE *out);

/* Prints the section of a word. Returns false if there is none. */
bool guide_show(const char *word, FILE *out);

#endif
