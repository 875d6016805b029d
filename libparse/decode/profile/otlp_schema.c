/* The messages of opentelemetry-proto at the commit of otlp.h: profiles/v1development/profiles.proto,
 * collector/profiles/v1development/profiles_service.proto, common/v1/common.proto and
 * resource/v1/resource.proto. Checks that a message is one of them. */
#include <stdarg.h>
#include <stdio.h>

#include "decode/profile/otlp.h"

#define WITHIN(n, message)                                                                         \
	{                                                                                          \
		.name = n, .type = TP_OTLP_WITHIN, .of = TP_OTLP_##message                         \
	}
#define WITHIN_MANY(n, message)                                                                    \
	{                                                                                          \
		.name = n, .type = TP_OTLP_WITHIN, .of = TP_OTLP_##message, .many = true           \
	}
#define INDEX(n, table)                                                                            \
	{                                                                                          \
		.name = n, .type = TP_OTLP_INDEX, .of = TP_OTLP_##table                            \
	}
#define INDEX_MANY(n, table)                                                                       \
	{                                                                                          \
		.name = n, .type = TP_OTLP_INDEX, .of = TP_OTLP_##table, .many = true              \
	}
#define FIELD(n, t)                                                                                \
	{                                                                                          \
		.name = n, .type = TP_OTLP_##t                                                     \
	}
#define FIELD_MANY(n, t)                                                                           \
	{                                                                                          \
		.name = n, .type = TP_OTLP_##t, .many = true                                       \
	}

static const struct {
	const char *name;
	bool core;
	struct tp_otlp_field field[TP_OTLP_FIELDS]; /* by number */
} messages[TP_OTLP_MESSAGES] = {
    [TP_OTLP_NONE] = {.name = ""},
    [TP_OTLP_DATA] = {"ProfilesData",
		      true,
		      {[1] = WITHIN_MANY("resource_profiles", RESOURCE_PROFILES),
		       [2] = WITHIN("dictionary", DICTIONARY)}},
    [TP_OTLP_DICTIONARY] = {"ProfilesDictionary",
			    true,
			    {[1] = WITHIN_MANY("mapping_table", MAPPING),
			     [2] = WITHIN_MANY("location_table", LOCATION),
			     [3] = WITHIN_MANY("function_table", FUNCTION),
			     [4] = WITHIN_MANY("link_table", LINK),
			     [5] = FIELD_MANY("string_table", TEXT),
			     [6] = WITHIN_MANY("attribute_table", ATTRIBUTE),
			     [7] = WITHIN_MANY("stack_table", STACK)}},
    [TP_OTLP_RESOURCE_PROFILES] = {"ResourceProfiles",
				   false,
				   {[1] = WITHIN("resource", RESOURCE),
				    [2] = WITHIN_MANY("scope_profiles", SCOPE_PROFILES),
				    [3] = FIELD("schema_url", TEXT)}},
    [TP_OTLP_RESOURCE] = {"Resource",
			  false,
			  {[1] = WITHIN_MANY("attributes", KEY_VALUE),
			   [2] = FIELD("dropped_attributes_count", UINT),
			   [3] = WITHIN_MANY("entity_refs", ENTITY)}},
    [TP_OTLP_SCOPE_PROFILES] = {"ScopeProfiles",
				false,
				{[1] = WITHIN("scope", SCOPE),
				 [2] = WITHIN_MANY("profiles", PROFILE),
				 [3] = FIELD("schema_url", TEXT)}},
    [TP_OTLP_SCOPE] = {"InstrumentationScope",
		       false,
		       {[1] = FIELD("name", TEXT),
			[2] = FIELD("version", TEXT),
			[3] = WITHIN_MANY("attributes", KEY_VALUE),
			[4] = FIELD("dropped_attributes_count", UINT)}},
    [TP_OTLP_PROFILE] = {"Profile",
			 true,
			 {[1] = WITHIN("sample_type", VALUE_TYPE),
			  [2] = WITHIN_MANY("samples", SAMPLE),
			  [3] = FIELD("time_unix_nano", FIXED64),
			  [4] = FIELD("duration_nano", UINT),
			  [5] = WITHIN("period_type", VALUE_TYPE),
			  [6] = FIELD("period", INT),
			  [7] = FIELD("profile_id", ID),
			  [8] = FIELD("dropped_attributes_count", UINT),
			  [9] = FIELD("original_payload_format", TEXT),
			  [10] = FIELD("original_payload", BYTES),
			  [11] = INDEX_MANY("attribute_indices", ATTRIBUTES)}},
    [TP_OTLP_SAMPLE] = {"Sample",
			true,
			{[1] = INDEX("stack_index", STACKS),
			 [2] = INDEX_MANY("attribute_indices", ATTRIBUTES),
			 [3] = INDEX("link_index", LINKS),
			 [4] = FIELD_MANY("values", INT),
			 [5] = FIELD_MANY("timestamps_unix_nano", FIXED64)}},
    [TP_OTLP_VALUE_TYPE] =
	{"ValueType",
	 true,
	 {[1] = INDEX("type_strindex", STRINGS), [2] = INDEX("unit_strindex", STRINGS)}},
    [TP_OTLP_LINK] = {"Link", true, {[1] = FIELD("trace_id", ID), [2] = FIELD("span_id", ID)}},
    [TP_OTLP_MAPPING] = {"Mapping",
			 true,
			 {[1] = FIELD("memory_start", UINT),
			  [2] = FIELD("memory_limit", UINT),
			  [3] = FIELD("file_offset", UINT),
			  [4] = INDEX("filename_strindex", STRINGS),
			  [5] = INDEX_MANY("attribute_indices", ATTRIBUTES)}},
    [TP_OTLP_STACK] = {"Stack", true, {[1] = INDEX_MANY("location_indices", LOCATIONS)}},
    [TP_OTLP_LOCATION] = {"Location",
			  true,
			  {[1] = INDEX("mapping_index", MAPPINGS),
			   [2] = FIELD("address", UINT),
			   [3] = WITHIN_MANY("lines", LINE),
			   [4] = INDEX_MANY("attribute_indices", ATTRIBUTES)}},
    [TP_OTLP_LINE] =
	{"Line",
	 true,
	 {[1] = INDEX("function_index", FUNCTIONS),
	  [2] = FIELD("line", INT),
	  [3] = FIELD("column", INT)}},
    [TP_OTLP_FUNCTION] =
	{"Function",
	 true,
	 {[1] = INDEX("name_strindex", STRINGS),
	  [2] = INDEX("system_name_strindex", STRINGS),
	  [3] = INDEX("filename_strindex", STRINGS),
	  [4] = FIELD("start_line", INT)}},
    [TP_OTLP_ATTRIBUTE] = {"KeyValueAndUnit",
			   true,
			   {[1] = INDEX("key_strindex", STRINGS),
			    [2] = WITHIN("value", VALUE),
			    [3] = INDEX("unit_strindex", STRINGS)}},
    [TP_OTLP_KEY_VALUE] =
	{"KeyValue",
	 false,
	 {[1] = FIELD("key", TEXT),
	  [2] = WITHIN("value", VALUE),
	  [3] = INDEX("key_strindex", STRINGS)}},
    [TP_OTLP_VALUE] = {"AnyValue",
		       false,
		       {[1] = FIELD("string_value", TEXT),
			[2] = FIELD("bool_value", BOOL),
			[3] = FIELD("int_value", INT),
			[4] = FIELD("double_value", DOUBLE),
			[5] = WITHIN("array_value", ARRAY),
			[6] = WITHIN("kvlist_value", LIST),
			[7] = FIELD("bytes_value", BYTES),
			[8] = INDEX("string_value_strindex", STRINGS)}},
    [TP_OTLP_ARRAY] = {"ArrayValue", false, {[1] = WITHIN_MANY("values", VALUE)}},
    [TP_OTLP_LIST] = {"KeyValueList", false, {[1] = WITHIN_MANY("values", KEY_VALUE)}},
    [TP_OTLP_ENTITY] = {"EntityRef",
			false,
			{[1] = FIELD("schema_url", TEXT),
			 [2] = FIELD("type", TEXT),
			 [3] = FIELD_MANY("id_keys", TEXT),
			 [4] = FIELD_MANY("description_keys", TEXT)}},
};

