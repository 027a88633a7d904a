#include "models/files/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "gpu/core/error.h"
#include "models/files/json.h"

namespace saccade {
namespace {

using Kind = PickleValue::Kind;

constexpr size_t longest_text = 1 << 16;

// Unsupported opcodes, for error messages.
struct OpcodeName {
    uint8_t code;
    const char* name;
};
constexpr std::array refused_opcodes{
    OpcodeName{'0', "POP"},
    OpcodeName{'1', "POP_MARK"},
    OpcodeName{'2', "DUP"},
    OpcodeName{'F', "FLOAT"},
    OpcodeName{'I', "INT"},
    OpcodeName{'L', "LONG"},
    OpcodeName{'P', "PERSID"},
    OpcodeName{'S', "STRING"},
    OpcodeName{'T', "BINSTRING"},
    OpcodeName{'U', "SHORT_BINSTRING"},
    OpcodeName{'V', "UNICODE"},
    OpcodeName{'d', "DICT"},
    OpcodeName{'g', "GET"},
    OpcodeName{'i', "INST"},
    OpcodeName{'l', "LIST"},
    OpcodeName{'o', "OBJ"},
    OpcodeName{'p', "PUT"},
    OpcodeName{'B', "BINBYTES"},
    OpcodeName{'C', "SHORT_BINBYTES"},
    OpcodeName{0x81, "NEWOBJ"},
    OpcodeName{0x82, "EXT1"},
    OpcodeName{0x83, "EXT2"},
    OpcodeName{0x84, "EXT4"},
    OpcodeName{0x8b, "LONG4"},
    OpcodeName{0x8c, "SHORT_BINUNICODE"},
    OpcodeName{0x8d, "BINUNICODE8"},
    OpcodeName{0x8e, "BINBYTES8"},
    OpcodeName{0x8f, "EMPTY_SET"},
    OpcodeName{0x90, "ADDITEMS"},
    OpcodeName{0x91, "FROZENSET"},
    OpcodeName{0x92, "NEWOBJ_EX"},
    OpcodeName{0x93, "STACK_GLOBAL"},
    OpcodeName{0x94, "MEMOIZE"},
    OpcodeName{0x95, "FRAME"},
    OpcodeName{0x96, "BYTEARRAY8"},
    OpcodeName{0x97, "NEXT_BUFFER"},
    OpcodeName{0x98, "READONLY_BUFFER"},
};

class PickleReader {
public:
    PickleReader(std::span<const std::byte> bytes, std::span<const std::string_view> allowed,
                 const std::string& where)
        : rest_(bytes), allowed_(allowed), where_(where) {}

    Pickle read() {
        while (step()) {
        }
        if (stack_.size() != 1 || kind(stack_[0]) == Kind::mark)
            refuse("does not end with one value");
        return {std::move(values_), stack_[0]};
    }

private:
    // Executes one opcode; false at the end. One switch, with a line or two for each opcode.
    bool step() {
        const uint8_t opcode = std::to_integer<uint8_t>(take(1)[0]);
        switch (opcode) {
            case 0x80:  // PROTO
                if (number<uint8_t>() != 2) refuse("is not of protocol 2, which torch.save writes");
                break;
            case '.':  // STOP
                return false;
            case '(':  // MARK
                push(Kind::mark);
                break;
            case 'N':  // NONE
                push(Kind::none);
                break;
            case 0x88:  // NEWTRUE
            case 0x89:  // NEWFALSE
                push(Kind::boolean).whole = opcode == 0x88;
                break;
            case 'K':  // BININT1
                push_whole(number<uint8_t>());
                break;
            case 'M':  // BININT2
                push_whole(number<uint16_t>());
                break;
            case 'J':  // BININT
                push_whole(number<int32_t>());
                break;
            case 0x8a:  // LONG1
                push_whole(long_number());
                break;
            case 'G':  // BINFLOAT
                push(Kind::real).real =
                    std::bit_cast<double>(__builtin_bswap64(number<uint64_t>()));
                break;
            case 'X':  // BINUNICODE
                push_text(Kind::text, text(number<uint32_t>()));
                break;
            case 'c':  // GLOBAL
                push_text(Kind::global, global());
                break;
            case '}':  // EMPTY_DICT
                push(Kind::dictionary);
                break;
            case ']':  // EMPTY_LIST
                push(Kind::list);
                break;
            case ')':  // EMPTY_TUPLE
                push(Kind::tuple);
                break;
            case 't':  // TUPLE
                push_made(Kind::tuple, pop_to_mark());
                break;
            case 0x85:  // TUPLE1
            case 0x86:  // TUPLE2
            case 0x87:  // TUPLE3
                push_made(Kind::tuple, pop(opcode - 0x84u));
                break;
            case 'a':  // APPEND
                append(Kind::list, pop(1));
                break;
            case 'e':  // APPENDS
                append(Kind::list, pop_to_mark());
                break;
            case 's':  // SETITEM
                append(Kind::dictionary, pop(2));
                break;
            case 'u':  // SETITEMS
                append(Kind::dictionary, pop_to_mark());
                break;
            case 'R':  // REDUCE
                reduce();
                break;
            case 'b':  // BUILD
                build();
                break;
            case 'Q':  // BINPERSID
                push_made(Kind::persistent, pop(1));
                break;
            case 'q':  // BINPUT
                memo_[number<uint8_t>()] = top();
                break;
            case 'r':  // LONG_BINPUT
                memo_[number<uint32_t>()] = top();
                break;
            case 'h':  // BINGET
                recall(number<uint8_t>());
                break;
            case 'j':  // LONG_BINGET
                recall(number<uint32_t>());
                break;
            default:
                refuse_opcode(opcode);
        }
        return true;
    }

