/* Stacks of a program that keeps no frame pointers: the kernel copies the registers and the innermost part of the
 * stack, and libdwfl unwinds the copy (symbol/unwind.h). That takes some hundred microseconds, so stacks that come
 * again are known by their return addresses. */
#include "tprof-record/parent/attach_inside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/many.h"
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
	a->copy = p;
	a->low = tp_unwind_sp() < 0 ? 0 : state->value[tp_unwind_sp()];
	a->ncopied = copied < size ? copied : size;
	a->room_copied = size;
	return true;
}

/* ---- stacks ---- */

static bool word_of(const struct rec_attach *a, uint64_t address, uint64_t *value)
{
	if (address < a->low || a->ncopied < 8 || address - a->low > a->ncopied - 8)
		return false;
	memcpy(value, a->copy + (address - a->low), sizeof(*value));
	return true;
}

static bool read_word(void *attach, uint64_t address, uint64_t *value)
{
	struct rec_attach *a = attach;

	if (!word_of(a, address, value)) {
		a->missing |= address >= a->low + a->ncopied &&
			      address - a->low < 256 * a->room_copied &&
			      a->ncopied + 8 > a->room_copied;
		return false;
	}
	if (a->nread < sizeof(a->read) / sizeof(a->read[0]))
		a->read[a->nread++] = (struct rec_attach_word){address, *value};
	return true;
}

static struct rec_attach_known *place(struct rec_attach *a, const struct tp_unwind_state *s)
{
	uint64_t h = (s->pc ^ a->low << 20) * 0x9e3779b97f4a7c15u;

	return &a->known[h >> 32 & (REC_ATTACH_KNOWN - 1)];
}

static bool is_again(const struct rec_attach *a, const struct rec_attach_known *k,
		     const struct tp_unwind_state *s)
{
	uint64_t value;

	if (!k->node || k->pc != s->pc || k->sp != a->low)
		return false;
	for (uint32_t i = 0; i < k->n; i++)
		if (!word_of(a, k->word[i].at, &value) || value != k->word[i].value)
			return false;
	return true;
}

/* Keeps the places from which the return addresses were read, if all of them were. */
static void keep(struct rec_attach *a, struct rec_attach_known *k, const struct tp_unwind_state *s,
		 const uint64_t *pcs, size_t n, uint32_t node)
{
	struct rec_attach_word *words = tp_more(k->word, n, sizeof(*words));
	size_t at = 0;

	k->node = 0;
	if (!words)
		return;
	k->word = words;
	for (size_t i = 1; i < n; i++) {
		/* One frame may have been interrupted by a signal. */
		while (at < a->nread && a->read[at].value != pcs[i] &&
		       a->read[at].value + 1 != pcs[i])
			at++;
		if (at == a->nread)
			return;
		words[i - 1] = a->read[at++];
	}
	k->pc = s->pc;
	k->sp = a->low;
	k->n = (uint32_t)n - 1;
	k->node = node;
}

void rec_attach_forget(struct rec_attach *a)
{
	for (size_t i = 0; i < REC_ATTACH_KNOWN; i++) {
		free(a->known[i].word);
		a->known[i] = (struct rec_attach_known){0};
	}
}

/* Reads the mapped files anew. If the process is over, those of before have to do. */
static void read_files(struct rec_attach *a)
{
	struct tp_unwinder *u;

	a->files_changed = false;
	if (tp_unwinder_new(&u, a->pid, NULL))
		return;
	tp_unwinder_free(a->unwinder);
	a->unwinder = u;
	rec_attach_forget(a);
}

static uint32_t unwind(struct rec_attach *a, struct tp_unwind_state *state)
{
	struct rec_attach_known *k = place(a, state);
	uint64_t pcs[REC_MAX_DEPTH];
	uint32_t node;
	size_t n;

	a->stacks++;
	if (is_again(a, k, state))
		return k->node;
	if (a->files_changed)
		read_files(a);
	state->word = read_word;
	state->ctx = a;
	a->nread = 0;
	a->missing = false;
	n = tp_unwinder_stack(a->unwinder, state, pcs, rec_core->arena.header->options.depth);
	node = rec_tree_add(pcs, n);
	if (a->missing)
		a->cut++;
	else if (node)
		keep(a, k, state, pcs, n, node);
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
		a->files_changed = true;
	}
	if (*file != '/' && strcmp(file, "[vdso]") != 0)
		return;
	a->files_changed = true;
	m.build_id = build_id(file);
	rec_module_add(&m);
}
