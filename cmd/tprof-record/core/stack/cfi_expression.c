/* Expressions of call frame information: a stack machine (DWARF 5, section 2.5). */
#include "tprof-record/core/stack/cfi.h"

/* Supports the operations that compilers, linkers (for their PLT) and hand-written assembly use. */
bool rec_cfi_evaluate(const uint8_t *p, const uint8_t *limit, const struct rec_frame *f,
		      struct rec_reach *reach, uint64_t first, uint64_t *result)
{
	uint64_t stack[16] = {first};
	unsigned n = 1;

	while (p < limit) {
		uint8_t op = *p++;

		if (n >= 15)
			return false;
		if (op >= 0x30 && op <= 0x4f) { /* lit */
			stack[n++] = op - 0x30u;
			continue;
		}
		if (op >= 0x70 && op <= 0x8f) { /* breg */
			int64_t offset = rec_get_sleb(&p, limit);

			if (op - 0x70 == REC_REG_SP)
				stack[n++] = f->sp + (uint64_t)offset;
			else if (op - 0x70 == REC_REG_FP)
				stack[n++] = f->fp + (uint64_t)offset;
			else if (op - 0x70 == REC_REG_RA && !REC_LINKS)
				stack[n++] = f->pc - 1 + (uint64_t)offset;
			else
				return false;
			continue;
		}
		switch (op) {
		case 0x06: /* deref */
			if (!stack[n - 1] || stack[n - 1] % 8 || !rec_reaches(reach, stack[n - 1]))
				return false;
			stack[n - 1] = *(const uint64_t *)(uintptr_t)stack[n - 1];
			break;
		case 0x08: /* const1u, 1s, 2u, 2s, 4u, 4s */
		case 0x0a:
		case 0x0c:
			stack[n++] = rec_get_bytes(&p, limit, (size_t)1 << (op - 8) / 2);
			break;
		case 0x09:
		case 0x0b:
		case 0x0d:
			stack[n++] = (uint64_t)rec_get_signed(&p, limit, (size_t)1 << (op - 8) / 2);
			break;
		case 0x10:
			stack[n++] = rec_get_uleb(&p, limit);
			break;
		case 0x11:
			stack[n++] = (uint64_t)rec_get_sleb(&p, limit);
			break;
		case 0x23: /* plus_uconst */
			stack[n - 1] += rec_get_uleb(&p, limit);
			break;
		case 0x1a: /* and */
		case 0x1c: /* minus */
		case 0x22: /* plus */
		case 0x24: /* shl */
		case 0x2a: /* ge */
			if (n < 2)
				return false;
			n--;
			if (op == 0x1a)
				stack[n - 1] &= stack[n];
			else if (op == 0x1c)
				stack[n - 1] -= stack[n];
			else if (op == 0x22)
				stack[n - 1] += stack[n];
			else if (op == 0x24)
				stack[n - 1] = stack[n] < 64 ? stack[n - 1] << stack[n] : 0;
			else
				stack[n - 1] = (int64_t)stack[n - 1] >= (int64_t)stack[n];
			break;
		default:
			return false;
		}
	}
	*result = stack[n - 1];
	return true;
}
