/* Imports a trace into a store and prints its first ten goroutines: all that it takes to use libtprof.
 *
 *	cc -o goroutines goroutines.c $(pkg-config --cflags --libs tprof)
 *	./goroutines go.trace go.tprof */
#include <inttypes.h>
#include <stdio.h>

#include <tprof/import.h>

int main(int argc, char **argv)
{
	struct tp_import_result run;
	struct tp_import_options options = {0};
	struct tp_err err;
	struct tp_store *store = NULL;
	struct tp_dict *names = NULL;
	struct tp_rows rows = {0};
	int code = argc == 3 ? tp_import(argv[1], argv[2], &options, &run, &err)
			     : tp_err_set(&err, TP_ENOENT, TP_OFFSET_NONE, "usage: goroutines TRACE STORE");

	if (!code && !(code = tp_store_open(&store, argv[2], &err)) &&
	    !(code = tp_dict_load(store, run.run, &names, &err)))
		code = tp_rows_load(store, run.run, TP_TABLE_GOROUTINE, 0, &rows, &err);
	for (size_t i = 0; !code && i < rows.nrows && i < 10; i++)
		printf("g%" PRId64 " %s: %" PRId64 " ns, %" PRId64 " of them running\n",
		       rows.col[TP_COL(GOROUTINE, id)][i],
		       tp_dict_text(names, (uint32_t)rows.col[TP_COL(GOROUTINE, name)][i]).text,
		       rows.col[TP_COL(GOROUTINE, total_ns)][i],
		       rows.col[TP_COL(GOROUTINE, running_ns)][i]);
	tp_rows_release(&rows);
	tp_dict_free(names);
	tp_store_close(store);
	if (code) {
		tp_err_printable(&err);
		fprintf(stderr, "goroutines: %s\n", err.msg);
	}
	return tp_err_exit_status(code);
}
