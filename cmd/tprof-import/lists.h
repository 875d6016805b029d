/* Lists of dumps for tasks on other machines. */
#ifndef IMPORT_LISTS_H
#define IMPORT_LISTS_H

#include <stddef.h>

#include "base/err.h"
#include "paths.h"

/* Divides the dumps among tasks that take about equally long, and writes FOLDER/1, FOLDER/2 and so
 * on, a list for each task, in the form with NULs that paths.h describes. FOLDER must not exist;
 * it is removed again after an error. *tasks is the wanted number of tasks (0: as many as are worth
 * starting), and is set to the actual one, at most one for each dump. */
int lists_write(const char *folder, const struct paths *paths, size_t *tasks, struct tp_err *err);

#endif
