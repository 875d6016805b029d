/* Names of functions, as the language spells them. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf_inside.h"

/* Does what dwarf_attr_integrate does, but pays for the entries. */
static Dwarf_Attribute *attribute_of(struct tp_dwarf *d, const Dwarf_Die *die, unsigned attribute,
				     Dwarf_Attribute *a)
{
	Dwarf_Die at = *die, next;

	for (int i = 0; i < 17 && tp_dwarf_look(d, &at); i++) {
		if (dwarf_attr(&at, attribute, a))
			return a;
		if ((!dwarf_attr(&at, DW_AT_abstract_origin, a) &&
		     !dwarf_attr(&at, DW_AT_specification, a)) ||
		    !dwarf_formref_die(a, &next))
			break;
		at = next;
	}
	return NULL;
}

const char *tp_dwarf_text(struct tp_dwarf *d, Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dwarf_formstring(attribute_of(d, die, attribute, &a));
}

char *tp_dwarf_alloc(struct tp_dwarf *d, size_t size)
{
	char *text = tp_dwarf_pay(d, 1 + size / 16) ? tp_arena_alloc(&d->arena, size) : NULL;

	d->spent = d->spent || !text;
	return text;
}

/* Goes from an inlined or out-of-line copy of a function to the entry that declares it. */
static void declaration(struct tp_dwarf *d, Dwarf_Die *die)
{
	for (int i = 0; i < 8 && tp_dwarf_look(d, die); i++) {
		Dwarf_Attribute a;
		Dwarf_Die next;

		if ((!dwarf_attr(die, DW_AT_abstract_origin, &a) &&
		     !dwarf_attr(die, DW_AT_specification, &a)) ||
		    !dwarf_formref_die(&a, &next))
			return;
		*die = next;
	}
}

static bool has_namespaces(struct tp_dwarf *d, Dwarf_Die *die)
{
	Dwarf_Die cu;

	if (!dwarf_diecu(die, &cu, NULL, NULL) || !tp_dwarf_look(d, &cu))
		return false;
	switch (dwarf_srclang(&cu)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_Rust:
		return true;
	default:
		return false;
	}
}

/* Returns the name of a namespace or type, which is part of the names in it, or NULL. */
static const char *scope_name(struct tp_dwarf *d, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	const char *name = tp_dwarf_text(d, die, DW_AT_name);

	if (tag == DW_TAG_namespace)
		return name ? name : "(anonymous namespace)";
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
		       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type
		   ? name
		   : NULL;
}

/* Finds the entries around an entry, outermost first, without its unit; returns how many. (libdw's
 * dwarf_getscopes_die recurses for each level, however many there are.) */
static size_t scopes_of(struct tp_dwarf *d, Dwarf_Die *die, Dwarf_Die scope[TP_DWARF_DEEPEST])
{
	Dwarf_Off offset = dwarf_dieoffset(die), at;
	Dwarf_Die unit;
	size_t n = 0;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return 0;
	at = dwarf_dieoffset(&unit);
	while (n < TP_DWARF_DEEPEST) {
		const struct tp_dwarf_level *level = tp_dwarf_scope(d, at);
		const struct tp_range *in = level ? tp_dwarf_find(d, level, offset) : NULL;

		if (!in || in->value == offset || !dwarf_offdie(d->dwarf, in->value, &scope[n]))
			break;
		at = in->value;
		n++;
	}
	return n;
}

/* The type of a lambda has no name; the function around it distinguishes it. */
static const char *part_of_lambda(struct tp_dwarf *d, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_subprogram)
		return tp_dwarf_text(d, die, DW_AT_name);
	if ((tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
	    !tp_dwarf_text(d, die, DW_AT_name))
		return "<lambda>";
	return scope_name(d, die);
}

/* Joins the names around a declaration with its own: "std::vector<int>::push_back". */
static const char *qualify(struct tp_dwarf *d, Dwarf_Die *decl, const char *name)
{
	const char *(*part_name)(struct tp_dwarf *, Dwarf_Die *) =
	    strcmp(name, "operator()") != 0 ? scope_name : part_of_lambda;
	Dwarf_Die scope[TP_DWARF_DEEPEST];
	const char *part[TP_DWARF_DEEPEST];
	size_t n = scopes_of(d, decl, scope), size = strlen(name) + 1;
	char *text, *at;

	for (size_t i = 0; i < n; i++) {
		part[i] = part_name(d, &scope[i]);
		size += part[i] ? strlen(part[i]) + 2 : 0;
	}
	text = at = tp_dwarf_alloc(d, size);
	for (size_t i = 0; at && i < n; i++)
		if (part[i])
			at += snprintf(at, size - (size_t)(at - text), "%s::", part[i]);
	if (at)
		memcpy(at, name, strlen(name) + 1);
	return text ? text : name;
}

/* Returns the qualified name, which is cached because finding the entries around a declaration
 * takes a walk over its unit. */
static const char *qualified(struct tp_dwarf *d, Dwarf_Die *die, const char *name)
{
	Dwarf_Die decl = *die;
	Dwarf_Off offset;
	char *known;

	declaration(d, &decl);
	offset = dwarf_dieoffset(&decl);
	if (d->spent || !has_namespaces(d, &decl))
		return name;
	known = tp_memo_get(&d->qualified, offset, 0);
	if (known)
		return known;
	name = qualify(d, &decl, name);
	if (tp_memo_put(&d->qualified, offset, 0, (char *)name))
		d->spent = true;
	return name;
}

static int64_t number_in(Dwarf_Attribute *a)
{
	Dwarf_Word value;

	return a && dwarf_formudata(a, &value) == 0 && value <= INT32_MAX ? (int64_t)value : 0;
}

static void read_name(struct tp_dwarf *d, Dwarf_Die *die, struct tp_dwarf_name *n)
{
	const char *name = tp_dwarf_text(d, die, DW_AT_name);
	const char *linkage = tp_dwarf_text(d, die, DW_AT_linkage_name);
	Dwarf_Attribute a;

	if (!linkage)
		linkage = tp_dwarf_text(d, die, DW_AT_MIPS_linkage_name);
	name = name ? qualified(d, die, name) : linkage;
	n->name = name ? name : "";
	n->system_name = linkage ? linkage : n->name;
	n->start_line = number_in(attribute_of(d, die, DW_AT_decl_line, &a));
	n->call_file = number_in(dwarf_attr(die, DW_AT_call_file, &a));
	n->call_line = number_in(dwarf_attr(die, DW_AT_call_line, &a));
}

const struct tp_dwarf_name *tp_dwarf_name(struct tp_dwarf *d, Dwarf_Off entry)
{
	struct tp_dwarf_name *n = tp_memo_get(&d->names, entry, 0);
	Dwarf_Die die;

	if (n)
		return n;
	n = tp_arena_alloc(&d->arena, sizeof(*n));
	if (!n || tp_memo_put(&d->names, entry, 0, n)) {
		d->spent = true;
		return NULL;
	}
	n->name = n->system_name = "";
	if (dwarf_offdie(d->dwarf, entry, &die) && tp_dwarf_look(d, &die))
		read_name(d, &die, n);
	return d->spent ? NULL : n;
}
