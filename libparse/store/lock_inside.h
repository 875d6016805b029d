/* What lock.c and temp.c share. */
#ifndef TP_STORE_LOCK_INSIDE_H
#define TP_STORE_LOCK_INSIDE_H

#include <stdint.h>
#include <sys/stat.h>

#define TP_LOCK_SUFFIX ".lock"

int64_t tp_now_ms(void);
/* Opens a file, close-on-exec, and follows no link at its name. */
int tp_open_again(int dir, const char *name, int flags, mode_t mode);
/* Returns 1 if the name still refers to the file of fd, which its last holder removes when it is
 * done; 0 if it does not; or -1 with errno. */
int tp_is_named(int fd, int dir, const char *name);

#endif
