#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "app/lecture/parts.h"
#include "app/lecture/reruns.h"
#include "app/lecture/selection.h"
#include "app/pipeline/still_pictures.h"
#include "models/attention/attention_maps.h"
#include "models/attention/tap.h"
#include "models/classification/dino_classifier.h"

namespace saccade {

namespace {

constexpr uint64_t stream_bytes = 3'000'000;  // of the residual stream
constexpr double seconds_for_heads = 30;      // heads are switched off one by one until then

// A classifier's run on one picture, and what the page gets of it.
class ClassifierPart {
public:
    ClassifierPart(const LectureInput& in, Classifier& classifier, PageTensors& tensors)
        : in_(in), classifier_(classifier), model_(classifier.model()), tensors_(tensors) {}

    LectureData collect() {
        in_.progress("the classifier");
        run();
        const Tap::Kept& first = tap_.layer(0);
        tokens_ = first.q.rows;
        heads_ = first.heads.count;
        head_size_ = head_size_of(first);
        data_ = {{"layers", blocks()},
                 {"heads", heads_},
                 {"head_size", head_size_},
                 {"dim", tap_.hidden_states().at(0).columns},
                 {"tokens", tokens_},
                 {"first_cell", model_.layout(0).first_cell},
                 {"scale", first.heads.scale},
                 {"patch", {model_.patch().x, model_.patch().y}},
                 {"labels", classifier_.labels()},
                 {"independent", classifier_.judges_classes_alone()},
                 {"pooled", model_.pools_last()},
                 {"sure_above", classifier_.sure_above()},
                 {"place", place_of(classifier_.geometry())}};
        add_input();
        add_positions();
        add_attention();
        add_stream();
        if (!classifier_.labels().empty()) {
            tensors_.add("logits", {classifier_.labels().size()}, classifier_.ranking().logits());
            add_lens();
            add_orders();
            add_heads();
        }
        data_["phrases"] = phrases_part(in_, classifier_, tap_, patches_, tensors_);
        return data_;
    }

private:
    // The layers of attention between tokens: all but a pooling one at the end, whose only query is
    // none of them.
    uint32_t blocks() const { return model_.layers() - (model_.pools_last() ? 1 : 0); }

    void run() {
        tap_ = Tap::on_first(model_.layers(), true);
        tap_.keep_values();
        StillPictures pictures(in_.engine, "lecture", [&](Commands& c, const Image& image) {
            classifier_.prepare({image.width(), image.height()});
            classifier_.record(c, image, tap_);
            const PictureInput& input = classifier_.input();
            const Tensor patches =
                c.scratch(1, input.patches(), input.patch_columns(), model_.input_type());
            input.record(c, patches, image);
            patches_download_.record(c, patches);
        });
        pictures.run(in_.picture);
        patches_ = patches_download_.floats();
    }

    void add_input() {
        const PictureInput& input = classifier_.input();
        const Preprocessor& preprocessor = input.preprocessor();
        tensors_.add("patches", {input.patches(), input.patch_columns()}, patches_);
        data_["input"] = {{"size", {input.plan().width, input.plan().height}},
                          {"mean", preprocessor.mean},
                          {"deviation", preprocessor.std_dev},
                          {"rescale", preprocessor.rescale_factor}};
    }

    void add_positions() {
        const Tensor positions = model_.positions();
        data_["positions"] = bool(positions);
        add_extra_tokens();
        if (positions)
            tensors_.add("positions", {positions.rows, positions.columns},
                         read_back(in_.engine, "lecture", positions));
    }

    // What the tokens between the class token and the patches are, and what else differs in DINO.
    void add_extra_tokens() {
        const auto* const dino = dynamic_cast<const DinoClassifier*>(&model_);
        if (model_.layout(0).first_cell > 1) data_["extra"] = dino ? "registers" : "distillation";
        if (!dino) return;
        data_["rotary"] = dino->rotates();
        data_["reads_patches"] = true;
    }

    void add_attention() {
        const uint64_t values = uint64_t(3) * tokens_ * heads_ * head_size_;
        const std::vector<uint32_t> layers = evenly(blocks(), qkv_bytes / page_bytes_of(values));
        const bool has_values = bool(tap_.layer(0).v);
        data_["kept_layers"] = layers;
        data_["values"] = has_values;
        for (const uint32_t layer : layers) add_qkv(in_.engine, tap_.layer(layer), layer, tensors_);
        if (!model_.rolls_out()) return;
        Rollout rollout(in_.engine.device());
        tensors_.add("rollout", {tokens_}, read_back(in_.engine, "lecture", [&](Commands& c) {
                         return rollout.record(c, tap_, model_.layout(0).first_query);
                     }));
    }

