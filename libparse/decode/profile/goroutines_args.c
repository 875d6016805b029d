/* Addresses among the arguments of calls, as the label `addresses` keeps them: what shows that two
 * goroutines use the same lock or channel.
 *
 *	main.move(0xc00002e2c0, {0xc00002e2e0?, 0x3})   the third frame of five
 *	5 2.0=c00002e2c0                                frames, then FRAME.WORD=ADDRESS for each
 *
 * Frames and words count from 0, the leaf's frame first. The runtime marks words that may be out of
 * date by '?'; they are left out, and so are words that cannot be the address of a lock. */
#include "decode/profile/goroutines.h"

#define MOST_FRAMES 128 /* Go prints 100 frames of a stack */
#define MOST_BYTES  1024
#define LEAST	    0x10000 /* smaller words are numbers; Go maps nothing there */
#define ALIGNED	    4	    /* of a lock, and of whatever contains one */

int tp_goroutine_addresses(struct tp_scan args, size_t frame, struct tp_buf *out)
{
	unsigned word = 0;
	int code = 0;

	for (; args.at < args.end && frame < MOST_FRAMES && !code; word++) {
		uint64_t v;
		const char *at = tp_scan_find(args, "0x");

		args.at = at ? at + 2 : args.end;
		/* A word that ends the line is cut. */
		if (tp_scan_hex(&args, &v) != TP_NUMBER_OK || args.at == args.end ||
		    *args.at == '?' || v < LEAST || v % ALIGNED || out->size > MOST_BYTES)
			continue;
		code = tp_buf_printf(out, " %zu.%u=%llx", frame, word, (unsigned long long)v);
	}
	return code;
}
