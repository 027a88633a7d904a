// Prompts that are typed into the page.

#include <gtest/gtest.h>

#include "tests/app/serve/page/served_page.h"

namespace saccade {
namespace {

void type(Browser& page, const std::string& id, const std::string& text) {
    page.evaluate("(() => { const field = document.getElementById('" + id + "'); field.value = '" +
                  text + "'; field.dispatchEvent(new Event('input')); field.focus(); })()");
    page.press("Enter");
}

TEST(ServedWords, typed_phrases_are_found_and_every_phrase_has_a_threshold_and_a_map) {
    const TempFolder temp;
    Program program(places::program(),
                    served({"--detector", model_folder(temp, "owlv2-nano"), "--find", "a cat",
                            "--classifier", model_folder(temp, "clip-nano"), "--labels", "cat, dog",
                            "--captioner", "none", "--serve", "0"}));
    Browser page;
    page.visit(address_of(program));
    ASSERT_TRUE(page.becomes("saccade.line()?.detections !== undefined", 120));
    ASSERT_TRUE(page.becomes("!document.getElementById('find-part').hidden"));
    EXPECT_EQ(page.evaluate("document.getElementById('find').value"), "a cat");
    EXPECT_EQ(page.evaluate("document.getElementById('question-part').hidden"), true);

    type(page, "find", "red mug, my cat");
    ASSERT_TRUE(page.becomes("document.querySelectorAll('#find-phrases li').length === 2"));
    ASSERT_TRUE(page.becomes("saccade.line().detections.length > 0"));
    EXPECT_TRUE(page.becomes(
        "saccade.line().detections.every((d) => ['red mug', 'my cat'].includes(d.label))"));
    // No score reaches 1.
    page.evaluate(
        "(() => { for (const s of document.querySelectorAll('#find-phrases input')) {"
        "s.value = 1; s.dispatchEvent(new Event('input')); } })()");
    EXPECT_TRUE(page.becomes("saccade.line().detections.length === 0"));

    type(page, "labels", "one, two, three");
    EXPECT_TRUE(page.becomes("saccade.line().classes.some((c) => c.label === 'three')"));
    page.evaluate("document.querySelectorAll('#labels-phrases button')[1].click()");
    EXPECT_TRUE(page.becomes("saccade.map()?.who === 'phrase'"));

    std::string far = "very";
    for (int i = 0; i < 60; ++i) far += " very";
    type(page, "find", far);
    EXPECT_TRUE(page.becomes("document.getElementById('find-error').textContent.length > 10"));
    EXPECT_EQ(page.errors, std::vector<std::string>());
}

}  // namespace
}  // namespace saccade
