//! Runs the commands of `docs/email.md` with a shell and the real binary, and checks the values in
//! its tables.

use serde_json::json;
use std::process::Command;

use crate::mail_sending::check_dkim;
use crate::manual::parse_blocks;
use crate::server::Server;
use crate::smtp_server::SmtpServer;
use crate::test_env::{TestEnv, expect_success};
use crate::webhook::submit;

const MANUAL: &str = include_str!("../../../../docs/email.md");
const URL: &str = "smtp://forms@smtp.example.com:587?tls=required";

/// A form, a mail server, and the commands before one that is run.
struct DocsFixture {
    env: TestEnv,
    smtp: SmtpServer,
    form: String,
    notification: String,
    /// Lines that set variables, for all later commands.
    variables: String,
}

impl DocsFixture {
    fn new() -> Self {
        let env = TestEnv::with_account();
        let form = env.form("--field name");
        let smtp = SmtpServer::start_with(&json!({ "login": ["forms", "secret"] }));
        let programs = env.path("programs");
        std::fs::create_dir(&programs).unwrap();
        let sheaf = env.command("");
        std::os::unix::fs::symlink(sheaf.get_program(), programs.join("sheaf")).unwrap();
        Self { env, smtp, form, notification: String::new(), variables: String::new() }
    }

    /// Returns a shell that runs a text in the folder of the fixture.
    fn shell(&self, text: &str) -> Command {
        let mut shell = Command::new("bash");
        let path = std::env::var("PATH").unwrap();
        shell.env("PATH", format!("{}:{path}", self.env.path("programs").display()));
        let sheaf = self.env.command("");
        shell.envs(sheaf.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env("PASSWORD", "secret").current_dir(self.env.path(""));
        shell.args(["-euo", "pipefail", "-c", &format!("{}{text}", self.variables)]);
        shell
    }

    /// Runs a line of the manual, with the values of the fixture in place of its examples.
    fn run(&mut self, line: &str) -> String {
        let url = self.smtp.url().replace("smtp://", "smtp://forms@");
        let line = line.replace(URL, &url).replace("frm_…", &self.form);
        let line = line.replace("ntf_…", &self.notification);
        if line.starts_with("export ") {
            self.variables += &[&line, "\n"].concat();
            return String::new();
        }
        let mut output = self.shell(&line).output().unwrap();
        if line.contains("openssl") {
            // It reports its progress on standard error.
            output.stderr.clear();
        }
        let output = expect_success(&output);
        if line.contains(" add ") {
            output.clone_into(&mut self.notification);
        }
        output
    }

    /// Starts a server by a line of the manual, on a free port.
    fn serve(&self, line: &str) -> Server {
        Server::spawn(self.shell(&format!("exec {line} --listen 127.0.0.1:0")))
    }
}

#[test]
fn documented_commands_are_real() {
    let mut fixture = DocsFixture::new();
    let mut server = None;
    let mut record = String::new();
    let mut count = 0;
    let blocks = parse_blocks(MANUAL).into_iter().filter(|block| block.language == "sh");
    let text: String = blocks.map(|block| block.text).collect();
    for line in text.lines().map(str::trim) {
        count += 1;
        if line.starts_with("sheaf serve ") {
            server = Some(fixture.serve(line));
            continue;
        }
        let output = fixture.run(line);
        if line.contains("mail test") {
            assert_eq!(output, "accepted: 250 2.0.0 queued as TEST", "{line}");
            let mail = fixture.smtp.next_mail();
            assert_eq!(mail.to, ["you@example.com"]);
            assert_eq!(mail.header("From"), "Forms <forms@example.com>");
            if line.contains("dkim") {
                check_dkim(&record, &mail, "example.com");
            }
        } else if line.contains("v=DKIM1") {
            record = output;
        } else if line.contains(" add ") && line.contains("you@") {
            submit(server.as_ref().unwrap(), &fixture.form);
            assert_eq!(fixture.smtp.next_mail().to, ["you@example.com"]);
        } else if line.contains(" list ") {
            assert!(output.contains("Europe/Berlin"), "{output}");
        }
    }
    assert_eq!(count, 13);
}

/// Returns the values in backticks in the tables of the manual.
fn table_values() -> impl Iterator<Item = &'static str> {
    let rows = MANUAL.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2))
}

#[test]
fn documented_urls_and_options_are_accepted() {
    let env = TestEnv::new();
    let password = env.secret("password", "secret");
    let is_url = |value: &&str| value.starts_with("smtps://") && value.contains('.');
    let urls: Vec<_> = table_values().filter(is_url).collect();
    assert_eq!(urls.len(), 3);
    for url in urls {
        // The URL is read before the public URL is missed.
        let url = url.replace('…', "X");
        let serve = format!(
            "serve --smtp-url {url} --smtp-password-file {password} --mail-from forms@example.com"
        );
        let error = env.fail(&serve);
        assert!(error.contains("set `--public-url"), "{url}: {error}");
    }
    let help = env.run("serve --help");
    for value in table_values().filter(|value| value.starts_with("--") || value.contains("SHEAF")) {
        let name = value.split(' ').next().unwrap();
        assert!(help.contains(name), "{name}");
    }
}
