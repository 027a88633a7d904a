#include "app/commands/program.h"
#include "app/io/sanitizer.h"

int main(int argc, char** argv) { return saccade::program(argc, argv); }
