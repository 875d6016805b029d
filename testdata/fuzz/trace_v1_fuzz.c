/* Execution traces of go 1.5 to 1.21: the whole way, from bytes to reports. */
#include "harness/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace(data, size, TP_FORMAT_TRACE_V1);
	return 0;
}
