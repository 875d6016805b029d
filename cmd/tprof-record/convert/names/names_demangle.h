/* Names of C++ and Rust as people write them, of functions that only a symbol table names. */
#ifndef RECORD_CONVERT_NAMES_DEMANGLE_H
#define RECORD_CONVERT_NAMES_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The name without parameters and return type ("ns::Class<int>::method"): true, and in `text`;
 * false where it is not a mangled one, nothing can read it, or it is longer than `room`. */
bool rec_demangle(const char *name, char *text, size_t room);

/* Of what a demangler says: cuts the parameters off, and Rust's hash. */
void rec_shorten(char *text);

#endif
