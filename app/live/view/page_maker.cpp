#include "app/live/view/page_maker.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace saccade {

void PageMaker::start(const std::string& picture, const ModelNames& models) {
    if (busy()) return;
    std::error_code error;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    folder_ = std::filesystem::path(picture).replace_extension("").string();
    // A browser that is not there is no failure: the page is.
    const char* script =
        "\"$0\" inspect \"$1\" -o \"$2\" --detector \"$3\" --classifier \"$4\" --captioner "
        "\"$5\" --quiet > /dev/null 2>&1 || exit 1; "
        "xdg-open \"$2/report.html\" > /dev/null 2>&1; exit 0";
    auto name = [](const std::string& model) { return model.empty() ? "none" : model; };
    std::vector<std::string> words{"sh",
                                   "-c",
                                   script,
                                   program,
                                   picture,
                                   folder_,
                                   name(models.detector),
                                   name(models.classifier),
                                   name(models.captioner)};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = 0;
    if (::posix_spawn(&process, "/bin/sh", nullptr, nullptr, arguments.data(), environ) == 0)
        process_ = process;
}

std::optional<std::string> PageMaker::news() {
    int status = 0;
    if (!busy() || ::waitpid(process_, &status, WNOHANG) != process_) return {};
    process_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "page: " + folder_ + "/report.html";
    return "the page could not be made; try 'saccade inspect " + folder_ + ".png -o " + folder_ +
           "'";
}

}  // namespace saccade
