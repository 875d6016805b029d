/* Call frame information: .eh_frame and the sorted table in .eh_frame_hdr that finds an entry (LSB,
 * "Exception Frames"; DWARF 5, section 6.4). Only what leads from one frame to the next is kept:
 *the rules for the caller's sp (the CFA), its fp, and the return address.
 *
 *	.eh_frame_hdr  version 1, encodings of: pointer to .eh_frame, count, table; then those.
 *		       Table: pairs of (PC, entry) sorted by PC, 4 bytes each, relative to the
 *start. entry (FDE)    length, distance back to its CIE, PC and size of the code (by the CIE's
 *		       encoding), augmentation data, instructions
 *	CIE	       length, 0, version, augmentation string, alignment factors of code and data,
 *		       register of the return address, augmentation data, instructions
 *
 * Tables are what a library's author says: nothing is read beyond the library's own addresses, or
 * where there is no memory.
 *
 * glibc finds the module of a PC without a lock (_dl_find_object, 2.35). Where that is missing, and
 * on other processors than x86-64, there are only frame pointers. */
#include "tprof-record/core/unwind.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <string.h>

extern int _dl_find_object(void *pc, struct dl_find_object *result) __attribute__((weak));

enum { REG_FP = 6, REG_SP = 7, REG_RA = 16 };

/* How a register of the caller is found. */
enum how { SAME, UNDEFINED, AT_CFA, IS_CFA, AT_EXPRESSION, IS_EXPRESSION, OTHERWISE };

struct rule {
	enum how how;
	int64_t offset;
	const uint8_t *expression, *limit;
};

struct row {
	uint32_t cfa_register;
	int64_t cfa_offset;
	const uint8_t *cfa_expression, *cfa_limit; /* in place of both of the above */
	struct rule fp, ra;
};

struct entry {
	uint64_t start;
	uint64_t code_align;
	int64_t data_align;
	bool signal; /* of a signal's return trampoline */
	const uint8_t *initial, *initial_limit, *code, *limit;
};

/* ---- reading ---- */

/* Of an image, with the page that was looked at last. */
struct window {
	struct rec_image image;
	uint64_t page;
};

/* Asking the kernel costs more than all the rest; what it said holds until libraries change. */
static bool has_page(struct window *w, uint64_t page)
{
	struct rec_state *s = rec_state();
	_Atomic uint64_t *known = s ? &s->pages[page / REC_PAGE % REC_NPAGES] : NULL;
	uint64_t mark;

	if (w->page == page)
		return true;
	mark = page | (s ? atomic_load_explicit(&s->epoch, memory_order_relaxed) % REC_PAGE : 0);
	if (!known || atomic_load_explicit(known, memory_order_relaxed) != mark) {
		if (!rec_is_readable(page))
			return false;
		if (known)
			atomic_store_explicit(known, mark, memory_order_relaxed);
	}
	w->page = page;
	return true;
}

static bool has(struct window *w, const void *p, uint64_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)p, page;

	if (at < w->image.start || at >= w->image.limit || size > w->image.limit - at ||
	    size > 1 << 20)
		return false;
	for (page = at & ~(uint64_t)(REC_PAGE - 1); page < at + size; page += REC_PAGE)
		if (!has_page(w, page))
			return false;
	return true;
}

static uint64_t get_uleb(const uint8_t **p, const uint8_t *limit)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (*p < limit) {
		uint8_t b = *(*p)++;

		if (shift < 64)
			value |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80))
			break;
	}
	return value;
}

