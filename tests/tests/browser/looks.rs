//! How the page looks: the README's pictures, and the main views against kept ones.
//!
//! `HOPSCOPE_PICTURES=1` makes both anew; look at them before they are committed.

use hopscope_tests::browser::{Browser, Page};

const TOUR: &str = "mcpsnoop/tour.jsonl";
/// The share of the picture that may look otherwise: fonts differ between machines, and a line of
/// text that breaks elsewhere is no broken layout.
const TOLERANCE: f64 = 0.06;

fn anew() -> bool {
    std::env::var_os("HOPSCOPE_PICTURES").is_some()
}

/// The page with the tour open, one operation selected that shows its hops.
fn tour() -> (Page, Browser) {
    let kept = xtask::workspace::root().join("tests/screenshots");
    let seen = xtask::workspace::root().join("target/screenshots");
    let page = Page::serve_with("/", |site| site.mount("/kept/", kept).mount("/seen/", seen));
    let browser = Browser::launch();
    browser.goto(&page.url_opening(TOUR));
    browser.wait_state("ready");
    browser.wait_for("[data-row=interaction]");
    let chain = "[...document.querySelectorAll('[data-row=interaction]')].find((row) => row.innerText.includes('book_flight'))";
    browser.js(&format!("{chain}.querySelector('.twist').click()"));
    browser.wait_until("return document.querySelectorAll('[data-row=hop]').length === 3");
    browser.wait_for(".detail section.hop");
    (page, browser)
}

/// Nothing says that the last change of size has been drawn.
fn settle(browser: &Browser) {
    browser.js("return new Promise((done) => setTimeout(done, 400))");
}

/// The README's pictures. `HOPSCOPE_PICTURES=1` makes them anew; otherwise they must be there.
#[test]
fn the_pictures_of_the_readme() {
    let folder = xtask::workspace::root().join("docs/images");
    let (page, browser) = tour();
    browser.resize(1560, 750);
    for (theme, dark) in [("light", false), ("dark", true)] {
        browser.dark(dark);
        settle(&browser);
        let file = browser.screenshot(&format!("waterfall-{theme}"));
        let kept = folder.join(format!("waterfall-{theme}.png"));
        if anew() {
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::copy(&file, &kept)).unwrap();
        }
        assert!(kept.is_file(), "HOPSCOPE_PICTURES=1 makes docs/images/waterfall-{theme}.png");
    }
    browser.assert_quiet(&page);
}

/// How much of two pictures differs, 0 to 1, when both are looked at from so far that letters blur.
fn difference(browser: &Browser, page: &Page, kept: &str, seen: &str) -> f64 {
    // Not on the page, whose policy lets no script read pictures.
    browser.goto(&format!("{}/kept/", page.origin()));
    let share = browser.js(&format!(
        "const look = async (address) => {{
           const picture = await createImageBitmap(await (await fetch(address)).blob());
           const [width, height] = [Math.round(picture.width / 16), Math.round(picture.height / 16)];
           const canvas = new OffscreenCanvas(width, height);
           const pen = canvas.getContext('2d');
           pen.imageSmoothingQuality = 'high';
           pen.drawImage(picture, 0, 0, width, height);
           return pen.getImageData(0, 0, width, height).data;
         }};
         return Promise.all([look('/kept/{kept}.png'), look('/seen/{seen}.png')]).then(([one, other]) => {{
           if (one.length !== other.length) return 1;
           let differ = 0;
           for (let at = 0; at < one.length; at += 4) {{
             const far = Math.max(...[0, 1, 2].map((part) => Math.abs(one[at + part] - other[at + part])));
             differ += far > 24 ? 1 : 0;
           }}
           return differ / (one.length / 4);
         }})"
    ));
    share.as_f64().unwrap_or(1.0)
}

#[test]
fn the_main_views_look_as_they_did() {
    let folder = xtask::workspace::root().join("tests/screenshots");
    let (page, browser) = tour();
    browser.resize(1280, 800);
    let mut views = Vec::new();
    for tab in ["waterfall", "tools", "questions", "frames", "problems", "budgets"] {
        browser.click(&format!("[data-tab={tab}]"));
        settle(&browser);
        browser.screenshot(&format!("view-{tab}"));
        views.push(format!("view-{tab}"));
    }
    browser.click("[data-tab=waterfall]");
    browser.click("[data-scale=clock]");
    browser.dark(true);
    settle(&browser);
    browser.screenshot("view-clock-dark");
    views.push("view-clock-dark".to_owned());
    browser.resize(390, 844);
    settle(&browser);
    browser.screenshot("view-phone-dark");
    views.push("view-phone-dark".to_owned());
    browser.assert_quiet(&page);
    for view in &views {
        let file = format!("{view}.png");
        if anew() {
            let seen = xtask::workspace::root().join("target/screenshots").join(&file);
            std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::copy(seen, folder.join(&file)))
                .unwrap();
        }
        assert!(folder.join(&file).is_file(), "HOPSCOPE_PICTURES=1 makes tests/screenshots/{file}");
        let share = difference(&browser, &page, view, view);
        println!("{view}: {:.2} % differs", share * 100.0);
        assert!(
            share < TOLERANCE,
            "target/screenshots/{file} differs from tests/screenshots/{file}"
        );
    }
    // And what looks otherwise is found to.
    let other = difference(&browser, &page, "view-tools", "view-waterfall");
    assert!(other > 2.0 * TOLERANCE, "two tabs differ by only {other}");
}
