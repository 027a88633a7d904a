#pragma once

// Included by the one file of each program that has main(), for builds with SACCADE_SANITIZE: what
// Vulkan's loader and drivers, and LLVM within software Vulkan, leave behind at the end is theirs.
// They are kept loaded, because a leak is known by the name of its library.

#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libvulkan\nleak:libVkLayer\nleak:libLLVM\n";
}
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
extern "C" int dlclose(void*) { return 0; }
#endif
