//! E-mails to members whom notes mention, and the preference for them.

use super::TriageFixture;
use crate::mail_server::MailServer;
use contract::notification::MailLanguage;
use contract::people::PersonChange;
use contract::{Person, PersonId, Role};
use http::Method;
use serde_json::{Value, json};
use store::clock::Clock as _;
use store::daily_limits::DailyLimits;
use store::mail::{AccountEvent, AccountMail};
use store::{PersonRecord, ids};

const READER: &str = "reader@example.com";

/// An account on a server with e-mail, with an editor for each name, `{name}@example.com`.
struct Mentions {
    fixture: TriageFixture,
    _server: MailServer,
}

impl Mentions {
    async fn with(names: &[&str]) -> Self {
        let fixture = TriageFixture::with(1).await;
        let app = &fixture.app;
        let server = MailServer::start().await;
        app.service.set_mail(server.service(app, DailyLimits::default()).await);
        for name in names {
            let created_at = app.clock.now();
            let person = Person {
                id: ids::generate_person_id(created_at),
                email: format!("{name}@example.com"),
                role: Role::Editor,
                has_password: false,
                created_at,
                forms: None,
            };
            let account_id = fixture.account.clone();
            let record = PersonRecord { account_id, person, password_hash: None };
            app.store.insert_member(record).await.unwrap();
        }
        Self { fixture, _server: server }
    }

    /// Sends a note of the owner, and returns its id.
    async fn create(&self, text: &str) -> String {
        let path = self.fixture.path("submissions/sub_000/notes");
        let body = json!({ "text": text }).to_string();
        let note = self.fixture.data(Method::POST, &path, &body).await;
        note["id"].as_str().unwrap().to_owned()
    }

    async fn edit(&self, note: &str, text: &str) {
        let path = self.fixture.path(&format!("submissions/sub_000/notes/{note}"));
        self.fixture.data(Method::PUT, &path, &json!({ "text": text }).to_string()).await;
    }

    /// Returns the e-mails since the last call, and removes them from the queue.
    async fn mails(&self) -> Vec<AccountMail> {
        let store = &self.fixture.app.store;
        let leased = store.lease_account_mail(self.fixture.app.clock.now(), 100).await.unwrap();
        for mail in &leased {
            store.record_account_mail(mail.seq, None).await.unwrap();
        }
        leased.into_iter().map(|leased| leased.mail).collect()
    }

    async fn recipients(&self) -> Vec<String> {
        self.mails().await.into_iter().map(|mail| mail.recipient).collect()
    }

    async fn find_person(&self, email: &str) -> PersonId {
        let found = self.fixture.app.store.find_person_by_email(email).await.unwrap();
        found.unwrap().person.id
    }
}

#[tokio::test]
async fn mentioned_members_are_notified_once() {
    let mentions = Mentions::with(&["ada", "bob"]).await;
    let note = mentions.create("@ADA@example.com (@reader@example.com) and @ada@example.com").await;
    let event = AccountEvent::Mentioned {
        form: mentions.fixture.form.id.clone(),
        submission: "sub_000".parse().unwrap(),
        note: note.parse().unwrap(),
    };
    let mail = |recipient: &str| AccountMail {
        recipient: recipient.to_owned(),
        language: MailLanguage::English,
        event: event.clone(),
    };
    assert_eq!(mentions.mails().await, ["ada@example.com", READER].map(mail));
    mentions.create("ada@example.com, @nobody@example.com, x@bob@example.com").await;
    assert_eq!(mentions.recipients().await, [""; 0]);
}

