#pragma once

#include <memory>
#include <string>

#include "app/live/report.h"
#include "app/live/swapped_model.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// The models of a loop that does not stop: each has a place of its own, and while another one is
// loaded for it, the old one works on.
class LiveModels {
public:
    explicit LiveModels(Engine& engine);

    // Those that the state asks for, or the bundled ones for what its source shows.
    void want(const LiveState& state);
    bool loading() const;
    // Whether there is something to swap in. Call swap() when nobody uses the old ones.
    bool ready() const;
    void swap();
    // The new ones work.
    void settle();
    // The new ones do not: the ones before work on. False if none is new. To be called when nobody
    // uses them.
    bool undo(const std::string& why);

    Models loaded() const;
    const std::string& detector_name() const { return detector_.name(); }
    std::vector<std::string> labels() const;  // of the detector's classes
    void tell(LiveReport& report) const;
    // An Error if one of them could not be opened.
    void require_all() const;

    // Beams are sorted on the host after every word, and a picture that moves would wait for that.
    // So captions are greedy then; a picture that stands still gets the search that the model's
    // files ask for.
    bool searches_otherwise(bool still) const;
    void search(bool still);  // when nobody uses the captioner
    std::string caption_note(bool still) const;

private:
    // Captioners record on the thread that opens them, and need scratch memory that nobody else
    // takes from meanwhile.
    struct OwnCaptioner {
        std::unique_ptr<Arena> scratch;
        std::unique_ptr<Captioner> captioner;
        uint32_t beams = 1;    // that the model's files ask for
        bool searches = true;  // with all of them
    };

    SwappedModel<Detector> detector_;
    SwappedModel<Classifier> classifier_;
    SwappedModel<OwnCaptioner> captioner_;
};

// Those of the catalogue; what is on this machine comes first.
std::vector<KnownModel> known_models(Task task);

}  // namespace saccade
