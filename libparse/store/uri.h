/* File names as SQLite's file: URIs, for what can only be said that way (read only, immutable). */
#ifndef TP_STORE_URI_H
#define TP_STORE_URI_H

/* The URI of path with these parameters ("mode=ro"); NULL when memory is out, free() it. */
char *tp_uri(const char *path, const char *parameters);

#endif
