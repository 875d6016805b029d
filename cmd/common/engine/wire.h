/* The protocol between commands and tprof-courier, the separate program that makes connections (with
 * libcurl), over its standard input and output. It consists of frames: a kind (one letter), a size (u32,
 * little-endian), and that many bytes. */
#ifndef CMD_ENGINE_WIRE_H
#define CMD_ENGINE_WIRE_H

#include <stdint.h>

/* Sent once, before the first request. */
#define CMD_WIRE_URL	  'U' /* http://HOST:PORT/ */
#define CMD_WIRE_USER	  'N'
#define CMD_WIRE_PASSWORD 'P'
#define CMD_WIRE_CA	  'A'
#define CMD_WIRE_TIMES	  'T' /* "10 300": time-outs in s, to connect and without a byte */
/* A request; GO ends it. */
#define CMD_WIRE_SQL  'S'
#define CMD_WIRE_DATA 'D'
#define CMD_WIRE_GO   'G'
/* The answer. */
#define CMD_WIRE_BYTES	 'b'
#define CMD_WIRE_DONE	 'k' /* the answer is complete */
#define CMD_WIRE_REFUSED 'r' /* the engine reports an error: HTTP status (u16), text */
#define CMD_WIRE_FAILED	 'f' /* the request failed: text */

#define CMD_WIRE_HEAD 5
#define CMD_WIRE_MOST ((uint32_t)256 << 20) /* bytes of one frame */
#define CMD_WIRE_TEXT 2000		    /* most bytes of an error's text */

static inline void cmd_wire_head(uint8_t head[CMD_WIRE_HEAD], char kind, uint32_t size)
{
	head[0] = (uint8_t)kind;
	for (int i = 0; i < 4; i++)
		head[i + 1] = (uint8_t)(size >> 8 * i);
}

static inline uint32_t cmd_wire_size(const uint8_t head[CMD_WIRE_HEAD])
{
	return (uint32_t)head[1] | (uint32_t)head[2] << 8 | (uint32_t)head[3] << 16 |
	       (uint32_t)head[4] << 24;
}

#endif
