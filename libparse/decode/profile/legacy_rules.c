/* Frames of the profiler or the allocator itself, which pprof hides in profiles whose format has no
 * field for such rules (pprof: addLegacyFrameInfo); for jemalloc, which pprof does not read, those that
 * jeprof leaves out. They are joined by '|' into one expression. */
#include <string.h>

#include "decode/profile/legacy.h"

static const char *const allocator[] = {
    /* POSIX */
    "calloc",
    "cfree",
    "malloc",
    "free",
    "memalign",
    "do_memalign",
    "(__)?posix_memalign",
    "pvalloc",
    "valloc",
    "realloc",
    /* tcmalloc */
    "tcmalloc::.*",
    "tc_calloc",
    "tc_cfree",
    "tc_malloc",
    "tc_free",
    "tc_memalign",
    "tc_posix_memalign",
    "tc_pvalloc",
    "tc_valloc",
    "tc_realloc",
    "tc_new",
    "tc_delete",
    "tc_newarray",
    "tc_deletearray",
    "tc_new_nothrow",
    "tc_newarray_nothrow",
    /* macOS */
    "malloc_zone_malloc",
    "malloc_zone_calloc",
    "malloc_zone_valloc",
    "malloc_zone_realloc",
    "malloc_zone_memalign",
    "malloc_zone_free",
    /* Go */
    "runtime\\..*",
    /* others */
    "BaseArena::.*",
    "(::)?do_malloc_no_errno",
    "(::)?do_malloc_pages",
    "(::)?do_malloc",
    "DoSampledAllocation",
    "MallocedMemBlock::MallocedMemBlock",
    "_M_allocate",
    "__builtin_(vec_)?delete",
    "__builtin_(vec_)?new",
    "__gnu_cxx::new_allocator::allocate",
    "__libc_malloc",
    "__malloc_alloc_template::allocate",
    "allocate",
    "cpp_alloc",
    "operator new(\\[\\])?",
    "simple_alloc::allocate",
    NULL,
};

/* Besides `allocator`. A library that is part of a program has the prefix je_. */
static const char *const jemalloc[] = {
    "je_.*", "(void\\* )?newImpl", "aligned_alloc", "[mrxd]allocx", "sdallocx(_noflags)?", NULL,
};

static const char *const not_allocator[] = {
    "runtime\\.panic",
    "runtime\\.reflectcall",
    "runtime\\.call[0-9]*",
    NULL,
};

static const char *const locks[] = {
    "RecordLockProfileData",
    "(base::)?RecordLockProfileData.*",
    "(base::)?SubmitMutexProfileData.*",
    "(base::)?SubmitSpinLockProfileData.*",
    "(base::Mutex::)?AwaitCommon.*",
    "(base::Mutex::)?Unlock.*",
    "(base::Mutex::)?UnlockSlow.*",
    "(base::Mutex::)?ReaderUnlock.*",
    "(base::MutexLock::)?~MutexLock.*",
    "(Mutex::)?AwaitCommon.*",
    "(Mutex::)?Unlock.*",
    "(Mutex::)?UnlockSlow.*",
    "(Mutex::)?ReaderUnlock.*",
    "(MutexLock::)?~MutexLock.*",
    "(SpinLock::)?Unlock.*",
    "(SpinLock::)?SlowUnlock.*",
    "(SpinLockHolder::)?~SpinLockHolder.*",
    NULL,
};

static const char *const cpu[] = {
    "ProfileData::Add",
    "ProfileData::prof_handler",
    "CpuProfiler::prof_handler",
    "__pthread_sighandler",
    "__restore",
    NULL,
};

/* Appends words to l->scratch. */
static int add(struct tp_legacy *l, const char *const *words)
{
	int code = 0;

	for (size_t i = 0; words[i] && !code; i++) {
		if (l->scratch.size)
			code = tp_buf_put(&l->scratch, "|", 1);
		if (!code)
			code = tp_buf_put(&l->scratch, words[i], strlen(words[i]));
	}
	return code;
}

static int join(struct tp_legacy *l, const char *const *words, uint32_t *string)
{
	int code;

	l->scratch.size = 0;
	code = add(l, words);
	if (!code && words == allocator && l->kind == TP_KIND_JEMALLOC)
		code = add(l, jemalloc);
	if (!code)
		code = tp_dict_string(l->p->dict, l->scratch.data, l->scratch.size, string);
	return tp_legacy_fail(l, code);
}

int tp_legacy_rules(struct tp_legacy *l, enum tp_legacy_hidden hidden)
{
	int code;

	switch (hidden) {
	case TP_HIDDEN_ALLOCATOR:
		code = join(l, allocator, &l->p->drop_frames);
		return code ? code : join(l, not_allocator, &l->p->keep_frames);
	case TP_HIDDEN_LOCKS:
		return join(l, locks, &l->p->drop_frames);
	case TP_HIDDEN_CPU:
	default:
		return join(l, cpu, &l->p->drop_frames);
	}
}
