#include "tprof-record/convert/names/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/demangle.h"
#include "tprof-record/convert/names/images.h"

#define PATH_ROOM 512
#define LONGEST	  1024 /* bytes of a readable name; longer ones are templates */

/* ---- files ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_own(const char *path)
{
	const char *name = base_name(path);

	return !strcmp(name, "tprof-preload.so") || begins(name, "libtprof-record.so");
}

/* Libraries whose frames are at the root of stacks. */
static bool is_starter(const char *path)
{
	static const char *const names[] = {"libc.so",	 "libc-",  "libpthread", "libstdc++.so",
					    "libc++.so", "ld-",	   "libm.so",	 "libgcc_s",
					    "libuv.so",	 "[vdso]", "libtbb",	 "libgomp"};
	const char *name = base_name(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (begins(name, names[i]))
			return true;
	return false;
}

static uint32_t file_for(struct rec_names *n, const struct rec_module *m)
{
	const char *name = rec_process_string(n->p, m->file);
	struct rec_named_file *f;

	for (size_t i = 0; i < n->nfiles; i++)
		if (n->files[i].name == m->file && n->files[i].build_id == m->build_id)
			return (uint32_t)i + 1;
	f = &n->files[n->nfiles++];
	*f = (struct rec_named_file){.name = m->file,
				     .build_id = m->build_id,
				     .own = is_own(name),
				     .starter = is_starter(name)};
	return (uint32_t)n->nfiles;
}

/* Returns whether the build ids do not contradict that this file was mapped. */
static bool is_same(const struct tp_image *image, const char *id)
{
	const char *has = tp_image_gnu_id(image);

	return !*id || !*has || tp_image_is(image, id);
}

static void open_file(struct rec_names *n, struct rec_named_file *f)
{
	const char *path = rec_process_string(n->p, f->name);
	const char *id = rec_process_string(n->p, f->build_id);

	f->tried = true;
	/* "[vdso]" and memory without a file. */
	if (*path != '/' || (f->code = rec_images_get(n->p->images, path, &f->image, NULL)))
		return;
	if (!is_same(f->image, id)) {
		f->other = true;
		rec_images_give(n->p->images, f->image);
		f->image = NULL;
		return;
	}
	f->debug = rec_images_debug(n->p->images, f->image);
}

/* ---- lifecycle ---- */

/* Modules that were unloaded come last: another may lie in their place now. */
static void order_modules(struct rec_names *n)
{
	const struct rec_module *m = n->p->arena.modules;
	uint32_t k = 0;

	for (int gone = 0; gone < 2; gone++)
		for (uint32_t i = n->nmodules; i--;)
			if (!m[i].gone == !gone)
				n->order[k++] = i;
}

int rec_names_new(struct rec_names **out, const struct rec_process *p, struct tp_dict *dict,
		  bool for_traces, struct tp_err *err)
{
	struct rec_names *n = calloc(1, sizeof(*n));

	*out = NULL;
	if (!n)
		return tp_nomem(err);
	n->p = p;
	n->dict = dict;
	n->for_traces = for_traces;
	n->nmodules = p->arena.header->modules.used;
	n->nnodes = p->arena.header->nodes.used;
	n->files = calloc(n->nmodules + (size_t)1, sizeof(*n->files));
	n->file_of = calloc(n->nmodules + (size_t)1, sizeof(*n->file_of));
	n->order = calloc(n->nmodules + (size_t)1, sizeof(*n->order));
	n->node = calloc(n->nnodes + (size_t)1, sizeof(*n->node));
	if (!n->files || !n->file_of || !n->order || !n->node) {
		rec_names_free(n);
		return tp_nomem(err);
	}
	for (uint32_t i = 0; i < n->nmodules; i++)
		n->file_of[i] = file_for(n, &p->arena.modules[i]);
	order_modules(n);
	*out = n;
	return 0;
}

void rec_names_free(struct rec_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->nfiles; i++) {
		rec_images_give(n->p->images, n->files[i].image);
		rec_images_give(n->p->images, n->files[i].debug);
	}
	free(n->files);
	free(n->file_of);
	free(n->order);
	tp_idmap_release(&n->by_pc);
	free(n->node);
	free(n->whole);
	tp_buf_release(&n->readable);
	tp_arena_clear(&n->arena);
	free(n);
}

