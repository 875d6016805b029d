#include "output/xml.h"

#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool failed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *count(void *p)
{
	failed |= !p;
	return p;
}

static void *allocate(size_t size)
{
	return count(malloc(size));
}

static void *resize(void *p, size_t size)
{
	return count(realloc(p, size));
}

static char *copy(const char *s)
{
	return count(strdup(s));
}

/* Its memory is malloc's as before, so what it has already stays valid. */
static void set_up(void)
{
	xmlMemSetup(free, allocate, resize, copy);
}

static void say_nothing(void *ctx, const char *format, ...)
{
	(void)ctx;
	(void)format;
}

void rep_xml_begin(void)
{
	pthread_once(&once, set_up);
	xmlSetGenericErrorFunc(NULL, say_nothing);
	failed = false;
}

bool rep_xml_out_of_memory(void)
{
	return failed;
}
