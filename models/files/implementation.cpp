#include "models/files/implementation.h"

#include "gpu/core/error.h"
#include "models/files/json.h"

namespace saccade {

const char* name_of(Implementation implementation) {
    switch (implementation) {
        case Implementation::by_weights:
            return "";
        case Implementation::transformers:
            return "transformers";
        case Implementation::authors:
            return "authors";
    }
    return "";
}

Implementation implementation_named(const std::string& name) {
    for (const Implementation one :
         {Implementation::by_weights, Implementation::transformers, Implementation::authors})
        if (name == name_of(one)) return one;
    throw Error(in_quotes(name) + " is not transformers or authors");
}

}  // namespace saccade