    // The residual stream before the first block and after each, and its length for every token.
    void add_stream() {
        const auto& states = tap_.hidden_states();
        const uint32_t dim = states.at(0).columns;
        const uint64_t each = page_bytes_of(uint64_t(tokens_) * dim);
        const std::vector<uint32_t> kept = evenly(blocks() + 1, stream_bytes / each);
        data_["kept_states"] = LectureData::array();
        for (uint32_t index = 0; index <= blocks(); ++index) {
            const bool wanted = index == 0 || std::ranges::find(kept, index) != kept.end();
            if (!wanted) continue;
            data_["kept_states"].push_back(index);
            tensors_.add("stream." + std::to_string(index), {tokens_, dim},
                         read_back(in_.engine, "lecture", states.at(index)));
        }
    }

    void add_lens() {
        std::vector<float> all;
        for (const auto& entry : tap_.hidden_states()) {
            const Tensor& z = entry.second;
            Commands c(in_.engine.device(), in_.engine.scratch(), "lens");
            Download download;
            c.begin();
            {
                auto scope = c.scope("lens");
                const Tensor logits = model_.lens(c, z);
                if (!logits) return;
                download.record(c, logits);
            }
            c.end();
            c.run();
            const std::vector<float> logits = download.floats();
            all.insert(all.end(), logits.begin(), logits.end());
        }
        tensors_.add("lens", {tap_.hidden_states().size(), classifier_.labels().size()}, all);
        data_["lens"] = true;
    }

    // The answer with the patches in another order, and without positions.
    void add_orders() {
        if (!model_.positions()) return;
        in_.progress("other orders of the patches");
        Reruns reruns(in_.engine, classifier_, patches_);
        std::vector<uint32_t> order(classifier_.input().patches());
        std::iota(order.begin(), order.end(), 0u);
        const std::vector<uint32_t> in_place = order;
        std::mt19937 random(1);  // its numbers are the same everywhere, std::shuffle's are not
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        data_["order"] = order;
        std::vector<float> all = reruns.with_order(order, true);
        auto add = [&](const std::vector<float>& logits) {
            all.insert(all.end(), logits.begin(), logits.end());
        };
        data_["without_positions"] = model_.skips_positions();
        if (model_.skips_positions()) {
            add(reruns.with_order(in_place, false));
            add(reruns.with_order(order, false));
        }
        const size_t classes = classifier_.labels().size();
        // shuffled; without positions; without positions and shuffled
        tensors_.add("orders", {all.size() / classes, classes}, all);
    }

    // Heads switched off, from the last layer on: what comes before a layer is not run again.
    void add_heads() {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        Reruns reruns(in_.engine, classifier_, patches_);
        const size_t classes = classifier_.labels().size();
        LectureData layers = LectureData::array();
        for (uint32_t layer = model_.layers(); layer-- > 0;) {
            const std::chrono::duration<double> passed = Clock::now() - start;
            if (passed.count() > seconds_for_heads) break;
            in_.progress("heads of layer " + std::to_string(layer));
            const std::vector<float> logits =
                reruns.without_heads(tap_.hidden_states().at(layer), layer);
            if (logits.empty()) return;
            tensors_.add("off." + std::to_string(layer), {logits.size() / classes, classes},
                         logits);
            layers.push_back(layer);
        }
        data_["off_layers"] = layers;
    }

    const LectureInput& in_;
    Classifier& classifier_;
    const ClassificationModel& model_;
    PageTensors& tensors_;
    Tap tap_;
    Download patches_download_;
    std::vector<float> patches_;
    uint32_t tokens_ = 0, heads_ = 0, head_size_ = 0;
    LectureData data_;
};

}  // namespace

LectureData classifier_part(const LectureInput& in, Classifier& classifier, PageTensors& tensors) {
    // The page has no pictures of attention with relative positions; windows have their own part.
    if (!classifier.model().rolls_out()) return nullptr;
    return ClassifierPart(in, classifier, tensors).collect();
}

}  // namespace saccade
