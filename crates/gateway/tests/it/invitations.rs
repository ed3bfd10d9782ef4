//! Tests of invitations by e-mail.

use contract::notification::MailLanguage;
use contract::people::Invitation;
use gateway::INVITATION_S;
use serde_json::json;

use crate::app::{ReceivedResponse, TestApp};
use crate::mailer::{Behaviour, RecordedMail, RecordingMailer, app_with_mail};
use crate::memory::{EMAIL, READER};

fn invitation(answer: &ReceivedResponse) -> Invitation {
    assert_eq!(answer.status, 201);
    serde_json::from_slice(&answer.body).unwrap()
}

async fn invite(app: &TestApp, cookie: &str, email: &str) -> Invitation {
    let body = json!({ "email": email }).to_string();
    invitation(&app.post("/people", cookie, &body).await)
}

/// Signs the owner in, and forgets the e-mails about it.
async fn sign_in(app: &TestApp, mailer: &RecordingMailer) -> String {
    let cookie = app.sign_in().await;
    mailer.take();
    cookie
}

#[tokio::test]
async fn invitation_is_mailed_and_shown() {
    let (app, mailer) = app_with_mail();
    let cookie = sign_in(&app, &mailer).await;
    let invited = invite(&app, &cookie, "new@example.org").await;
    assert!(invited.mailed);
    let token = invited.token.unwrap();
    let expected = RecordedMail::Invitation {
        recipient: "new@example.org".to_owned(),
        inviter: EMAIL.to_owned(),
        token: token.clone(),
        language: MailLanguage::English,
    };
    assert_eq!(mailer.take(), [expected]);
    app.clock.advance(INVITATION_S - 1);
    let body = json!({ "token": token }).to_string();
    assert_eq!(app.post("/session", "", &body).await.status, 200);
    assert_eq!(mailer.take(), [], "the first sign-in of a new member is not reported");
}

#[tokio::test]
async fn further_link_is_mailed() {
    let (app, mailer) = app_with_mail();
    let cookie = sign_in(&app, &mailer).await;
    let answer = app.post(&format!("/people/{READER}/link"), &cookie, "").await;
    let invited = invitation(&answer);
    let mails = mailer.take();
    let [RecordedMail::Invitation { recipient, token, .. }] = mails.as_slice() else {
        panic!("{mails:?}");
    };
    assert_eq!((recipient.as_str(), Some(token)), ("bob@example.org", invited.token.as_ref()));
}

#[tokio::test(start_paused = true)]
async fn failed_invitation_has_link() {
    let (app, mailer) = app_with_mail();
    let cookie = sign_in(&app, &mailer).await;
    for (n, behaviour) in [Behaviour::Fail, Behaviour::Hang].into_iter().enumerate() {
        mailer.set_behaviour(behaviour);
        let invited = invite(&app, &cookie, &format!("{n}@example.org")).await;
        assert!(!invited.mailed, "{behaviour:?}");
        mailer.set_behaviour(Behaviour::Accept);
        let body = json!({ "token": invited.token }).to_string();
        assert_eq!(app.post("/session", "", &body).await.status, 200);
    }
}

#[tokio::test]
async fn address_gets_three_invitations_an_hour() {
    let (app, mailer) = app_with_mail();
    let cookie = sign_in(&app, &mailer).await;
    let path = format!("/people/{READER}/link");
    let mut outcomes = Vec::new();
    for _ in 0..5 {
        let invited = invitation(&app.post(&path, &cookie, "").await);
        assert!(invited.token.is_some());
        outcomes.push(invited.mailed);
    }
    assert_eq!(outcomes, [true, true, true, false, false]);
    assert_eq!(mailer.take().len(), 3);
}

#[tokio::test]
async fn gateway_without_mail_shows_link_only() {
    let app = TestApp::new();
    let cookie = app.sign_in().await;
    let invited = invite(&app, &cookie, "new@example.org").await;
    assert!(!invited.mailed && invited.token.is_some());
}
