/* Comes before a file that clang's analyzer looks at: what it cannot see of other files. */
#include <argp.h>

/* Ends the program: no parser here has ARGP_NO_EXIT. */
void argp_error(const struct argp_state *state, const char *format, ...) __attribute__((noreturn));
