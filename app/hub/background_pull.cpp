#include "app/hub/background_pull.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "app/hub/model_pull.h"
#include "gpu/core/error.h"

namespace saccade {

struct BackgroundPull::Job {
    explicit Job(const std::string& name) : progress(name, TransferProgress::Style::none) {}
    TransferProgress progress;
    std::string failure;  // read it only when the job is done
    std::atomic<bool> done = false;
};

BackgroundPull::BackgroundPull(HubSettings settings) : settings_(std::move(settings)) {}

void BackgroundPull::start(const std::string& name, std::function<void()> then) {
    if (job_) return;
    name_ = name;
    error_.clear();
    then_ = std::move(then);
    const std::optional<HubModel> model = HubModel::parse(name);
    if (!model) {
        error_ = "'" + name + "' is no name of the Hub";
        return;
    }
    job_ = std::make_shared<Job>(name);
    std::thread([job = job_, model = *model, settings = settings_] {
        try {
            if (settings.offline)
                throw Error("HF_HUB_OFFLINE is set, so '" + model.text() +
                            "' cannot be downloaded: unset it");
            pull_model(model, HubCache(), settings, job->progress);
        } catch (const std::exception& error) {
            job->failure = error.what();
        }
        job->done = true;
    }).detach();
}

void BackgroundPull::poll() {
    if (!job_ || !job_->done) return;
    const std::shared_ptr<Job> job = std::exchange(job_, nullptr);
    error_ = job->failure;
    if (!error_.empty()) return;
    here_.insert(name_);
    if (then_) then_();
}

void BackgroundPull::follow(const Chosen& models) {
    if (std::ranges::equal(models, chosen_)) return;
    std::ranges::copy(models, chosen_.begin());
    error_.clear();
}

float BackgroundPull::share() const { return job_ ? job_->progress.share() : 0; }

}  // namespace saccade
