/* Functions that build sentences about a path from parts; words.c has the sentences. Private to
 * libreport/path.
 *
 *	rep_say(&w, "Of it ");
 *	rep_say_share(&w, ns);
 *	code = rep_say_lines(&w, false, 2, err);	  writes the sentence */
#ifndef REP_PATH_SAY_H
#define REP_PATH_SAY_H

#include "own.h"
#include "path/show.h"

#define REP_SAY_NAME 60 /* bytes of a name in a sentence */

struct rep_words {
	struct rep_output *out;
	const struct rep_path_page *page;
	struct rep_own own;
	char text[1024];
	size_t size;
};

void rep_say(struct rep_words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends a name, or the end of a long one. */
void rep_say_name(struct rep_words *w, struct tp_text t);
void rep_say_time(struct rep_words *w, int64_t ns);
/* Appends the share of the path's time, such as "87.3%". */
void rep_say_share(struct rep_words *w, int64_t ns);
/* Appends a goroutine, as "goroutine 12 (main.worker)", or several, as "main.worker". `plain`: leaves out the
 * name of a single one. */
void rep_say_who(struct rep_words *w, uint32_t goroutine, uint32_t entry, bool plain);

/* Says the task of a chain, such as ", in task order #12", if there is one to name. */
void rep_say_task(struct rep_words *w, uint32_t chain);

/* Writes the sentence in lines that fit; all but the first begin with `indent` blanks. */
int rep_say_lines(struct rep_words *w, bool strong, size_t indent, struct tp_err *err);

/* Returns whether a name is known. In a damaged trace, some names are unknown. */
bool rep_path_known(const struct rep_view *v, uint32_t name);

#endif
