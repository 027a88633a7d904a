// Zero-shot and open-vocabulary models against transformers: see tests/golden.

#include <algorithm>
#include <cstring>

#include "app/lab/dump/dump.h"
#include "models/files/safetensors.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

Floats values_of(const StoredTensor& tensor) {
    Floats values(tensor.elements());
    if (tensor.type == StoredType::i32) {  // ids, small numbers
        std::vector<int32_t> whole(values.size());
        std::memcpy(whole.data(), tensor.bytes.data(), tensor.bytes.size());
        std::ranges::transform(whole, values.begin(), [](int32_t id) { return float(id); });
    } else {
        read_floats(tensor, 0, values);
    }
    return values;
}

class WordModels : public GpuTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(WordModels, every_tensor_is_what_transformers_computes) {
    const GoldenFolder from(GetParam());
    const SafetensorsFile golden(from.golden / "golden.safetensors");
    const DumpInputs inputs = DumpInputs::read(from.golden / "golden.json");
    for (Precision precision : {Precision::fp32, Precision::fp16}) {
        SCOPED_TRACE(precision == Precision::fp32 ? "fp32" : "fp16");
        EngineOptions options;
        options.precision = precision;
        Engine engine(options);
        const std::filesystem::path file = from.folder.path() / "dump.safetensors";
        dump(engine, from.folder.path(), from.view(), inputs, file);
        const SafetensorsFile got(file);
        EXPECT_GE(golden.tensors().size(), 5u);
        for (const StoredTensor& want : golden.tensors()) {
            // In half precision the order of near equals may differ; their logits do not.
            if (precision == Precision::fp16 && want.name == "step_ids_top8") continue;
            const StoredTensor* ours = got.find(want.name);
            ASSERT_TRUE(ours) << want.name;
            EXPECT_EQ(ours->shape, want.shape) << want.name;
            EXPECT_LT(relative_error(values_of(*ours), values_of(want)),
                      precision == Precision::fp32 ? 1e-4 : 2e-2)
                << want.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, WordModels,
                         ::testing::Values("clip-nano", "siglip-nano", "siglip2-nano", "owlv2-nano",
                                           "blip-vqa-nano", "smolvlm-nano", "smolvlm-nano-split"),
                         [](const auto& one) {
                             std::string name = one.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace saccade
