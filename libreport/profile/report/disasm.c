/* disasm: the instructions of matching functions, each with its flat and cum values (pprof:
 * printAssembly). The program's symbols give the bounds of functions, and its line tables the
 * source line of an instruction; objdump disassembles. REGEX may also be an address.
 *
 *	Total: 30ms
 *	ROUTINE ======================== main.work
 *	      10ms       20ms (flat, cum) 66.67% of Total
 *	         .          .     401000: push   %rbp           ;main.work main.go:11
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/many.h"
#include "profile/code/objdump.h"
#include "profile/writer/heading.h"
#include "profile/writer/quote.h"
#include "profile/report/reports.h"
#include "sourcepath.h"
#include "symbol/image.h"
#include "symbol/symbol.h"

/* A node of the graph, and its address in the program's file. */
struct place {
	uint64_t address;
	const struct rep_node *node;
};

struct disasm {
	const struct rep_profile_view *v;
	const struct rep_graph *g;
	struct tp_regex only;
	struct tp_symbolizer *programs; /* --binary and --symbol-path, or NULL */
	bool has_address;
	uint64_t address;   /* REGEX as an address */
	struct tp_buf text; /* the report, which is collected first: an error must leave no
			       output */
	struct rep_sink collect;
	struct rep_writer out;
	size_t found;	   /* number of functions found */
	char missing[320]; /* message about the first program that could not be read */
	int missing_code;
};

/* ---- one function ---- */

struct function {
	struct tp_text name;
	uint64_t start, end; /* addresses in the file: [start, end) */
};

struct values {
	int64_t flat, flat_div, cum, cum_div;
};

static void add_node(struct values *to, const struct rep_node *n)
{
	rep_add(&to->flat, n->flat);
	rep_add(&to->flat_div, n->flat_div);
	rep_add(&to->cum, n->cum);
	rep_add(&to->cum_div, n->cum_div);
}

static void put_or_dot(struct disasm *d, int64_t value)
{
	if (value)
		rep_put_value(&d->out, d->v, 10, value);
	else
		rep_writer_put(&d->out, "         .");
	rep_writer_put(&d->out, " ");
}

/* The source of an instruction: from the program's line tables, else from the profile. */
struct origin {
	struct tp_text function, file;
	int64_t line;
};

static struct tp_text text_of(const char *s)
{
	return (struct tp_text){s, (uint32_t)strlen(s)};
}

static struct origin origin_of(struct tp_image *image, uint64_t address)
{
	struct tp_symbol frame[TP_SYMBOL_FRAMES];

	if (!tp_image_lookup(image, address, frame, TP_SYMBOL_FRAMES))
		return (struct origin){{"", 0}, {"", 0}, 0};
	return (struct origin){text_of(frame[0].name), text_of(frame[0].file), frame[0].line};
}

static void complete(struct origin *o, const struct rep_node_info *info)
{
	if (!o->file.size)
		o->file = info->file;
	if (!o->line)
		o->line = info->line;
	if (!o->function.size)
		o->function = info->name;
}

static void put_origin(struct disasm *d, const struct origin *o)
{
	struct tp_text file = rep_path_base(o->file);

	rep_writer_put(&d->out, ";");
	if (o->function.size) {
		rep_writer_string(&d->out, o->function);
		rep_writer_put(&d->out, " ");
	}
	if (o->file.size) {
		rep_writer_string(&d->out, file);
		if (o->line)
			rep_writer_printf(&d->out, ":%" PRId64, o->line);
	}
	rep_writer_put(&d->out, "\n");
}

/* Writes an instruction. `origin` is NULL if it equals that of the instruction before. */
static void put_instruction(struct disasm *d, const struct rep_instruction *i,
			    const struct values *values, const struct origin *origin)
{
	struct rep_writer *out = &d->out;
	bool below = origin && i->text.size >= 40;

	if (below) {
		rep_writer_space(out, 74);
		put_origin(d, origin);
	}
	put_or_dot(d, rep_mean(values->flat, values->flat_div));
	put_or_dot(d, rep_mean(values->cum, values->cum_div));
	rep_writer_printf(out, "%10" PRIx64 ": ", i->address);
	rep_writer_string(out, i->text);
	if (origin && !below) {
		rep_writer_space(out, 40 - i->text.size);
		put_origin(d, origin);
	} else {
		rep_writer_put(out, "\n");
	}
}

