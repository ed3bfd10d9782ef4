//! Instructions to admit a member where a proxy signs users in: the command that the operator runs.

/// Returns the command that links the identity `subject` of `issuer` to the member with this email
/// address.
pub fn link_command(issuer: &str, email: &str, subject: &str) -> String {
    let command = ["sheaf", "account", "link-identity"].join(" ");
    let named = [("--account", email), ("--issuer", issuer), ("--subject", subject)];
    named.into_iter().fold(command, |command_line, (name, value)| {
        [&command_line, name, &quote_word(value)].join(" ")
    })
}

/// Quotes a text as one word of a POSIX shell, if it needs quotes.
fn quote_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_command_quotes_email() {
        let check = |email: &str, shown: &str| {
            let command = link_command("header:x-auth-email", email, "SIGN-IN-NAME");
            let before = "sheaf account link-identity --account ";
            let behind = " --issuer header:x-auth-email --subject SIGN-IN-NAME";
            assert_eq!(command, [before, shown, behind].concat());
        };
        check("reader@example.com", "reader@example.com");
        check("a+b@example.com", "a+b@example.com");
        check("a;reboot;@b", "'a;reboot;@b'");
        check("$(id)@b", "'$(id)@b'");
        check("a'b@c", "'a'\\''b@c'");
        check("", "''");
    }
}
