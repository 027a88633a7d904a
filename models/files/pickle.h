#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saccade {

// A value that a pickle builds. Nothing is ever executed: a class or function is only a name, and a
// call is a record of its arguments.
struct PickleValue {
    enum class Kind {
        none,
        boolean,
        whole,
        real,
        text,
        tuple,       // items
        list,        // items
        dictionary,  // items: key, value, key, value...
        global,      // text: "module.name"
        call,        // items: the global, the tuple of its arguments
        persistent,  // items: the persistent id, which refers to a file outside of the pickle
        mark,        // only on the reader's stack
    };
    Kind kind = Kind::none;
    int64_t whole = 0;  // also a boolean
    double real = 0;
    std::string text;
    std::vector<uint32_t> items;  // indices into Pickle::values
};
const char* name_of(PickleValue::Kind kind);  // "a tuple"

struct Pickle {
    std::vector<PickleValue> values;
    uint32_t root = 0;
};

// Reads a pickle as torch.save writes it (protocol 2). Globals ("module.name") other than
// `allowed`, and opcodes that a state dict does not need, are Errors. `where` starts the message.
Pickle read_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> allowed,
                   const std::string& where);

}  // namespace saccade
