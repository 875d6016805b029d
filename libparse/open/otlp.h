/* OpenTelemetry's profiles (profiles/v1development): recognises them, and finds the messages of a file.
 * Used by recognition and by the decoder (decode/profile/otlp.c).
 *
 *   MESSAGE                a ProfilesData or ExportProfilesServiceRequest, which have the same fields
 *   (SIZE MESSAGE)*        as the Collector's file exporter writes them; SIZE is 4 bytes, big-endian;
 *                          the message may be JSON, or compressed (zstd)
 *   {"resourceProfiles":…  the same as JSON, a message on each line */
#ifndef TP_OPEN_OTLP_H
#define TP_OPEN_OTLP_H

#include <stdbool.h>

#include "base/cursor.h"

#define TP_OTLP_SIZE_BYTES 4

/* Returns whether the data is profiles of OpenTelemetry. Data that is cut off counts if it begins like
 * them. */
bool tp_otlp_is(const void *data, size_t size);

/* Returns whether the data is such messages as JSON, by the name of the first field. */
bool tp_otlp_is_json(const void *data, size_t size);

/* Returns whether a message is compressed. */
bool tp_otlp_is_packed(struct tp_slice message);

/* Returns the size at `at`. */
static inline size_t tp_otlp_size(const uint8_t *at)
{
	return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Returns whether a message of profiles begins behind a size, and sets *message to it, which is shorter
 * than that if the data is cut off. */
bool tp_otlp_prefixed(const void *data, size_t size, struct tp_slice *message);

#endif
