/* What perf script prints of the kernel's scheduler: the whole way, from text to reports. */
#include "harness/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace(data, size, TP_FORMAT_TRACE_SCHED);
	return 0;
}
