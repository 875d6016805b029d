#include "sound.h"

#include <sqlite3.h>
#include <unistd.h>

#include "fuzz.h"
#include "store/merge/merge.h"
#include "story.h"

static const uint8_t errands[] = {
#include "errands.trace.inc"
};
static const uint8_t counter[] = {
#include "counter-1.5.trace.inc"
};
static const uint8_t heap[] = {
#include "catalog.heap.inc"
};
static const uint8_t block[] = {
#include "catalog.block.inc"
};

enum dump { NONE, ERRANDS, COUNTER, HEAP, BLOCK, STORY, OTHER_STORY };

static const struct {
	const uint8_t *data;
	size_t size;
} dumps[] = {[ERRANDS] = {errands, sizeof(errands)},
	     [COUNTER] = {counter, sizeof(counter)},
	     [HEAP] = {heap, sizeof(heap)},
	     [BLOCK] = {block, sizeof(block)}};

static const struct base {
	enum dump run[2];
	bool compress, merged;
} bases[SOUNDS] = {
    [SOUND_ERRANDS] = {.run = {ERRANDS}},
    [SOUND_COUNTER] = {.run = {COUNTER}},
    [SOUND_CATALOG] = {.run = {HEAP}},
    [SOUND_TWO] = {.run = {ERRANDS, HEAP}, .compress = true},
    [SOUND_MERGED + SOUND_ERRANDS] = {.run = {ERRANDS}, .merged = true},
    [SOUND_MERGED + SOUND_COUNTER] = {.run = {COUNTER}, .merged = true},
    [SOUND_MERGED + SOUND_CATALOG] = {.run = {HEAP}, .merged = true},
    [SOUND_MERGED + SOUND_TWO] = {.run = {ERRANDS, HEAP}, .compress = true, .merged = true},
    [SOUND_TRACES] = {.run = {STORY, OTHER_STORY}, .merged = true},
    [SOUND_PROFILES] = {.run = {HEAP, BLOCK}, .merged = true},
    [SOUND_STORY] = {.run = {STORY}},
    [SOUND_OTHER] = {.run = {OTHER_STORY}},
};

static void import(enum dump dump, const struct base *base, const char *path)
{
	const struct tp_import_options opt = {
	    .threads = 1, .name = "dump", .store = {.compress = base->compress}};
	struct tp_import_result result;
	struct tp_buf story = {0};
	struct tp_err err;

	if (dump < STORY)
		MUST(!tp_buf_put(&story, dumps[dump].data, dumps[dump].size));
	else
		story_tell(dump - STORY, &story);
	MUST(!tp_import(fuzz_file("dump", story.data, story.size), path, &opt, &result, &err));
	unlink(fuzz_path("dump"));
	tp_buf_release(&story);
}

static void run_sql(sqlite3 *db, const char *sql)
{
	MUST(!sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static void merge(const char *path)
{
	const struct tp_merge_options opt = {.wait_ms = -1};
	struct tp_merge_result result;
	struct tp_err err;

	MUST(!tp_store_merge(path, &path, 1, &opt, &result, &err));
}

static void take(sqlite3 *db, struct tp_buf *file)
{
	sqlite3_int64 size;
	unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);

	MUST(bytes && !tp_buf_put(file, bytes, (size_t)size));
	sqlite3_free(bytes);
}

static void make(const struct base *base, struct tp_buf *file)
{
	char own[128];
	sqlite3 *db;

	/* Others are asked for meanwhile. */
	snprintf(own, sizeof(own), "%s", fuzz_path("sound"));
	unlink(own);
	for (size_t i = 0; i < 2 && base->run[i]; i++)
		import(base->run[i], base, own);
	MUST(!sqlite3_open_v2(own, &db, SQLITE_OPEN_READWRITE, NULL));
	/* The same for every process. */
	run_sql(db,
		"update run set imported_ns = 1, wall_ns = 2; delete from clock where mono_ns = 0;"
		"insert into label values(1, 'rev', 'a'), (1, 'os', 'b');"
		"insert into notice values(1, 1, 5, 'text'); vacuum");
	if (base->merged) {
		sqlite3_close(db);
		merge(own);
		MUST(!sqlite3_open_v2(own, &db, SQLITE_OPEN_READWRITE, NULL));
	}
	take(db, file);
	sqlite3_close(db);
	unlink(own);
}

const struct tp_buf *sound_store(enum sound which)
{
	static struct tp_buf stores[SOUNDS];

	if (!stores[which].size)
		make(&bases[which], &stores[which]);
	return &stores[which];
}