const struct tp_otlp_field *tp_otlp_field(enum tp_otlp_message message, uint32_t number)
{
	const struct tp_otlp_field *f;

	if (number >= TP_OTLP_FIELDS)
		return NULL;
	f = &messages[message].field[number];
	return f->type == TP_OTLP_ABSENT ? NULL : f;
}

bool tp_otlp_is_core(enum tp_otlp_message message)
{
	return messages[message].core;
}

enum tp_wire tp_otlp_wire(enum tp_otlp_type type)
{
	switch (type) {
	case TP_OTLP_INT:
	case TP_OTLP_UINT:
	case TP_OTLP_BOOL:
	case TP_OTLP_INDEX:
		return TP_WIRE_VARINT;
	case TP_OTLP_FIXED64:
	case TP_OTLP_DOUBLE:
		return TP_WIRE_FIXED64;
	default:
		return TP_WIRE_BYTES;
	}
}

int tp_otlp_refuse(struct tp_otlp *o, const uint8_t *at, enum tp_otlp_message message,
		   const char *field, const char *what, ...)
{
	char why[120];
	va_list args;

	va_start(args, what);
	vsnprintf(why, sizeof(why), what, args);
	va_end(args);
	return tp_err_set(o->err, TP_EVERSION,
			  at && o->data ? (uint64_t)(at - o->data) : TP_OFFSET_NONE,
			  "%s%s%s %s; tprof reads OpenTelemetry profiles in the layout of "
			  "opentelemetry-proto at commit " TP_OTLP_COMMIT,
			  messages[message].name, field ? "." : "", field ? field : "", why);
}

/* ---- checking ---- */

/* A message being walked, and the one it is in below it. */
struct level {
	struct tp_cursor c;
	enum tp_otlp_message message;
};

