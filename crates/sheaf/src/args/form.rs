//! Arguments of `sheaf form`.

use clap::{Subcommand, ValueEnum};
use contract::{Environment, FieldId, FormId};
use std::path::PathBuf;

use super::{AccountArg, Intake, OutputArgs, parse_base_url};
use crate::field_spec::FieldSpec;

const FIELD_HELP: &str = "Field of the form, in order; can be repeated. TYPE is text (default), \
    long_text, number, boolean, choice, choices, rating, email, phone, url or date";

#[derive(Debug, Subcommand)]
pub(crate) enum Form {
    /// Creates a form and prints its id
    Create {
        #[command(flatten)]
        owner: AccountArg,
        /// Name of the form
        #[arg(long)]
        name: String,
        /// Live data or test (sandbox) data
        #[arg(long, default_value = "live", value_name = "live|test")]
        mode: Environment,
        #[arg(long = "field", value_name = "NAME[:TYPE]", help = FIELD_HELP)]
        fields: Vec<FieldSpec>,
        /// Analyse the submissions
        #[arg(long)]
        analysis: bool,
    },
    /// Lists the forms of an account in both modes, oldest first
    List {
        #[command(flatten)]
        owner: AccountArg,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Renames a form, or with --field one of its fields
    ///
    /// Ids and answer keys stay the same, so existing submissions and integrations keep working.
    Rename {
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// New name
        name: String,
        /// Id of the field to rename instead, as shown by `sheaf form show`
        #[arg(long, value_name = "FIELD")]
        field: Option<FieldId>,
    },
    /// Hides, shows or deletes a field of a form
    ///
    /// The dashboard does not offer a hidden field, but the field accepts answers and is exported.
    /// Answers of a deleted field stay in the submissions, and the form does not learn the field
    /// again.
    Field {
        /// Change to make
        change: FieldChange,
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Id of the field, as shown by `sheaf form show`
        #[arg(value_name = "FIELD")]
        field: FieldId,
    },
    /// Copies a form and prints the id of the copy
    ///
    /// The copy has the same fields, settings and categories, but no submissions. It is open for
    /// submissions.
    Duplicate {
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Name of the copy; defaults to the name of the form with ` (copy)` appended
        #[arg(long)]
        name: Option<String>,
    },
    /// Deletes a form with its submissions, spam and settings permanently
    ///
    /// The form is gone immediately; its rows are deleted in batches. If the command is
    /// interrupted, run it again or restart the server to finish.
    Delete {
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Turns the analysis of a form's submissions on or off
    ///
    /// A running server analyses new and existing submissions, newest first. Turning the analysis
    /// off keeps existing results.
    Analysis {
        /// Whether submissions are analysed
        switch: AnalysisSwitch,
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// Analyse submissions with results again, for example after a change of the categories
        #[arg(long)]
        again: bool,
    },
    /// Shows or sets the categories that the analysis assigns to a form's submissions
    Categories {
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// JSON file with the categories, in the format of --json
        ///
        /// `-` is standard input. Example: `[{"name": "delivery", "words": ["deliver*", "too
        /// late"]}]`, where `deliver*` matches every word with this prefix.
        #[arg(long, value_name = "FILE")]
        set: Option<PathBuf>,
        /// Restore the default categories
        #[arg(long, conflicts_with = "set")]
        reset: bool,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Shows a form, its fields, and the address for submissions
    Show {
        /// Id of the form
        #[arg(value_name = "FORM")]
        id: FormId,
        /// URL of the server, for the submission address
        #[arg(
            long,
            value_name = "URL",
            default_value = "http://127.0.0.1:8080",
            value_parser = parse_base_url
        )]
        url: String,
        #[command(flatten)]
        shape: OutputArgs,
    },
    /// Shows or changes the intake settings of a form
    Intake(Intake),
}

/// Change to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FieldChange {
    /// Hide the field in the dashboard
    Hide,
    /// Show the field in the dashboard again
    Show,
    /// Remove the field from the form
    Delete,
}

/// State of a form's analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnalysisSwitch {
    /// Analyse existing and new submissions
    On,
    /// Do not analyse new submissions
    Off,
}
