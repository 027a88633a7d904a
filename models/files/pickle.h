#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saccade {

// What a pickle may build here. Nothing of it is ever executed: a class or a function is a name,
// and calling one makes a record of its arguments.
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
        persistent,  // items: the id, by which a file outside of the pickle is meant
        mark,        // on the reader's own stack alone
    };
    Kind kind = Kind::none;
    int64_t whole = 0;  // also a boolean
    double real = 0;
    std::string text;
    std::vector<uint32_t> items;  // indices into Pickle::values; what is shared is there once
};
const char* name_of(PickleValue::Kind kind);  // "a tuple"

struct Pickle {
    std::vector<PickleValue> values;
    uint32_t root = 0;
};

// Reads a pickle as torch.save writes it (protocol 2). Globals other than `allowed`, which are
// "module.name", and opcodes that a state dict has no use for are refused by name. `where` opens
// the errors.
Pickle read_pickle(std::span<const std::byte> bytes, std::span<const std::string_view> allowed,
                   const std::string& where);

}  // namespace saccade