static int64_t get_sleb(const uint8_t **p, const uint8_t *limit)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t b = 0;

	while (*p < limit) {
		b = *(*p)++;
		if (shift < 64)
			value |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80))
			break;
	}
	if (shift < 64 && (b & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

static uint64_t get_bytes(const uint8_t **p, const uint8_t *limit, size_t n)
{
	uint64_t value = 0;

	if ((size_t)(limit - *p) < n) {
		*p = limit;
		return 0;
	}
	memcpy(&value, *p, n);
	*p += n;
	return value;
}

static int64_t get_signed(const uint8_t **p, const uint8_t *limit, size_t n)
{
	uint64_t value = get_bytes(p, limit, n);

	return n < 8 ? (int64_t)(value << (64 - 8 * n)) >> (64 - 8 * n) : (int64_t)value;
}

/* A pointer in one of the encodings DW_EH_PE_*; relative: whether the encoding's base is added. */
static uint64_t get_pointer(const uint8_t **p, const uint8_t *limit, uint8_t encoding, bool base)
{
	uint64_t at = (uint64_t)(uintptr_t)*p, value;

	if (encoding == 0xff)
		return 0;
	switch (encoding & 0x0f) {
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		value = get_bytes(p, limit, 8);
		break;
	case 0x01:
		value = get_uleb(p, limit);
		break;
	case 0x02:
		value = get_bytes(p, limit, 2);
		break;
	case 0x03:
		value = get_bytes(p, limit, 4);
		break;
	case 0x09:
		value = (uint64_t)get_sleb(p, limit);
		break;
	case 0x0a:
		value = (uint64_t)get_signed(p, limit, 2);
		break;
	case 0x0b:
		value = (uint64_t)get_signed(p, limit, 4);
		break;
	default:
		*p = limit;
		return 0;
	}
	if (base && (encoding & 0x70) == 0x10) /* pcrel */
		value += at;
	return value;
}

/* ---- finding the entry ---- */

struct pair {
	int32_t pc, entry;
};

static const uint8_t *find_entry(struct window *w, uint64_t pc)
{
	const uint8_t *header = w->image.header, *p, *end, *table;
	int64_t where = (int64_t)(pc - (uint64_t)(uintptr_t)header);
	struct pair pair;
	uint64_t n, lo, hi;

	/* The only form that linkers write: a count of 4 bytes, relative pairs of 4 bytes. */
	if (!has(w, header, 12) || header[0] != 1 || header[2] != 0x03 || header[3] != 0x3b)
		return NULL;
	p = header + 4;
	end = header + 12;
	get_pointer(&p, end, header[1], false);
	n = get_bytes(&p, end, 4);
	table = p;
	if (!n || n > (w->image.limit - (uint64_t)(uintptr_t)table) / sizeof(pair))
		return NULL;
	for (lo = 0, hi = n; hi - lo > 1;) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (!has(w, table + mid * sizeof(pair), sizeof(pair)))
			return NULL;
		memcpy(&pair, table + mid * sizeof(pair), sizeof(pair));
		if (pair.pc <= where)
			lo = mid;
		else
			hi = mid;
	}
	if (!has(w, table + lo * sizeof(pair), sizeof(pair)))
		return NULL;
	memcpy(&pair, table + lo * sizeof(pair), sizeof(pair));
	return header + pair.entry;
}

/* What an entry at *p holds, without its length: up to *limit, all of it there. */
static bool get_length(struct window *w, const uint8_t **p, const uint8_t **limit)
{
	uint64_t length = 0;

	if (!has(w, *p, 4))
		return false;
	memcpy(&length, *p, 4);
	*p += 4;
	if (length == 0xffffffff) {
		if (!has(w, *p, 8))
			return false;
		memcpy(&length, *p, 8);
		*p += 8;
	}
	if (length < 4 || !has(w, *p, length))
		return false;
	*limit = *p + length;
	return true;
}

static bool read_augmentation(const uint8_t **p, const uint8_t *limit, const char *letters,
			      struct entry *e, uint8_t *encoding)
{
	uint64_t size = get_uleb(p, limit);
	const uint8_t *data = *p, *end;
	uint8_t how;

	if (size > (uint64_t)(limit - *p))
		return false;
	*p = end = *p + size;
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			*encoding = (uint8_t)get_bytes(&data, end, 1);
			break;
		case 'L':
			get_bytes(&data, end, 1);
			break;
		case 'P':
			how = (uint8_t)get_bytes(&data, end, 1);
			get_pointer(&data, end, how, false);
			break;
		case 'S':
			e->signal = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool read_cie(struct window *w, const uint8_t *p, struct entry *e, uint8_t *encoding,
		     bool *augmented)
{
	const uint8_t *limit, *end;
	const char *letters;
	uint8_t version;

	if (!get_length(w, &p, &limit))
		return false;
	p += 4;
	version = (uint8_t)get_bytes(&p, limit, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = (const char *)p;
	end = memchr(p, 0, (size_t)(limit - p));
	if (!end)
		return false;
	p = end + 1;
	if (version == 4)
		get_bytes(&p, limit, 2);
	e->code_align = get_uleb(&p, limit);
	e->data_align = get_sleb(&p, limit);
	if ((version == 1 ? get_bytes(&p, limit, 1) : get_uleb(&p, limit)) != REG_RA)
		return false;
	*encoding = 0;
	e->signal = false;
	*augmented = letters[0] == 'z';
	if (*augmented ? !read_augmentation(&p, limit, letters, e, encoding) : letters[0] != 0)
		return false;
	e->initial = p;
	e->initial_limit = limit;
	return true;
}

static bool read_entry(struct window *w, uint64_t pc, struct entry *e)
{
	const uint8_t *p, *id, *limit;
	uint8_t encoding;
	uint32_t back;
	uint64_t size;
	bool augmented;

	p = find_entry(w, pc);
	if (!p || !get_length(w, &p, &limit))
		return false;
	id = p;
	memcpy(&back, p, 4);
	p += 4;
	if (!back || !read_cie(w, id - back, e, &encoding, &augmented))
		return false;
	e->start = get_pointer(&p, limit, encoding, true);
	size = get_pointer(&p, limit, encoding & 0x0f, false);
	if (pc - e->start >= size)
		return false;
	if (augmented) {
		size = get_uleb(&p, limit);
		if (size > (uint64_t)(limit - p))
			return false;
		p += size;
	}
	e->code = p;
	e->limit = limit;
	return true;
}

static bool find_image(uint64_t pc, struct rec_image *image)
{
	struct dl_find_object object;

	if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)pc, &object) != 0 ||
	    !object.dlfo_eh_frame)
		return false;
	image->start = (uint64_t)(uintptr_t)object.dlfo_map_start;
	image->limit = (uint64_t)(uintptr_t)object.dlfo_map_end;
	image->header = object.dlfo_eh_frame;
	return true;
}