/* Writes the instructions of a function. place[0 … n) are its nodes, by address. */
static void put_code(struct disasm *d, struct tp_image *image, const struct rep_code *code,
		     const struct place *place, size_t n)
{
	struct origin last = {{"", 0}, {"", 0}, 0};
	size_t at = 0;

	for (size_t k = 0; k < code->n && !rep_writer_failed(&d->out); k++) {
		const struct rep_instruction *i = &code->item[k];
		uint64_t next = k + 1 < code->n ? i[1].address : UINT64_MAX;
		struct origin origin = origin_of(image, i->address);
		struct values values = {0};
		bool moved;

		/* Samples inside an instruction count for it. */
		for (; at < n && place[at].address < next; at++) {
			add_node(&values, place[at].node);
			complete(&origin, &place[at].node->info);
		}
		moved = rep_text_compare(origin.function, last.function) ||
			rep_text_compare(rep_path_base(origin.file), rep_path_base(last.file)) ||
			origin.line != last.line;
		put_instruction(d, i, &values,
				moved && (origin.function.size || origin.file.size) ? &origin
										    : NULL);
		last = origin;
	}
}

static int put_function(struct disasm *d, struct tp_image *image, const char *file,
			const struct function *s, const struct place *place, size_t n,
			struct tp_err *err)
{
	struct values sum = {0};
	struct rep_code code;
	int failed = rep_code_read(&code, file, s->start, s->end, d->v->opt.intel_syntax, err);

	for (size_t i = 0; i < n; i++)
		add_node(&sum, place[i].node);
	if (!failed) {
		d->found++;
		rep_writer_put(&d->out, "ROUTINE ======================== ");
		rep_writer_string(&d->out, s->name);
		rep_writer_put(&d->out, "\n");
		rep_put_value(&d->out, d->v, 10, sum.flat);
		rep_writer_put(&d->out, " ");
		rep_put_value(&d->out, d->v, 10, sum.cum);
		rep_writer_put(&d->out, " (flat, cum) ");
		rep_put_share(&d->out, sum.cum, d->v->total);
		rep_writer_put(&d->out, " of Total\n");
		put_code(d, image, &code, place, n);
	}
	rep_code_release(&code);
	return failed;
}

/* ---- one program ---- */

/* The matching functions of a program. */
struct functions {
	const struct disasm *d;
	uint64_t address; /* address in the file, if REGEX is an address */
	struct function *item;
	size_t n, room;
};

static int take_function(void *ctx, const char *name, uint64_t start, uint64_t end)
{
	struct functions *f = ctx;
	const struct disasm *d = f->d;
	struct tp_text text = text_of(name);

	if (d->has_address ? f->address < start || f->address >= end
			   : !tp_regex_match(&d->only, text.text, text.size))
		return 0;
	if (tp_grow(&f->item, &f->room, f->n, sizeof(*f->item)))
		return TP_ENOMEM;
	f->item[f->n++] = (struct function){text, start, end};
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int by_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int c = rep_text_compare(x->name, y->name);

	return c ? c : (x->start > y->start) - (x->start < y->start);
}