    [[noreturn]] void refuse(const std::string& problem) const {
        throw Error(where_ + ": the pickle " + problem + "; it is not a plain PyTorch checkpoint");
    }

    [[noreturn]] void refuse_opcode(uint8_t opcode) const {
        const auto known = std::ranges::find(refused_opcodes, opcode, &OpcodeName::code);
        refuse(
            "uses the opcode " +
            (known == refused_opcodes.end() ? std::to_string(opcode) : std::string(known->name)) +
            ", which tensors do not need");
    }

    std::span<const std::byte> take(size_t count) {
        if (count > rest_.size()) refuse("is cut off");
        const auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }

    template <typename T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

    int64_t long_number() {
        const uint8_t count = number<uint8_t>();
        if (count > sizeof(int64_t)) refuse("has a number of " + std::to_string(count) + " bytes");
        if (count == 0) return 0;
        uint64_t value = 0;
        std::memcpy(&value, take(count).data(), count);
        const unsigned unused = 64 - 8u * count;  // bits, filled by sign extension
        return static_cast<int64_t>(value << unused) >> unused;
    }

    std::string text(uint32_t count) {
        if (count > longest_text) refuse("has a text of " + std::to_string(count) + " bytes");
        const auto bytes = take(count);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::string line() {
        std::string line;
        for (char c; (c = static_cast<char>(number<uint8_t>())) != '\n';) {
            line += c;
            if (line.size() > longest_text) refuse("has a name without an end");
        }
        return line;
    }

    std::string global() {
        std::string name = line();
        name += "." + line();
        if (std::ranges::find(allowed_, name) == allowed_.end())
            refuse("asks for " + in_quotes(name) + ", and only tensors are read");
        return name;
    }

    Kind kind(uint32_t value) const { return values_[value].kind; }

    PickleValue& push(Kind made) {
        stack_.push_back(static_cast<uint32_t>(values_.size()));
        PickleValue& value = values_.emplace_back();
        value.kind = made;
        return value;
    }
    void push_whole(int64_t whole) { push(Kind::whole).whole = whole; }
    void push_text(Kind made, std::string text) { push(made).text = std::move(text); }
    void push_made(Kind made, std::vector<uint32_t> items) { push(made).items = std::move(items); }

    uint32_t top() const {
        if (stack_.empty() || kind(stack_.back()) == Kind::mark) refuse("takes what is not there");
        return stack_.back();
    }

    std::vector<uint32_t> pop(size_t count) {
        std::vector<uint32_t> items(count);
        for (size_t i = count; i-- > 0; stack_.pop_back()) items[i] = top();
        return items;
    }

    std::vector<uint32_t> pop_to_mark() {
        size_t begin = stack_.size();
        while (begin > 0 && kind(stack_[begin - 1]) != Kind::mark) --begin;
        if (begin == 0) refuse("takes what is not there");
        std::vector<uint32_t> items(stack_.begin() + static_cast<ptrdiff_t>(begin), stack_.end());
        stack_.resize(begin - 1);
        return items;
    }

    // Appends items to the list or dictionary on top of the stack.
    void append(Kind into, const std::vector<uint32_t>& items) {
        PickleValue& target = values_[top()];
        if (target.kind != into) refuse(std::string("puts items into ") + name_of(target.kind));
        if (into == Kind::dictionary && items.size() % 2) refuse("has a key without a value");
        target.items.insert(target.items.end(), items.begin(), items.end());
    }

    void reduce() {
        std::vector<uint32_t> parts = pop(2);
        const PickleValue& function = values_[parts[0]];
        const PickleValue& arguments = values_[parts[1]];
        if (function.kind != Kind::global || arguments.kind != Kind::tuple)
            refuse(std::string("calls ") + name_of(function.kind));
        // The only class that may be called; read as a dictionary.
        if (function.text == "collections.OrderedDict") {
            if (!arguments.items.empty()) refuse("makes an OrderedDict of something");
            push(Kind::dictionary);
        } else {
            push_made(Kind::call, std::move(parts));
        }
    }

    // Ignores the attributes of a state dict, the versions of its modules.
    void build() {
        const std::vector<uint32_t> state = pop(1);
        if (kind(top()) != Kind::dictionary || kind(state[0]) != Kind::dictionary)
            refuse(std::string("sets the state of ") + name_of(kind(top())));
    }

    void recall(uint32_t key) {
        const auto found = memo_.find(key);
        if (found == memo_.end()) refuse("takes what is not there");
        stack_.push_back(found->second);
    }

    std::span<const std::byte> rest_;
    std::span<const std::string_view> allowed_;
    const std::string& where_;
    std::vector<PickleValue> values_;
    std::vector<uint32_t> stack_;  // indices into values_
    std::unordered_map<uint32_t, uint32_t> memo_;
};

}  // namespace

const char* name_of(PickleValue::Kind kind) {
    switch (kind) {
        case Kind::none:
            return "None";
        case Kind::boolean:
            return "a boolean";
        case Kind::whole:
        case Kind::real:
            return "a number";
        case Kind::text:
            return "a text";
        case Kind::tuple:
            return "a tuple";
        case Kind::list:
            return "a list";
        case Kind::dictionary:
            return "a dictionary";
        case Kind::global:
            return "a class";
        case Kind::call:
            return "the result of a call";
        case Kind::persistent:
            return "a storage";
        case Kind::mark:
            return "a mark";
    }
    return "";
}

Pickle read_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> allowed,
                   const std::string& where) {
    return PickleReader(bytes, allowed, where).read();
}

}  // namespace saccade
