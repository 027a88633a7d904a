#pragma once

// Included by one file of each program, for builds with SACCADE_SANITIZE. Leaks of Vulkan's loader,
// layers and drivers, and of LLVM within software Vulkan, are suppressed; dlclose does nothing,
// because a suppression needs the name of the library. Software Vulkan allocates so often that the
// quarantine for freed memory is kept small.

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