/* ---- addresses ---- */

static uint32_t module_of(const struct rec_names *n, uint64_t address)
{
	const struct rec_module *m = n->p->arena.modules;

	for (uint32_t i = 0; i < n->nmodules; i++)
		if (address >= m[n->order[i]].start && address < m[n->order[i]].limit)
			return n->order[i] + 1;
	return 0;
}

static struct rec_named_file *file_of(const struct rec_names *n, uint32_t module)
{
	return &n->files[n->file_of[module - 1] - 1];
}

/* The address within the file: as it was linked, where the file can be read. */
static uint64_t in_file(const struct rec_names *n, uint32_t module, uint64_t address)
{
	const struct rec_module *m = &n->p->arena.modules[module - 1];
	const struct tp_image *image = file_of(n, module)->image;
	struct tp_image_mapping where = {
	    .mapped = true, .start = m->start, .limit = m->limit, .offset = m->offset};

	return image ? tp_image_address(image, &where, address) : address - m->start + m->offset;
}

static size_t look_up(struct rec_names *n, uint32_t module, uint64_t address,
		      struct tp_symbol *chain)
{
	struct rec_named_file *f = file_of(n, module);
	size_t found = 0;

	if (!f->tried)
		open_file(n, f);
	if (!f->image)
		return 0;
	/* Both files know the address; only the program itself has the segments as they were mapped. */
	address = in_file(n, module, address);
	if (f->debug)
		found = tp_image_lookup(f->debug, address, chain, TP_SYMBOL_FRAMES);
	return found ? found : tp_image_lookup(f->image, address, chain, TP_SYMBOL_FRAMES);
}

static int put_text(struct rec_names *n, const char *text, uint32_t *id)
{
	return tp_dict_string(n->dict, text, strlen(text), id);
}

/* The readable form of a mangled name. Of a lambda, DWARF says only "operator()": its mangled name
 * says more. */
static int put_name(struct rec_names *n, const struct tp_symbol *s, uint32_t *id)
{
	const char *name = strcmp(s->name, "operator()") != 0 ? s->name : s->system_name;
	struct tp_text mangled = {name, (uint32_t)strnlen(name, UINT32_MAX)};
	int code;

	if (!begins(name, "_Z") && !begins(name, "_R"))
		return put_text(n, s->name, id);
	n->readable.size = 0;
	code = rep_demangle_name(mangled, REP_DEMANGLE_TEMPLATES, &n->readable);
	if (code)
		return code;
	/* What is no mangled name stays as it is. */
	if (!n->readable.size || n->readable.size >= LONGEST ||
	    (n->readable.size >= 2 && !memcmp(n->readable.data, name, 2)))
		return put_text(n, s->name, id);
	return tp_dict_string(n->dict, n->readable.data, n->readable.size, id);
}

/* The chain, innermost first, as frames of one location, root first. */
static int put_frames(struct rec_names *n, uint64_t pc, uint32_t module,
		      const struct tp_symbol *chain, size_t size, uint32_t *frames)
{
	struct tp_location location = {.address = pc, .mapping = module};
	struct tp_frame frame = {0};
	int code = tp_dict_location(n->dict, &location, &frame.location);

	if (!code && !size)
		return tp_dict_frame(n->dict, &frame, &frames[0]);
	for (size_t i = 0; !code && i < size; i++) {
		const struct tp_symbol *s = &chain[size - 1 - i];
		struct tp_function f = {.start_line = s->start_line};

		code = put_name(n, s, &f.name);
		if (!code)
			code = put_text(n, s->system_name, &f.system_name);
		if (!code)
			code = put_text(n, s->file, &f.file);
		if (!code)
			code = tp_dict_function(n->dict, &f, &frame.function);
		frame.line = s->line;
		frame.inlined = i > 0;
		if (!code)
			code = tp_dict_frame(n->dict, &frame, &frames[i]);
	}
	return code;
}

/* "liblzma.so.5+0x1f2c" */
static void call_after_place(const struct rec_names *n, uint32_t module, uint64_t address,
			     char text[PATH_ROOM])
{
	if (module)
		snprintf(text, PATH_ROOM, "%.255s+0x%" PRIx64,
			 base_name(rec_process_string(n->p, file_of(n, module)->name)),
			 in_file(n, module, address));
	else
		snprintf(text, PATH_ROOM, "?");
}

