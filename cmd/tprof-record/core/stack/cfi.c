/* From call frame information to rules. The instructions say, for each PC, where the caller's registers are
 * (DWARF 5, section 6.4.2). Only the registers that lead from one frame to the next are kept: the caller's sp
 * (the CFA), its fp, and the return address. Code without tables is unwound by frame pointers (unwind.c). */
#include "tprof-record/core/stack/cfi.h"

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

static struct rule *rule_of(struct row *row, uint64_t reg)
{
	return reg == REC_REG_FP ? &row->fp : reg == REC_REG_RA ? &row->ra : NULL;
}

static const struct rule *rule_in(const struct row *row, uint64_t reg)
{
	return reg == REC_REG_FP ? &row->fp : &row->ra;
}

static void restore_rule(struct row *row, uint64_t reg, const struct row *initial)
{
	struct rule *r = rule_of(row, reg);

	if (r)
		*r = *rule_in(initial, reg);
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
	uint64_t size = rec_get_uleb(p, limit);
	struct rule *r = rule_of(row, reg);

	if (size > (uint64_t)(limit - *p))
		size = (uint64_t)(limit - *p);
	if (r)
		*r = (struct rule){.how = how, .expression = *p, .limit = *p + size};
	*p += size;
}

/* Reads an instruction's offset: a signed or unsigned multiple of the data alignment. */
static int64_t get_offset(const struct rec_cfi_entry *e, const uint8_t **p, const uint8_t *limit,
			  bool is_signed)
{
	uint64_t factor = is_signed ? (uint64_t)rec_get_sleb(p, limit) : rec_get_uleb(p, limit);

	return (int64_t)(factor * (uint64_t)e->data_align);
}

enum { DEPTH = 8 }; /* of remembered rows */

