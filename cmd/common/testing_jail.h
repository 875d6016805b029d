/* For tests that need the jail, or decoding in a separate process. */
#ifndef CMD_TESTING_JAIL_H
#define CMD_TESTING_JAIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/jail.h"

/* Skips the test in sanitizer builds, where sanitizers need what the jail forbids. */
static inline void need_jail(void)
{
	unsetenv("TPROF_JAIL");
	if (cmd_jail_mode() == CMD_JAIL_OFF) {
		print_message("builds with sanitizers have no jail\n");
		skip();
	}
}

#endif
