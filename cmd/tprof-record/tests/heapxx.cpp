// As heap.c, with what C++ allocates by: new, new[], aligned new, containers. Prints, per site: its
// name, objects and bytes ever allocated, objects and bytes in use at the end, and 0.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

struct Block {
	int site = -1; // -1: none
	size_t size = 0;
	void *at = nullptr;
	std::vector<char> vector;
};

static struct Site {
	const char *name;
	uint64_t allocs, alloc_bytes, inuse, inuse_bytes;
} sites[] = {
    {"site_new", 0, 0, 0, 0},	      {"site_new_array", 0, 0, 0, 0},
    {"site_new_aligned", 0, 0, 0, 0}, {"site_new_nothrow", 0, 0, 0, 0},
    {"site_vector", 0, 0, 0, 0},
};

static uint64_t random_state = 1;

static uint32_t pick(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return static_cast<uint32_t>(random_state >> 33) % n;
}

// Keeps a call from becoming the last jump of its function, which then were on no stack.
static void *keep(void *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

// Their names are looked for as they are spelled here.
extern "C" {
[[gnu::noinline]] void *site_new(size_t n)
{
	return keep(::operator new(n));
}
[[gnu::noinline]] void *site_new_array(size_t n)
{
	return keep(new char[n]);
}
[[gnu::noinline]] void *site_new_aligned(size_t n)
{
	return keep(::operator new(n, std::align_val_t(64)));
}
[[gnu::noinline]] void *site_new_nothrow(size_t n)
{
	return keep(::operator new(n, std::nothrow));
}
[[gnu::noinline]] void site_vector(std::vector<char> *v, size_t n)
{
	*v = std::vector<char>(n);
	keep(v->data());
}
}

static void fill(Block &b)
{
	// libstdc++ rounds the sizes of aligned blocks up.
	b.size = 64 * (1 + pick(40));
	b.site = static_cast<int>(pick(5));
	switch (b.site) {
	case 0:
		b.at = site_new(b.size);
		break;
	case 1:
		b.at = site_new_array(b.size);
		break;
	case 2:
		b.at = site_new_aligned(b.size);
		break;
	case 3:
		b.at = site_new_nothrow(b.size);
		break;
	default:
		site_vector(&b.vector, b.size);
	}
	Site &s = sites[b.site];
	s.allocs++;
	s.alloc_bytes += b.size;
	s.inuse++;
	s.inuse_bytes += b.size;
}

static void empty(Block &b)
{
	switch (b.site) {
	case 0:
		::operator delete(b.at);
		break;
	case 1:
		delete[] static_cast<char *>(b.at);
		break;
	case 2:
		::operator delete(b.at, std::align_val_t(64));
		break;
	case 3:
		::operator delete(b.at, std::nothrow);
		break;
	default:
		std::vector<char>().swap(b.vector);
	}
	sites[b.site].inuse--;
	sites[b.site].inuse_bytes -= b.size;
	b.site = -1;
}

int main()
{
	static Block blocks[4000];

	for (int i = 0; i < 20000; i++) {
		Block &b = blocks[pick(4000)];

		if (b.site < 0)
			fill(b);
		else
			empty(b);
	}
	for (const Site &s : sites)
		std::printf("%s\t%ju\t%ju\t%ju\t%ju\t0\n", s.name, static_cast<uintmax_t>(s.allocs),
			    static_cast<uintmax_t>(s.alloc_bytes), static_cast<uintmax_t>(s.inuse),
			    static_cast<uintmax_t>(s.inuse_bytes));
	// Without destructors: what is in use stays so.
	std::fflush(stdout);
	std::_Exit(0);
}
