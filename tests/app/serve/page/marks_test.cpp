// Masks, trails, lines and zones on the page's picture.

#include <gtest/gtest.h>

#include "tests/app/serve/page/served_page.h"
#include "tests/app/serve/web/client.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

const std::string covered_pixels =
    "(() => { const c = document.getElementById('masks');"
    "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
    "let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] === 255;"
    "return c.hidden ? 0 : n; })()";

TEST(ServedMarks, masks_lie_on_the_picture_and_can_be_taken_away) {
    const TempFolder temp;
    const std::string model = model_folder(temp, "detr-panoptic-nano");
    Program program(places::program(),
                    served({"--detector", model, "--captioner", "none", "--classifier", "none",
                            "--threshold", "0", "--max-detections", "4", "--serve", "0"}));
    const std::string address = address_of(program);
    Browser page;
    page.visit(address);
    ASSERT_TRUE(page.becomes("saccade.line()?.detections?.some((d) => d.mask)", 120))
        << program.wait().err;
    page.press(" ");  // freezes the picture
    ASSERT_TRUE(page.becomes("saccade.state().frozen"));
    ASSERT_TRUE(page.becomes(covered_pixels + " > 0"));
    EXPECT_EQ(page.evaluate("document.getElementById('masks-part').hidden"), false);
    // As many pixels as the run lengths say, where masks do not lie on each other.
    const nlohmann::json line = nlohmann::json::parse(get(port_of(address), "/frame.json").body);
    ASSERT_FALSE(line["detections"].empty());
    EXPECT_EQ(line["detections"][0]["mask"]["size"], nlohmann::json({240, 320}));
    EXPECT_LE(page.evaluate(covered_pixels), 320 * 240);
    page.evaluate("document.getElementById('show-masks').click()");
    EXPECT_EQ(page.evaluate(covered_pixels), 0);
    EXPECT_EQ(page.errors, std::vector<std::string>());
}

TEST(ServedMarks, things_keep_numbers_and_lines_that_are_drawn_count_them_and_are_kept) {
    const TempFolder temp;
    const Variable config("XDG_CONFIG_HOME", temp.path().c_str());
    const Words words{"--captioner", "none", "--classifier", "none",
                      "--serve",     "0",    "--keep-lines"};
    {
        Program program(places::program(), served(words));
        const std::string address = address_of(program);
        Browser page;
        page.set_size(1280, 900);
        page.visit(address);
        ASSERT_TRUE(page.becomes("saccade.line()?.detections?.length > 0", 120));
        page.evaluate("document.getElementById('track').click()");
        ASSERT_TRUE(page.becomes("saccade.line().detections.some((d) => d.track > 0)"));
        EXPECT_TRUE(page.becomes("document.querySelectorAll('#trails polyline').length > 0"));
        EXPECT_TRUE(
            page.becomes("document.getElementById('tracks-now').textContent.includes('IDF1')"));

        // A line is dragged, a zone is clicked corner by corner.
        page.evaluate("document.getElementById('draw-line').click()");
        auto [x, y] = point_of_picture(page, 0.5, 0.02);
        page.drag(x, y, x, point_of_picture(page, 0.5, 0.98).second);
        ASSERT_TRUE(page.becomes("saccade.state().regions?.lines.length === 1"));
        page.evaluate("document.getElementById('draw-zone').click()");
        for (const auto& [across, down] :
             {std::pair(0.05, 0.05), {0.95, 0.05}, {0.95, 0.95}, {0.05, 0.95}, {0.05, 0.05}}) {
            std::tie(x, y) = point_of_picture(page, across, down);
            page.click(x, y);
        }
        ASSERT_TRUE(page.becomes("saccade.state().regions?.zones.length === 1"));
        EXPECT_EQ(page.evaluate("document.querySelectorAll('#region-list li').length"), 2);
        ASSERT_TRUE(page.becomes(
            "Object.values(saccade.line().counts?.['zone 1']?.inside ?? {}).length > 0"));
        EXPECT_TRUE(
            page.becomes("document.getElementById('region-list').textContent.includes(' inside')"));
        EXPECT_TRUE(
            page.becomes("[...document.querySelectorAll('#regions-drawn text')]"
                         ".some((t) => /^zone 1: [1-9]/.test(t.textContent))"));

        // Crossings are sent to listeners.
        Client listener(port_of(address));
        listener.send(request("/events"));
        listener.until("\r\n\r\n");
        std::string event;
        for (int i = 0; i < 600 && !event.starts_with("event: crossing\n"); ++i)
            event = listener.until("\n\n");
        ASSERT_TRUE(event.starts_with("event: crossing\ndata: {")) << event;
        const auto crossing = nlohmann::json::parse(event.substr(event.find('{')));
        EXPECT_TRUE(crossing["region"] == "zone 1" || crossing["region"] == "line 1");
        EXPECT_GT(crossing["track"], 0);

        // The zone is renamed, the line removed.
        page.evaluate(
            "(() => { const n = document.querySelectorAll('#region-list input')[1];"
            "n.value = 'yard'; n.dispatchEvent(new Event('change')); })()");
        ASSERT_TRUE(page.becomes("saccade.state().regions.zones[0].name === 'yard'"));
        page.evaluate("document.querySelectorAll('#region-list button')[1].click()");
        ASSERT_TRUE(page.becomes("Object.keys(saccade.line().counts ?? {}).join() === 'yard'"));
        EXPECT_EQ(page.errors, std::vector<std::string>());
    }
    Program again(places::program(), served(words));
    Browser page;
    page.visit(address_of(again));
    ASSERT_TRUE(page.becomes("saccade.state()?.regions?.zones[0].name === 'yard'", 120));
}

}  // namespace
}  // namespace saccade
