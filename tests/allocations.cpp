#include "tests/allocations.h"

#include <cstdlib>
#include <new>

// In a file of its own, so that no compiler sees new without its delete.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

std::optional<uint64_t> saccade::allocations() { return std::nullopt; }

#else

namespace {
thread_local uint64_t taken = 0;
}  // namespace

std::optional<uint64_t> saccade::allocations() { return taken; }

void* operator new(size_t bytes) {
    ++taken;
    if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

#endif
