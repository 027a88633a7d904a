#pragma once

#include <memory>
#include <string>

#include "app/live/models/swapped_model.h"
#include "app/live/state/status.h"
#include "app/live/state/wishes.h"
#include "app/pipeline/models_in_use.h"

namespace saccade {

// The models of the loop, which does not stop for them: while a model is loaded, the one before it
// stays in use.
class LiveModels {
public:
    explicit LiveModels(Engine& engine);

    // Loads the models that are wished for, or the bundled ones for the kind of source.
    void want(const Wishes& wishes);
    bool loading() const;
    // Whether a loaded model waits to be swapped in. swap() may be called when the old ones are
    // idle.
    bool ready() const;
    void swap();
    // Keeps the new ones: they work.
    void settle();
    // Goes back to the ones before, because the new ones do not work. False if none is new. May be
    // called when they are idle.
    bool undo(const std::string& why);

    Models loaded() const;
    const std::string& detector_name() const { return detector_.name(); }
    std::vector<std::string> labels() const;  // of the detector's classes
    void report(Status& to) const;
    // An Error if one of them could not be opened.
    void require_all() const;

    // Captions of a picture that moves are decoded greedily, because beam search sorts its beams on
    // the host after every word. A picture that stands still gets the beam search of the model's
    // files.
    bool searches_otherwise(bool still) const;
    void search(bool still);  // when the captioner is idle
    std::string caption_note(bool still) const;

private:
    // Captioners record on the thread that opens them, and need scratch memory of their own for
    // that.
    struct OwnCaptioner {
        std::unique_ptr<Arena> scratch;
        std::unique_ptr<Captioner> captioner;
        uint32_t beams = 1;    // in the model's files
        bool searches = true;  // with all of them
    };

    Implementation as_ = Implementation::by_weights;
    SwappedModel<Detector> detector_;
    SwappedModel<Classifier> classifier_;
    SwappedModel<OwnCaptioner> captioner_;
};

// The models of the catalogue; those on this machine come first.
std::vector<KnownModel> known_models(Task task);

}  // namespace saccade
