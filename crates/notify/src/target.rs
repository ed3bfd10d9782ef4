//! URLs of webhooks: the syntax that is allowed, and the parts that a request needs.

use contract::webhook::URL_BYTES_MAX;
use url::{Host, Url};

/// Ports of services that do not speak HTTP. A request to one could be a valid command there. The
/// list has the ports that the Fetch standard blocks, and those of common databases. Sorted.
const BLOCKED_PORTS: [u16; 89] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566,
    6665, 6666, 6667, 6668, 6669, 6679, 6697, 9200, 10080, 11211, 27017,
];
/// Maximum number of characters of a value in an error.
const EXCERPT_CHARS_MAX: usize = 100;

/// Reasons why a URL cannot be the receiver of a webhook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The URL has too many bytes; the value is their number.
    #[error("the URL must have at most {URL_BYTES_MAX} bytes, but has {0}; use a shorter one")]
    TooLong(usize),
    /// The text is not an absolute URL.
    #[error("`{0}` is not a complete URL; use one such as `https://example.com/hook`")]
    Syntax(String),
    /// The scheme is not allowed; names the scheme and those that are allowed.
    #[error("the URL must begin with {allowed}, but begins with `{scheme}:`")]
    Scheme {
        /// Scheme of the URL.
        scheme: String,
        /// Allowed beginnings.
        allowed: &'static str,
    },
    /// The URL has a user name or a password.
    #[error("the URL must not have a user name or a password; put a secret into the path")]
    UserInfo,
    /// The URL has a fragment.
    #[error("the URL must not have a fragment; remove `#` and the text after it")]
    Fragment,
    /// The port belongs to another protocol.
    #[error("the port {0} is not allowed because it is not used for HTTP; use another one")]
    Port(u16),
    /// The host has no address, or one that is not allowed. The message does not tell which,
    /// because that would reveal names of internal networks.
    #[error(
        "the host `{0}` cannot be reached: its name has no address, or one that is not public; \
         check the name, or ask the operator to allow its network"
    )]
    Host(String),
}

/// Receiver of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    url: Url,
}

impl Target {
    /// Parses a URL and checks everything but the addresses of its host.
    pub(crate) fn parse(text: &str, allow_http: bool) -> Result<Self, UrlError> {
        if text.len() > URL_BYTES_MAX {
            return Err(UrlError::TooLong(text.len()));
        }
        let invalid = || UrlError::Syntax(excerpt(text));
        // The parser would drop these characters.
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(invalid());
        }
        let url = Url::parse(text).map_err(|_| invalid())?;
        match url.scheme() {
            "https" => {}
            "http" if allow_http => {}
            scheme => {
                let allowed = if allow_http { "`https://` or `http://`" } else { "`https://`" };
                return Err(UrlError::Scheme { scheme: excerpt(scheme), allowed });
            }
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlError::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(UrlError::Fragment);
        }
        let target = Self { url };
        let port = target.port();
        if BLOCKED_PORTS.binary_search(&port).is_ok() {
            return Err(UrlError::Port(port));
        }
        Ok(target)
    }

    /// Returns the host. A number in any notation of IPv4 is an address.
    pub(crate) fn host(&self) -> Host<&str> {
        self.url.host().expect("a URL with `http` or `https` has a host")
    }

    /// Returns the error for a host that has no address, or one that is not allowed.
    pub(crate) fn host_error(&self) -> UrlError {
        UrlError::Host(excerpt(&self.host().to_string()))
    }

    /// Returns the port.
    pub(crate) fn port(&self) -> u16 {
        self.url.port_or_known_default().expect("`http` and `https` have a default port")
    }

    /// Returns whether the connection uses TLS.
    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns the value of the header `Host`: the host, and the port unless it is the default.
    pub(crate) fn authority(&self) -> &str {
        self.url.authority()
    }

    /// Returns the request target in origin form.
    pub(crate) fn path_and_query(&self) -> &str {
        &self.url[url::Position::BeforePath..]
    }
}

