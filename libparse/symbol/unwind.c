#include "symbol/unwind.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct tp_unwinder {
	Dwfl *dwfl;
	int pid;
	/* During tp_unwinder_stack. */
	const struct tp_unwind_state *state;
	uint64_t *pcs;
	size_t n, room;
};

int tp_unwind_sp(void)
{
#if defined(__x86_64__)
	return 7;
#elif defined(__aarch64__)
	return 31;
#else
	return -1;
#endif
}

/* ---- callbacks of libdwfl ---- */

/* Finds no debug files. Unwinding does not need them, and searching for them may use the network. */
static int no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word sum, char **found)
{
	(void)module, (void)user, (void)name, (void)base;
	(void)file, (void)link, (void)sum, (void)found;
	return -1;
}

static const Dwfl_Callbacks files = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = no_debuginfo,
};

/* Returns the only thread, that of `state`. */
static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct tp_unwinder *u = arg;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = u;
	return u->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	struct tp_unwinder *u = arg;

	(void)dwfl;
	*thread = u;
	return tid == u->pid;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *arg)
{
	struct tp_unwinder *u = arg;
	uint64_t word;

	(void)dwfl;
	if (!u->state->word(u->state->ctx, address, &word))
		return false;
	*value = word;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct tp_unwinder *u = arg;

	for (int i = 0; i < TP_UNWIND_REGISTERS; i++) {
		Dwarf_Word value = u->state->value[i];

		if (u->state->known >> i & 1 && !dwfl_thread_state_registers(thread, i, 1, &value))
			return false;
	}
	dwfl_thread_state_register_pc(thread, u->state->pc);
	return true;
}

static const Dwfl_Thread_Callbacks threads = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = read_word,
    .set_initial_registers = set_registers,
};

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct tp_unwinder *u = arg;
	Dwarf_Addr pc;
	bool interrupted;

	if (u->n == u->room || !dwfl_frame_pc(frame, &pc, &interrupted) || !pc)
		return DWARF_CB_ABORT;
	u->pcs[u->n++] = interrupted ? pc + 1 : pc;
	return DWARF_CB_OK;
}

/* Returns whether the function at `pc` has no caller: its return address is undefined. */
static bool is_outermost(const struct tp_unwinder *u, Dwarf_Addr pc)
{
	Dwfl_Module *module = dwfl_addrmodule(u->dwfl, pc);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	Dwarf_Frame *frame;
	Dwarf_Op room[3], *ops = NULL;
	size_t n = 1;
	int back;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
		return false;
	back = dwarf_frame_info(frame, NULL, NULL, NULL);
	if (dwarf_frame_register(frame, back, room, &ops, &n))
		n = 1;
	free(frame);
	return !n && ops == room;
}

/* ---- the unwinder ---- */

int tp_unwinder_new(struct tp_unwinder **out, int pid, struct tp_err *err)
{
	struct tp_unwinder *u = calloc(1, sizeof(*u));

	*out = NULL;
	if (!u)
		return tp_nomem(err);
	u->pid = pid;
	u->dwfl = dwfl_begin(&files);
	if (!u->dwfl || dwfl_linux_proc_report(u->dwfl, pid) ||
	    dwfl_report_end(u->dwfl, NULL, NULL) ||
	    !dwfl_attach_state(u->dwfl, NULL, pid, &threads, u)) {
		tp_unwinder_free(u);
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the files of process %d cannot be found", pid);
	}
	*out = u;
	return 0;
}

void tp_unwinder_free(struct tp_unwinder *u)
{
	if (!u)
		return;
	if (u->dwfl)
		dwfl_end(u->dwfl);
	free(u);
}

size_t tp_unwinder_stack(struct tp_unwinder *u, const struct tp_unwind_state *state, uint64_t *pcs,
			 size_t room, bool *cut)
{
	u->state = state;
	u->pcs = pcs;
	u->n = 0;
	u->room = room;
	if (tp_unwind_sp() >= 0)
		dwfl_getthread_frames(u->dwfl, u->pid, add_frame, u);
	u->state = NULL;
	if (!u->n && room)
		pcs[u->n++] = state->pc + 1;
	*cut = u->n < room && !is_outermost(u, pcs[u->n - 1] - 1);
	return u->n;
}