#[tokio::test]
async fn edit_notifies_only_new_mentions() {
    let mentions = Mentions::with(&["ada", "bob"]).await;
    let note = mentions.create("@ada@example.com").await;
    assert_eq!(mentions.recipients().await, ["ada@example.com"]);
    mentions.edit(&note, "@Ada@example.com and @bob@example.com").await;
    assert_eq!(mentions.recipients().await, ["bob@example.com"]);
    mentions.edit(&note, "@bob@example.com").await;
    assert_eq!(mentions.recipients().await, [""; 0]);
    let missing = mentions.fixture.path("submissions/sub_000/notes/nte_none");
    mentions.fixture.error(404, Method::PUT, &missing, r#"{"text":"@ada@example.com"}"#).await;
    assert_eq!(mentions.recipients().await, [""; 0]);
}

#[tokio::test]
async fn author_and_members_without_access_are_not_notified() {
    let mentions = Mentions::with(&["ada", "bob"]).await;
    let store = &mentions.fixture.app.store;
    let account = &mentions.fixture.account;
    let owner = store.find_person(&mentions.fixture.owner).await.unwrap().unwrap().person.email;
    for (email, form) in [
        ("ada@example.com", "frm_other".parse().unwrap()),
        ("bob@example.com", mentions.fixture.form.id.clone()),
    ] {
        let change = PersonChange { role: None, forms: Some(Some(vec![form])) };
        let id = mentions.find_person(email).await;
        assert!(store.change_member(account, &id, change).await.unwrap());
    }
    mentions.create(&format!("@{owner} @ada@example.com @bob@example.com")).await;
    assert_eq!(mentions.recipients().await, ["bob@example.com"]);
}

#[tokio::test]
async fn member_disables_mention_emails() {
    let mentions = Mentions::with(&[]).await;
    let fixture = &mentions.fixture;
    let reader = (&fixture.reader, Role::Reader);
    let get = async |member| {
        let answer = fixture.send_as(member, Method::GET, "preferences", "").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };
    assert_eq!(get(reader).await, json!({"data": {"mention_emails": true}}));
    let off = r#"{"mention_emails":false}"#;
    let set = fixture.send_as(reader, Method::PUT, "preferences", off).await;
    assert_eq!((set.status, set.json()), (200, json!({"data": {"mention_emails": false}})));
    let (action, detail) = fixture.last_audit().await;
    assert_eq!(action, "person.preferences_changed");
    assert_eq!(detail, json!({"mention_emails": false}));
    assert_eq!(get(reader).await["data"]["mention_emails"], false);
    let owner = (&fixture.owner, Role::Owner);
    assert_eq!(get(owner).await["data"]["mention_emails"], true);
    mentions.create(&format!("@{READER}")).await;
    assert_eq!(mentions.recipients().await, [""; 0]);
    for body in ["{}", r#"{"mention_emails":1}"#, r#"{"mention_emails":true,"x":1}"#] {
        let message = fixture.error(400, Method::PUT, "preferences", body).await;
        assert!(message.contains("mention_emails") || message.contains("`x`"), "{message}");
    }
    let anonymous = fixture.app.act(&fixture.account, Method::PUT, "/account/preferences", off);
    assert_eq!(anonymous.await.error(), (401, "unauthorized".to_owned()));
}

#[tokio::test]
async fn only_first_20_members_are_notified() {
    let names: Vec<String> = (0..21).map(|n| format!("m{n:02}")).collect();
    let mentions = Mentions::with(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let emails: Vec<_> = names.iter().map(|name| format!("{name}@example.com")).collect();
    mentions.create(&format!("@{}", emails.join(" @"))).await;
    assert_eq!(mentions.recipients().await, emails[..20]);
}

#[tokio::test]
async fn server_without_email_queues_nothing() {
    let fixture = TriageFixture::with(1).await;
    let path = fixture.path("submissions/sub_000/notes");
    let body = json!({ "text": format!("@{READER}") }).to_string();
    let note: Value = fixture.data(Method::POST, &path, &body).await;
    assert_eq!(note["text"], format!("@{READER}"));
    let now = fixture.app.clock.now();
    assert_eq!(fixture.app.store.lease_account_mail(now, 9).await.unwrap(), []);
}
