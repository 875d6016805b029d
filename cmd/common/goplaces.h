/* Where Go keeps sources on this machine, by Go's own variables. */
#ifndef CMD_GOPLACES_H
#define CMD_GOPLACES_H

#include "profile/code/gosource.h"

/* Returns GOROOT, GOMODCACHE and GOPATH of the environment; /usr/local/go and ~/go where they are
 * not set. Lives as long as the process. */
struct rep_go_places cmd_go_places(void);

#endif
