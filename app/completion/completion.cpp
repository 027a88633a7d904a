#include "app/completion/completion.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "app/io/print.h"

namespace saccade {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    std::vector<const CLI::App*> shown;
    for (const CLI::App* one : app.get_subcommands({}))
        if (!one->get_group().empty()) shown.push_back(one);
    return shown;
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
    std::vector<const CLI::Option*> named;
    for (const CLI::Option* one : command.get_options())
        if (!one->get_lnames().empty()) named.push_back(one);
    return named;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// All that may follow a command: its subcommands and its options.
std::string words_of(const CLI::App& command) {
    std::string words;
    for (const CLI::App* one : commands_of(command)) words += one->get_name() + " ";
    for (const CLI::Option* one : options_of(command))
        for (const std::string& name : one->get_lnames()) words += "--" + name + " ";
    return words;
}

std::string command_names(const CLI::App& app) {
    std::string names;
    for (const CLI::App* one : commands_of(app)) names += one->get_name() + " ";
    return names;
}

std::string for_bash(const CLI::App& app) {
    std::string text =
        "# bash completion of saccade\n_saccade() {\n    local words\n    case $COMP_CWORD in\n"
        "        1) words='" +
        command_names(app) + "--help --version' ;;\n        *) case ${COMP_WORDS[1]} in\n";
    for (const CLI::App* one : commands_of(app))
        text += "            " + one->get_name() + ") words='" + words_of(*one) + "' ;;\n";
    return text +
           "            esac ;;\n    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
           "complete -o bashdefault -o default -F _saccade saccade\n";
}

std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string for_zsh(const CLI::App& app) {
    std::string text =
        "#compdef saccade\nlocal -a offered\nif (( CURRENT == 2 )); then\n    offered=(\n";
    for (const CLI::App* one : commands_of(app))
        text += "        " +
                quoted(one->get_name() + ":" + replaced(one->get_description(), ":", "\\:")) + "\n";
    text += "    )\n    _describe command offered\n    return\nfi\ncase $words[2] in\n";
    for (const CLI::App* one : commands_of(app)) {
        text += "    " + one->get_name() + ") offered=(\n";
        for (const CLI::App* below : commands_of(*one))
            text += "        " + quoted(below->get_name()) + "\n";
        for (const CLI::Option* option : options_of(*one))
            text += "        " +
                    quoted("--" + option->get_lnames().front() + ":" +
                           replaced(option->get_description(), ":", "\\:")) +
                    "\n";
        text += "    ) ;;\n";
    }
    return text + "esac\n_describe option offered\n_files\n";
}

std::string for_fish(const CLI::App& app) {
    std::string text;
    for (const CLI::App* one : commands_of(app)) {
        text += "complete -c saccade -n __fish_use_subcommand -a " + one->get_name() + " -d " +
                quoted(one->get_description()) + "\n";
        const std::string here =
            "complete -c saccade -n '__fish_seen_subcommand_from " + one->get_name() + "' ";
        for (const CLI::App* below : commands_of(*one))
            text +=
                here + "-a " + below->get_name() + " -d " + quoted(below->get_description()) + "\n";
        for (const CLI::Option* option : options_of(*one))
            text += here + "-l " + option->get_lnames().front() +
                    (option->get_items_expected_max() > 0 ? " -r" : "") + " -d " +
                    quoted(option->get_description()) + "\n";
    }
    return text;
}

// Text as troff takes it: no line begins a request, hyphens stay hyphens.
std::string troff(const std::string& text) {
    std::string result = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    result = replaced(result, "\n", "\n.br\n");
    result = replaced(result, "\n'", "\n\\&'");
    return result.starts_with(".") || result.starts_with("'") ? "\\&" + result : result;
}

std::string option_entry(const CLI::Option& option) {
    std::string name = troff("--" + option.get_lnames().front());
    for (const std::string& brief : option.get_snames()) name = troff("-" + brief) + ", " + name;
    const std::string value =
        option.get_items_expected_max() > 0 ? " \\fI" + troff(option.get_type_name()) + "\\fR" : "";
    return ".TP\n\\fB" + name + "\\fR" + value + "\n" + troff(option.get_description()) + "\n";
}

std::string for_man(const CLI::App& app) {
    std::string text = ".TH SACCADE 1 \"\" \"saccade " SACCADE_VERSION
                       "\" \"User Commands\"\n.SH NAME\nsaccade \\- shows what a vision "
                       "transformer sees, live, in batch and for inspection\n.SH SYNOPSIS\n"
                       ".B saccade\n.I COMMAND\n[\\fIOPTION\\fR]...\n.SH COMMANDS\n";
    for (const CLI::App* one : commands_of(app)) {
        text += ".SS " + one->get_name() + "\n" + troff(one->get_description()) + ".\n";
        for (const CLI::App* below : commands_of(*one))
            text += ".TP\n\\fB" + one->get_name() + " " + troff(below->get_name()) + "\\fR\n" +
                    troff(below->get_description()) + "\n";
        for (const CLI::Option* option : options_of(*one)) text += option_entry(*option);
    }
    return text +
           ".SH EXIT STATUS\n0 done, 1 it could not be done, 2 the command line is wrong, 75 "
           "interrupted or short of a resource: run it again.\n.SH SEE ALSO\n"
           ".BR saccade\\-lab (1)\n";
}

}  // namespace

std::string completion(const CLI::App& app, const std::string& form) {
    if (form == "bash") return for_bash(app);
    if (form == "zsh") return for_zsh(app);
    return form == "fish" ? for_fish(app) : for_man(app);
}

void add_completion_command(CLI::App& app) {
    auto form = std::make_shared<std::string>();
    CLI::App& command =
        *app.add_subcommand("completion", "Print the completion of a shell, or the man page");
    command.group("");
    command.add_option("form", *form, "bash, zsh, fish or man")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}).description(""));
    command.callback([form, &app] { print(completion(app, *form)); });
}

}  // namespace saccade
