//! Arguments of `sheaf notification`.

use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use contract::notification::{Frequency, MailContent, MailLanguage};
use contract::{FormId, NotificationId, ViewId};
use std::str::FromStr;

use super::OutputArgs;

/// Subcommands of `sheaf notification`.
#[derive(Debug, Subcommand)]
pub(crate) enum Notification {
    /// Adds an address that gets e-mails about a form, and prints its id
    ///
    /// The address needs no confirmation by its reader.
    Add {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        /// Address
        #[arg(long, value_name = "ADDRESS")]
        email: String,
        /// One e-mail for each submission at once, or for the submissions of an hour or a day
        #[arg(
            long,
            value_name = "TIME",
            default_value = "submission",
            value_parser = choice::<Frequency>(Frequency::ALL.iter().map(|it| it.as_str()))
        )]
        every: Frequency,
        /// Id of a shared saved view, whose filter selects the submissions of hourly and daily
        /// e-mails
        ///
        /// `GET /account/forms/{form_id}/views` lists views.
        #[arg(long)]
        view: Option<ViewId>,
        /// Content of e-mails: all answers, or only a link to the dashboard
        #[arg(
            long,
            default_value = "full",
            value_parser = choice::<MailContent>(MailContent::ALL.iter().map(|it| it.as_str()))
        )]
        content: MailContent,
        /// Time zone of times and of daily e-mails, which are sent at 08:00, such as
        /// `Europe/Berlin`
        #[arg(long, value_name = "NAME", default_value = "UTC")]
        time_zone: String,
        /// Language of e-mails
        #[arg(
            long,
            default_value = "en",
            value_parser = choice::<MailLanguage>(MailLanguage::ALL.iter().map(|it| it.as_str()))
        )]
        language: MailLanguage,
    },
    /// Lists the addresses of a form with their state, oldest first
    List {
        /// Id of the form
        #[arg(long)]
        form: FormId,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Removes an address with its pending e-mails
    Remove {
        /// Id of the notification, as listed by `sheaf notification list`
        #[arg(value_name = "NOTIFICATION")]
        id: NotificationId,
    },
}

/// Parses one of these names.
fn choice<T>(names: impl Iterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|text| text.parse())
}
