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

/* Returns how many of the n bytes are the operands that begin with a ModRM byte; 0: they are longer. */
static size_t operands(const uint8_t *p, size_t n)
{
	unsigned mod = p[0] >> 6, rm = p[0] & 7;
	size_t size = 1;

	if (mod == DIRECT)
		return size;
	if (rm == RSP) {
		if (++size > n)
			return 0;
		rm = p[1] & 7; /* the base */
	}
	size += mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0;
	return size <= n ? size : 0;
}

/* What follows an opcode: a ModRM byte whose field `reg` is a register or not, and an immediate. */
enum { NO = 0, IMM8 = 1, IMM32 = 4, SIZE = 7, MODRM = 8, REG = 16, UNKNOWN = 32 };

/* Of opcodes behind 0f. */
static unsigned form_of_0f(uint8_t opcode)
{
	switch (opcode >> 4) {
	case 0x8: /* jcc */
		return IMM32;
	case 0x9: /* setcc */
		return MODRM;
	case 0x1: /* SSE, nop */
	case 0x2:
	case 0x4: /* cmov */
	case 0x5:
		return MODRM | REG;
	default: /* imul, movzx, movsx, movd, movdqa */
		return opcode == 0xaf || (opcode & 0xf6) == 0xb6 || (opcode & 0xee) == 0x6e
			   ? MODRM | REG
			   : UNKNOWN;
	}
}

static unsigned form(uint8_t opcode, uint8_t next)
{
	if (opcode < 0x40 && (opcode & 7) < 4) /* add, or, and, sub, xor, cmp */
		return MODRM | REG;
	if (opcode < 0x40 && (opcode & 7) < 6)
		return opcode & 1 ? IMM32 : IMM8;
	if (opcode >> 4 == 7) /* jcc */
		return IMM8;
	switch (opcode) {
	case 0x63: /* movsxd */
	case 0x84: /* test */
	case 0x85:
	case 0x88: /* mov */
	case 0x89:
	case 0x8a:
	case 0x8b:
	case 0x8d: /* lea */
		return MODRM | REG;
	case 0x6b: /* imul */
		return MODRM | REG | IMM8;
	case 0x69:
		return MODRM | REG | IMM32;
	case 0x80: /* add ... */
	case 0x83:
	case 0xc0: /* shifts */
	case 0xc1:
	case 0xc6: /* mov */
		return MODRM | IMM8;
	case 0x81:
	case 0xc7:
		return MODRM | IMM32;
	case 0xd1: /* shifts */
	case 0xd3:
		return MODRM;
	case 0xf7: /* not, neg, mul, div */
		return (next >> 3 & 7) < 2 ? UNKNOWN : MODRM;
	case 0xff: /* inc, dec, call */
		return (next >> 3 & 7) < 3 ? MODRM : UNKNOWN;
	case 0x90: /* nop */
	case 0x98: /* cltq */
	case 0x99:
		return NO;
	case 0xa8: /* test */
	case 0xeb: /* jmp */
		return IMM8;
	case 0xa9:
	case 0xb8: /* mov $imm32,%eax ... */
	case 0xb9:
	case 0xba:
	case 0xbb:
	case 0xbd:
	case 0xbe:
	case 0xbf:
	case 0xe8: /* call */
	case 0xe9:
		return IMM32;
	default:
		return UNKNOWN;
	}
}

/* Returns the size of an instruction that does not change the stack pointer; 0: it may, or is not known. */
static size_t other(const uint8_t *p)
{
	const uint8_t *start = p;
	uint8_t rex = 0, opcode;
	bool prefix;
	unsigned is;

	p += *p == 0x64; /* %fs: */
	prefix = *p == 0x66 || *p == 0xf2 || *p == 0xf3;
	p += prefix;
	if ((*p & 0xf0) == 0x40)
		rex = *p++;
	opcode = *p++;
	is = opcode == 0x0f ? form_of_0f(*p++) : prefix ? UNKNOWN : form(opcode, *p);
	/* 64 bits of a constant */
	if (is == UNKNOWN || (rex & 8 && (opcode & 0xf8) == 0xb8))
		return 0;
	if (is & REG && (*p >> 3 & 7) == RSP && !(rex & 4))
		return 0;
	if (is & MODRM && *p >> 6 == DIRECT && (*p & 7) == RSP && !(rex & 1))
		return 0;
	return (size_t)(p - start) + (is & MODRM ? operands(p, (size_t)(start + LONGEST - p)) : 0) +
	       (is & SIZE);
}

/* Returns whether it is a jump or a call, behind which a push is no part of the prologue. */
static bool branches(const uint8_t *p)
{
	p += (*p & 0xf0) == 0x40;
	return p[0] >> 4 == 7 || p[0] == 0xeb || p[0] == 0xe8 || p[0] == 0xe9 || p[0] == 0xff ||
	       (p[0] == 0x0f && p[1] >> 4 == 8);
}

/* Returns the size of an instruction of a prologue, and adds what it takes from the stack pointer; 0 if it is not one. */
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

/* Returns whether the bytes may be an instruction by which functions move the stack pointer: push, sub, add, and, mov, lea;
 * or leave or ret, behind which may be another function. */
static bool moves(const uint8_t *p)
{
	if ((p[0] & 0xf8) == 0x50 || p[0] == 0x6a || p[0] == 0x68 || p[0] == 0xc9 || p[0] == 0xc3)
		return true;
	if (p[0] == 0xff)
		return (p[1] >> 3 & 7) == 6;
	if ((p[0] & 0xf9) != 0x48)
		return false;
	switch (p[1]) {
	case 0x29:
	case 0x89:
		return (p[2] & 0xc7) == 0xc4;
	case 0x81:
	case 0x83:
		return p[2] == 0xec || p[2] == 0xe4 || p[2] == 0xc4;
	default:
		return p[1] == 0x8d && p[2] == 0x64;
	}
}

/* ---- functions ---- */

uint64_t rec_prologue_size(const uint8_t *code, size_t n)
{
	static const uint8_t begin[] = {0x48, 0x89, 0xe5}; /* mov %rsp,%rbp */
	uint8_t p[LONGEST];
	uint64_t taken = 0;
	size_t at, size;
	bool begins = true, known = true; /* where instructions begin */

	if (n < sizeof(begin))
		return REC_PROLOGUE_UNKNOWN;
	for (at = n - sizeof(begin); memcmp(code + at, begin, sizeof(begin)) != 0; at--)
		if (!at)
			return REC_PROLOGUE_UNKNOWN;
	for (at += sizeof(begin); at < n; at += size) {
		memset(p, 0, sizeof(p));
		memcpy(p, code + at, n - at < sizeof(p) ? n - at : sizeof(p));
		size = begins ? step(p, &taken) : known ? other(p) : 0;
		known = size;
		begins = begins && size && !branches(p);
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

		if (p[0] == 0xff && (p[1] >> 3 & 7) == 2 && 1 + operands(p + 1, size - 1) == size)
			return true;
	}
	return false;
}
