#include "app/cause/head_off.h"

namespace saccade {

std::string name_of(HeadOff::Of model) {
    return model == HeadOff::Of::detector     ? "detector"
           : model == HeadOff::Of::classifier ? "classifier"
                                              : "captioner";
}

std::string in_words(const HeadsOff& off) {
    std::string text;
    const HeadOff* before = nullptr;
    for (const HeadOff& one : off) {
        if (!before)
            text += name_of(one.of) + " ";
        else
            text += before->of == one.of ? ", " : "; " + name_of(one.of) + " ";
        text += std::to_string(one.layer) + "." + std::to_string(one.head);
        before = &one;
    }
    return text;
}

}  // namespace saccade
