/* Stacks that are hard to keep or to take; prints the truth as heap.c does.
 *
 *	stacks many	allocates once on each of 131,072 stacks, as a parser does
 *	stacks code [N]	allocates N times below 30 frames of code that was made at run time and has no tables: at two
 *			places, of which the first is unmapped, and on a coroutine's stack
 *	stacks none	the same without frame pointers: such stacks end there, and nothing worse happens */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define ALONE __attribute__((noinline, noclone))
#define KEEP  __asm__ volatile("")

enum { MANY = 17, DEPTH = 30, SIZE = 64 };

static void *volatile kept[1 << MANY];
static int n;

ALONE static void down(unsigned path, int left);
ALONE static void even(unsigned path, int left)
{
	down(path, left);
	KEEP;
}
ALONE static void odd(unsigned path, int left)
{
	down(path, left);
	KEEP;
}
ALONE static void down(unsigned path, int left)
{
	if (!left)
		kept[n++] = malloc(SIZE);
	else if (path & 1)
		odd(path >> 1, left - 1);
	else
		even(path >> 1, left - 1);
	KEEP;
}

static unsigned char *code;
static int depth, times = 2000;

ALONE static void work(void)
{
	if (++depth < DEPTH) {
		void (*made)(void (*)(void));
		unsigned char *at = code + 64 * depth;

		memcpy(&made, &at, sizeof(made));
		made(work);
	} else {
		for (int i = 0; i < times; i++) {
			void *volatile p = malloc(SIZE);

			free(p);
			n++;
		}
	}
	depth--;
}

ALONE static void outer(void)
{
	work();
	KEEP;
}

static void make_code(int with_pointers)
{
	/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret. Without: rbp is no address. */
	static const unsigned char with[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3},
				   without[] = {0x55, 0x31, 0xed, 0xff, 0xd7, 0x5d, 0xc3};

	if (code)
		munmap(code, 4096);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (code == MAP_FAILED)
		exit(77);
	for (int i = 0; i < 64; i++)
		memcpy(code + 64 * i, with_pointers ? with : without,
		       with_pointers ? sizeof(with) : sizeof(without));
}

int main(int argc, char **argv)
{
	static char stack[256 << 10];
	static ucontext_t here, there;
	const char *what = argc > 1 ? argv[1] : "many";

	times = argc > 2 ? atoi(argv[2]) : times;
	if (!strcmp(what, "many")) {
		for (unsigned i = 0; i < 1u << MANY; i++)
			down(i, MANY);
		printf("down %d %d %d %d\n", n, n * SIZE, n, n * SIZE);
		return 0;
	}
	make_code(!strcmp(what, "code"));
	outer();
	make_code(!strcmp(what, "code"));
	outer();
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, outer, 0);
	swapcontext(&here, &there);
	printf("work %d %d 0 0\n", n, n * SIZE);
	if (!strcmp(what, "code"))
		printf("outer %d %d 0 0\n", n, n * SIZE);
	return 0;
}
