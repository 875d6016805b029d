/* Sources: Go's debug/gosym/pclntab.go (layouts), runtime/symtab.go and symtabinl.go (moduledata,
 * pcvalue, inlined calls), runtime/runtime2.go (_func).
 *
 * Header, whose words have the size of the program's pointers:
 *
 *   OFFSET  MEANING
 *   0       magic: fffffffb (1.2), fffffffa (1.16), fffffff0 (1.18), fffffff1 (1.20)
 *   4       0, 0, instruction quantum, size of a pointer
 *   8       words    1.2     number of functions; the function table follows
 *                    1.16    functions, files, offsets of: names, units, files, values, functions
 *                    1.18 on functions, files, text, offsets of the same
 *
 * Function table: (entry, offset of its record from the table) per function, in order of entry, and
 * the end of the last. Pointers; from 1.18 on 4 bytes each, entries counted from the text.
 *
 * A function's record, whose fields have 4 bytes each except the first:
 *
 *   1.2, 1.16  entry (pointer) name args frame pcsp pcfile pcln npcdata [1.16: unit]
 *   1.18       entry name args deferreturn pcsp pcfile pcln npcdata unit, then one byte each id,
 *              flags, 0, nfuncdata; pcdata[npcdata], funcdata[nfuncdata]
 * 1.20 the same with the start line after the unit
 *
 * Values by pc (file, line, index of the inlined call) are pairs of varints: zigzag change of the
 * value, then of the pc in quanta; they begin at -1 and the function's entry, and a change of 0
 * ends them. An inlined call is 20 bytes in 1.18 (name at 12, parent pc at 16), 16 bytes in 1.20
 * (name at 4, parent pc at 8, start line at 12). */
#include "symbol/pclntab.h"

#include <string.h>

enum {
	PCDATA_INLINED = 2,   /* internal/abi: PCDATA_InlTreeIndex */
	FUNCDATA_INLINED = 3, /* FUNCDATA_InlTree */
};

/* Limit on steps through the tables of values for one address; real tables have a few thousand. */
#define MOST_STEPS (1u << 20)
/* Limit on steps of all look-ups: BYTE_STEPS for each byte of the table, and LOOKUP_STEPS more for
 * each look-up. Addresses from all over Go's compiler take 610 steps on average and 23,531 at
 * worst, those of a web server 144 on average. The first look-up that exceeds this limit or
 * MOST_STEPS is the last. */
#define BYTE_STEPS   64
#define LOOKUP_STEPS 1024
/* Bytes of text for one step. A name may be as long as the table, and all functions may have it. */
#define STEP_BYTES 32

static uint32_t get32(const struct tp_pclntab *t, const uint8_t *p)
{
	return t->big_endian
		   ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
		   : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static uint64_t get_word(const struct tp_pclntab *t, const uint8_t *p)
{
	uint64_t a = get32(t, p), b;

	if (t->pointer == 4)
		return a;
	b = get32(t, p + 4);
	return t->big_endian ? a << 32 | b : b << 32 | a;
}

/* Reads a number of 4 bytes at an offset in a part of the table. Returns false if the part ends
 * before its end. */
static bool read32(const struct tp_pclntab *t, struct tp_slice s, uint64_t offset, uint32_t *v)
{
	if (offset > s.size || s.size - offset < 4)
		return false;
	*v = get32(t, s.data + offset);
	return true;
}

static struct tp_slice from(struct tp_slice s, uint64_t offset)
{
	if (offset > s.size)
		return (struct tp_slice){s.data, 0};
	return (struct tp_slice){s.data + offset, s.size - (size_t)offset};
}

/* Returns the text at an offset, or NULL if it does not end within its part. Searching for the end
 * takes steps. */
static const char *text_at(struct tp_slice s, uint64_t offset, unsigned *steps)
{
	const uint8_t *end;
	size_t cost;

	s = from(s, offset);
	end = s.size ? memchr(s.data, 0, s.size) : NULL;
	cost = (end ? (size_t)(end - s.data) : s.size) / STEP_BYTES;
	*steps -= cost < *steps ? (unsigned)cost : *steps;
	return end ? (const char *)s.data : NULL;
}

/* ---- header ---- */

static bool set_version(struct tp_pclntab *t)
{
	static const struct {
		uint32_t magic;
		unsigned version;
	} magics[] = {{0xfffffffb, 2}, {0xfffffffa, 16}, {0xfffffff0, 18}, {0xfffffff1, 20}};
	const uint8_t *p = t->all.data;

	if (t->all.size < 16 || p[4] || p[5] || (p[6] != 1 && p[6] != 2 && p[6] != 4) ||
	    (p[7] != 4 && p[7] != 8))
		return false;
	t->quantum = p[6];
	t->pointer = p[7];
	for (int order = 0; order < 2; order++) {
		t->big_endian = order;
		for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
			if (get32(t, p) == magics[i].magic) {
				t->version = magics[i].version;
				return true;
			}
		}
	}
	return false;
}

