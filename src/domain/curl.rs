//! Shell commands that call the API. The key is a placeholder; the secret is never included.

use contract::Environment;

/// Returns the command that fetches `url`, which must already be quoted for the shell.
pub fn curl_command(environment: Environment, url: &str) -> String {
    let prefix = environment.secret_prefix();
    format!("SHEAF_KEY='{prefix}…'\ncurl -H \"X-API-Key: $SHEAF_KEY\" {url}")
}

/// Quotes a text for a POSIX shell.
pub fn quote_shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quote_shell;

    #[test]
    fn quoted_text_escapes_single_quotes() {
        assert_eq!(quote_shell("https://a.example/v1?x=$(y)"), "'https://a.example/v1?x=$(y)'");
        assert_eq!(quote_shell("it's `x`"), r"'it'\''s `x`'");
    }
}