/* Returns the index of the first place at or after an address. */
static size_t find_place(const struct place *place, size_t n, uint64_t address)
{
	size_t low = 0;

	while (n) {
		size_t half = n / 2;

		if (place[low + half].address < address) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

/* A mapping, and the program file it is read from. */
struct program {
	const struct tp_mapping *mapping;
	struct tp_text name; /* of the mapping's file */
	const char *file;
	struct tp_image *image;
};

static uint64_t address_in(const struct program *p, uint64_t address)
{
	const struct tp_mapping *m = p->mapping;
	const struct tp_image_mapping where = {.mapped = m->start && m->limit > m->start,
					       .start = m->start,
					       .limit = m->limit,
					       .offset = m->offset};

	return tp_image_address(p->image, &where, address);
}

static int put_functions(struct disasm *d, const struct program *p, const struct place *place,
			 size_t n, struct tp_err *err)
{
	struct functions f = {.d = d, .address = address_in(p, d->address)};
	int code = tp_image_functions(p->image, take_function, &f);

	if (code)
		tp_err_full(err, code, "the names of its functions are too long");
	if (f.n > 1)
		qsort(f.item, f.n, sizeof(*f.item), by_name);
	for (size_t i = 0; i < f.n && !code; i++) {
		const struct function *s = &f.item[i];
		size_t first = find_place(place, n, s->start), end;

		/* The function is listed twice. */
		if (i && s->start == s[-1].start && !rep_text_compare(s->name, s[-1].name))
			continue;
		end = first + find_place(place + first, n - first, s->end);
		if (end > first)
			code =
			    put_function(d, p->image, p->file, s, place + first, end - first, err);
	}
	free(f.item);
	return code;
}

/* Opens the program's file: the one that the user names, else the one in the profile. */
static int open_program(struct disasm *d, struct program *p, struct tp_err *err)
{
	const struct tp_profile *profile = d->v->profile;
	const struct tp_mapping *m = p->mapping;
	const struct tp_symbol_place place = {
	    .file = p->name.text,
	    .build_id = tp_dict_text(profile->dict, m->build_id).text,
	    .start = m->start,
	    .limit = m->limit,
	    .offset = m->offset,
	    .mapped = m->start && m->limit > m->start,
	    .first = m == profile->mappings,
	};
	const char *id, *path = NULL;
	struct stat st;

	if (d->programs)
		tp_symbolizer_file(d->programs, &place, &path, &id);
	p->file = path ? path : p->name.text;
	/* Reading a pipe could block forever. */
	if (stat(p->file, &st) || !S_ISREG(st.st_mode))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the program %.200s does not exist; name its file with --binary",
				  p->file);
	return tp_image_open(&p->image, p->file, err);
}

/* Writes the matching functions of a mapping. Each mapping of a file is a loaded part of it. */
static int put_mapping(struct disasm *d, const struct tp_mapping *m, struct tp_text name,
		       struct tp_err *err)
{
	struct program program = {.mapping = m, .name = name};
	struct place *place = calloc(d->g->n + 1, sizeof(*place));
	size_t n = 0;
	int code;

	if (!place)
		return tp_nomem(err);
	code = open_program(d, &program, err);
	for (size_t i = 0; !code && i < d->g->n; i++) {
		const struct rep_node *node = d->g->node[i];

		if (!rep_text_compare(node->info.object, name) && node->info.address >= m->start &&
		    (node->info.address < m->limit || m->limit <= m->start))
			place[n++] = (struct place){address_in(&program, node->info.address), node};
	}
	if (n > 1)
		qsort(place, n, sizeof(*place), by_address);
	if (n)
		code = put_functions(d, &program, place, n, err);
	if (code == TP_ENOENT || code == TP_EIO || code == TP_EFORMAT) {
		/* Other programs may be readable. This error is reported if no function is found.
		 */
		if (!d->missing_code && err)
			snprintf(d->missing, sizeof(d->missing), "%s", err->msg);
		if (!d->missing_code)
			d->missing_code = code;
		code = 0;
	}
	tp_image_close(program.image);
	free(place);
	return code;
}

/* Returns whether a mapping has samples in matching functions, by the names in the profile, which
 * do not need the program. */
static bool matches(const struct disasm *d, const struct tp_mapping *m, struct tp_text name)
{
	if (d->has_address)
		return d->address >= m->start && d->address <= m->limit;
	for (size_t i = 0; i < d->g->n; i++)
		if (!rep_text_compare(d->g->node[i]->info.object, name) &&
		    tp_regex_match(&d->only, d->g->node[i]->name.text, d->g->node[i]->name.size))
			return true;
	return false;
}

static int put_all(struct disasm *d, const char *arg, struct tp_err *err)
{
	const struct tp_profile *p = d->v->profile;
	bool matched = false;
	int code = 0;

	for (size_t i = 0; i < p->nmappings && !code; i++) {
		struct tp_text name = tp_dict_text(p->dict, p->mappings[i].file);

		if (!name.size || memchr(name.text, 0, name.size) ||
		    !matches(d, &p->mappings[i], name))
			continue;
		matched = true;
		code = put_mapping(d, &p->mappings[i], name, err);
	}
	if (code || d->found)
		return code;
	if (d->missing_code)
		return tp_err_set(err, d->missing_code, TP_OFFSET_NONE, "%s", d->missing);
	if (matched)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no function of the program that matches '%s' has samples", arg);
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "no function of the profile's programs matches '%s'", arg);
}

static bool parse_address(const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	const struct tp_symbol_options programs = {.binaries = &v->opt.binary,
						   .nbinaries = v->opt.binary ? 1 : 0,
						   .path = v->opt.symbol_path};
	struct disasm d = {.v = v};
	struct rep_graph *g = NULL;
	int code = tp_regex_init(&d.only, arg, "--disasm", err), written, unknown = 0;

	if (!code && (programs.nbinaries || programs.path))
		code = tp_symbolizer_new(&d.programs, &programs, err);

	d.has_address = parse_address(arg, &d.address);
	d.collect = rep_sink_buf(&d.text);
	rep_writer_init(&d.out, &d.collect);
	if (!code)
		code = rep_graph_new(&g, v, err);
	if (!code) {
		d.g = g;
		rep_writer_put(&d.out, "Total: ");
		rep_put_value(&d.out, v, 0, v->total);
		rep_writer_put(&d.out, "\n");
		code = put_all(&d, arg, err);
		if (!code || code == TP_ENOENT)
			unknown = tp_regex_settle(&d.only, err);
		code = unknown ? unknown : code;
	}
	written = rep_writer_finish(&d.out, code ? NULL : err);
	code = code ? code : written;
	if (!code)
		code = sink->write(sink->ctx, d.text.data, d.text.size, err);
	tp_buf_release(&d.text);
	rep_graph_free(g);
	tp_symbolizer_free(d.programs);
	tp_regex_release(&d.only);
	return code;
}

const struct rep_profile_report rep_profile_report_disasm = {
    .name = "disasm",
    .arg = "REGEX",
    .doc = "The instructions of functions that match REGEX, with values (needs objdump)",
    .traits = {.no_trim = true,
	       .whole = true,
	       .granularity_fixed = true,
	       .granularity = REP_ADDRESSES,
	       .no_inlines = 1,
	       .object_names = true},
    .print = print,
};
