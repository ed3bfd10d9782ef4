//! Detects device and browser from a user agent, for common browsers only.
//!
//! An unclear device or browser is unknown rather than guessed. Clients choose their user agent
//! freely, so nothing is decided by it.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Maximum number of cached user agents.
const CACHED_AGENTS_MAX: usize = 1000;
/// Maximum length of a cached user agent, in bytes.
const CACHED_AGENT_BYTES_MAX: usize = 512;

/// Cache of parsed user agents. Many clients have the same one, and parsing takes as long as
/// reading a submission.
#[derive(Debug, Default)]
struct UserAgentCache(RwLock<HashMap<Box<str>, UserAgent>>);

impl UserAgentCache {
    /// Parses a user agent, unless it is cached.
    fn parse_cached(&self, text: &str) -> UserAgent {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner).get(text).copied();
        cached.unwrap_or_else(|| {
            let agent = parse_user_agent(text);
            if text.len() <= CACHED_AGENT_BYTES_MAX {
                let mut cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
                if cache.len() >= CACHED_AGENTS_MAX {
                    cache.clear();
                }
                cache.insert(text.into(), agent);
            }
            agent
        })
    }
}

/// Parses a user agent, with the cache of this process.
pub(super) fn parse_cached_user_agent(text: &str) -> UserAgent {
    static AGENTS: LazyLock<UserAgentCache> = LazyLock::new(UserAgentCache::default);
    AGENTS.parse_cached(text)
}

/// Device and browser of a user agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct UserAgent {
    /// `desktop`, `mobile`, `tablet` or `bot`.
    pub(super) device: Option<&'static str>,
    /// Name of the browser.
    pub(super) browser: Option<&'static str>,
}

/// Browsers with a marker in their user agent. Nearly all also claim to be Chrome or Safari, so
/// these are last. A browser that is built on another precedes it.
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
    // A web view of the system browser within an app.
    ("(iPhone; ", "Safari"),
    ("(iPad; ", "Safari"),
];

/// Markers of programs without a user, in lower case. Bots name the URL of a page about them, or
/// call themselves compatible.
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
/// Marker of bots and of two old browsers.
const COMPATIBLE_MARKER: &str = "compatible;";
const OLD_BROWSERS: [&str; 2] = ["compatible; msie", "compatible; konqueror"];
/// Phone brand that ends like the names of bots.
const CUBOT_BRAND: &str = "cubot";

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
pub(super) fn parse_user_agent(text: &str) -> UserAgent {
    let small = text.to_ascii_lowercase();
    let small = small.replace(CUBOT_BRAND, "");
    let contains_any = |words: &[&str]| words.iter().any(|word| small.contains(word));
    let is_compatible = contains_any(&[COMPATIBLE_MARKER]) && !contains_any(&OLD_BROWSERS);
    // Only at the end of a word: names of phones and networks may contain these letters.
    let is_bot = small.split(|c: char| !c.is_alphanumeric()).any(|word| word.ends_with("bot"));
    if is_bot || is_compatible || contains_any(&BOTS) {
        return UserAgent { device: Some("bot"), browser: None };
    }
    let found = BROWSERS.iter().find(|(marker, _)| text.contains(marker)).map(|(_, name)| *name);
    // Many apps name their operating system and are not browsers.
    let browser = found.filter(|name| *name != "Android" || text.contains("AppleWebKit"));
    UserAgent { device: device_of(text), browser }
}

fn device_of(text: &str) -> Option<&'static str> {
    let contains_any = |markers: &[&str]| markers.iter().any(|marker| text.contains(marker));
    // A tablet with Android does not claim to be mobile.
    let is_android_tablet = text.contains("Android") && !contains_any(&MOBILES);
    if contains_any(&TABLETS) || is_android_tablet {
        return Some("tablet");
    }
    if contains_any(&MOBILES) {
        return Some("mobile");
    }
    contains_any(&DESKTOPS).then_some("desktop")
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