/* Runs instructions up to the row of `pc`. Returns false for an instruction that is not supported. */
static bool run(const struct rec_cfi_entry *e, const uint8_t *p, const uint8_t *limit, uint64_t pc,
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
			set_rule(row, op & 0x3f, AT_CFA, get_offset(e, &p, limit, false));
			continue;
		case 0xc0: /* restore */
			restore_rule(row, op & 0x3f, initial);
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
			at += rec_get_bytes(&p, limit,
					    op == 0x02	 ? 1
					    : op == 0x03 ? 2
							 : 4) *
			      e->code_align;
			if (at > pc)
				return true;
			break;
		case 0x05: /* offset_extended, _sf */
		case 0x11:
			reg = rec_get_uleb(&p, limit);
			set_rule(row, reg, AT_CFA, get_offset(e, &p, limit, op == 0x11));
			break;
		case 0x06: /* restore_extended */
			restore_rule(row, rec_get_uleb(&p, limit), initial);
			break;
		case 0x07: /* undefined */
			set_rule(row, rec_get_uleb(&p, limit), UNDEFINED, 0);
			break;
		case 0x08: /* same_value */
			set_rule(row, rec_get_uleb(&p, limit), SAME, 0);
			break;
		case 0x09: /* register */
			reg = rec_get_uleb(&p, limit);
			rec_get_uleb(&p, limit);
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
			row->cfa_register = (uint32_t)rec_get_uleb(&p, limit);
			row->cfa_offset = (int64_t)rec_get_uleb(&p, limit);
			row->cfa_expression = NULL;
			break;
		case 0x12: /* def_cfa_sf */
			row->cfa_register = (uint32_t)rec_get_uleb(&p, limit);
			row->cfa_offset = get_offset(e, &p, limit, true);
			row->cfa_expression = NULL;
			break;
		case 0x0d: /* def_cfa_register */
			row->cfa_register = (uint32_t)rec_get_uleb(&p, limit);
			row->cfa_expression = NULL;
			break;
		case 0x0e: /* def_cfa_offset */
			row->cfa_offset = (int64_t)rec_get_uleb(&p, limit);
			break;
		case 0x13: /* def_cfa_offset_sf */
			row->cfa_offset = get_offset(e, &p, limit, true);
			break;
		case 0x0f: { /* def_cfa_expression */
			uint64_t size = rec_get_uleb(&p, limit);

			if (size > (uint64_t)(limit - p))
				return false;
			row->cfa_expression = p;
			row->cfa_limit = p + size;
			p += size;
			break;
		}
		case 0x10: /* expression, val_expression */
		case 0x16:
			reg = rec_get_uleb(&p, limit);
			set_expression(row, reg, op == 0x10 ? AT_EXPRESSION : IS_EXPRESSION, &p,
				       limit);
			break;
		case 0x14: /* val_offset, _sf */
		case 0x15:
			reg = rec_get_uleb(&p, limit);
			set_rule(row, reg, IS_CFA, get_offset(e, &p, limit, op == 0x15));
			break;
		case 0x2c: /* AARCH64_negate_ra_state_with_pc, AARCH64_negate_ra_state: signed or not */
		case 0x2d:
			if (!REC_LINKS)
				return false;
			break;
		case 0x2e: /* GNU_args_size */
			rec_get_uleb(&p, limit);
			break;
		case 0x2f: /* GNU_negative_offset_extended */
			reg = rec_get_uleb(&p, limit);
			set_rule(row, reg, AT_CFA, -get_offset(e, &p, limit, false));
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool find_row(const struct rec_image *image, uint64_t pc, struct rec_cfi_entry *e,
		     struct row *row)
{
	struct row initial = {.ra.how = REC_LINKS ? SAME : OTHERWISE};

	if (!rec_cfi_find_entry(image, pc, e) ||
	    !run(e, e->initial, e->initial_limit, pc, &initial, &initial))
		return false;
	*row = initial;
	return run(e, e->code, e->limit, pc, row, &initial);
}

uint64_t rec_cfi_rule(uint64_t pc)
{
	struct rec_image image;

	if (rec_cfi_find_image(pc, &image))
		return rec_cfi_rule_in(&image, pc);
	return rec_is_readable(pc) ? REC_RULE_GUESS : REC_RULE_NONE;
}

/* Finds how many words below the caller's sp a register was saved; 0: it was not. Returns false if it is found
 * otherwise, or too far away. */
static bool is_below(const struct rule *r, uint64_t most, uint64_t *words)
{
	*words = 0;
	if (r->how == SAME || r->how == UNDEFINED)
		return true;
	*words = (uint64_t)-r->offset / 8;
	return r->how == AT_CFA && r->offset < 0 && r->offset % 8 == 0 && *words <= most;
}

uint64_t rec_cfi_rule_in(const struct rec_image *image, uint64_t pc)
{
	struct rec_cfi_entry e;
	struct row row;
	uint64_t kind, saved, ra;

	if (!find_row(image, pc, &e, &row))
		return REC_RULE_GUESS;
	if (e.signal)
		return REC_RULE_SIGNAL;
	if (row.ra.how == UNDEFINED)
		return REC_RULE_END;
	if (row.cfa_expression ||
	    (row.cfa_register != REC_REG_SP && row.cfa_register != REC_REG_FP) ||
	    row.cfa_offset < 0 || row.cfa_offset > UINT32_MAX ||
	    !is_below(&row.fp, REC_MOST_SAVED, &saved) || !is_below(&row.ra, REC_MOST_RA, &ra) ||
	    (!ra && !REC_LINKS))
		return REC_RULE_COMPLEX;
	kind = row.cfa_register == REC_REG_SP ? REC_RULE_SP : REC_RULE_FP;
	return kind | rec_rule_pack(saved, ra) | (uint64_t)row.cfa_offset << 32;
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
		return rec_cfi_evaluate(r->expression, r->limit, f, reach, cfa, value);
	case AT_EXPRESSION:
		if (!rec_cfi_evaluate(r->expression, r->limit, f, reach, cfa, &at))
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
	struct rec_cfi_entry e;
	struct row row;
	uint64_t cfa;

	if (!rec_cfi_find_image(frame->pc - 1, &image) ||
	    !find_row(&image, frame->pc - 1, &e, &row) || row.ra.how == UNDEFINED ||
	    (row.ra.how == SAME && !rec_take_link(&next)))
		return false;
	if (row.cfa_expression) {
		if (!rec_cfi_evaluate(row.cfa_expression, row.cfa_limit, frame, reach, 0, &cfa))
			return false;
	} else if (row.cfa_register == REC_REG_SP || row.cfa_register == REC_REG_FP) {
		cfa = (row.cfa_register == REC_REG_SP ? frame->sp : frame->fp) +
		      (uint64_t)row.cfa_offset;
	} else {
		return false;
	}
	if (cfa < frame->sp || (cfa == frame->sp && row.ra.how != SAME))
		return false;
	if (!find_register(&row.fp, frame, reach, cfa, &next.fp) ||
	    !find_register(&row.ra, frame, reach, cfa, &next.pc))
		return false;
	rec_step_to(&next, next.pc, cfa, false);
	*frame = next;
	return true;
}
