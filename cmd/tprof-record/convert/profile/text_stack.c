/* Facts: runtime/pprof/pprof.go (printStackRecord), text/tabwriter with (w, 1, 8, 1, '\t', 0):
 * the cells of a column, of lines that follow each other, are filled up with tabs to a multiple of
 * 8 that is wider than the widest; what stands behind the last tab belongs to no column. */
#include "tprof-record/convert/profile/text_stack.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TAB 8

/* The address of what has none: any that is in no mapping will do. */
#define NOWHERE 1

void rec_text_put(struct rec_texts *t, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = t->code ? 0 : vsnprintf(NULL, 0, fmt, ap);
	if (!t->code && n >= 0)
		t->code = tp_buf_reserve(t->out, (size_t)n + 1);
	if (!t->code && n > 0) {
		vsnprintf((char *)t->out->data + t->out->size, (size_t)n + 1, fmt, again);
		t->out->size += (size_t)n;
	}
	va_end(again);
	va_end(ap);
}

void rec_text_load(struct rec_texts *t, const struct rec_row *row)
{
	t->npcs = rec_row_pcs(t->p, row, t->pcs);
	if (!row->lost)
		t->npcs = rec_names_drop_own(t->names, t->pcs, t->npcs);
	if (!t->npcs)
		t->pcs[t->npcs++] = NOWHERE;
}

void rec_text_addresses(struct rec_texts *t)
{
	for (size_t i = 0; i < t->npcs; i++)
		rec_text_put(t, " %#llx", (unsigned long long)t->pcs[i]);
}

/* A line that has a name; texts lie in the scratch buffer. */
struct line {
	size_t address, name, file; /* where each begins, NUL-terminated */
};

/* As many as characters, not bytes. */
static size_t width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t keep(struct rec_texts *t, const char *text)
{
	size_t at = t->scratch.size;

	if (!t->code)
		t->code = tp_buf_put(&t->scratch, text, strlen(text) + 1);
	/* What would end the line or the column early. */
	for (size_t i = at; !t->code && i + 1 < t->scratch.size; i++) {
		if (t->scratch.data[i] < ' ' || t->scratch.data[i] == 0x7f)
			t->scratch.data[i] = '?';
	}
	return at;
}

static void fill(struct rec_texts *t, const char *cell, size_t widest)
{
	size_t cellw = (widest + 1 + TAB - 1) / TAB * TAB;
	size_t n = (cellw - width(cell) + TAB - 1) / TAB;

	for (rec_text_put(t, "%s", cell); n && !t->code; n--)
		t->code = tp_buf_put(t->out, "\t", 1);
}

/* Lines with names that follow each other are one block of columns. */
static void flush(struct rec_texts *t, struct tp_buf *block)
{
	const struct line *line = (const struct line *)(void *)block->data;
	const char *text = (const char *)t->scratch.data;
	size_t n = block->size / sizeof(*line), address = 0, name = 0, w;

	for (size_t i = 0; i < n; i++) {
		w = width(text + line[i].address);
		address = w > address ? w : address;
		w = width(text + line[i].name);
		name = w > name ? w : name;
	}
	for (size_t i = 0; i < n; i++) {
		rec_text_put(t, "#\t");
		fill(t, text + line[i].address, address);
		fill(t, text + line[i].name, name);
		rec_text_put(t, "%s\n", text + line[i].file);
	}
	block->size = t->scratch.size = 0;
}

static void add_line(struct rec_texts *t, struct tp_buf *block, uint64_t pc, uint64_t entry,
		     const char *name, const char *file, int64_t number)
{
	char address[24], offset[24], at[24];
	struct line line;

	snprintf(address, sizeof(address), "%#llx", (unsigned long long)pc);
	snprintf(offset, sizeof(offset), "+%#llx",
		 (unsigned long long)(entry && entry <= pc ? pc - entry : 0));
	/* Go's %#x has 0x before a zero, too. */
	if (!(entry && entry < pc))
		snprintf(offset, sizeof(offset), "+0x0");
	snprintf(at, sizeof(at), ":%lld", (long long)number);
	line.address = keep(t, address);
	line.name = keep(t, name);
	t->scratch.size -= !t->code;
	keep(t, offset);
	line.file = keep(t, *file ? file : "?");
	t->scratch.size -= !t->code;
	keep(t, at);
	if (!t->code)
		t->code = tp_buf_put(block, &line, sizeof(line));
}

/* The frames of one address, innermost first. */
static void add_address(struct rec_texts *t, struct tp_buf *block, uint64_t pc)
{
	const struct rec_place *at = rec_names_place(t->names, pc);
	const struct tp_dict *dict = t->names->dict;
	uint64_t entry = rec_names_entry(t->names, pc);

	for (uint32_t n = at->n; n--;) {
		struct tp_frame f = tp_dict_frame_at(dict, at->frames[n]);
		struct tp_function fn = tp_dict_function_at(dict, f.function);

		if (at->named && fn.name) {
			add_line(t, block, pc - 1, entry, tp_dict_text(dict, fn.name).text,
				 tp_dict_text(dict, fn.file).text, f.line);
			continue;
		}
		flush(t, block);
		rec_text_put(t, "#\t%#llx\n", (unsigned long long)pc - 1);
	}
}

void rec_text_frames(struct rec_texts *t, const struct rec_row *row)
{
	struct tp_buf block = {0};

	if (row->lost || t->pcs[0] == NOWHERE)
		rec_text_put(t, "#\t0x%llx\t%s+0x0\t?:0\n", (unsigned long long)t->pcs[0] - 1,
			     row->lost ? REC_LOST_LOCK : REC_UNKNOWN_STACK);
	else
		for (size_t i = 0; i < t->npcs && !t->code; i++)
			add_address(t, &block, t->pcs[i]);
	flush(t, &block);
	rec_text_put(t, "\n");
	tp_buf_release(&block);
}
