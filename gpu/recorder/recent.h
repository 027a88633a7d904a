#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace saccade {

// Values that recordings use, such as tables for sizes of pictures, for the last few keys that were
// chosen: while few keys take turns, each value is made once.
template <typename Key, typename Value>
class Recent {
public:
    static constexpr size_t most = 8;

    bool is(const Key& key) const { return chosen_ && kept_.back().first == key; }
    // Whether another key's value goes when this one is chosen.
    bool forgets_for(const Key& key) const { return kept_.size() == most && !keeps(key); }

    // Makes the value of this key, unless it is kept. If that throws, none is chosen.
    template <typename Make>
    const Value& choose(const Key& key, const Make& make) {
        chosen_ = false;
        const auto kept = find(key);
        if (kept == kept_.end()) {
            Value value = make();
            if (kept_.size() == most) kept_.erase(kept_.begin());
            kept_.emplace_back(key, std::move(value));
        } else {
            std::rotate(kept, kept + 1, kept_.end());
        }
        chosen_ = true;
        return kept_.back().second;
    }
    void choose_none() { chosen_ = false; }
    // Of the chosen key; empty if there is none.
    const Value& value() const { return chosen_ ? kept_.back().second : none_; }

private:
    using Kept = std::vector<std::pair<Key, Value>>;
    typename Kept::iterator find(const Key& key) {
        return std::ranges::find(kept_, key, &Kept::value_type::first);
    }
    bool keeps(const Key& key) const {
        return std::ranges::find(kept_, key, &Kept::value_type::first) != kept_.end();
    }

    Kept kept_;  // the one that was chosen last is the last
    Value none_ = {};
    bool chosen_ = false;
};

}  // namespace saccade
