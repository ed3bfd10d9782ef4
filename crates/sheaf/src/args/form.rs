//! What the command line says of forms.

use clap::{Subcommand, ValueEnum};
use contract::{Environment, FieldId, FormId};
use std::path::PathBuf;

use super::{Intake, Owner, Shape, base_url};
use crate::field_spec::FieldSpec;

const FIELD_HELP: &str = "A field of the form, in order; TYPE is text, long_text, number, boolean, \
    choice, choices, rating, email, phone, url or date, and text where it is left out";

#[derive(Debug, Subcommand)]
pub(crate) enum Form {
    /// Creates a form and prints its id
    Create {
        #[command(flatten)]
        owner: Owner,
        /// What it is called
        #[arg(long)]
        name: String,
        /// Real data (live) or sandbox data (test)
        #[arg(long, default_value = "live", value_name = "live|test")]
        mode: Environment,
        #[arg(long = "field", value_name = "NAME[:TYPE]", help = FIELD_HELP)]
        fields: Vec<FieldSpec>,
        /// Its submissions are analysed
        #[arg(long)]
        analysis: bool,
    },
    /// Lists an account's forms in both modes, oldest first
    List {
        #[command(flatten)]
        owner: Owner,
        #[command(flatten)]
        shape: Shape,
    },
    /// Gives a form another name, or with --field one of its fields
    ///
    /// Ids and answer keys stay, so that what was sent and what will be sent is the same as before.
    Rename {
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// What it is called from now on
        name: String,
        /// The field to rename instead, as `form show` names it
        #[arg(long, value_name = "FIELD")]
        field: Option<FieldId>,
    },
    /// Hides, shows or deletes a field of a form
    ///
    /// The dashboard does not offer a hidden field, which takes answers and is exported all the
    /// same. The answers of a deleted field stay with the submissions, and the form does not learn
    /// the field again.
    Field {
        /// What is done to it
        act: FieldAct,
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// The field, as `form show` names it
        #[arg(value_name = "FIELD")]
        field: FieldId,
    },
    /// Copies a form and prints the id of the copy
    ///
    /// The copy has the same fields, settings and categories, and no submissions. It is open.
    Duplicate {
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// What the copy is called; without it, as the form with ` (copy)` behind
        #[arg(long)]
        name: Option<String>,
    },
    /// Deletes a form with its submissions, spam and settings, for good
    ///
    /// The form is gone at once; its rows are removed piece by piece. If the command is ended
    /// before, the same command or the next start of the server does the rest.
    Delete {
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Do not ask for the form's name
        #[arg(long)]
        yes: bool,
    },
    /// Switches the analysis of a form's submissions on or off
    ///
    /// A running server fills the insights in, newest first, also of what came before. Switched
    /// off, what was found stays.
    Analysis {
        /// Whether its submissions are analysed
        switch: Switch,
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Analyse those again that were analysed already, for example by other categories
        #[arg(long)]
        again: bool,
    },
    /// Shows or sets the categories by which a form's submissions are told
    Categories {
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// A file of JSON, `[{"name": "delivery", "words": ["deliver*", "too late"]}]`, as --json
        /// prints it; - is standard input. `deliver*` is every word that begins so
        #[arg(long, value_name = "FILE")]
        set: Option<PathBuf>,
        /// Go back to the usual categories
        #[arg(long, conflicts_with = "set")]
        reset: bool,
        #[command(flatten)]
        shape: Shape,
    },
    /// Shows a form with its fields, and how to send to it
    Show {
        /// The form's id
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Where browsers find the server, for the address to send to
        #[arg(
            long,
            value_name = "URL",
            default_value = "http://127.0.0.1:8080",
            value_parser = base_url
        )]
        url: String,
        #[command(flatten)]
        shape: Shape,
    },
    /// Shows what a form takes in from anyone, and sets what is named
    Intake(Intake),
}

/// What is done to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FieldAct {
    /// The dashboard does not offer it any more
    Hide,
    /// The dashboard offers it again
    Show,
    /// The form does not have it any more
    Delete,
}

/// Whether a form is analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// What is there and what comes is analysed
    On,
    /// What comes is left as it is
    Off,
}
