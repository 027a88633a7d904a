#pragma once

namespace CLI {
class App;
}

namespace saccade {

// `saccade dump` and `saccade bench`: as in saccade-lab, but for pictures of any format.
void add_dump_command(CLI::App& app);
void add_bench_command(CLI::App& app);

}  // namespace saccade
