// Holds every function, in C++ and in GLSL, to few lines and few parameters.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/places.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_lines = 80, most_parameters = 7;

// These are longer, but have one idea each: a switch with a line or two for each opcode, and two
// loops over cooperative matrices, which stay local variables for the sake of drivers' compilers.
const std::set<std::string> long_functions = {
    "models/files/pickle.cpp: step",
    "shaders/attention/attention.coopmat.comp: attend",
    "shaders/products/product.coopmat.glsl: product",
};

bool is_space(char c) { return c == ' ' || c == '\n'; }
bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// How far the comment, string, character or preprocessor line at `at` reaches; `at` if none begins
// there.
size_t end_of_text(std::string_view code, size_t at) {
    const std::string_view rest = code.substr(at);
    auto past = [&](std::string_view end, size_t from) {
        const size_t found = code.find(end, from);
        return found == code.npos ? code.size() : found + end.size();
    };
    if (rest.starts_with("//")) return std::min(code.find('\n', at), code.size());
    if (rest.starts_with("/*")) return past("*/", at + 2);
    if (rest.starts_with("R\"")) {
        const size_t open = rest.find('(');
        return past(")" + std::string(rest.substr(2, open - 2)) + "\"", at + open);
    }
    if (rest.front() == '#') {
        while (at < code.size() && code[at] != '\n') at += code[at] == '\\' ? 2 : 1;
        return std::min(at, code.size());
    }
    size_t word = at;
    while (word > 0 && is_part_of_word(code[word - 1])) --word;
    const bool separates_digits = word < at && code[word] >= '0' && code[word] <= '9';
    if (rest.front() != '"' && (rest.front() != '\'' || separates_digits)) return at;
    for (size_t i = at + 1; i < code.size(); ++i) {
        if (code[i] == '\\')
            ++i;
        else if (code[i] == rest.front())
            return i + 1;
    }
    return code.size();
}

std::string without_texts(std::string code) {
    for (size_t at = 0; at < code.size();) {
        const size_t end = end_of_text(code, at);
        for (size_t i = at; i < end; ++i)
            if (code[i] != '\n') code[i] = ' ';
        at = std::max(end, at + 1);
    }
    return code;
}

struct Function {
    std::string name;
    size_t line = 0, lines = 0, parameters = 0;
};

// What precedes a brace: "void f(int a, int b) const", "struct A : B", "if (x)".
bool is_function(std::string_view head) {
    const size_t open = head.find('(');
    if (open == head.npos) return false;
    const std::string_view before = head.substr(0, open);
    if (before.find('=') != head.npos && before.find("operator") == head.npos) return false;
    static const std::set<std::string, std::less<>> others = {
        "catch",  "do",     "else",   "enum",  "for",   "if",
        "layout", "return", "switch", "union", "while", "namespace"};
    const size_t end = before.find_first_of(" \n");
    return !others.contains(before.substr(0, end));
}

void describe(std::string_view head, Function& function) {
    size_t open = head.find('(');
    const size_t call = head.find("operator()(");
    if (call != head.npos) open = head.find("(", call + 10);
    size_t end = head.find_last_not_of(" \n", open - 1) + 1, begin = end;
    while (begin > 0 && (is_part_of_word(head[begin - 1]) || head[begin - 1] == '~')) --begin;
    function.name = head.substr(begin, end - begin);
    size_t depth = 0, angles = 0;
    bool empty = true;
    for (size_t i = open; i < head.size(); ++i) {
        const char c = head[i];
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth == 0 && i > open) break;
        if (depth > 0 && !is_space(c)) empty = false;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (depth != 1) continue;
        if (c == '<') ++angles;
        if (c == '>' && head[i - 1] != '-' && angles > 0) --angles;
        if (c == ',' && angles == 0) ++function.parameters;
    }
    if (!empty) ++function.parameters;
}

