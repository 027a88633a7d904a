#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace saccade {

void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace saccade