static const char *const wires[] = {
    [TP_WIRE_VARINT] = "a number",	[TP_WIRE_FIXED64] = "a number of 8 bytes",
    [TP_WIRE_BYTES] = "text or a list", [TP_WIRE_GROUP] = "a group",
    [TP_WIRE_GROUP_END] = "a group",	[TP_WIRE_FIXED32] = "a number of 4 bytes",
};

static int check_index(struct tp_otlp *o, const struct level *l, const struct tp_otlp_field *field,
		       const uint8_t *at, uint64_t index)
{
	size_t n = o->table[field->of].n;

	/* 0 means none where a table is empty. */
	if (index < n || (!index && !n))
		return 0;
	return tp_otlp_refuse(o, at, l->message, field->name, "is %lld, but %s has %zu entries",
			      (long long)index, messages[TP_OTLP_DICTIONARY].field[field->of].name,
			      n);
}

/* Checks the numbers of a list. */
static int check_packed(struct tp_otlp *o, const struct level *l, const struct tp_otlp_field *field,
			struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	int code = 0;

	if (tp_otlp_wire(field->type) == TP_WIRE_FIXED64) {
		if (bytes.size % 8 == 0)
			return 0;
		c.failed = TP_CURSOR_END;
	}
	while (!code && !c.failed && c.at < c.end) {
		uint64_t v = tp_cursor_uvarint(&c);

		if (!c.failed && field->type == TP_OTLP_INDEX)
			code = check_index(o, l, field, bytes.data, v);
	}
	return code || !c.failed ? code
				 : tp_otlp_refuse(o, bytes.data, l->message, field->name,
						  "is not a list of numbers");
}

void tp_otlp_pass_over(struct tp_otlp *o, enum tp_otlp_message message, const char *field, ...)
{
	va_list args;

	if (o->unknown++)
		return;
	o->unknown_message = messages[message].name;
	va_start(args, field);
	vsnprintf(o->unknown_field, sizeof(o->unknown_field), field, args);
	va_end(args);
}

/* Passes over a field that the schema lacks. */
static int check_unknown(struct tp_otlp *o, const struct level *l, const uint8_t *at,
			 uint32_t number)
{
	if (messages[l->message].core)
		return tp_otlp_refuse(o, at, l->message, NULL, "has the unknown field %u", number);
	tp_otlp_pass_over(o, l->message, "%u", number);
	return 0;
}

static int check_field(struct tp_otlp *o, const struct level *l, const uint8_t *at,
		       const struct tp_otlp_field *field, const struct tp_field *f)
{
	enum tp_wire wire = tp_otlp_wire(field->type);
	bool packed = field->many && f->wire == TP_WIRE_BYTES && wire != TP_WIRE_BYTES;

	if (packed)
		return check_packed(o, l, field, f->bytes);
	if (f->wire != wire)
		return tp_otlp_refuse(o, at, l->message, field->name, "is %s, not %s",
				      wires[f->wire],
				      field->type == TP_OTLP_WITHIN ? "a message" : wires[wire]);
	if (field->type == TP_OTLP_INDEX)
		return check_index(o, l, field, at, f->value);
	/* Up to v1.9 the values of a sample had the number 2, its attributes 3, and its link 4. Encoders
	 * pack lists. */
	if (field->many && field->type == TP_OTLP_INT)
		return tp_otlp_refuse(o, at, l->message, field->name,
				      "is one number, as link_index was before v1.10");
	/* An id of zeros means that there is no id. */
	if (field->type == TP_OTLP_ID && l->message == TP_OTLP_LINK && f->bytes.size &&
	    f->bytes.size != (f->number == 1 ? 16 : 8))
		return tp_otlp_refuse(o, at, l->message, field->name, "has %zu bytes, not %d",
				      f->bytes.size, f->number == 1 ? 16 : 8);
	return 0;
}

int tp_otlp_check(struct tp_otlp *o, enum tp_otlp_message message, struct tp_slice bytes)
{
	struct level levels[TP_OTLP_DEPTH];
	size_t depth = 1;
	int code = 0;

	levels[0] = (struct level){tp_cursor(bytes.data, bytes.size), message};
	while (depth && !code) {
		struct level *l = &levels[depth - 1];
		const struct tp_otlp_field *field;
		const uint8_t *at = l->c.at;
		struct tp_field f;

		if (!tp_field_next(&l->c, &f)) {
			if (l->c.failed)
				code = tp_otlp_refuse(o, at, l->message, NULL,
						      "has bytes that are not one of its fields");
			depth--;
			continue;
		}
		field = tp_otlp_field(l->message, f.number);
		code = field ? check_field(o, l, at, field, &f) : check_unknown(o, l, at, f.number);
		if (code || !field || field->type != TP_OTLP_WITHIN)
			continue;
		if (depth == TP_OTLP_DEPTH)
			code = tp_otlp_refuse(o, at, l->message, field->name,
					      "is more than %d messages deep", TP_OTLP_DEPTH);
		else
			levels[depth++] = (struct level){tp_cursor(f.bytes.data, f.bytes.size),
							 (enum tp_otlp_message)field->of};
	}
	return code;
}
