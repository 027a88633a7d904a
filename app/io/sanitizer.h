#pragma once

// Included by one file of each program, for builds with SACCADE_SANITIZE. What Vulkan's loader,
// layers and drivers, and LLVM within software Vulkan, leave behind at the end is theirs; they are
// kept loaded, because a leak is known by the name of its library. Software Vulkan allocates so
// often that the sanitizer, which keeps freed memory aside, is given little room for it.

#if defined(__SANITIZE_ADDRESS__)
extern "C" {
const char* __lsan_default_suppressions() {
    return "leak:libvulkan\nleak:libVkLayer\nleak:libLLVM\n";
}
const char* __lsan_default_options() { return "print_suppressions=0"; }
const char* __asan_default_options() { return "quarantine_size_mb=4"; }
int dlclose(void*) { return 0; }
}
#endif