/* ---- running the instructions ---- */

static struct rule *rule_of(struct row *row, uint64_t reg)
{
	return reg == REG_FP ? &row->fp : reg == REG_RA ? &row->ra : NULL;
}

static void set_rule(struct row *row, uint64_t reg, enum how how, int64_t offset)
{
	struct rule *r = rule_of(row, reg);

	if (r)
		*r = (struct rule){.how = how, .offset = offset};
}

static void set_expression(struct row *row, uint64_t reg, enum how how, const uint8_t **p,
			   const uint8_t *limit)
{
	uint64_t size = get_uleb(p, limit);
	struct rule *r = rule_of(row, reg);

	if (size > (uint64_t)(limit - *p))
		size = (uint64_t)(limit - *p);
	if (r)
		*r = (struct rule){.how = how, .expression = *p, .limit = *p + size};
	*p += size;
}

static int64_t scaled(const struct entry *e, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)e->data_align);
}

enum { DEPTH = 8 }; /* of remembered rows */

/* Until the row of `pc`. false: something that this does not know. */
static bool run(const struct entry *e, const uint8_t *p, const uint8_t *limit, uint64_t pc,
		struct row *row, const struct row *initial)
{
	struct row kept[DEPTH];
	unsigned nkept = 0;
	uint64_t at = e->start, reg;