/* Returns the bytes of a number in the function table. */
static unsigned field_size(const struct tp_pclntab *t)
{
	return t->version >= 18 ? 4 : t->pointer;
}

static bool read_header(struct tp_pclntab *t)
{
	unsigned words = t->version >= 18 ? 8 : t->version == 16 ? 7 : 1, at = 0;
	uint64_t word[8] = {0}, functions;

	if (t->all.size < 8 + (size_t)words * t->pointer)
		return false;
	for (unsigned i = 0; i < words; i++)
		word[i] = get_word(t, t->all.data + 8 + (size_t)i * t->pointer);
	functions = word[0];
	if (t->version >= 16) {
		t->nfiles = word[1] > UINT32_MAX ? 0 : (uint32_t)word[1];
		at = t->version >= 18 ? 3 : 2;
		if (t->version >= 18)
			t->text_header = word[2];
		t->names = from(t->all, word[at]);
		t->units = from(t->all, word[at + 1]);
		t->files = from(t->all, word[at + 2]);
		t->values = from(t->all, word[at + 3]);
		t->functions = from(t->all, word[at + 4]);
	} else {
		t->names = t->files = t->values = t->all;
		t->functions = from(t->all, 8 + (uint64_t)t->pointer);
	}
	if (!functions || functions > t->functions.size / (2 * (uint64_t)field_size(t)) ||
	    t->functions.size - functions * 2 * field_size(t) < field_size(t))
		return false;
	t->nfunctions = (uint32_t)functions;
	if (t->version == 2) {
		/* After the functions comes the offset of the table of files: a count, then offsets. */
		uint32_t offset, n;

		if (!read32(t, t->functions, (functions * 2 + 1) * t->pointer, &offset) ||
		    !read32(t, t->all, offset, &n))
			return false;
		t->units = from(t->all, offset);
		t->nfiles = n;
	}
	return true;
}

bool tp_pclntab_init(struct tp_pclntab *t, const void *data, size_t size, uint64_t text)
{
	memset(t, 0, sizeof(*t));
	t->all = (struct tp_slice){data, size};
	if (!data || !set_version(t) || !read_header(t))
		return false;
	t->text = t->text_header ? t->text_header : text;
	t->credit = (uint64_t)size * BYTE_STEPS;
	return true;
}

/* ---- functions ---- */

struct function {
	uint64_t entry, end;
	struct tp_slice record; /* from its first byte to the end of the table */
	unsigned first;		/* bytes of the record's first field */
};

static uint64_t entry_of(const struct tp_pclntab *t, uint32_t i)
{
	const uint8_t *p = t->functions.data + (size_t)i * 2 * field_size(t);

	return t->version >= 18 ? t->text + get32(t, p) : get_word(t, p);
}

