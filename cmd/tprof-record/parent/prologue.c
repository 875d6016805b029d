/* Compilers begin such a function with
 *
 *	push %rbp
 *	mov  %rsp,%rbp
 *	push ...		registers that it keeps for its caller
 *	sub  $size,%rsp		maybe in steps of one page, each with orq $0,(%rsp)
 *
 * and may put among these instructions some that do not change the stack pointer. */
#include "tprof-record/parent/prologue.h"

#include <string.h>

enum { RSP = 4, DIRECT = 3, LONGEST = 16 };

/* ---- instructions ---- */

/* Returns how many bytes the operands have that begin with a ModRM byte. */
static size_t operands(const uint8_t *p)
{
	unsigned mod = p[0] >> 6, rm = p[0] & 7;
	size_t size = 1;

	if (mod == DIRECT)
		return size;
	if (rm == RSP) {
		size++;
		rm = p[1] & 7; /* the base */
	}
	return size + (mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0);
}

/* Returns the size of an instruction that does not change the stack pointer; 0: it may, or is not known. */
static size_t other(const uint8_t *p)
{
	const uint8_t *start = p;
	uint8_t rex = 0;

	p += *p == 0x64; /* %fs: */
	if ((*p & 0xf0) == 0x40)
		rex = *p++;
	switch (*p++) {
	case 0x31: /* xor */
	case 0x33:
	case 0x63: /* movsxd */
	case 0x85: /* test */
	case 0x89: /* mov */
	case 0x8b:
	case 0x8d: /* lea */
		if ((*p >> 3 & 7) == RSP && !(rex & 4))
			return 0;
		if (*p >> 6 == DIRECT && (*p & 7) == RSP && !(rex & 1))
			return 0;
		return (size_t)(p - start) + operands(p);
	case 0xb8: /* mov $imm32,%eax ... */
	case 0xb9:
	case 0xba:
	case 0xbb:
	case 0xbd:
	case 0xbe:
	case 0xbf:
		return rex & 8 ? 0 : (size_t)(p - start) + 4;
	default:
		return 0;
	}
}

/* Returns the size of an instruction of a prologue, and adds what it takes from the stack pointer; 0: it is none. */
static size_t step(const uint8_t *p, uint64_t *taken)
{
	static const uint8_t probe[] = {0x48, 0x83, 0x0c, 0x24, 0x00};
	bool high = *p == 0x41;

	if ((p[high] & 0xf8) == 0x50) {
		*taken += 8;
		return 1u + high;
	}
	if (p[0] == 0x48 && p[1] == 0x83 && p[2] == 0xec && p[3] < 0x80) {
		*taken += p[3];
		return 4;
	}
	if (p[0] == 0x48 && p[1] == 0x81 && p[2] == 0xec) {
		*taken += p[3] | (uint32_t)p[4] << 8 | (uint32_t)p[5] << 16 | (uint32_t)p[6] << 24;
		return 7;
	}
	return memcmp(p, probe, sizeof(probe)) ? other(p) : sizeof(probe);
}

/* Returns whether the bytes may be an instruction by which functions move the stack pointer: sub, and, mov, lea. */
static bool moves(const uint8_t *p)
{
	if ((p[0] & 0xf9) != 0x48)
		return false;
	switch (p[1]) {
	case 0x29:
	case 0x89:
		return (p[2] & 0xc7) == 0xc4;
	case 0x81:
	case 0x83:
		return p[2] == 0xec || p[2] == 0xe4;
	default:
		return p[1] == 0x8d && p[2] == 0x64;
	}
}

/* ---- ---- */

uint64_t rec_prologue_size(const uint8_t *code, size_t n)
{
	static const uint8_t begin[] = {0x48, 0x89, 0xe5}; /* mov %rsp,%rbp */
	uint8_t p[LONGEST];
	uint64_t taken = 0;
	size_t at, size;
	bool begins = true;

	if (n < sizeof(begin))
		return REC_PROLOGUE_UNKNOWN;
	for (at = n - sizeof(begin); memcmp(code + at, begin, sizeof(begin)) != 0; at--)
		if (!at)
			return REC_PROLOGUE_UNKNOWN;
	for (at += sizeof(begin); at < n; at += size) {
		memset(p, 0, sizeof(p));
		memcpy(p, code + at, n - at < sizeof(p) ? n - at : sizeof(p));
		size = begins ? step(p, &taken) : 1;
		begins = begins && size;
		if (!begins && moves(p))
			return REC_PROLOGUE_UNKNOWN;
		size += !size;
	}
	return taken;
}

bool rec_prologue_calls(const uint8_t *code, size_t n)
{
	if (n >= 5 && code[n - 5] == 0xe8)
		return true;
	for (size_t size = 2; size <= 7 && size <= n; size++) {
		const uint8_t *p = code + n - size;

		if (p[0] == 0xff && (p[1] >> 3 & 7) == 2 && 1 + operands(p + 1) == size)
			return true;
	}
	return false;
}
