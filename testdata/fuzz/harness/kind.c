#include "kind.h"

#include "open/kind.h"

enum fuzz_kind fuzz_kind_of(const uint8_t *data, size_t size)
{
	if (size > 2 &&
	    ((data[0] == 0x1f && data[1] == 0x8b) || (data[0] == 0x28 && data[1] == 0xb5)))
		return FUZZ_KIND_PACKED;
	switch (tp_kind_of(data, size)) {
	case TP_KIND_NONE:
		return FUZZ_KIND_NONE;
	case TP_KIND_PROTO:
	case TP_KIND_OTLP: /* as JSON, too */
		return FUZZ_KIND_PROTO;
	default:
		return FUZZ_KIND_TEXT;
	}
}
