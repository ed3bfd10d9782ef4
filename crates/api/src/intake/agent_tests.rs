//! Tests with common user agents, and a comparison with ua-parser on its test strings.

use super::*;

#[track_caller]
fn check(system: &str, rest: &str, device: &'static str, browser: &'static str) {
    let text = format!("Mozilla/5.0 ({system}) {rest}");
    let agent = UserAgent { device: Some(device), browser: Some(browser) };
    assert_eq!(parse_user_agent(&text), agent, "{text}");
}

const WINDOWS: &str = "Windows NT 10.0; Win64; x64";
const MAC: &str = "Macintosh; Intel Mac OS X 10_15_7";
const ANDROID: &str = "Linux; Android 10; K";
const IPHONE: &str = "iPhone; CPU iPhone OS 18_7 like Mac OS X";
const IPAD: &str = "iPad; CPU OS 18_7 like Mac OS X";

#[test]
fn common_browsers_are_detected() {
    let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0";
    let desktop = format!("{chrome} Safari/537.36");
    let mobile = format!("{chrome} Mobile Safari/537.36");
    check(WINDOWS, &desktop, "desktop", "Chrome");
    check(WINDOWS, &format!("{desktop} Edg/148.0.0.0"), "desktop", "Edge");
    check(MAC, &format!("{desktop} OPR/120.0.0.0"), "desktop", "Opera");
    check(ANDROID, &mobile, "mobile", "Chrome");
    check(ANDROID, &desktop, "tablet", "Chrome");
    check(ANDROID, &format!("{mobile} EdgA/148.0"), "mobile", "Edge");
    let samsung = mobile.replace("Chrome", "SamsungBrowser/29.0 Chrome");
    check(ANDROID, &samsung, "mobile", "Samsung Internet");
    let firefox = "Gecko/20100101 Firefox/153.0";
    check("X11; Linux x86_64; rv:153.0", firefox, "desktop", "Firefox");
    check("Android 15; Mobile; rv:153.0", firefox, "mobile", "Firefox");
    check("Android 15; Tablet; rv:153.0", firefox, "tablet", "Firefox");
    let apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
    check(MAC, &format!("{apple} Version/26.0 Safari/605.1.15"), "desktop", "Safari");
    let safari = format!("{apple} Version/26.0 Mobile/15E148 Safari/604.1");
    check(IPHONE, &safari, "mobile", "Safari");
    check(IPAD, &safari, "tablet", "Safari");
    check(IPHONE, &safari.replace("Version", "CriOS"), "mobile", "Chrome");
    check(IPHONE, &safari.replace("Version", "FxiOS"), "mobile", "Firefox");
    let within = format!("{apple} Mobile/15E148 [FBAN/FBIOS;FBAV/500.0]");
    check(IPHONE, &within, "mobile", "Facebook");
}

#[test]
fn bots_and_unknown_agents_have_no_browser() {
    let bot = UserAgent { device: Some("bot"), browser: None };
    for text in [
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "AdsBot-Google (+http://www.google.com/adsbot.html)",
        "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like \
         Gecko) Chrome/133.0.0.0 Mobile Safari/537.36 (compatible; Google-InspectionTool/1.0)",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 \
         Safari/537.36 Chrome-Lighthouse",
        "facebookexternalhit/1.1",
        "okhttp/4.12.0",
        "curl/8.5.0",
        "python-requests/2.32",
    ] {
        assert_eq!(parse_user_agent(text), bot, "{text}");
    }
    let cubot = "Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/127.0.0.0 Mobile Safari/537.36";
    assert_eq!(parse_user_agent(cubot).device, Some("mobile"));
    assert_eq!(
        parse_user_agent("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)").device,
        Some("desktop")
    );
    for text in ["", "some library", "Roblox/1.0"] {
        assert_eq!(parse_user_agent(text), UserAgent::default(), "{text}");
    }
}

/// Maps a browser family of ua-parser to our name; `None` for a family that we do not name.
fn our_browser_name(family: &str) -> Option<&'static str> {
    let renamed = match family {
        "Chrome Mobile" | "Chrome Mobile iOS" | "Chrome Mobile WebView" => "Chrome",
        "Mobile Safari" | "Mobile Safari UI/WKWebView" => "Safari",
        "Firefox Mobile"
        | "Firefox iOS"
        | "Firefox (Shiretoko)"
        | "Firefox Focus"
        | "Iceweasel" => "Firefox",
        "Opera Mini" | "Opera Mobile" | "Opera Touch" | "Opera Tablet" | "Opera GX" => "Opera",
        "IE" | "IE Mobile" => "Internet Explorer",
        "QQ Browser Mini" | "QQ Browser Mobile" => "QQ Browser",
        "DuckDuckGo Mobile" => "DuckDuckGo",
        "MiuiBrowser" => "MIUI Browser",
        "WeChat Browser" => "WeChat",
        "Edge Mobile" => "Edge",
        family => family,
    };
    BROWSERS.iter().map(|(_, name)| *name).find(|name| *name == renamed)
}

/// Compares our browser names with ua-parser's. The strings without one are mostly apps and
/// libraries; some of them get the name of their base browser.
#[test]
fn browser_names_mostly_match_ua_parser() {
    let table = include_str!("../../tests/data/user_agents.tsv");
    let mut named = 0;
    let mut alike = 0;
    let mut others = 0;
    let mut unnamed = 0;
    for line in table.lines().filter(|line| !line.starts_with("# ")) {
        let (family, text) = line.split_once('\t').unwrap();
        let browser = parse_user_agent(text).browser;
        if let Some(expected) = our_browser_name(family) {
            named += 1;
            alike += u32::from(browser == Some(expected));
        } else {
            others += 1;
            unnamed += u32::from(browser.is_none());
        }
    }
    assert_eq!((named, others), (273, 1328));
    assert!(alike >= 267, "{alike} of {named} have the same name");
    assert!(unnamed >= 1075, "{unnamed} of {others} have no name");
}

#[test]
fn cache_is_bounded_and_consistent() {
    let agents = UserAgentCache::default();
    let user_agent = |n: usize| format!("Mozilla/5.0 ({WINDOWS}) Gecko/20100101 Firefox/{n}.0");
    for n in (0..CACHED_AGENTS_MAX + 10).chain(0..20) {
        assert_eq!(agents.parse_cached(&user_agent(n)), parse_user_agent(&user_agent(n)));
        assert!(agents.0.read().unwrap().len() <= CACHED_AGENTS_MAX);
    }
    assert_eq!(agents.0.read().unwrap().len(), 30, "a full cache is cleared");
    let long = format!("{} {}", user_agent(1), "x".repeat(CACHED_AGENT_BYTES_MAX));
    assert_eq!(agents.parse_cached(&long), parse_user_agent(&long));
    assert_eq!(agents.0.read().unwrap().len(), 30);
}
