/* Recognising profile.proto, for tp_recognise and for the decoder: in one place, as both must
 * agree.
 *
 * It has no magic number. Every field of the outermost message that profile.proto knows must have
 * the right wire type, unknown fields must be whole, and there must be a sample type or a string
 * table; one that is cut off counts if it begins like one. */
#ifndef TP_OPEN_PROTO_H
#define TP_OPEN_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool tp_input_is_proto(const uint8_t *data, size_t size);

#endif
