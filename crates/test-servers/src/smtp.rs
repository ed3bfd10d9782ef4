//! SMTP server in the process of the test: records e-mails, and gives scripted answers.

mod session;

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

/// E-mail that a client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMail {
    /// Address of the envelope's sender.
    pub from: String,
    /// Addresses of the envelope's recipients.
    pub recipients: Vec<String>,
    /// Headers and body as they were sent, without the dots that SMTP adds.
    pub raw: Vec<u8>,
}

/// Stage of a session, to script its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpStage {
    /// The greeting of a new connection.
    Greeting,
    /// `EHLO`.
    Ehlo,
    /// `STARTTLS`.
    StartTls,
    /// `AUTH`, after the credentials.
    Auth,
    /// `MAIL FROM`.
    Mail,
    /// `RCPT TO`.
    Rcpt,
    /// `DATA`, before the message.
    Data,
    /// The end of the message.
    Message,
    /// `RSET`.
    Reset,
}

/// How connections are encrypted.
#[derive(Clone, Default)]
pub enum SmtpTls {
    /// Never.
    #[default]
    None,
    /// The server offers `STARTTLS`.
    StartTls(TlsAcceptor),
    /// From the begin.
    Implicit(TlsAcceptor),
}

/// Settings of a server.
#[derive(Clone, Default)]
pub struct SmtpOptions {
    /// Encryption.
    pub tls: SmtpTls,
    /// Name and password that the server requires. It offers `AUTH` also without encryption.
    pub login: Option<(String, String)>,
    /// Mechanisms of `AUTH` that it offers; empty means `PLAIN LOGIN`.
    pub mechanisms: &'static str,
    /// Whether the server offers `SMTPUTF8`.
    pub has_utf8_addresses: bool,
}

/// SMTP server on a free port. It ends when the value is dropped.
pub struct SmtpReceiver {
    port: u16,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// State that all sessions share.
struct Shared {
    options: SmtpOptions,
    script: Mutex<Vec<ScriptedAnswer>>,
    mails: watch::Sender<Vec<ReceivedMail>>,
    commands: watch::Sender<Vec<String>>,
}

/// Answer in place of the usual one.
struct ScriptedAnswer {
    stage: SmtpStage,
    /// Only commands that contain this text are answered so.
    text: String,
    answer: ScriptedReply,
    /// How many times it is given.
    times: usize,
}

/// Behaviour of a scripted server.
#[derive(Clone)]
enum ScriptedReply {
    /// It sends these lines.
    Lines(String),
    /// It never answers.
    Silence,
}

impl SmtpReceiver {
    /// Starts a server without encryption and passwords.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, or if no port is free.
    pub async fn start() -> Self {
        Self::start_with(SmtpOptions::default()).await
    }

    /// Starts a server with settings.
    ///
    /// # Panics
    /// As [`SmtpReceiver::start`].
    pub async fn start_with(options: SmtpOptions) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("no port is free");
        let port = listener.local_addr().expect("a listener has an address").port();
        let shared = Arc::new(Shared {
            options,
            script: Mutex::default(),
            mails: watch::Sender::default(),
            commands: watch::Sender::default(),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { port, shared, task }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address as a value of `--smtp-url`, for a server without encryption.
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}?tls=none", self.port)
    }

    /// Returns the e-mails that were received, in order.
    pub fn mails(&self) -> Vec<ReceivedMail> {
        self.shared.mails.borrow().clone()
    }

    /// Waits until at least `count` e-mails were received, and returns all of them.
    ///
    /// # Panics
    /// Never while the value exists.
    pub async fn wait_for(&self, count: usize) -> Vec<ReceivedMail> {
        let mut mails = self.shared.mails.subscribe();
        let mails = mails.wait_for(|mails| mails.len() >= count).await;
        mails.expect("the sender exists").clone()
    }

    /// Returns the commands that were received, in order, with the credentials of `AUTH`, but
    /// without messages. Each connection begins with the entry `(connected)`.
    pub fn commands(&self) -> Vec<String> {
        self.shared.commands.borrow().clone()
    }

    /// Waits until a command was received that contains `text`.
    ///
    /// # Panics
    /// Never while the value exists.
    pub async fn wait_for_command(&self, text: &str) {
        let mut commands = self.shared.commands.subscribe();
        let seen = commands.wait_for(|all| all.iter().any(|one| one.contains(text))).await;
        seen.expect("the sender exists");
    }

    /// Answers the next `times` commands of a stage with a code and a text, which may have several
    /// lines. A code of 421 also ends the connection.
    pub fn refuse(&self, stage: SmtpStage, code: u16, text: &str, times: usize) {
        self.refuse_matching(stage, "", code, text, times);
    }

    /// As [`SmtpReceiver::refuse`], for commands that contain `matching`, such as an address.
    pub fn refuse_matching(
        &self,
        stage: SmtpStage,
        matching: &str,
        code: u16,
        text: &str,
        times: usize,
    ) {
        let last = text.lines().count().saturating_sub(1);
        let lines = text.lines().enumerate().map(|(at, line)| {
            let separator = if at == last { ' ' } else { '-' };
            format!("{code}{separator}{line}\r\n")
        });
        self.script(stage, matching, ScriptedReply::Lines(lines.collect()), times);
    }

    /// Answers the next `times` commands of a stage with bytes that need not be valid SMTP.
    pub fn answer_raw(&self, stage: SmtpStage, bytes: &str, times: usize) {
        self.script(stage, "", ScriptedReply::Lines(bytes.to_owned()), times);
    }

    /// Does not answer commands of a stage that contain `matching`, until [`SmtpReceiver::reset`].
    /// Connections on which this happens stay silent.
    pub fn hang(&self, stage: SmtpStage, matching: &str) {
        self.script(stage, matching, ScriptedReply::Silence, usize::MAX);
    }

    /// Removes all scripted answers.
    pub fn reset(&self) {
        self.shared.script().clear();
    }

    fn script(&self, stage: SmtpStage, matching: &str, answer: ScriptedReply, times: usize) {
        let answer = ScriptedAnswer { stage, text: matching.to_owned(), answer, times };
        self.shared.script().push(answer);
    }
}

impl Drop for SmtpReceiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn script(&self) -> MutexGuard<'_, Vec<ScriptedAnswer>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the first scripted answer of a command.
    fn take_answer(&self, stage: SmtpStage, command: &str) -> Option<ScriptedReply> {
        let mut script = self.script();
        let place = script.iter().position(|answer| {
            answer.stage == stage && answer.times > 0 && command.contains(&answer.text)
        })?;
        script[place].times -= 1;
        Some(script[place].answer.clone())
    }
}

/// Accepts connections. Dropping the future ends all of them.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut sessions = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // An error is the end of the connection, which the client notices.
        let shared = Arc::clone(&shared);
        sessions.spawn(async move {
            let _ = session::run(stream, shared).await;
        });
        while sessions.try_join_next().is_some() {}
    }
}