static bool function_at(const struct tp_pclntab *t, uint32_t i, struct function *f)
{
	const uint8_t *p = t->functions.data + (size_t)i * 2 * field_size(t) + field_size(t);
	uint64_t offset = t->version >= 18 ? get32(t, p) : get_word(t, p);

	f->entry = entry_of(t, i);
	f->end = entry_of(t, i + 1);
	f->record = from(t->version == 2 ? t->all : t->functions, offset);
	f->first = t->version >= 18 ? 4 : t->pointer;
	return f->record.size >= f->first + 10 * 4;
}

static bool find_function(const struct tp_pclntab *t, uint64_t pc, struct function *f)
{
	uint32_t low = 0, high = t->nfunctions;

	if (pc < entry_of(t, 0) || pc >= entry_of(t, high))
		return false;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (entry_of(t, mid) <= pc)
			low = mid;
		else
			high = mid;
	}
	return function_at(t, low, f) && pc >= f->entry;
}

enum { NAME = 1, PCFILE = 5, PCLN, NPCDATA, UNIT, START_LINE };

static uint32_t field(const struct tp_pclntab *t, const struct function *f, int n)
{
	return get32(t, f->record.data + f->first + (size_t)(n - 1) * 4);
}

/* Returns where the lists of tables begin within the record, and sets their lengths; 0 before 1.18. */
static size_t lists_of(const struct tp_pclntab *t, const struct function *f, uint32_t *npcdata,
		       uint32_t *nfuncdata)
{
	size_t at = t->version >= 20 ? 40 : 36;

	*npcdata = *nfuncdata = 0;
	if (t->version < 18 || f->record.size < at + 4)
		return 0;
	*npcdata = field(t, f, NPCDATA);
	*nfuncdata = f->record.data[at + 3];
	return at + 4;
}

/* ---- values by pc ---- */

