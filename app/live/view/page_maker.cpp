#include "app/live/view/page_maker.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace saccade {

void PageMaker::start(const std::string& picture, const ModelNames& models, bool lecture) {
    if (busy()) return;
    std::error_code error;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    folder_ = std::filesystem::path(picture).replace_extension("").string();
    const std::string stem = std::filesystem::path(picture).stem().string();
    command_ = lecture ? "lecture" : "inspect";
    page_ = folder_ + (lecture ? "/" + stem + "-lecture.html" : "/report.html");
    // A missing browser is no failure, a missing page is.
    const char* script =
        "\"$@\" > /dev/null 2>&1 || exit 1; "
        "xdg-open \"$0\" > /dev/null 2>&1; exit 0";
    std::vector<std::string> words{"sh",     "-c",    script, page_,   program,
                                   command_, picture, "-o",   folder_, "--quiet"};
    auto add = [&](const char* option, const std::string& value, const char* otherwise) {
        if (value.empty() && !otherwise) return;
        words.insert(words.end(), {option, value.empty() ? otherwise : value});
    };
    add("--detector", models.detector, "none");
    add("--classifier", models.classifier, "none");
    add("--captioner", models.captioner, "none");
    if (!models.detector.empty()) add("--find", models.find, nullptr);
    if (models.as != Implementation::by_weights) add("--as", name_of(models.as), nullptr);
    if (!models.classifier.empty()) add("--labels", models.labels, nullptr);
    if (!models.captioner.empty()) add("--ask", models.question, nullptr);
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
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "page: " + page_;
    return "the page could not be made; try 'saccade " + command_ + " " + folder_ + ".png -o " +
           folder_ + "'";
}

}  // namespace saccade
