#include "app/serve/page_switches.h"

#include <nlohmann/json.hpp>

#include "app/live/state/controls.h"

namespace saccade {

nlohmann::json page_switches() {
    const Wishes defaults;
    nlohmann::json switches = nlohmann::json::array();
    for (const Control& control : controls()) {
        if (control.page != PageScope::viewer) continue;
        const bool* const value = value_of(control, defaults);
        switches.push_back({{"name", control.name},
                            {"label", control.label},
                            {"key", control.keys},
                            {"line", control.line},
                            {"tip", control.tip},
                            {"part", control.panel == PanelPart::attention ? "attention" : "shown"},
                            {"on", !value || *value}});
    }
    return switches;
}

}  // namespace saccade