	while (p < limit) {
		uint8_t op = *p++;

		switch (op & 0xc0) {
		case 0x40: /* advance_loc */
			at += (op & 0x3f) * e->code_align;
			if (at > pc)
				return true;
			continue;
		case 0x80: /* offset */
			set_rule(row, op & 0x3f, AT_CFA, scaled(e, get_uleb(&p, limit)));
			continue;
		case 0xc0: /* restore */
			if (rule_of(row, op & 0x3f))
				*rule_of(row, op & 0x3f) =
				    *rule_of((struct row *)(uintptr_t)initial, op & 0x3f);
			continue;
		}
		switch (op) {
		case 0x00: /* nop */
			break;
		case 0x01: /* set_loc */
			return false;
		case 0x02: /* advance_loc1, 2, 4 */
		case 0x03:
		case 0x04:
			at += get_bytes(&p, limit,
					op == 0x02   ? 1
					: op == 0x03 ? 2
						     : 4) *
			      e->code_align;
			if (at > pc)
				return true;
			break;
		case 0x05: /* offset_extended */
			reg = get_uleb(&p, limit);
			set_rule(row, reg, AT_CFA, scaled(e, get_uleb(&p, limit)));
			break;
		case 0x06: /* restore_extended */
			reg = get_uleb(&p, limit);
			if (rule_of(row, reg))
				*rule_of(row, reg) =
				    *rule_of((struct row *)(uintptr_t)initial, reg);
			break;
		case 0x07: /* undefined */
			set_rule(row, get_uleb(&p, limit), UNDEFINED, 0);
			break;
		case 0x08: /* same_value */
			set_rule(row, get_uleb(&p, limit), SAME, 0);
			break;
		case 0x09: /* register */
			reg = get_uleb(&p, limit);
			get_uleb(&p, limit);
			set_rule(row, reg, OTHERWISE, 0);
			break;
		case 0x0a: /* remember_state */
			if (nkept == DEPTH)
				return false;
			kept[nkept++] = *row;
			break;
		case 0x0b: /* restore_state */
			if (!nkept)
				return false;
			*row = kept[--nkept];
			break;
		case 0x0c: /* def_cfa */
			row->cfa_register = (uint32_t)get_uleb(&p, limit);
			row->cfa_offset = (int64_t)get_uleb(&p, limit);
			row->cfa_expression = NULL;
			break;
		case 0x0d: /* def_cfa_register */
			row->cfa_register = (uint32_t)get_uleb(&p, limit);
			row->cfa_expression = NULL;
			break;
		case 0x0e: /* def_cfa_offset */
			row->cfa_offset = (int64_t)get_uleb(&p, limit);
			break;
		case 0x0f: { /* def_cfa_expression */
			uint64_t size = get_uleb(&p, limit);

			if (size > (uint64_t)(limit - p))
				return false;
			row->cfa_expression = p;
			row->cfa_limit = p + size;
			p += size;
			break;
		}
		case 0x10: /* expression */
			reg = get_uleb(&p, limit);
			set_expression(row, reg, AT_EXPRESSION, &p, limit);
			break;
		case 0x11: /* offset_extended_sf */
			reg = get_uleb(&p, limit);
			set_rule(row, reg, AT_CFA, scaled(e, (uint64_t)get_sleb(&p, limit)));
			break;
		case 0x12: /* def_cfa_sf */
			row->cfa_register = (uint32_t)get_uleb(&p, limit);
			row->cfa_offset = scaled(e, (uint64_t)get_sleb(&p, limit));
			row->cfa_expression = NULL;
			break;
		case 0x13: /* def_cfa_offset_sf */
			row->cfa_offset = scaled(e, (uint64_t)get_sleb(&p, limit));
			break;
		case 0x14: /* val_offset */
			reg = get_uleb(&p, limit);
			set_rule(row, reg, IS_CFA, scaled(e, get_uleb(&p, limit)));
			break;
		case 0x15: /* val_offset_sf */
			reg = get_uleb(&p, limit);
			set_rule(row, reg, IS_CFA, scaled(e, (uint64_t)get_sleb(&p, limit)));
			break;
		case 0x16: /* val_expression */
			reg = get_uleb(&p, limit);
			set_expression(row, reg, IS_EXPRESSION, &p, limit);
			break;
		case 0x2e: /* GNU_args_size */
			get_uleb(&p, limit);
			break;
		case 0x2f: /* GNU_negative_offset_extended */
			reg = get_uleb(&p, limit);
			set_rule(row, reg, AT_CFA, scaled(e, 0 - get_uleb(&p, limit)));
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool find_row(const struct rec_image *image, uint64_t pc, struct entry *e, struct row *row)
{
	struct window w = {.image = *image};
	struct row initial = {.ra.how = OTHERWISE};

	if (!read_entry(&w, pc, e) || !run(e, e->initial, e->initial_limit, pc, &initial, &initial))
		return false;
	*row = initial;
	return run(e, e->code, e->limit, pc, row, &initial);
}

uint64_t rec_cfi_rule(uint64_t pc)
{
	struct rec_image image;

	return find_image(pc, &image) ? rec_cfi_rule_in(&image, pc) : REC_RULE_GUESS;
}

uint64_t rec_cfi_rule_in(const struct rec_image *image, uint64_t pc)
{
	struct entry e;
	struct row row;
	uint64_t kind, saved = 0;

	if (!find_row(image, pc, &e, &row))
		return REC_RULE_GUESS;
	if (e.signal)
		return REC_RULE_SIGNAL;
	if (row.ra.how == UNDEFINED)
		return REC_RULE_END;
	if (row.cfa_expression || (row.cfa_register != REG_SP && row.cfa_register != REG_FP) ||
	    row.ra.how != AT_CFA || row.ra.offset != -8 || row.cfa_offset < 0 ||
	    row.cfa_offset > UINT32_MAX)
		return REC_RULE_COMPLEX;
	kind = row.cfa_register == REG_SP ? REC_RULE_SP : REC_RULE_FP;
	if (row.fp.how == AT_CFA) {
		if (row.fp.offset >= 0 || row.fp.offset % 8 || row.fp.offset < -(1 << 30))
			return REC_RULE_COMPLEX;
		saved = (uint64_t)(-row.fp.offset / 8);
	} else if (row.fp.how != SAME && row.fp.how != UNDEFINED) {
		return REC_RULE_COMPLEX;
	}
	return kind | saved << 3 | (uint64_t)row.cfa_offset << 32;
}

/* ---- expressions ---- */

/* Those that compilers, linkers (for their PLT) and hand-written assembly use. */
static bool evaluate(const uint8_t *p, const uint8_t *limit, const struct rec_frame *f,
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
			int64_t offset = get_sleb(&p, limit);

			if (op - 0x70 == REG_SP)
				stack[n++] = f->sp + (uint64_t)offset;
			else if (op - 0x70 == REG_FP)
				stack[n++] = f->fp + (uint64_t)offset;
			else if (op - 0x70 == REG_RA)
				stack[n++] = f->pc - 1 + (uint64_t)offset;
			else
				return false;
			continue;
		}
		switch (op) {
		case 0x06: /* deref */
			if (stack[n - 1] % 8 || !rec_reaches(reach, stack[n - 1]))
				return false;
			stack[n - 1] = *(const uint64_t *)(uintptr_t)stack[n - 1];
			break;
		case 0x08:
			stack[n++] = get_bytes(&p, limit, 1);
			break;
		case 0x09:
			stack[n++] = (uint64_t)get_signed(&p, limit, 1);
			break;
		case 0x0a:
			stack[n++] = get_bytes(&p, limit, 2);
			break;
		case 0x0b:
			stack[n++] = (uint64_t)get_signed(&p, limit, 2);
			break;
		case 0x0c:
			stack[n++] = get_bytes(&p, limit, 4);
			break;
		case 0x0d:
			stack[n++] = (uint64_t)get_signed(&p, limit, 4);
			break;
		case 0x10:
			stack[n++] = get_uleb(&p, limit);
			break;
		case 0x11:
			stack[n++] = (uint64_t)get_sleb(&p, limit);
			break;
		case 0x23: /* plus_uconst */
			stack[n - 1] += get_uleb(&p, limit);
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

static bool find_register(const struct rule *r, const struct rec_frame *f, struct rec_reach *reach,
			  uint64_t cfa, uint64_t *value)
{
	uint64_t at = cfa + (uint64_t)r->offset;

	switch (r->how) {
	case SAME:
	case UNDEFINED:
		return true;
	case IS_CFA:
		*value = at;
		return true;
	case IS_EXPRESSION:
		return evaluate(r->expression, r->limit, f, reach, cfa, value);
	case AT_EXPRESSION:
		if (!evaluate(r->expression, r->limit, f, reach, cfa, &at))
			return false;
		break;
	case AT_CFA:
		break;
	case OTHERWISE:
		return false;
	}
	if (at % 8 || !rec_reaches(reach, at))
		return false;
	*value = *(const uint64_t *)(uintptr_t)at;
	return true;
}

bool rec_cfi_step(struct rec_frame *frame, struct rec_reach *reach)
{
	struct rec_frame next = *frame;
	struct rec_image image;
	struct entry e;
	struct row row;
	uint64_t cfa;

	if (!find_image(frame->pc - 1, &image) || !find_row(&image, frame->pc - 1, &e, &row) ||
	    row.ra.how == UNDEFINED || row.ra.how == SAME)
		return false;
	if (row.cfa_expression) {
		if (!evaluate(row.cfa_expression, row.cfa_limit, frame, reach, 0, &cfa))
			return false;
	} else if (row.cfa_register == REG_SP || row.cfa_register == REG_FP) {
		cfa =
		    (row.cfa_register == REG_SP ? frame->sp : frame->fp) + (uint64_t)row.cfa_offset;
	} else {
		return false;
	}
	if (!find_register(&row.fp, frame, reach, cfa, &next.fp) ||
	    !find_register(&row.ra, frame, reach, cfa, &next.pc))
		return false;
	next.sp = cfa;
	*frame = next;
	return true;
}

#else

uint64_t rec_cfi_rule(uint64_t pc)
{
	(void)pc;
	return REC_RULE_GUESS;
}

bool rec_cfi_step(struct rec_frame *frame, struct rec_reach *reach)
{
	(void)frame, (void)reach;
	return false;
}

#endif
