/* Frees all that it has allocated: 3 MiB in load, then 200 blocks one after the other. */
#include <stdlib.h>

__attribute__((noinline)) static void load(void)
{
	char *volatile p[3];

	for (int i = 0; i < 3; i++)
		p[i] = malloc(1 << 20);
	for (int i = 0; i < 3; i++)
		free(p[i]);
}

__attribute__((noinline)) static void churn(void)
{
	for (int i = 0; i < 200; i++) {
		char *volatile p = malloc(100);

		free(p);
	}
}

int main(void)
{
	load();
	churn();
	return 0;
}
