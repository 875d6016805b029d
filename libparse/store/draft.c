/* Runs that one process collects and another publishes. The first may be fooled by what it decodes:
 * the second takes nothing from it but the file, and a hash to look for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/materialize.h"
#include "store/schema.h"
#include "store/sqlerr.h"
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

	if (run->lent) {
		r->id = draft->several->runs = run->number;
		r->known = false;
		return 0;
	}
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
				   .materialized = draft->materialized,
				   .number = 1};
	struct tp_run r = {.hash = draft->hash};
	size_t added;
	int code = tp_publish(&run, &r, &added, err);

	draft->temp = run.temp; /* NULL where the file is the store now */
	*id = r.id;
	*known = r.known;
	return code;
}

/* ---- several runs ---- */

int tp_draft_open(struct tp_draft *draft, uint64_t dump_size, struct tp_err *err)
{
	struct tp_several *several;
	int code;

	if (draft->err.code) {
		*err = draft->err;
		return err->code;
	}
	several = calloc(1, sizeof(*several));
	if (!several)
		return tp_nomem(err);
	code = tp_temp_open(draft->temp, draft->path, dump_size, &several->file, err);
	if (code) {
		tp_temp_drop(&several->file);
		free(several);
		return code;
	}
	draft->several = several;
	return 0;
}

void tp_draft_take_back(struct tp_store_run *run)
{
	struct sqlite3 *db = run->file.db;
	struct tp_draft *draft = run->draft;

	for (const struct tp_schema_table *t = tp_schema_tables; t->name && !draft->err.code; t++) {
		char *sql = sqlite3_mprintf("DELETE FROM %s WHERE run = %lld", t->name,
					    (long long)run->number);

		if (!sql || sqlite3_exec(db, sql, NULL, NULL, NULL))
			tp_sql_err(&draft->err, sql ? db : NULL, run->path, "cannot write");
		sqlite3_free(sql);
	}
}

int tp_draft_close(struct tp_draft *draft, bool materialize, struct tp_err *err)
{
	struct tp_several *several = draft->several;
	int code = draft->err.code;

	if (code)
		*err = draft->err;
	else
		code = tp_temp_close(&several->file, draft->path, err);
	draft->runs = code ? 0 : several->runs;
	draft->several = NULL;
	tp_temp_drop(&several->file);
	free(several);
	if (!code && materialize && draft->runs) {
		code = tp_materialize_file(draft->temp, err);
		draft->materialized = !code;
	}
	return code;
}

int tp_draft_publish_all(struct tp_draft *draft, const struct tp_store_options *opt, size_t *added,
			 struct tp_err *err)
{
	struct tp_store_run run = {.path = draft->path,
				   .temp = draft->temp,
				   .temp_fd = draft->fd,
				   .wait_ms = opt->wait_ms,
				   .materialize = opt->materialize,
				   .materialized = draft->materialized,
				   .number = draft->runs};
	struct tp_run r = {0};
	int code = tp_publish(&run, &r, added, err);

	draft->temp = run.temp;
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
