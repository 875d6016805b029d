/* File names as SQLite's file: URIs, the only way to open a file as immutable. */
#ifndef TP_STORE_URI_H
#define TP_STORE_URI_H

/* Returns the URI of path with these parameters ("mode=ro"), for the caller to free; NULL if there is no memory. */
char *tp_uri(const char *path, const char *parameters);

#endif
