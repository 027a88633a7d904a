// saccade-lab: parity dump and benchmark for machines that have neither OpenCV nor a display, only
// a compiler and Vulkan. The saccade program has the same commands and more.

#include <cstdio>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/devices.h"
#include "app/io/print.h"
#include "app/io/sanitizer.h"
#include "app/io/text.h"
#include "app/lab/bench.h"
#include "app/lab/bench_knock_outs.h"
#include "app/lab/describe_tiles.h"
#include "app/lab/dump/dump.h"
#include "app/lab/kernels.h"
#include "app/lab/ppm.h"
#include "gpu/core/error.h"

namespace saccade {
namespace {

constexpr const char* usage =
    "saccade-lab " SACCADE_VERSION
    "\n"
    "  saccade-lab devices\n"
    "  saccade-lab dump --model FOLDER --image PICTURE.ppm [--inputs GOLDEN.json]\n"
    "                    [--as transformers|authors] -o OUT.safetensors\n"
    "  saccade-lab bench [--model FOLDER|NAME]... [--ops] [--batch N] [--beams N] [--runs N]\n"
    "                    [--no-check] [--dispatches] [--json] [--compare EARLIER.json]\n"
    "  saccade-lab bench --knock-outs --model FOLDER|NAME... [--cells N] [--batch N] [--runs N] "
    "[--json]\n"
    "                    times maps of what a class or a detection needs: every cell knocked "
    "out,\n"
    "                    coarse then finer, every head; --cells: along the longer side (16)\n"
    "  saccade-lab kernels [--model FOLDER|NAME]... [--beams N] [--json]\n"
    "                    compiles the kernels of these models (default: all) without running "
    "them,\n"
    "                    and prints the driver's statistics: registers, spills, memory, size\n"
    "  saccade-lab tiles [--product ROWSxCOLUMNSxDEPTH]... [--activation NAME] [--add] [--fit]\n"
    "                    [--conv HEIGHTxWIDTHxCHANNELSxCOLUMNS[xKERNEL[xSTRIDE]]]...\n"
    "                    [--attention QUERIESxKEYSxHEAD[xHEADS[xBATCH]]]... [--json]\n"
    "                    times every way in which the device can do these, products and "
    "convolutions\n"
    "                    with an activation or added to what is there; --fit also times all "
    "products of\n"
    "                    ViT-B, and prints rows for the table in gpu/ops/tile.cpp\n"
    "dump, bench, kernels and tiles take --device N|NAME, --precision auto|fp16|fp32, "
    "--no-coopmat,\n"
    "--no-texels, --no-chains, --validate; bench takes --tune: products are measured at their "
    "first\n"
    "use, and done as this device does them best\n"
    "Examples:\n"
    "  saccade-lab dump --model vit-base-patch16-224 --image cat.ppm -o cat.safetensors\n"
    "  saccade-lab bench --model vit-base-patch16-224 --precision fp16 --json\n";

struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The options after the command: all but the flags take one value.
class Arguments {
public:
    Arguments(int argc, char** argv) {
        for (int i = 2; i < argc; ++i) {
            std::string name = argv[i];
            if (name == "-o") name = "--out";
            if (!name.starts_with("--")) throw UsageError("unexpected '" + name + "'");
            if (name == "--json" || name == "--ops" || name == "--dispatches" ||
                name == "--no-check" || name == "--no-coopmat" || name == "--no-texels" ||
                name == "--no-chains" || name == "--validate" || name == "--tune" ||
                name == "--add" || name == "--fit" || name == "--knock-outs") {
                values_[name].emplace_back();
            } else {
                if (i + 1 == argc) throw UsageError(name + " needs a value");
                values_[name].emplace_back(argv[++i]);
            }
        }
    }
    bool flag(const std::string& name) { return !take(name).empty(); }
    std::vector<std::string> take(const std::string& name) {
        const auto found = values_.find(name);
        if (found == values_.end()) return {};
        std::vector<std::string> result = found->second;
        values_.erase(found);
        return result;
    }
    std::string one(const std::string& name, const std::string& fallback) {
        const std::vector<std::string> all = take(name);
        return all.empty() ? fallback : all.back();
    }
    std::string required(const std::string& name) {
        const std::vector<std::string> all = take(name);
        if (all.empty()) throw UsageError(name + " is missing");
        return all.back();
    }
    uint32_t number(const std::string& name, uint32_t fallback) {
        const std::string text = one(name, std::to_string(fallback));
        if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != text.npos)
            throw UsageError(name + " takes a number, not '" + text + "'");
        return static_cast<uint32_t>(std::stoul(text));
    }
    void finish() const {
        if (!values_.empty()) throw UsageError("unknown option " + values_.begin()->first);
    }

private:
    std::map<std::string, std::vector<std::string>> values_;
};

EngineOptions engine_options(Arguments& arguments) {
    EngineOptions options;
    options.device = arguments.one("--device", "");
    try {
        options.precision = precision_named(arguments.one("--precision", "auto"));
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
    options.cooperative_matrix = !arguments.flag("--no-coopmat");
    options.texel_loads = !arguments.flag("--no-texels");
    options.chains = !arguments.flag("--no-chains");
    options.validation = arguments.flag("--validate");
    options.on_message = [](std::string_view text) {
        std::fprintf(stderr, "saccade-lab: validation: %.*s\n", int(text.size()), text.data());
    };
    return options;
}

Implementation implementation_of(Arguments& arguments) {
    try {
        return implementation_named(arguments.one("--as", ""));
    } catch (const Error& error) {
        throw UsageError(std::string("--as: ") + error.what());
    }
}

uint32_t at_least_one(Arguments& arguments, const std::string& name) {
    const uint32_t number = arguments.number(name, 1);
    if (number == 0) throw UsageError(name + " must be at least 1");
    return number;
}

void run_dump(Arguments& arguments) {
    const std::string model = arguments.required("--model");
    const std::string image = arguments.required("--image");
    const std::string out = arguments.required("--out"), file = arguments.one("--inputs", "");
    const Implementation as = implementation_of(arguments);
    const EngineOptions options = engine_options(arguments);
    arguments.finish();
    const PpmPicture picture = read_ppm(image);
    DumpInputs inputs = file.empty() ? DumpInputs{} : DumpInputs::read(file);
    inputs.as = as;
    Engine engine(options);
    dump(engine, model,
         {picture.rgb.data(), picture.width, picture.height, 3 * picture.width, false}, inputs,
         out);
}

void run_bench_knock_outs(Arguments& arguments) {
    KnockOutBenchOptions bench_options;
    bench_options.models = arguments.take("--model");
    bench_options.most_cells = std::max(1u, arguments.number("--cells", bench_options.most_cells));
    bench_options.at_once = arguments.number("--batch", 0);
    bench_options.runs = arguments.number("--runs", 0);
    bench_options.json = arguments.flag("--json");
    const EngineOptions options = engine_options(arguments);
    arguments.finish();
    print(bench_knock_outs(options, bench_options));
}

void run_bench(Arguments& arguments) {
    if (arguments.flag("--knock-outs")) return run_bench_knock_outs(arguments);
    BenchOptions bench_options;
    bench_options.models = arguments.take("--model");
    bench_options.load = {at_least_one(arguments, "--batch"), at_least_one(arguments, "--beams")};
    bench_options.runs = arguments.number("--runs", 0);
    bench_options.ops = arguments.flag("--ops");
    bench_options.dispatches = arguments.flag("--dispatches");
    bench_options.check = !arguments.flag("--no-check");
    bench_options.json = arguments.flag("--json");
    bench_options.compare = arguments.one("--compare", "");
    EngineOptions options = engine_options(arguments);
    if (arguments.flag("--tune")) options.tuning = EngineOptions::Tuning::always;
    options.on_tuning = [](const std::string& line) {
        std::fprintf(stderr, "saccade-lab: %s\n", line.c_str());
    };
    arguments.finish();
    print(bench(options, bench_options));
}

void run_kernels(Arguments& arguments) {
    const std::vector<std::string> models = arguments.take("--model");
    const bool json = arguments.flag("--json");
    const uint32_t beams = at_least_one(arguments, "--beams");
    const EngineOptions options = engine_options(arguments);
    arguments.finish();
    print(describe_kernels(options, models, beams, json));
}

void run_tiles(Arguments& arguments) {
    TilesOptions tiles;
    tiles.fit = arguments.flag("--fit");
    tiles.json = arguments.flag("--json");
    const bool add = arguments.flag("--add");
    try {
        const Activation activation = activation_of_products(arguments.one("--activation", "none"));
        const auto ending = [&](auto sizes) {
            sizes.activation = activation;
            sizes.add = add;
            return sizes;
        };
        for (const std::string& text : arguments.take("--product"))
            tiles.products.push_back(ending(product_sizes(text)));
        for (const std::string& text : arguments.take("--conv"))
            tiles.convolutions.push_back(ending(convolution_sizes(text)));
        for (const std::string& text : arguments.take("--attention"))
            tiles.attentions.push_back(attention_sizes(text));
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
    if (tiles.products.empty() && tiles.convolutions.empty() && tiles.attentions.empty() &&
        !tiles.fit)
        throw UsageError("--product, --conv or --attention is missing");
    const EngineOptions options = engine_options(arguments);
    arguments.finish();
    print(describe_tiles(options, tiles));
}

int run(int argc, char** argv) {
    if (argc < 2) throw UsageError("no command");
    const std::string command = argv[1];
    for (const std::string_view word : std::span(argv, static_cast<size_t>(argc)))
        if (word == "--help" || word == "-h") {
            print(usage);
            return 0;
        }
    if (command == "--version") {
        print("saccade-lab " SACCADE_VERSION "\n");
        return 0;
    }
    Arguments arguments(argc, argv);
    if (command == "devices") {
        arguments.finish();
        print(describe_devices());
    } else if (command == "dump") {
        run_dump(arguments);
    } else if (command == "bench") {
        run_bench(arguments);
    } else if (command == "kernels") {
        run_kernels(arguments);
    } else if (command == "tiles") {
        run_tiles(arguments);
    } else {
        throw UsageError("unknown command '" + command + "'");
    }
    return 0;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) {
    try {
        return saccade::run(argc, argv);
    } catch (const saccade::UsageError& error) {
        std::fprintf(stderr, "saccade-lab: %s; see saccade-lab --help\n",
                     saccade::one_line(error.what()).c_str());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "saccade-lab: %s\n", saccade::one_line(error.what()).c_str());
        return 1;
    }
}
