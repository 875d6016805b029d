/* For tests that need decoding in a separate process. */
#ifndef CMD_TESTING_JAIL_H
#define CMD_TESTING_JAIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/jail.h"

/* Sanitizers do in their own ways what is forbidden here. */
static inline void need_jail(void)
{
	unsetenv("TPROF_JAIL");
	if (cmd_jail_mode() == CMD_JAIL_OFF) {
		print_message("builds with sanitizers have no jail\n");
		skip();
	}
}

#endif
