/* What is not profile.proto: the profiles of older tools, texts of goroutines, and lists of
 * goroutines that are meant to stay. */
#include <string.h>

#include "harness/fuzz.h"
#include "harness/kind.h"
#include "leak/allow.h"

static void allow(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"", "main.main", "net/http.(*conn).serve"};
	struct rep_allow list;
	struct tp_err err = {0};

	if (rep_allow_parse(&list, data, size, &err))
		MUST_SAY(err);
	else
		for (size_t i = 0; i < list.n && i < 100; i++)
			for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
				rep_allow_match(&list.rule[i], names[k], strlen(names[k]));
	rep_allow_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum fuzz_kind kind = fuzz_kind_of(data, size);

	if (kind == FUZZ_KIND_NONE)
		allow(data, size);
	else if (kind == FUZZ_KIND_TEXT)
		fuzz_profile(data, size);
	return 0;
}
