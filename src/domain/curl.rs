//! What a terminal is told so that it asks the API, with the secret's place left open. The secret
//! itself is never here.

use contract::Environment;

/// Returns the command that gets what stands at a URL, which is written as the shell reads it.
pub fn curl(environment: Environment, url: &str) -> String {
    let prefix = environment.secret_prefix();
    format!("SHEAF_KEY='{prefix}…'\ncurl -H \"X-API-Key: $SHEAF_KEY\" {url}")
}

/// Returns a text as a shell reads it: as it is, whatever stands in it.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn nothing_breaks_out_of_quotes() {
        assert_eq!(quoted("https://a.example/v1?x=$(y)"), "'https://a.example/v1?x=$(y)'");
        assert_eq!(quoted("it's `x`"), r"'it'\''s `x`'");
    }
}
