/* A run that one process collects and another publishes. The first may be fooled by what it
 * decodes: the second takes nothing from it but the file, and a hash to look for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/materialize.h"
#include "store/writer.h"

int tp_draft_create(struct tp_draft *draft, const char *path)
{
	struct tp_store_run run = {.temp_fd = -1};
	int code;

	*draft = (struct tp_draft){.fd = -1};
	code = tp_run_create(&run, path, &draft->err);
	draft->path = run.path;
	draft->temp = run.temp;
	draft->fd = run.temp_fd;
	return code;
}

int tp_draft_complete(struct tp_store_run *run, struct tp_run *r, struct tp_err *err)
{
	struct tp_draft *draft = run->draft;
	struct stat st;
	int code = 0;

	snprintf(draft->hash, sizeof(draft->hash), "%s", r->hash);
	r->id = 0;
	r->known = false;
	/* As publishing would, where the file becomes the store: the rows are decoded from it. */
	if (run->materialize && (stat(run->path, &st) || !st.st_size)) {
		code = tp_materialize_file(run->temp, err);
		draft->materialized = !code;
	}
	return code;
}

int tp_draft_publish(struct tp_draft *draft, const struct tp_store_options *opt, int64_t *id,
		     bool *known, struct tp_err *err)
{
	struct tp_store_run run = {.path = draft->path,
				   .temp = draft->temp,
				   .temp_fd = draft->fd,
				   .wait_ms = opt->wait_ms,
				   .materialize = opt->materialize,
				   .materialized = draft->materialized};
	struct tp_run r = {.hash = draft->hash};
	int code = tp_publish(&run, &r, err);

	draft->temp = run.temp; /* NULL where the file is the store now */
	*id = r.id;
	*known = r.known;
	return code;
}

void tp_draft_release(struct tp_draft *draft)
{
	if (draft->temp)
		unlink(draft->temp);
	if (draft->fd >= 0)
		close(draft->fd);
	free(draft->temp);
	free(draft->path);
	*draft = (struct tp_draft){.fd = -1};
}
