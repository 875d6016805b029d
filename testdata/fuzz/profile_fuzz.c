/* profile.proto, plain and packed, and OpenTelemetry's profiles: the whole way, from bytes to reports and back to bytes. */
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/kind.h"
#include "symbol/sidecar.h"

/* As the names that lie beside a trace of go 1.5. */
static void sidecar(const uint8_t *data, size_t size)
{
	struct tp_symbol chain[8];
	struct tp_sidecar *s;
	struct tp_err err = {0};
	bool known;

	if (tp_sidecar_open(&s, fuzz_file("dump.symbols", data, size), &err)) {
		MUST_SAY(err);
	} else {
		for (uint64_t at = 0; at < 64; at++)
			for (size_t n = tp_sidecar_lookup(s, at << at % 24, chain, 8, &known); n--;)
				MUST(chain[n].name && chain[n].file);
		tp_sidecar_close(s);
	}
	unlink(fuzz_path("dump.symbols"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum fuzz_kind kind = fuzz_kind_of(data, size);

	if (kind == FUZZ_KIND_PACKED || kind == FUZZ_KIND_PROTO) {
		fuzz_profile(data, size);
		if (fuzz_hash(data, size) % 16 == 0)
			sidecar(data, size);
	}
	return 0;
}
