#include "story.h"

#include <string.h>

#include "decode/v2/encode.h"
#include "fuzz.h"
#include "order/v2/state.h"

#define NOBODY UINT64_MAX

struct story {
	struct tp_dict *dict;
	struct tp_v2_encoder *e;
	uint64_t ts;
	/* stacks and strings */
	uint32_t top, wait, deep, receive, task, region;
};

static int collect(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

static uint32_t string(struct story *s, const char *text)
{
	uint32_t id;

	MUST(!tp_dict_string(s->dict, text, strlen(text), &id));
	return id;
}

/* A frame on top of a stack. */
static uint32_t call(struct story *s, uint32_t stack, const char *name, uint64_t pc)
{
	struct tp_function function = {.name = string(s, name), .file = string(s, "story.go")};
	struct tp_frame frame = {.line = (int64_t)(pc & 0xff)};
	struct tp_location location = {.address = pc};
	uint32_t id;

	MUST(!tp_dict_function(s->dict, &function, &frame.function));
	MUST(!tp_dict_location(s->dict, &location, &frame.location));
	MUST(!tp_dict_frame(s->dict, &frame, &id));
	MUST(!tp_dict_stack(s->dict, stack, id, &stack));
	return stack;
}

static void begin(struct story *s)
{
	const struct tp_v2_clock clock = {.ts = s->ts, .mono_ns = s->ts, .wall_sec = 1700000000};

	MUST(!tp_v2_encode_generation(s->e, &clock, NULL));
	s->ts += 10;
}

/* An event of an M with its arguments; the rest of them are 0. */
#define TELL(m, type, ...)                                                                         \
	MUST(!tp_v2_encode_event(s->e, m, s->ts += 7, TP_V2_##type,                                \
				 (uint64_t[TP_V2_MAX_ARGS]){__VA_ARGS__}, NULL))

static void first(struct story *s)
{
	begin(s);
	TELL(100, ProcStatus, 0, TP_V2_P_RUNNING);
	TELL(100, GoStatus, 1, 100, TP_V2_G_RUNNING);
	TELL(100, ProcsChange, 2, s->top);
	TELL(100, UserTaskBegin, 1, 0, s->task, s->top);
	TELL(100, UserRegionBegin, 1, s->region, s->top);
	TELL(100, UserLog, 1, s->region, s->task, s->top);
	TELL(100, GoCreate, 4, s->deep, s->top);
	TELL(100, GoBlock, s->receive, s->wait);
	TELL(100, GoStart, 4, 1);
	TELL(101, ProcStatus, 1, TP_V2_P_RUNNING);
	TELL(101, GoStatus, 3, 101, TP_V2_G_RUNNING);
	TELL(101, GCBegin, 4, s->deep);
	TELL(101, GCMarkAssistBegin, s->deep);
	TELL(101, GCMarkAssistEnd, 0);
	TELL(101, HeapAlloc, 4096);
	TELL(101, UserTaskBegin, 2, 1, s->region, s->wait);
	TELL(101, GoSyscallBegin, 1, s->deep);
	TELL(NOBODY, GoStatus, 5, NOBODY, TP_V2_G_WAITING);
	MUST(!tp_v2_encode_sample(s->e, s->ts, 100, 0, 4, s->deep, NULL));
}

static void second(struct story *s)
{
	begin(s);
	TELL(100, ProcStatus, 0, TP_V2_P_RUNNING);
	TELL(100, GoStatus, 4, 100, TP_V2_G_RUNNING);
	TELL(100, GCActive, 5);
	TELL(100, GoStatus, 1, NOBODY, TP_V2_G_WAITING);
	TELL(100, GoStatus, 5, NOBODY, TP_V2_G_WAITING);
	TELL(100, GoUnblock, 1, 1, s->deep);
	TELL(100, GoDestroy, 0);
	TELL(100, GoStart, 1, 2);
	TELL(100, UserTaskEnd, 2, s->top);
	TELL(101, ProcStatus, 1, TP_V2_P_SYSCALL);
	TELL(101, GoStatus, 3, 101, TP_V2_G_SYSCALL);
	TELL(101, GoSyscallEnd, 0);
	TELL(101, GCEnd, 6);
	TELL(101, GCSweepBegin, s->deep);
	TELL(101, STWBegin, s->receive, s->deep);
	TELL(101, HeapGoal, 8192);
}

static void third(struct story *s)
{
	begin(s);
	TELL(100, ProcStatus, 0, TP_V2_P_RUNNING);
	TELL(100, GoStatus, 1, 100, TP_V2_G_RUNNING);
	TELL(100, GoStatus, 5, NOBODY, TP_V2_G_WAITING);
	TELL(100, UserRegionEnd, 1, s->region, s->top);
	TELL(100, UserTaskEnd, 1, s->wait);
	TELL(100, GoCreate, 6, s->wait, s->top);
	TELL(100, GoStop, s->task, s->top);
	TELL(100, GoStart, 6, 1);
	TELL(101, ProcStatus, 1, TP_V2_P_RUNNING);
	TELL(101, GoStatus, 3, 101, TP_V2_G_RUNNING);
	TELL(101, GCSweepActive, 1);
	TELL(101, STWEnd, 0);
	TELL(101, GCSweepEnd, 10, 20);
	TELL(101, GoDestroy, 0);
	TELL(101, ProcStop, 0);
}

void story_tell(unsigned variant, struct tp_buf *out)
{
	const struct tp_out to = {.write = collect, .ctx = out};
	struct story of = {.dict = tp_dict_new(), .ts = 1000 + 1000 * variant}, *s = &of;

	MUST(s->dict);
	s->receive = string(s, "chan receive");
	s->task = string(s, "task");
	s->region = string(s, "region");
	s->top = call(s, 0, "main.main", 0x1010);
	s->wait = call(s, s->top, "main.wait", 0x1120);
	s->deep = call(s, s->wait, variant ? "main.other" : "main.deep", 0x1230 + variant);
	MUST(!tp_v2_encoder_new(&s->e, s->dict, &to, NULL));
	first(s);
	second(s);
	third(s);
	MUST(!tp_v2_encode_finish(s->e, NULL));
	tp_v2_encoder_free(s->e);
	tp_dict_free(s->dict);
}
