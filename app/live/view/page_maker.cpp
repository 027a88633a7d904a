#include "app/live/view/page_maker.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace saccade {

ModelNames models_for_page(const Status& status, const Wishes& wishes) {
    const PromptText& prompts = wishes.prompts;
    // A model that takes prompts is of no use without one; the others refuse them.
    auto name = [](const ModelStatus& model) {
        return model.takes_words && model.prompts.empty() ? std::string() : model.name;
    };
    auto text = [](const ModelStatus& model, const std::string& typed) {
        return model.takes_words ? typed : std::string();
    };
    return {.detector = name(status.detector),
            .classifier = name(status.classifier),
            .captioner = name(status.captioner),
            .find = text(status.detector, prompts.find),
            .labels = text(status.classifier, prompts.labels),
            .question = text(status.captioner, prompts.question),
            .as = wishes.as};
}

PageMaker::~PageMaker() {
    if (!busy() || opens_ == Opens::in_browser) return;  // a person waits for that page
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
}

void PageMaker::start(const std::string& picture, const ModelNames& models, bool lecture) {
    if (busy()) return;
    std::error_code error;
    const std::string program =
        program_.empty() ? std::filesystem::read_symlink("/proc/self/exe", error).string()
                         : program_;
    folder_ = std::filesystem::path(picture).replace_extension("").string();
    const std::string stem = std::filesystem::path(picture).stem().string();
    command_ = lecture ? "lecture" : "inspect";
    page_ = folder_ + (lecture ? "/" + stem + "-lecture.html" : "/report.html");
    // A missing browser is no failure, a missing page is.
    const char* const open =
        "page=$0; errors=$1; shift; \"$@\" > /dev/null 2> \"$errors\" || exit 1; "
        "xdg-open \"$page\" > /dev/null 2>&1; exit 0";
    const char* const only_make = "errors=$1; shift; exec \"$@\" > /dev/null 2> \"$errors\"";
    std::vector<std::string> words{"sh",
                                   "-c",
                                   opens_ == Opens::in_browser ? open : only_make,
                                   page_,
                                   folder_ + ".errors",
                                   program,
                                   command_,
                                   picture,
                                   "-o",
                                   folder_,
                                   "--quiet"};
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
    // It gets no sockets of ours: a connection would stay open as long as it runs.
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&files, 3);
    pid_t process = 0;
    if (::posix_spawn(&process, "/bin/sh", &files, nullptr, arguments.data(), environ) == 0)
        process_ = process;
    ::posix_spawn_file_actions_destroy(&files);
}

std::optional<PageMaker::Made> PageMaker::made() {
    int status = 0;
    if (!busy() || ::waitpid(process_, &status, WNOHANG) != process_) return {};
    process_ = 0;
    const std::string why = last_error();
    std::error_code none;
    std::filesystem::remove(folder_ + ".errors", none);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Made{page_, ""};
    return Made{"", why};
}

std::optional<std::string> PageMaker::news() {
    const std::optional<Made> result = made();
    if (!result) return {};
    if (!result->page.empty()) return "page: " + result->page;
    if (!result->error.empty()) return "the page could not be made: " + result->error;
    return "the page could not be made; try 'saccade " + command_ + " " + folder_ + ".png -o " +
           folder_ + "'";
}

// The last line that the program wrote, without its name.
std::string PageMaker::last_error() const {
    std::ifstream file(folder_ + ".errors");
    std::string last;
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) last = line;
    const std::string own = "saccade: ";
    return last.starts_with(own) ? last.substr(own.size()) : last;
}

}  // namespace saccade
