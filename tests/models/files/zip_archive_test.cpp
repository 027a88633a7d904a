#include "models/files/zip_archive.h"

#include "tests/models/files/temp_folder.h"
#include "tests/models/files/torch_files.h"

namespace saccade {
namespace {

class Zip : public ::testing::Test {
protected:
    void expect_refused(const std::string& content, std::string_view part) {
        SCOPED_TRACE(part);
        const auto path = folder.write("bad.zip", content);
        const std::string error = error_of([&] { ZipArchive archive(path); });
        expect_says(error, path.string() + ": ");
        expect_says(error, part);
    }

    TempFolder folder;
};

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_F(Zip, files_are_found_by_name) {
    for (bool zip64 : {false, true}) {
        const ZipArchive archive(folder.write(
            "good.zip", zip_of({{"a/one", "first"}, {"a/two", ""}, {"b", "third"}}, zip64)));
        ASSERT_EQ(archive.files().size(), 3u);
        EXPECT_EQ(text_of(archive.files().at("a/one")), "first");
        EXPECT_EQ(text_of(archive.files().at("a/two")), "");
        EXPECT_EQ(text_of(archive.files().at("b")), "third");
    }
    EXPECT_EQ(ZipArchive(folder.write("empty.zip", zip_of({}))).files().size(), 0u);
}

TEST_F(Zip, a_comment_may_follow) {
    std::string zip = zip_of({{"a", "first"}});
    zip.replace(zip.size() - 2, 2, little(7, 2) + "PK\5\6 hi");
    EXPECT_EQ(ZipArchive(folder.write("good.zip", zip)).files().size(), 1u);
}

TEST_F(Zip, what_is_not_stored_plainly_is_refused) {
    expect_refused("no archive at all, though long enough for one", "is not a zip archive");
    expect_refused("PK", "is not a zip archive");
    expect_refused("", "is empty");
    expect_refused(zip_of({{"a", "x", 0, 8}}), "'a' of it is compressed");
    expect_refused(zip_of({{"a", "x", 1, 0}}), "'a' of it is encrypted");
    expect_refused(zip_of({{"a", "x"}, {"a", "y"}}), "has the file 'a' twice");
    expect_refused(zip_of({{"a", "x", 0, 0, "b"}}), "'a' has two names");
}

TEST_F(Zip, numbers_that_lie_are_refused) {
    const std::string zip = zip_of({{"a", "xxxx"}, {"b", "yyyy"}});
    const size_t end = zip.size() - 22, central = zip.find("PK\1\2");
    auto with = [&](size_t at, uint64_t value, size_t bytes) {
        std::string changed = zip;
        return changed.replace(at, bytes, little(value, bytes));
    };
    expect_refused(with(end + 4, 1, 2), "several disks");
    expect_refused(with(end + 12, 0xfffffffe, 4), "outside of it");
    expect_refused(with(end + 16, zip.size(), 4), "outside of it");
    expect_refused(with(end + 16, UINT32_MAX, 4), "garbled");  // no zip64 record
    {
        std::string many = with(end + 8, 60000, 2);
        expect_refused(many.replace(end + 10, 2, little(60000, 2)), "garbled");
    }
    expect_refused(with(end + 16, 3, 4), "garbled");
    expect_refused(with(central + 42, 0xfffffff0, 4), "'a' lies outside of it");
    expect_refused(with(central + 42, 1, 4), "'a' lies outside of it");
    {
        std::string large = with(central + 20, 1 << 30, 4);
        expect_refused(large.replace(central + 24, 4, little(1 << 30, 4)), "outside of it");
    }
    {
        // The first file reaches over the second.
        std::string large = with(central + 20, 20, 4);
        expect_refused(large.replace(central + 24, 4, little(20, 4)), "overlap");
    }
    expect_refused(with(central + 28, 60000, 2), "cut off");
}

TEST_F(Zip, every_cut_and_every_changed_byte_is_an_error_or_harmless) {
    const std::string zip = zip_of({{"a/data.pkl", "xxxx"}, {"b", "yyyy"}}, true);
    for (size_t i = 0; i < zip.size(); i += 2) {
        std::string changed = zip;
        changed[i] = static_cast<char>(changed[i] ^ 0xff);
        for (const std::string& content : {zip.substr(0, i), changed}) try {
                const ZipArchive archive(folder.write("bad.zip", content));
                for (const auto& [name, bytes] : archive.files()) {
                    EXPECT_GE(bytes.data(), archive.files().begin()->second.data());
                    EXPECT_LE(bytes.size(), zip.size());
                }
            } catch (const Error&) {
            }
    }
}

}  // namespace
}  // namespace saccade
