#include "models/files/pickle.h"

#include <array>

#include "tests/models/files/temp_folder.h"
#include "tests/models/files/torch_files.h"

namespace saccade {
namespace {

using namespace pickled;
using Kind = PickleValue::Kind;

constexpr std::array<std::string_view, 2> allowed{"collections.OrderedDict", "torch.FloatStorage"};

Pickle read(const std::string& text) {
    return read_pickle(std::as_bytes(std::span(text)), allowed, "x.bin");
}

void expect_refused(const std::string& pickle, std::string_view part) {
    SCOPED_TRACE(part);
    const std::string error = error_of([&] { read(pickle); });
    expect_says(error, "x.bin: ");
    expect_says(error, part);
}

TEST(PickleReader, plain_values_come_out_as_they_went_in) {
    const Pickle pickle =
        read("\x80\x02(" + whole(5) + whole(-3) + whole(1ll << 40) + "M\x01\x02" + "G\x3f\xf8" +
             std::string(6, '\0') + "N\x88\x89" + text("h\xc3\xa9") + "](K\1K\2e}" + text("k") +
             whole(7) + "s\x8a" + little(0, 1) + "t.");
    const auto& v = pickle.values;
    const PickleValue& root = v[pickle.root];
    ASSERT_EQ(root.kind, Kind::tuple);
    ASSERT_EQ(root.items.size(), 12u);
    auto item = [&](size_t i) -> const PickleValue& { return v[root.items[i]]; };
    EXPECT_EQ(item(0).whole, 5);
    EXPECT_EQ(item(1).whole, -3);
    EXPECT_EQ(item(2).whole, 1ll << 40);
    EXPECT_EQ(item(3).whole, 0x201);
    EXPECT_EQ(item(4).real, 1.5);
    EXPECT_EQ(item(5).kind, Kind::none);
    EXPECT_EQ(item(6).whole, 1);
    EXPECT_EQ(item(7).whole, 0);
    EXPECT_EQ(item(8).text, "h\xc3\xa9");
    ASSERT_EQ(item(9).kind, Kind::list);
    EXPECT_EQ(v[item(9).items.at(1)].whole, 2);
    ASSERT_EQ(item(10).kind, Kind::dictionary);
    EXPECT_EQ(v[item(10).items.at(0)].text, "k");
    EXPECT_EQ(v[item(10).items.at(1)].whole, 7);
    EXPECT_EQ(item(11).whole, 0);
}

TEST(PickleReader, what_is_remembered_is_shared) {
    const Pickle pickle =
        read("\x80\x02]q\5h\5\x86r" + little(1000, 4) + "j" + little(1000, 4) + "\x86.");
    const PickleValue& root = pickle.values[pickle.root];
    EXPECT_EQ(root.items.at(0), root.items.at(1));
    EXPECT_EQ(pickle.values[root.items[0]].items.at(0), pickle.values[root.items[0]].items.at(1));
}

TEST(PickleReader, a_call_is_recorded_and_not_made) {
    const Pickle pickle = read("\x80\x02" + global("torch", "FloatStorage") + "K\1\x85R.");
    const PickleValue& root = pickle.values[pickle.root];
    EXPECT_EQ(root.kind, Kind::call);
    EXPECT_EQ(pickle.values[root.items.at(0)].text, "torch.FloatStorage");
}

TEST(PickleReader, classes_that_are_not_on_the_list_are_refused_by_name) {
    expect_refused("\x80\x02" + global("os", "system") + text("true") + "\x85R.", "'os.system'");
    expect_refused("\x80\x02" + global("builtins", "eval") + ".", "'builtins.eval'");
    expect_refused("\x80\x02" + global("collections", "OrderedDict.fromkeys") + ".",
                   "'collections.OrderedDict.fromkeys'");
    expect_refused("\x80\x02" + global("torch.FloatStorage", "") + ".", "'torch.FloatStorage.'");
    expect_refused("\x80\x02" + global("torch\r", "x\x1b[2J") + ".", "only tensors are read");
    expect_refused("\x80\x02" + global(std::string(500, 'm'), "n") + ".", "only tensors are read");
}

TEST(PickleReader, opcodes_that_are_not_on_the_list_are_refused_by_name) {
    expect_refused("\x80\x02(S'ls'\nios\nsystem\n.", "opcode STRING");
    expect_refused("\x80\x02(ios\nsystem\n.", "opcode INST");
    expect_refused("\x80\x02(o.", "opcode OBJ");
    expect_refused("\x80\x02\x81.", "opcode NEWOBJ");
    expect_refused("\x80\x02\x92.", "opcode NEWOBJ_EX");
    expect_refused("\x80\x02\x93.", "opcode STACK_GLOBAL");
    expect_refused("\x80\x02\x82\x01.", "opcode EXT1");
    expect_refused("\x80\x02P1\n.", "opcode PERSID");
    expect_refused("\x80\x02\x97.", "opcode NEXT_BUFFER");
    expect_refused("\x80\x02\xfe.", "opcode 254");
    expect_refused("\x80\x04\x95.", "protocol 2");
    for (int opcode = 0; opcode < 256; ++opcode) {  // none may crash
        const std::string pickle = "\x80\x02NNN" + little(uint64_t(opcode), 1);
        EXPECT_THROW(read(pickle + "x\n"), Error) << opcode;
        EXPECT_THROW(read(pickle), Error) << opcode;
    }
}

TEST(PickleReader, a_stack_that_does_not_hold_what_is_taken_is_refused) {
    for (const char* taken : {".", "t.", "a.", "e.", "s.", "u.", "R.", "b.", "Q.", "q\1.", "\x85.",
                              "\x87.", "h\1.", "(a.", "(q\1.", "(.", "N(.", "NN.", "K"})
        EXPECT_THROW(read("\x80\x02" + std::string(taken)), Error) << taken;
    expect_refused("\x80\x02K\1N\x85R.", "calls a number");
    expect_refused("\x80\x02" + global("torch", "FloatStorage") + "NR.", "calls");
    expect_refused("\x80\x02" + global("collections", "OrderedDict") + "N\x85R.", "OrderedDict");
    expect_refused("\x80\x02K\1}b.", "sets the state of a number");
    expect_refused("\x80\x02}Nb.", "sets the state of a dictionary");
    expect_refused("\x80\x02K\1Na.", "puts items into a number");
    expect_refused("\x80\x02}(Nu.", "a key without a value");
    expect_refused("\x80\x02]NNs.", "puts items into a list");
}

TEST(PickleReader, lengths_beyond_the_end_are_refused) {
    expect_refused("\x80\x02X" + little(100, 4) + "short", "cut off");
    expect_refused("\x80\x02X" + little(UINT32_MAX, 4) + "short", "a text of 4294967295 bytes");
    expect_refused("\x80\x02\x8a\x09" + std::string(9, 'x') + ".", "a number of 9 bytes");
    expect_refused(
        "\x80\x02"
        "ctorch",
        "cut off");
    expect_refused(
        "\x80\x02"
        "c" +
            std::string(100'000, 'x'),
        "without an end");
    expect_refused("", "cut off");
}

TEST(PickleReader, what_holds_itself_is_read) {
    // l = []; l.append(l)
    const Pickle pickle = read("\x80\x02]q\1h\1a.");
    const PickleValue& root = pickle.values[pickle.root];
    EXPECT_EQ(root.items.at(0), pickle.root);
}

}  // namespace
}  // namespace saccade
