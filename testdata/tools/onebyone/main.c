/* onebyone: what decoding alone takes, for make bench. Not installed.
 *
 *   onebyone STORE FILE…
 *
 * In one process, on one thread: opens each dump, decodes it, and packs its run into a draft of
 * STORE, which is thrown away. There is no process for it, no schema of its own, no transaction, no
 * sync, and no copy into a store: what an import of many dumps takes beyond this is what it takes
 * to have them in a store. Prints the sum of their times in seconds, each from before its file is
 * opened until its run is packed. */
#include <stdio.h>
#include <time.h>

#include "import.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_known(void *ctx, const uint8_t hash[16])
{
	(void)ctx;
	(void)hash;
	return false;
}

int main(int argc, char **argv)
{
	struct tp_temp_store temp = {.fd = -1};
	struct tp_import_options opt = {.threads = 1, .known = is_known, .store = {.temp = &temp}};
	struct tp_err err;
	double sum = 0;
	int code;

	if (argc < 3) {
		fputs("usage: onebyone STORE FILE...\n", stderr);
		return 2;
	}
	code = tp_temp_store_create(&temp, argv[1]);
	if (code)
		err = temp.err;
	else
		code = tp_temp_store_open(&temp, 0, &err);
	for (int i = 2; i < argc && !code; i++) {
		struct tp_import_result result;
		double begun = now();

		code = tp_import(argv[i], argv[1], &opt, &result, &err);
		sum += now() - begun;
	}
	if (temp.db)
		tp_temp_store_close(&temp, false, &err);
	tp_temp_store_release(&temp);
	if (code) {
		fprintf(stderr, "onebyone: %s\n", err.msg);
		return 4;
	}
	printf("%.4f\n", sum);
	return 0;
}