// The functions of a file, including constructors and test cases, but not the lambdas in them.
std::vector<Function> functions_of(const std::string& text) {
    const std::string code = without_texts(text);
    struct Brace {
        size_t head, head_line, parens;
        bool inside;  // of a function
        Function function;
    };
    std::vector<Function> functions;
    std::vector<Brace> open;
    size_t head = 0, head_line = 1, line = 1, parens = 0;
    for (size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '\n') ++line;
        if (head == i && is_space(c)) ++head, head_line = line;
        if (c == '(') ++parens;
        if (c == ')') --parens;
        if (c == '{') {
            const std::string_view before = std::string_view(code).substr(head, i - head);
            const bool inside = !open.empty() && open.back().inside;
            Brace brace{head, head_line, parens, inside, {}};
            if (!inside && parens == 0 && is_function(before)) {
                brace.inside = true;
                brace.function.line = head_line;
                describe(before, brace.function);
            }
            open.push_back(std::move(brace));
            parens = 0;
        }
        if (c == '{' || c == '}' || (c == ';' && parens == 0)) head = i + 1, head_line = line;
        if (c == '}' && !open.empty()) {
            Brace& brace = open.back();
            brace.function.lines = line - brace.function.line + 1;
            if (brace.function.line > 0) functions.push_back(std::move(brace.function));
            parens = brace.parens;
            if (parens > 0) head = brace.head, head_line = brace.head_line;  // an argument
            open.pop_back();
        }
    }
    return functions;
}

TEST(Functions, are_found_with_their_lines_and_parameters) {
    const auto functions = functions_of(R"code(
#define NOT_A(x) \
    { x; }
namespace a {  // void not_a(int b) {
struct B : C<int> {
    B(std::map<int, int> m = {}, int n = f(1, 2)) : m_{m}, n_(1'000) { g("{"); }
    bool operator()(int a, int b) const { return a < b; }
    int m_[2] = {1, 2};
};
template <typename T, typename U>
auto long_one(T t,
              const std::function<void(int, int)>& u) -> int {
    for (int i = 0; i < 3; ++i) { h([&](int, int, int) { return '}'; }); }
    if (t) {
        u(U'"');
    }
}
})code");
    ASSERT_EQ(functions.size(), 4u);
    EXPECT_EQ(functions[0].name, "B");
    EXPECT_EQ(functions[0].parameters, 2u);
    EXPECT_EQ(functions[1].name, "n_") << "the rest of a constructor after the braces of a member";
    EXPECT_EQ(functions[2].parameters, 2u);
    EXPECT_EQ(functions[3].name, "long_one");
    EXPECT_EQ(functions[3].parameters, 2u);
    EXPECT_EQ(functions[3].lines, 8u);
    EXPECT_EQ(functions[3].line, 10u);
}

TEST(Functions, are_short_and_take_few_parameters) {
    const fs::path root = fs::path(places::tests()).parent_path();
    size_t functions = 0;
    std::set<std::string> too_long;
    for (const char* floor : {"app", "gpu", "models", "shaders", "tests"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / floor)) {
            const std::string kind = entry.path().extension();
            if (kind != ".cpp" && kind != ".h" && kind != ".comp" && kind != ".glsl") continue;
            std::ifstream file(entry.path());
            for (const Function& function : functions_of({std::istreambuf_iterator(file), {}})) {
                ++functions;
                const std::string path = entry.path().lexically_relative(root);
                EXPECT_LE(function.parameters, most_parameters)
                    << path << ":" << function.line << ": " << function.name;
                if (function.lines <= most_lines) continue;
                too_long.insert(path + ": " + function.name);
                EXPECT_TRUE(long_functions.contains(path + ": " + function.name))
                    << path << ":" << function.line << ": " << function.name << " has "
                    << function.lines << " lines: find its second idea";
            }
        }
    EXPECT_GT(functions, 5000u);
    EXPECT_EQ(too_long, long_functions) << "take out what is short by now";
}

}  // namespace
}  // namespace saccade
