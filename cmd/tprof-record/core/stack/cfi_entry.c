/* Finds the entry for a piece of code: .eh_frame, by the sorted table in .eh_frame_hdr (LSB, "Exception
 * Frames"; DWARF 5, section 6.4).
 *
 *	.eh_frame_hdr  version 1, encodings of: pointer to .eh_frame, count, table; then those.
 *		       Table: pairs of (PC, entry) sorted by PC, 4 bytes each, relative to
 *		       its start
 *	entry (FDE)    length, distance back to its CIE, PC and size of the code (by the
 *		       CIE's encoding), augmentation data, instructions
 *	CIE	       length, 0, version, augmentation string, alignment factors of code and data,
 *		       register of the return address, augmentation data, instructions
 *
 * Tables may contain anything that a library's author put there: nothing is read outside the library's own
 * addresses, or where memory is not readable.
 *
 * glibc finds the module of a PC without a lock (_dl_find_object, 2.35). */
#include "tprof-record/core/stack/cfi.h"

#include <dlfcn.h>

#pragma weak _dl_find_object

/* ---- what may be read ---- */

/* An image, and its page that was last found readable. */
struct window {
	struct rec_image image;
	uint64_t page;
};

/* Returns whether the page is readable. Asking the kernel costs more than all the rest, so its answer is kept
 * until libraries change. */
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

/* ---- entries ---- */

/* A pointer in one of the encodings DW_EH_PE_*; relative: whether the encoding's base is added. */
static uint64_t get_pointer(const uint8_t **p, const uint8_t *limit, uint8_t encoding, bool base)
{
	uint64_t at = (uint64_t)(uintptr_t)*p, value;

	if (encoding == 0xff)
		return 0;
	switch (encoding & 0x0f) {
	case 0x00: /* absptr */
		value = rec_get_bytes(p, limit, 8);
		break;
	case 0x01: /* uleb128 */
		value = rec_get_uleb(p, limit);
		break;
	case 0x02: /* udata2, 4, 8 */
	case 0x03:
	case 0x04:
		value = rec_get_bytes(p, limit, (size_t)1 << ((encoding & 7) - 1));
		break;
	case 0x09: /* sleb128 */
		value = (uint64_t)rec_get_sleb(p, limit);
		break;
	case 0x0a: /* sdata2, 4, 8 */
	case 0x0b:
	case 0x0c:
		value = (uint64_t)rec_get_signed(p, limit, (size_t)1 << ((encoding & 7) - 1));
		break;
	default:
		*p = limit;
		return 0;
	}
	if (base && (encoding & 0x70) == 0x10) /* pcrel */
		value += at;
	return value;
}

struct pair {
	int32_t pc, entry;
};

static const uint8_t *find_entry(struct window *w, uint64_t pc)
{
	const uint8_t *header = w->image.header, *p, *end, *table;
	int64_t where = (int64_t)(pc - (uint64_t)(uintptr_t)header);
	struct pair pair;
	uint64_t n, lo, hi;

	/* The only form that linkers write: a 4-byte count, and relative pairs of 4 bytes each. */
	if (!has(w, header, 12) || header[0] != 1 || header[2] != 0x03 || header[3] != 0x3b)
		return NULL;
	p = header + 4;
	end = header + 12;
	get_pointer(&p, end, header[1], false);
	n = rec_get_bytes(&p, end, 4);
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

/* Skips the length of the entry at *p, and sets *limit to the entry's end. Returns false unless all its bytes
 * are readable. */
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
			      struct rec_cfi_entry *e, uint8_t *encoding)
{
	uint64_t size = rec_get_uleb(p, limit);
	const uint8_t *data = *p, *end;
	uint8_t how;

	if (size > (uint64_t)(limit - *p))
		return false;
	*p = end = *p + size;
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			*encoding = (uint8_t)rec_get_bytes(&data, end, 1);
			break;
		case 'L':
			rec_get_bytes(&data, end, 1);
			break;
		case 'P':
			how = (uint8_t)rec_get_bytes(&data, end, 1);
			get_pointer(&data, end, how, false);
			break;
		case 'S':
			e->signal = true;
			break;
		case 'B': /* arm64: signed by the other key, or tagged; neither matters here */
		case 'G':
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool read_cie(struct window *w, const uint8_t *p, struct rec_cfi_entry *e, uint8_t *encoding,
		     bool *augmented)
{
	const uint8_t *limit, *end;
	const char *letters;
	uint8_t version;

	if (!get_length(w, &p, &limit))
		return false;
	p += 4;
	version = (uint8_t)rec_get_bytes(&p, limit, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = (const char *)p;
	end = memchr(p, 0, (size_t)(limit - p));
	if (!end)
		return false;
	p = end + 1;
	if (version == 4)
		rec_get_bytes(&p, limit, 2);
	e->code_align = rec_get_uleb(&p, limit);
	e->data_align = rec_get_sleb(&p, limit);
	if ((version == 1 ? rec_get_bytes(&p, limit, 1) : rec_get_uleb(&p, limit)) != REC_REG_RA)
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

bool rec_cfi_find_entry(const struct rec_image *image, uint64_t pc, struct rec_cfi_entry *e)
{
	struct window w = {.image = *image};
	const uint8_t *p, *id, *limit;
	uint8_t encoding;
	uint32_t back;
	uint64_t size;
	bool augmented;

	p = find_entry(&w, pc);
	if (!p || !get_length(&w, &p, &limit))
		return false;
	id = p;
	memcpy(&back, p, 4);
	p += 4;
	if (!back || !read_cie(&w, id - back, e, &encoding, &augmented))
		return false;
	e->start = get_pointer(&p, limit, encoding, true);
	size = get_pointer(&p, limit, encoding & 0x0f, false);
	if (pc - e->start >= size)
		return false;
	if (augmented) {
		size = rec_get_uleb(&p, limit);
		if (size > (uint64_t)(limit - p))
			return false;
		p += size;
	}
	e->code = p;
	e->limit = limit;
	return true;
}

bool rec_cfi_find_image(uint64_t pc, struct rec_image *image)
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