fn excerpt(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(EXCERPT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Target, UrlError> {
        Target::parse(text, false)
    }

    #[test]
    fn url_is_split_into_parts_of_request() {
        let check = |text: &str, host: &str, port: u16, authority: &str, path: &str| {
            let target = Target::parse(text, true).unwrap();
            assert_eq!(target.host().to_string(), host, "{text}");
            assert_eq!(target.port(), port, "{text}");
            assert_eq!(target.authority(), authority, "{text}");
            assert_eq!(target.path_and_query(), path, "{text}");
            assert_eq!(target.is_https(), text.starts_with("https"), "{text}");
        };
        check("https://a.example", "a.example", 443, "a.example", "/");
        check("https://A.Example:443/X?y=%20", "a.example", 443, "a.example", "/X?y=%20");
        check("https://a.example:8443/x", "a.example", 8443, "a.example:8443", "/x");
        check("http://a.example:80?y", "a.example", 80, "a.example", "/?y");
        check("http://[2001:db8::1]:8080/", "[2001:db8::1]", 8080, "[2001:db8::1]:8080", "/");
        let encoded = "xn--bcher-kva.example";
        check("https://bücher.example/ä", encoded, 443, encoded, "/%C3%A4");
    }

    #[test]
    fn unsuitable_urls_are_rejected() {
        let long = format!("https://a.example/{}", "x".repeat(URL_BYTES_MAX));
        assert_eq!(parse(&long), Err(UrlError::TooLong(long.len())));
        let longest = format!("https://a.example/{}", "x".repeat(URL_BYTES_MAX - 18));
        assert!(parse(&longest).is_ok());
        for text in ["", "a.example", "/hook", "https://", "https:///", "https://[::1"] {
            assert_eq!(parse(text), Err(UrlError::Syntax(text.to_owned())), "{text}");
        }
        for text in [
            " https://a.example",
            "https://a.example/\n",
            "https://a.ex\tample",
            "https://a b.example",
            "https://a.example/\u{2028}",
        ] {
            assert!(matches!(parse(text), Err(UrlError::Syntax(_))), "{text:?}");
        }
        for text in ["https://me@a.example", "https://me:pass@a.example", "https://:p@a.example"] {
            assert_eq!(parse(text), Err(UrlError::UserInfo), "{text}");
        }
        assert_eq!(parse("https://a.example/#x"), Err(UrlError::Fragment));
        assert_eq!(parse("https://a.example/#"), Err(UrlError::Fragment));
    }

    #[test]
    fn http_is_rejected_unless_allowed() {
        let error = parse("http://a.example").unwrap_err().to_string();
        assert_eq!(error, "the URL must begin with `https://`, but begins with `http:`");
        assert!(Target::parse("http://a.example", true).is_ok());
        for text in ["ftp://a.example", "file:///etc/passwd", "gopher://a.example", "data:,x"] {
            let refused = Target::parse(text, true);
            assert!(matches!(refused, Err(UrlError::Scheme { .. })), "{text}");
        }
    }

    #[test]
    fn ports_of_other_protocols_are_rejected() {
        assert!(BLOCKED_PORTS.is_sorted());
        for port in [0, 22, 25, 53, 587, 3306, 5432, 6000, 6379, 9200, 10080, 11211, 27017] {
            let text = format!("https://a.example:{port}/");
            assert_eq!(parse(&text), Err(UrlError::Port(port)));
        }
        for port in [80, 443, 1024, 3000, 8000, 8080, 8443, 9000, 65535] {
            assert_eq!(parse(&format!("https://a.example:{port}/")).unwrap().port(), port);
        }
        assert!(matches!(parse("https://a.example:65536/"), Err(UrlError::Syntax(_))));
    }

    #[test]
    fn error_has_short_excerpt() {
        let error = parse(&"é".repeat(500)).unwrap_err();
        assert_eq!(error, UrlError::Syntax("é".repeat(100)));
    }
}
