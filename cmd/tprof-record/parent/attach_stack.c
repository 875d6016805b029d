/* Stacks of a program that keeps no frame pointers: the kernel copies the registers and the innermost part of the
 * stack (copied.h). */
#include "tprof-record/parent/attach_inside.h"

#include <string.h>
#include <sys/uio.h>

#include "symbol/image.h"

#if defined(__x86_64__)
#include <asm/perf_regs.h>

/* In the order of DWARF. */
static const uint8_t registers[] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,	PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,	PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};
enum { REGISTERS = sizeof(registers), PC = PERF_REG_X86_IP, CALL_SIZE = 2 };
static const uint8_t call_code[CALL_SIZE] = {0x0f, 0x05};

#elif defined(__aarch64__)
#include <asm/perf_regs.h>

static const uint8_t registers[] = {0,	1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15,
				    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
enum { REGISTERS = sizeof(registers), PC = PERF_REG_ARM64_PC, CALL_SIZE = 4 };
static const uint8_t call_code[CALL_SIZE] = {0x01, 0x00, 0x00, 0xd4};

#else
static const uint8_t registers[] = {0};
enum { REGISTERS = 0, PC = 0, CALL_SIZE = 1 };
static const uint8_t call_code[CALL_SIZE] = {0};
#endif

static uint64_t wanted(void)
{
	uint64_t mask = 1ull << PC;

	for (unsigned i = 0; i < REGISTERS; i++)
		mask |= 1ull << registers[i];
	return mask;
}

bool rec_attach_sampling(struct perf_event_attr *attr, size_t stack)
{
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = wanted();
	attr->sample_stack_user = (uint32_t)stack;
	return REGISTERS > 0;
}

/* ---- a sample ---- */

/* Returns the register of a sample, whose values are in the order of their numbers. */
static uint64_t value_of(const char *values, unsigned number)
{
	uint64_t value;

	memcpy(&value, values + 8 * (size_t)__builtin_popcountll(wanted() & ((1ull << number) - 1)),
	       sizeof(value));
	return value;
}

/* Sets the registers, and finds the copy of the stack. Returns false if the sample has none: the thread was about
 * to end, or it is one of the kernel's. */
static bool parse(struct rec_attach *a, const struct perf_event_header *h,
		  struct tp_unwind_state *state)
{
	const char *p = (const char *)h, *limit = p + h->size, *values;
	const size_t nvalues = (size_t)__builtin_popcountll(wanted());
	uint64_t abi, size, copied;

	/* Event, instruction, thread, time, processor. */
	p += sizeof(*h) + 5 * 8;
	if (limit - p < 8)
		return false;
	memcpy(&abi, p, 8);
	p += 8;
	values = p;
	if (abi != PERF_SAMPLE_REGS_ABI_64 || (size_t)(limit - p) < 8 * (nvalues + 1))
		return false;
	p += 8 * nvalues;
	memcpy(&size, p, 8);
	p += 8;
	if ((size_t)(limit - p) < 8 || size > (size_t)(limit - p) - 8)
		return false;
	copied = 0;
	if (size)
		memcpy(&copied, p + size, 8);
	*state =
	    (struct tp_unwind_state){.pc = value_of(values, PC), .known = (1ull << REGISTERS) - 1};
	for (unsigned i = 0; i < REGISTERS; i++)
		state->value[i] = value_of(values, registers[i]);
	a->copied.copy = p;
	a->copied.low = tp_unwind_sp() < 0 ? 0 : state->value[tp_unwind_sp()];
	a->copied.size = copied < size ? copied : size;
	a->copied.room = size;
	return true;
}

/* ---- stacks ---- */

uint32_t rec_attach_add(void *attach, const uint64_t *pcs, size_t n, bool cut)
{
	(void)attach, (void)cut;
	return rec_tree_add(pcs, n);
}

static uint32_t unwind(struct rec_attach *a, struct tp_unwind_state *state)
{
	uint32_t node = rec_copied_stack(&a->copied, state);

	a->stacks++;
	a->cut += a->copied.missing;
	return node;
}

/* Returns whether the instruction before `pc` is a system call. A program that is over cannot be asked; nearly
 * all that threads do in the kernel is in a system call. */
static bool is_behind_call(struct rec_attach *a, uint64_t pc)
{
	uint32_t known = tp_ids_get(&a->calls, pc);
	uint8_t code[CALL_SIZE];
	struct iovec to = {code, sizeof(code)};
	struct iovec from = {(void *)(uintptr_t)(pc - CALL_SIZE), sizeof(code)}; /* NOLINT */

	if (known != TP_NO_ID)
		return known;
	if (process_vm_readv(a->pid, &to, 1, &from, 1, 0) != (ssize_t)sizeof(code))
		return true;
	known = !memcmp(code, call_code, sizeof(code));
	return !tp_ids_put(&a->calls, pc, known) && known;
}

uint32_t rec_attach_stack(struct rec_attach *a, const struct perf_event_header *h)
{
	struct tp_unwind_state state;

	return parse(a, h, &state) ? unwind(a, &state) : 0;
}

uint32_t rec_attach_sample(struct rec_attach *a, const struct perf_event_header *h)
{
	struct tp_unwind_state state;
	uint32_t node, depth;

	if (!parse(a, h, &state))
		return 0;
	node = unwind(a, &state);
	depth = rec_core->arena.nodes[node].depth + 1;
	if (!node || depth > REC_MAX_DEPTH ||
	    (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL ||
	    !is_behind_call(a, state.pc))
		return node;
	node = rec_tree_child(node, REC_KERNEL_PC, depth);
	if (!node)
		rec_lose(REC_LOST_STACKS, 1);
	return node;
}

/* ---- files ---- */

static uint32_t build_id(const char *file)
{
	struct tp_image *image;
	const char *id;
	uint32_t string;

	if (*file != '/' || tp_image_open(&image, file, NULL))
		return 0;
	id = tp_image_gnu_id(image);
	string = rec_string_inside(id, strlen(id));
	tp_image_close(image);
	return string;
}

void rec_attach_map(struct rec_attach *a, uint64_t start, uint64_t limit, uint64_t offset,
		    const char *file)
{
	struct rec_module m = {.start = start, .limit = limit, .offset = offset};
	struct rec_arena *arena = &rec_core->arena;

	m.file = rec_string_inside(file, strlen(file));
	for (uint32_t i = 0; i < arena->header->modules.used; i++) {
		struct rec_module *old = &arena->modules[i];

		if (old->gone || old->limit <= start || old->start >= limit)
			continue;
		if (old->start == start && old->limit == limit && old->offset == offset &&
		    old->file == m.file)
			return;
		atomic_store_explicit(&old->gone, 1, memory_order_relaxed);
		a->copied.files_changed = true;
	}
	if (*file != '/' && strcmp(file, "[vdso]") != 0)
		return;
	a->copied.files_changed = true;
	m.build_id = build_id(file);
	rec_module_add(&m);
}
