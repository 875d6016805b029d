/* Watches connections while their answers are computed: when the reader leaves, the work is asked to stop. */
#ifndef WEB_WATCH_H
#define WEB_WATCH_H

#include <stdatomic.h>

/* Sets *stop once the other side closes the connection; until web_watch_end. */
void web_watch_begin(int connection, atomic_bool *stop);
void web_watch_end(const atomic_bool *stop);

/* Watches for ever. */
void web_watch(void);

#endif
