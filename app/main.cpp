#include "app/io/sanitizer.h"
#include "app/program.h"

int main(int argc, char** argv) { return saccade::program(argc, argv); }
