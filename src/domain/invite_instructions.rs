//! How somebody gets in whom a proxy in front signs in: what whoever runs the server types.

/// Returns the command that links what `issuer` calls somebody with the person of a mail address.
pub fn link_command(issuer: &str, email: &str, subject: &str) -> String {
    let command = ["sheaf", "account", "link-identity"].join(" ");
    let named = [("--account", email), ("--issuer", issuer), ("--subject", subject)];
    named.into_iter().fold(command, |told, (name, value)| [&told, name, &word(value)].join(" "))
}

/// Writes a text as one word of a shell, whatever is in it.
fn word(text: &str) -> String {
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
    fn whoever_types_it_types_nothing_else() {
        let check = |email: &str, shown: &str| {
            let command = link_command("header:x-auth-email", email, "THEIR-NAME");
            let before = "sheaf account link-identity --account ";
            let behind = " --issuer header:x-auth-email --subject THEIR-NAME";
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
