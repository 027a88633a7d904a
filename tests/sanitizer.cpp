#include "app/io/sanitizer.h"
