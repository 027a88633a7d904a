#include "app/lab/sanitizer.h"
