/* Runs a fuzz target over the files given, without a fuzzer: how `make test` replays what is in
 * testdata/fuzz, and what a crash found by the fuzzer is looked at with. */
#include "harness/fuzz.h"

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t room = 0, n;

	*size = 0;
	if (!f)
		return NULL;
	do {
		if (*size == room) {
			uint8_t *grown = realloc(data, room = room ? 2 * room : 65536);

			if (!grown) {
				free(data);
				data = NULL;
				break;
			}
			data = grown;
		}
		n = fread(data + *size, 1, room - *size, f);
		*size += n;
	} while (n);
	if (ferror(f)) {
		free(data);
		data = NULL;
	}
	fclose(f);
	/* Exactly as large as the content, so that a sanitizer sees a read beyond its end. */
	return data && *size ? realloc(data, *size) : data;
}

int main(int argc, char **argv)
{
	fuzz_replays = true;
	for (int i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = read_file(argv[i], &size);

		if (!data) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 1;
		}
		printf("input: %s\n", argv[i]);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
