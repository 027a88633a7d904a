#pragma once

#include <string>

namespace saccade {

// Whose code computes a model. transformers computes some families otherwise than their authors,
// and weights give the right answers only in the code that they were trained with. by_weights: the
// one that the files tell.
enum class Implementation { by_weights, transformers, authors };

// "transformers" or "authors", and "" for by_weights; an Error for other names.
Implementation implementation_named(const std::string& name);
const char* name_of(Implementation implementation);

}  // namespace saccade
