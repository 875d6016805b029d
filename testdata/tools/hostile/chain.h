/* A store that no import makes, by the store's own writer. */
#ifndef HOSTILE_CHAIN_H
#define HOSTILE_CHAIN_H

#include <stddef.h>

/* A profile of one function that calls itself, with a sample at each call: about `size` bytes at
 * `path`. 0, or 4 with a message on stderr. */
int hostile_chain(const char *path, size_t size);

#endif