static bool varint32(struct tp_slice *s, uint32_t *v)
{
	unsigned shift = 0;

	for (*v = 0; s->size && shift < 35; shift += 7) {
		uint8_t byte = *s->data++;

		s->size--;
		*v |= shift < 32 ? (uint32_t)(byte & 0x7f) << shift : 0;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Returns the value of a table at pc, or -1 if the table does not cover pc. */
static int32_t value_at(const struct tp_pclntab *t, uint32_t table, uint64_t entry, uint64_t pc,
			unsigned *steps)
{
	struct tp_slice s = from(t->values, table);
	uint64_t at = entry;
	uint32_t value = UINT32_MAX, change, pcs;

	if (!table)
		return -1;
	for (bool first = true; *steps; first = false, --*steps) {
		if (!varint32(&s, &change) || (!change && !first) || !varint32(&s, &pcs))
			return -1;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		at += (uint64_t)pcs * t->quantum;
		if (pc < at)
			return (int32_t)value;
	}
	return -1;
}

static const char *file_name(const struct tp_pclntab *t, const struct function *f, int32_t number,
			     unsigned *steps)
{
	const char *name = NULL;
	uint32_t offset;

	if (number < 0)
		return "";
	if (t->version >= 16) {
		uint64_t at = ((uint64_t)field(t, f, UNIT) + (uint32_t)number) * 4;

		if (read32(t, t->units, at, &offset) && offset != UINT32_MAX)
			name = text_at(t->files, offset, steps);
	} else if (number && (uint32_t)number < t->nfiles &&
		   read32(t, t->units, (uint64_t)number * 4, &offset)) {
		name = text_at(t->files, offset, steps);
	}
	return name ? name : "";
}

static void place(const struct tp_pclntab *t, const struct function *f, uint64_t pc,
		  struct tp_symbol *s, unsigned *steps)
{
	int32_t line = value_at(t, field(t, f, PCLN), f->entry, pc, steps);

	s->file = file_name(t, f, value_at(t, field(t, f, PCFILE), f->entry, pc, steps), steps);
	s->line = line > 0 ? line : 0;
}

/* ---- inlined calls ---- */

struct call {
	const char *name;
	uint32_t parent_pc, start_line;
};

/* Sets *indices to the function's table of values for indices of inlined calls, and *calls to the
 * offset of its calls. Returns false if nothing is inlined into it. */
static bool inlined_into(const struct tp_pclntab *t, const struct function *f, uint32_t *indices,
			 uint32_t *calls)
{
	uint32_t npcdata, nfuncdata;
	size_t at = lists_of(t, f, &npcdata, &nfuncdata);

	return at && npcdata > PCDATA_INLINED && nfuncdata > FUNCDATA_INLINED &&
	       read32(t, f->record, at + PCDATA_INLINED * 4, indices) && *indices &&
	       read32(t, f->record, at + ((uint64_t)npcdata + FUNCDATA_INLINED) * 4, calls) &&
	       *calls != UINT32_MAX;
}

static bool call_at(const struct tp_pclntab *t, uint64_t address, struct call *c, unsigned *steps)
{
	struct tp_slice s = t->memory(t->memory_ctx, address);
	bool old = t->version < 20;
	uint32_t name;

	if (!read32(t, s, old ? 12 : 4, &name) || !read32(t, s, old ? 16 : 8, &c->parent_pc))
		return false;
	c->start_line = 0;
	if (!old && !read32(t, s, 12, &c->start_line))
		return false;
	c->name = text_at(t->names, name, steps);
	/* A valid name begins where another one ends. */
	return c->name && *c->name && (!name || !t->names.data[name - 1]);
}

bool tp_pclntab_inlining(struct tp_pclntab *t, uint64_t address, tp_memory_fn memory, void *ctx)
{
	enum { ENOUGH = 200 };
	unsigned seen = 0, steps = MOST_STEPS;

	t->memory = memory;
	t->memory_ctx = ctx;
	t->function_data = 0;
	if (!address)
		return false;
	for (uint32_t i = 0; i < t->nfunctions && seen < ENOUGH; i++) {
		struct function f;
		uint32_t indices, calls;
		struct call c;

		if (!function_at(t, i, &f) || !inlined_into(t, &f, &indices, &calls))
			continue;
		if (!call_at(t, address + calls, &c, &steps) || c.parent_pc >= f.end - f.entry)
			return false;
		seen++;
	}
	if (seen)
		t->function_data = address;
	return seen;
}

static int64_t positive(uint32_t line)
{
	return line <= INT32_MAX ? line : 0;
}

static size_t look_up(const struct tp_pclntab *t, uint64_t pc, struct tp_symbol *chain, size_t room,
		      unsigned *steps)
{
	uint32_t indices, calls;
	struct function f;
	const char *name;
	bool inlines;
	size_t n = 0;

	if (!find_function(t, pc, &f) || !(name = text_at(t->names, field(t, &f, NAME), steps)) ||
	    !*name)
		return 0;
	inlines = t->function_data && inlined_into(t, &f, &indices, &calls);
	while (n < room) {
		struct tp_symbol *s = &chain[n++];
		int32_t index = inlines ? value_at(t, indices, f.entry, pc, steps) : -1;
		struct call c;

		memset(s, 0, sizeof(*s));
		place(t, &f, pc, s, steps);
		if (index < 0 || n == room ||
		    !call_at(t,
			     t->function_data + calls +
				 (uint64_t)(uint32_t)index * (t->version < 20 ? 20 : 16),
			     &c, steps)) {
			s->name = s->system_name = name;
			s->start_line = t->version >= 20 ? positive(field(t, &f, START_LINE)) : 0;
			break;
		}
		s->name = s->system_name = c.name;
		s->start_line = positive(c.start_line);
		pc = f.entry + c.parent_pc;
	}
	return n;
}

size_t tp_pclntab_lookup(struct tp_pclntab *t, uint64_t pc, struct tp_symbol *chain, size_t room)
{
	unsigned steps, most;
	size_t n;

	if (t->spent)
		return 0;
	t->credit += LOOKUP_STEPS;
	most = t->credit < MOST_STEPS ? (unsigned)t->credit : MOST_STEPS;
	steps = most;
	n = look_up(t, pc, chain, room, &steps);
	t->credit -= most - steps;
	t->spent = !steps;
	return !steps && most < MOST_STEPS ? 0 : n;
}
