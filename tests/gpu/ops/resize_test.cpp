#include "tests/gpu_test.h"
