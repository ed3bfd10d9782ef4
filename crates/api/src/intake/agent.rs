//! Device and browser out of a user agent: the browsers that people use, and no more.
//!
//! What cannot be told is unknown rather than guessed. A user agent is whatever a client likes to
//! say, so nothing is decided by it.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Most user agents that are kept, and the longest of them, in bytes.
const KEPT_MAX: usize = 1000;
const KEPT_BYTES_MAX: usize = 512;

/// User agents that came before: many people have the same, and reading one takes as long as
/// reading a submission.
#[derive(Debug, Default)]
struct Agents(RwLock<HashMap<Box<str>, Agent>>);

impl Agents {
    /// Reads a user agent, unless that was done before.
    fn read(&self, text: &str) -> Agent {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner).get(text).copied();
        kept.unwrap_or_else(|| {
            let agent = read(text);
            if text.len() <= KEPT_BYTES_MAX {
                let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
                if kept.len() >= KEPT_MAX {
                    kept.clear();
                }
                kept.insert(text.into(), agent);
            }
            agent
        })
    }
}

/// Reads a user agent, unless this process did so before.
pub(super) fn known(text: &str) -> Agent {
    static AGENTS: LazyLock<Agents> = LazyLock::new(Agents::default);
    AGENTS.read(text)
}

/// What a user agent tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Agent {
    /// `desktop`, `mobile`, `tablet` or `bot`.
    pub(super) device: Option<&'static str>,
    /// The browser's name.
    pub(super) browser: Option<&'static str>,
}

/// Browsers by what only they say. Nearly all say that they are Chrome or Safari as well, so those
/// stand last, and those built upon another stand before it.
const BROWSERS: [(&str, &str); 72] = [
    ("FBAN", "Facebook"),
    ("FBAV", "Facebook"),
    ("FB_IAB", "Facebook"),
    ("Instagram", "Instagram"),
    ("Pinterest", "Pinterest"),
    ("Snapchat", "Snapchat"),
    ("LinkedInApp", "LinkedIn"),
    ("musical_ly", "TikTok"),
    ("BytedanceWebview", "TikTok"),
    ("Twitter for", "Twitter"),
    ("TwitterAndroid", "Twitter"),
    ("MicroMessenger", "WeChat"),
    (" Line/", "LINE"),
    ("GSA/", "Google"),
    ("Edge/", "Edge"),
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("UCBrowser", "UC Browser"),
    ("UCMobile/", "UC Browser"),
    ("UCWEB", "UC Browser"),
    ("UBrowser/", "UC Browser"),
    ("UC Browser", "UC Browser"),
    ("Opera", "Opera"),
    ("OPR/", "Opera"),
    ("OPiOS/", "Opera"),
    ("OPT/", "Opera"),
    ("OPX/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex Browser"),
    ("YaApp_", "Yandex Browser"),
    ("Vivaldi/", "Vivaldi"),
    ("Brave", "Brave"),
    ("brave/", "Brave"),
    ("QQBrowser", "QQ Browser"),
    ("MiuiBrowser/", "MIUI Browser"),
    ("HuaweiBrowser/", "Huawei Browser"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("Silk/", "Amazon Silk"),
    ("Whale/", "Whale"),
    ("Puffin/", "Puffin"),
    ("Maxthon", "Maxthon"),
    ("MxBrowser/", "Maxthon"),
    ("coc_coc_browser", "Coc Coc"),
    ("Ecosia", "Ecosia"),
    ("SeaMonkey/", "SeaMonkey"),
    ("Seamonkey/", "SeaMonkey"),
    ("PaleMoon/", "Pale Moon"),
    ("Waterfox/", "Waterfox"),
    ("Iceweasel/", "Firefox"),
    ("Thunderbird/", "Thunderbird"),
    ("Epiphany/", "Epiphany"),
    ("Konqueror/", "Konqueror"),
    ("konqueror/", "Konqueror"),
    ("Avast", "Avast Secure Browser"),
    ("QtWebEngine/", "Qt Web Engine"),
    ("Electron/", "Electron"),
    ("IEMobile", "Internet Explorer"),
    ("FxiOS/", "Firefox"),
    ("Focus/", "Firefox"),
    ("Klar/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("MSIE ", "Internet Explorer"),
    ("Trident/", "Internet Explorer"),
    ("Android", "Android"),
    ("Safari", "Safari"),
    // A view of the system's own browser within some app.
    ("(iPhone; ", "Safari"),
    ("(iPad; ", "Safari"),
];

/// What programs without a person say. Compared in small letters. Robots give the address of a page
/// about them, or call themselves compatible.
const BOTS: [&str; 23] = [
    "robot",
    "crawl",
    "spider",
    "slurp",
    "headless",
    "preview",
    "chrome-lighthouse",
    "externalhit",
    "mediapartners",
    "google-inspectiontool",
    "+http",
    "http://",
    "https://",
    "curl/",
    "wget/",
    "python",
    "java/",
    "http-client",
    "httpclient",
    "okhttp/",
    "axios/",
    "node-fetch",
    "postmanruntime/",
];
/// What robots and two old browsers say.
const COMPATIBLE: &str = "compatible;";
const OLD_BROWSERS: [&str; 2] = ["compatible; msie", "compatible; konqueror"];
/// Phones of a maker whose name ends as robots' do.
const NO_BOT: &str = "cubot";

const TABLETS: [&str; 6] = ["iPad", "Tablet;", "PlayBook", "Kindle", "Nexus 7", "SM-T"];
const MOBILES: [&str; 12] = [
    "Mobi",
    "iPhone",
    "iPod",
    "Windows Phone",
    "BlackBerry",
    "BB10",
    "Opera Mini",
    "Symbian",
    "MIDP",
    "webOS",
    "Nokia",
    "UCWEB",
];
const DESKTOPS: [&str; 5] = ["Windows", "Macintosh", "X11", "CrOS", "Linux"];

/// Reads a user agent.
pub(super) fn read(text: &str) -> Agent {
    let small = text.to_ascii_lowercase();
    let small = small.replace(NO_BOT, "");
    let says = |words: &[&str]| words.iter().any(|word| small.contains(word));
    let is_compatible = says(&[COMPATIBLE]) && !says(&OLD_BROWSERS);
    // Not within a word: the names of phones and networks may have these letters.
    let is_bot = small.split(|c: char| !c.is_alphanumeric()).any(|word| word.ends_with("bot"));
    if is_bot || is_compatible || says(&BOTS) {
        return Agent { device: Some("bot"), browser: None };
    }
    let found = BROWSERS.iter().find(|(marker, _)| text.contains(marker)).map(|(_, name)| *name);
    // Many an app names the system that it runs on, and is no browser.
    let browser = found.filter(|name| *name != "Android" || text.contains("AppleWebKit"));
    Agent { device: device_of(text), browser }
}

fn device_of(text: &str) -> Option<&'static str> {
    let says = |markers: &[&str]| markers.iter().any(|marker| text.contains(marker));
    // A tablet with Android says so, but does not say that it is mobile.
    let is_android_tablet = text.contains("Android") && !says(&MOBILES);
    if says(&TABLETS) || is_android_tablet {
        return Some("tablet");
    }
    if says(&MOBILES) {
        return Some("mobile");
    }
    says(&DESKTOPS).then_some("desktop")
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
