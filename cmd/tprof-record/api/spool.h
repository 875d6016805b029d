/* Private to the library: a file without a name, for data too large for memory. */
#ifndef RECORD_API_SPOOL_H
#define RECORD_API_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

struct api_spool {
	int fd; /* -1 none */
	size_t size;
	int error; /* errno of the first write that failed */
	void *map;
	size_t mapped;
};

#define API_SPOOL_NONE ((struct api_spool){.fd = -1})

/* Returns a folder where files without a name can be made. */
const char *api_spool_folder(void);
/* Returns 0 or an errno value. */
int api_spool_begin(struct api_spool *s);
void api_spool_end(struct api_spool *s);
/* Returns where encoders write to; `s` outlives it. */
struct tp_out api_spool_out(struct api_spool *s);
/* Maps all of it until api_spool_end, unless it is empty. Returns 0 or an errno value. */
int api_spool_map(struct api_spool *s);

/* Writes all of the data. Returns 0 or an errno value. */
int api_write(int fd, const void *data, size_t size);

#endif