static const uint32_t no_frame;
static struct rec_place nothing = {.frames = &no_frame, .n = 1};

static struct rec_place *locate(struct rec_names *n, uint64_t pc)
{
	struct rec_place *p = tp_idmap_get(&n->by_pc, pc);
	const struct rec_named_file *f;

	if (p)
		return p;
	p = tp_arena_alloc(&n->arena, sizeof(*p));
	if (!p)
		return &nothing;
	*p = (struct rec_place){.pc = pc, .module = module_of(n, pc - 1)};
	f = p->module ? file_of(n, p->module) : NULL;
	p->own = f && f->own;
	p->starter = f && f->starter;
	return tp_idmap_add(&n->by_pc, pc, p) ? &nothing : p;
}

const struct rec_place *rec_names_locate(struct rec_names *n, uint64_t pc)
{
	return locate(n, pc);
}

const struct rec_place *rec_names_place(struct rec_names *n, uint64_t pc)
{
	static const struct {
		uint64_t pc;
		const char *name;
	} no_code[] = {{REC_LAST_STACK_PC, REC_LAST_STACK_NAME},
		       {REC_CUT_STACK_PC, REC_CUT_STACK_NAME},
		       {REC_KERNEL_PC, "[kernel]"},
		       {REC_MMAP_PC, "[mmap]"}};
	struct tp_symbol chain[TP_SYMBOL_FRAMES];
	struct rec_place *p = locate(n, pc);
	char text[PATH_ROOM];
	uint32_t *frames;
	size_t size;

	if (p->frames)
		return p;
	size = p->module ? look_up(n, p->module, pc - 1, chain) : 0;
	for (size_t i = 0; i < TP_COUNT_OF(no_code) && !p->module; i++)
		if (no_code[i].pc == pc)
			chain[size++] = (struct tp_symbol){
			    .name = no_code[i].name, .system_name = no_code[i].name, .file = ""};
	p->named = size > 0;
	if (!size && (p->module || n->for_traces)) {
		call_after_place(n, p->module, pc - 1, text);
		chain[0] = (struct tp_symbol){.name = text, .system_name = "", .file = ""};
		size = 1;
	}
	frames = tp_arena_alloc(&n->arena, (size ? size : 1) * sizeof(*frames));
	if (!frames || put_frames(n, pc, p->module, chain, size, frames))
		return &nothing;
	if (p->named) {
		n->named++;
	} else {
		n->unnamed++;
		if (p->module)
			file_of(n, p->module)->unnamed++;
	}
	p->frames = frames;
	p->n = (uint32_t)(size ? size : 1);
	return p;
}

uint64_t rec_names_entry(struct rec_names *n, uint64_t pc)
{
	uint32_t module = rec_names_place(n, pc)->module;
	const struct rec_named_file *f = module ? file_of(n, module) : NULL;
	uint64_t address, start;

	if (!f || !f->image)
		return 0;
	address = in_file(n, module, pc - 1);
	start = f->debug ? tp_image_function(f->debug, address) : 0;
	if (!start)
		start = tp_image_function(f->image, address);
	return start ? pc - 1 - (address - start) : 0;
}

void rec_names_remark(const struct rec_names *n, char text[200])
{
	const struct rec_named_file *worst = NULL;
	const char *name;

	*text = 0;
	/* The kernel's code and a JIT's have no names anyway. */
	for (size_t i = 0; i < n->nfiles; i++) {
		const struct rec_named_file *f = &n->files[i];

		if (!f->own && f->unnamed && *rec_process_string(n->p, f->name) == '/' &&
		    (!worst || f->unnamed > worst->unnamed))
			worst = f;
	}
	if (!worst)
		return;
	name = base_name(rec_process_string(n->p, worst->name));
	snprintf(text, 200, "%zu of %zu addresses have no names, most of them in %.60s: %s",
		 n->unnamed, n->named + n->unnamed, name,
		 worst->other ? "the file has been replaced by another build"
		 : worst->code == TP_EUNKNOWN
		     ? "tprof-symbols.so, which reads them, cannot be loaded"
		 : !worst->image ? "the file cannot be read any more"
				 : "it has no symbols; install its debugging symbols");
}
