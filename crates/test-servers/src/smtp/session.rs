//! One connection of the SMTP server.

use super::{ReceivedMail, ScriptedReply, Shared, SmtpStage, SmtpTls};
use std::fmt::Write as _;
use std::future::pending;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A plain or encrypted connection.
trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

struct Session {
    stream: BufReader<Box<dyn Connection>>,
    shared: Arc<Shared>,
    is_encrypted: bool,
    is_authenticated: bool,
    mail: Option<ReceivedMail>,
}

/// Serves a connection until its end.
pub(super) async fn run(stream: TcpStream, shared: Arc<Shared>) -> io::Result<()> {
    shared.commands.send_modify(|commands| commands.push("(connected)".to_owned()));
    let mut is_encrypted = false;
    let stream: Box<dyn Connection> = match &shared.options.tls {
        SmtpTls::Implicit(acceptor) => {
            is_encrypted = true;
            Box::new(acceptor.accept(stream).await?)
        }
        _ => Box::new(stream),
    };
    let stream = BufReader::new(stream);
    let mut session = Session { stream, shared, is_encrypted, is_authenticated: false, mail: None };
    session.answer(SmtpStage::Greeting, "", "220 test ESMTP\r\n").await?;
    loop {
        let line = session.read_line().await?;
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        match verb.as_str() {
            "EHLO" => session.hello(&line).await?,
            "STARTTLS" => session = session.start_tls(&line).await?,
            "AUTH" => session.authenticate(&line).await?,
            "MAIL" => session.begin_mail(&line).await?,
            "RCPT" => session.add_recipient(&line).await?,
            "DATA" => session.receive_message(&line).await?,
            "RSET" => {
                session.mail = None;
                session.answer(SmtpStage::Reset, &line, "250 OK\r\n").await?;
            }
            "NOOP" => session.write("250 OK\r\n").await?,
            "QUIT" => return session.write("221 Bye\r\n").await,
            _ => session.write("500 unknown command\r\n").await?,
        }
    }
}

impl Session {
    async fn hello(&mut self, line: &str) -> io::Result<()> {
        let options = &self.shared.options;
        let mut lines = "250-test\r\n250-8BITMIME\r\n".to_owned();
        if matches!(options.tls, SmtpTls::StartTls(_)) && !self.is_encrypted {
            lines += "250-STARTTLS\r\n";
        }
        if options.login.is_some() {
            let mechanisms =
                if options.mechanisms.is_empty() { "PLAIN LOGIN" } else { options.mechanisms };
            let _ = write!(lines, "250-AUTH {mechanisms}\r\n");
        }
        if options.has_utf8_addresses {
            lines += "250-SMTPUTF8\r\n";
        }
        lines += "250 SIZE 10000000\r\n";
        self.answer(SmtpStage::Ehlo, line, &lines).await?;
        Ok(())
    }

    async fn start_tls(mut self, line: &str) -> io::Result<Self> {
        if !self.answer(SmtpStage::StartTls, line, "220 go ahead\r\n").await? {
            return Ok(self);
        }
        let SmtpTls::StartTls(acceptor) = self.shared.options.tls.clone() else {
            return Err(io::Error::other("the server has no certificate"));
        };
        let stream = acceptor.accept(self.stream.into_inner()).await?;
        self.stream = BufReader::new(Box::new(stream));
        self.is_encrypted = true;
        Ok(self)
    }

    /// Accepts `PLAIN` with an initial response, and `LOGIN`.
    async fn authenticate(&mut self, line: &str) -> io::Result<()> {
        let Some((name, password)) = self.shared.options.login.clone() else {
            return self.write("503 no AUTH\r\n").await;
        };
        let mut words = line.split(' ').skip(1);
        let is_right = if words.next() == Some("LOGIN") {
            self.write("334 VXNlcm5hbWU6\r\n").await?;
            let given_name = decode_base64(&self.read_line().await?);
            self.write("334 UGFzc3dvcmQ6\r\n").await?;
            let given_password = decode_base64(&self.read_line().await?);
            (given_name, given_password) == (name.into_bytes(), password.into_bytes())
        } else {
            let given = decode_base64(words.next().unwrap_or_default());
            given == format!("\0{name}\0{password}").into_bytes()
        };
        let usual = if is_right { "235 OK\r\n" } else { "535 5.7.8 wrong password\r\n" };
        self.is_authenticated = self.answer(SmtpStage::Auth, line, usual).await? && is_right;
        Ok(())
    }

    async fn begin_mail(&mut self, line: &str) -> io::Result<()> {
        if self.shared.options.login.is_some() && !self.is_authenticated {
            return self.write("530 5.7.0 authentication required\r\n").await;
        }
        if self.mail.is_some() {
            return self.write("503 nested MAIL\r\n").await;
        }
        if self.answer(SmtpStage::Mail, line, "250 OK\r\n").await? {
            let from = bracketed(line);
            self.mail = Some(ReceivedMail { from, recipients: Vec::new(), raw: Vec::new() });
        }
        Ok(())
    }

    async fn add_recipient(&mut self, line: &str) -> io::Result<()> {
        if self.mail.is_none() {
            return self.write("503 MAIL first\r\n").await;
        }
        if self.answer(SmtpStage::Rcpt, line, "250 OK\r\n").await?
            && let Some(mail) = &mut self.mail
        {
            mail.recipients.push(bracketed(line));
        }
        Ok(())
    }

    async fn receive_message(&mut self, line: &str) -> io::Result<()> {
        let Some(mut mail) = self.mail.take_if(|mail| !mail.recipients.is_empty()) else {
            return self.write("503 RCPT first\r\n").await;
        };
        if !self.answer(SmtpStage::Data, line, "354 go ahead\r\n").await? {
            self.mail = Some(mail);
            return Ok(());
        }
        loop {
            let mut bytes = Vec::new();
            if self.stream.read_until(b'\n', &mut bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if bytes == b".\r\n" {
                break;
            }
            mail.raw.extend_from_slice(bytes.strip_prefix(b".").unwrap_or(&bytes));
        }
        let recipients = mail.recipients.join(" ");
        if let Some(answer) = self.shared.take_answer(SmtpStage::Message, &recipients) {
            return self.write_scripted(answer).await.map(drop);
        }
        // The e-mail is recorded before the answer, because it counts as sent from then on.
        self.shared.mails.send_modify(|mails| mails.push(mail));
        self.write("250 2.0.0 queued as 4711\r\n").await
    }

    /// Writes the scripted answer of a command, or else the usual one. Returns whether it was the
    /// usual one.
    async fn answer(&mut self, stage: SmtpStage, line: &str, usual: &str) -> io::Result<bool> {
        match self.shared.take_answer(stage, line) {
            Some(answer) => self.write_scripted(answer).await,
            None => self.write(usual).await.map(|()| true),
        }
    }

    async fn write_scripted(&mut self, answer: ScriptedReply) -> io::Result<bool> {
        let ScriptedReply::Lines(lines) = answer else { pending().await };
        self.write(&lines).await?;
        let is_end = lines.starts_with("421");
        if is_end { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(false) }
    }

    async fn write(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes()).await?;
        self.stream.flush().await
    }

    async fn read_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_owned();
        self.shared.commands.send_modify(|commands| commands.push(line.clone()));
        Ok(line)
    }
}

/// Returns the text between the first `<` and the last `>`.
fn bracketed(line: &str) -> String {
    let inner = line.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>'));
    inner.map_or_else(String::new, |(address, _)| address.to_owned())
}

/// Decodes base64; empty if it is not valid.
fn decode_base64(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.decode(text.trim()).unwrap_or_default()
}
