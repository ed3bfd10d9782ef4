//! Tools with known file formats: recognises them by their headers, and knows their columns.

use std::fmt;
use std::str::FromStr;

use super::languages::{is_same_header, is_timestamp};
use super::limesurvey;
use super::target::MetadataPart;
use super::time::moment::DateOrder;

/// Tool that wrote a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Google Forms, or its spreadsheet.
    Google,
    /// Microsoft Forms, via Excel.
    Microsoft,
    /// Typeform.
    Typeform,
    /// Tally.
    Tally,
    /// Jotform.
    Jotform,
    /// `SurveyMonkey`, with its two header rows.
    Monkey,
    /// Qualtrics, with its three header rows.
    Qualtrics,
    /// `KoboToolbox`.
    Kobo,
    /// ODK Central, or ODK Briefcase.
    Odk,
    /// `LimeSurvey`.
    Lime,
    /// Nextcloud Forms.
    Nextcloud,
    /// Formbricks.
    Formbricks,
    /// Netlify Forms.
    Netlify,
    /// Formspree.
    Formspree,
    /// Airtable.
    Airtable,
    /// An export of Sheaf.
    Sheaf,
    /// Any other program.
    Plain,
}

/// Properties of a tool's files.
struct ToolFacts {
    tool: Tool,
    /// Name for `--from`, and description in messages.
    name: &'static str,
    description: &'static str,
    /// Lists of headers. A file that has all headers of one list is from this tool.
    header_sets: &'static [&'static [&'static str]],
    /// Whether headers must match in case.
    is_exact: bool,
    /// Headers of the submission time and of the start time, the better ones first.
    submitted: &'static [&'static str],
    started: &'static [&'static str],
    /// Headers of other times that the tool writes.
    other_times: &'static [&'static str],
    /// Positions of the start time and the submission time, if no header is known.
    default_positions: [Option<usize>; 2],
}

/// Tools, in the order of recognition.
const TOOL_FACTS: [ToolFacts; 17] = [
    ToolFacts {
        header_sets: &[&["submission_id", "submitted_at", "ip_country", "device", "browser"]],
        submitted: &["submitted_at"],
        ..default_facts(Tool::Sheaf, "sheaf", "an export of Sheaf")
    },
    ToolFacts {
        header_sets: &[&["#", "Submit Date (UTC)"], &["#", "Start Date (UTC)"]],
        submitted: &["Submit Date (UTC)"],
        started: &["Start Date (UTC)"],
        other_times: &["Stage Date (UTC)"],
        ..default_facts(Tool::Typeform, "typeform", "from Typeform")
    },
    ToolFacts {
        header_sets: &[&["Respondent ID", "Collector ID"]],
        submitted: &["End Date", "date_modified"],
        started: &["Start Date", "date_created"],
        ..default_facts(Tool::Monkey, "surveymonkey", "from SurveyMonkey")
    },
    ToolFacts {
        header_sets: &[
            &["StartDate", "EndDate", "ResponseId"],
            &["StartDate", "EndDate", "RecordedDate"],
        ],
        submitted: &["EndDate", "RecordedDate"],
        started: &["StartDate"],
        ..default_facts(Tool::Qualtrics, "qualtrics", "from Qualtrics")
    },
    ToolFacts {
        header_sets: &[&["_submission_time", "_uuid"], &["_submission_time", "_id"]],
        submitted: &["_submission_time"],
        ..default_facts(Tool::Kobo, "kobo", "from KoboToolbox")
    },
    ToolFacts {
        header_sets: &[&["SubmissionDate", "KEY"], &["SubmissionDate", "meta-instanceID"]],
        submitted: &["SubmissionDate"],
        ..default_facts(Tool::Odk, "odk", "from ODK")
    },
    ToolFacts {
        header_sets: &[
            &["submitdate", "startlanguage"],
            &["submitdate", "lastpage"],
            &["Date submitted", "Start language"],
            &["Date submitted", "Last page"],
            &["Datum Abgeschickt", "Letzte Seite"],
        ],
        submitted: &["submitdate", "Date submitted", "Datum Abgeschickt"],
        started: &["startdate", "Date started", "Datum gestartet", "datestamp"],
        ..default_facts(Tool::Lime, "limesurvey", "from LimeSurvey")
    },
    ToolFacts {
        header_sets: &[
            &["Response ID", "Timestamp", "Survey ID"],
            &["No.", "Response ID", "Timestamp"],
        ],
        submitted: &["Timestamp"],
        ..default_facts(Tool::Formbricks, "formbricks", "from Formbricks")
    },
    ToolFacts {
        header_sets: &[&["User display name", "Timestamp"]],
        submitted: &["Timestamp"],
        default_positions: [None, Some(2)],
        ..default_facts(Tool::Nextcloud, "nextcloud", "from Nextcloud Forms")
    },
    ToolFacts {
        header_sets: &[&["Submission ID", "Respondent ID", "Submitted at"]],
        submitted: &["Submitted at"],
        ..default_facts(Tool::Tally, "tally", "from Tally")
    },
    ToolFacts {
        header_sets: &[&["Submission Date"]],
        is_exact: true,
        submitted: &["Submission Date"],
        default_positions: [None, Some(0)],
        ..default_facts(Tool::Jotform, "jotform", "from Jotform")
    },
    ToolFacts {
        // Elementor has `Created At` and `User Agent`, and many programs have some of these
        // headers.
        header_sets: &[
            &["created_at", "ip", "user_agent", "referrer"],
            &["created_at", "human_fields"],
        ],
        is_exact: true,
        submitted: &["created_at"],
        ..default_facts(Tool::Netlify, "netlify", "from Netlify Forms")
    },
    ToolFacts {
        header_sets: &[&["_date"]],
        submitted: &["_date"],
        ..default_facts(Tool::Formspree, "formspree", "from Formspree")
    },
    ToolFacts {
        header_sets: &[&["ID", "Start time", "Completion time"]],
        submitted: &["Completion time"],
        started: &["Start time"],
        other_times: &["Last modified time"],
        default_positions: [Some(1), Some(2)],
        ..default_facts(Tool::Microsoft, "microsoft", "from Microsoft Forms")
    },
    ToolFacts {
        header_sets: &[&["Created time"]],
        submitted: &["Created time", "Created"],
        ..default_facts(Tool::Airtable, "airtable", "from Airtable or Notion")
    },
    ToolFacts {
        default_positions: [None, Some(0)],
        ..default_facts(Tool::Google, "google", "from Google Forms")
    },
    default_facts(Tool::Plain, "plain", "plain CSV"),
];

const fn default_facts(tool: Tool, name: &'static str, description: &'static str) -> ToolFacts {
    ToolFacts {
        tool,
        name,
        description,
        header_sets: &[],
        is_exact: false,
        submitted: &[],
        started: &[],
        other_times: &[],
        default_positions: [None, None],
    }
}

/// Minimum number of metadata headers that identify an export.
const EXPORT_HEADS_MIN: usize = 3;

impl Tool {
    fn facts(self) -> &'static ToolFacts {
        TOOL_FACTS
            .iter()
            .find(|facts| facts.tool == self)
            .unwrap_or(&TOOL_FACTS[TOOL_FACTS.len() - 1])
    }

    /// Recognises the tool by the headers.
    pub(super) fn recognise(headers: &[String]) -> Self {
        if is_export(headers) {
            return Self::Sheaf;
        }
        if limesurvey::has_codes_and_texts(headers) {
            return Self::Lime;
        }
        let by_headers = TOOL_FACTS.iter().find(|facts| {
            let is_head = |head: &str, name: &str| {
                if facts.is_exact { head.trim() == name } else { is_same_header(head, name) }
            };
            let has = |name: &&str| headers.iter().any(|head| is_head(head, name));
            facts.header_sets.iter().any(|mark| mark.iter().all(has))
        });
        let is_google = || headers.first().is_some_and(|head| is_timestamp(head));
        match by_headers {
            Some(facts) => facts.tool,
            None if is_google() => Self::Google,
            None => Self::Plain,
        }
    }

    /// Returns the columns of the start time and the submission time, if the tool determines them.
    pub(super) fn time_columns(self, headers: &[&str]) -> [Option<usize>; 2] {
        let facts = self.facts();
        let find = |names: &[&str], index: Option<usize>| {
            let mut found = names
                .iter()
                .filter_map(|name| headers.iter().position(|head| is_same_header(head, name)));
            found.next().or(index.filter(|index| *index < headers.len()))
        };
        [
            find(facts.started, facts.default_positions[0]),
            find(facts.submitted, facts.default_positions[1]),
        ]
    }

    /// Returns the part that a header always means in files of this tool.
    pub(super) fn metadata_part(self, head: &str) -> Option<MetadataPart> {
        let part = MetadataPart::by_name(head.trim());
        match self {
            Self::Sheaf if head.trim() == "submission_id" => Some(MetadataPart::Id),
            Self::Sheaf => part.filter(|part| {
                !matches!(part, MetadataPart::Skip | MetadataPart::StartedAt | MetadataPart::Id)
            }),
            _ => part.filter(|_| head.starts_with("utm_")),
        }
    }

    /// Whether the tool itself writes the times of the column with this header.
    pub(super) fn writes_time(self, head: &str) -> bool {
        let facts = self.facts();
        let names = [facts.submitted, facts.started, facts.other_times];
        names.into_iter().flatten().any(|name| is_same_header(head, name))
    }

    /// Returns the date order, if the tool has only one.
    pub(super) fn date_order(self) -> Option<DateOrder> {
        (self == Self::Monkey).then_some(DateOrder::Mdy)
    }
}

fn is_export(headers: &[String]) -> bool {
    let headers: Vec<&str> = headers.iter().map(|header| header.trim()).collect();
    let is_metadata = |header: &&&str| {
        let part = MetadataPart::by_name(header);
        part.is_some_and(|part| {
            !matches!(part, MetadataPart::Id | MetadataPart::Skip) && !part.is_instant()
        })
    };
    let begins = headers.starts_with(&["submission_id", "submitted_at"]);
    let ends = headers.iter().rfind(|header| !header.is_empty()) == Some(&"language");
    let has_both = headers.contains(&"submission_id") && headers.contains(&"submitted_at");
    let count = headers.iter().filter(is_metadata).count();
    begins && ends || has_both && count >= EXPORT_HEADS_MIN
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().description)
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entry = TOOL_FACTS.iter().find(|facts| facts.name == text);
        entry.map(|facts| facts.tool).ok_or_else(|| {
            let names = TOOL_FACTS.map(|facts| facts.name).join("`, `");
            format!("must be one of `{names}`, but is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_tool(headers: &str, tool: Tool, times: [Option<usize>; 2]) {
        let headers: Vec<String> = headers.split(',').map(str::to_owned).collect();
        assert_eq!(Tool::recognise(&headers), tool, "{headers:?}");
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        assert_eq!(tool.time_columns(&headers), times, "{headers:?}");
    }

    #[test]
    fn tool_is_recognised_by_headers() {
        check_tool("Timestamp,Name,Score", Tool::Google, [None, Some(0)]);
        check_tool("時間戳記,Name", Tool::Google, [None, Some(0)]);
        check_tool("#,Name,Start Date (UTC),Submit Date (UTC)", Tool::Typeform, [Some(2), Some(3)]);
        check_tool(
            "Respondent ID,Collector ID,Start Date,End Date,How?",
            Tool::Monkey,
            [Some(2), Some(3)],
        );
        check_tool("respondent_id,collector_id,x", Tool::Monkey, [None, None]);
        check_tool(
            "StartDate,EndDate,RecordedDate,ResponseId,Q1",
            Tool::Qualtrics,
            [Some(0), Some(1)],
        );
        check_tool("start,end,Q,_id,_uuid,_submission_time", Tool::Kobo, [None, Some(5)]);
        check_tool("SubmissionDate,start,end,KEY", Tool::Odk, [None, Some(0)]);
        check_tool("id,submitdate,lastpage,startdate", Tool::Lime, [Some(3), Some(1)]);
        check_tool("User ID,User display name,Timestamp,Q", Tool::Nextcloud, [None, Some(2)]);
        check_tool("No.,Response ID,Timestamp,Finished", Tool::Formbricks, [None, Some(2)]);
        check_tool("Submission ID,Respondent ID,Submitted at", Tool::Tally, [None, Some(2)]);
        check_tool("Submission Date,Name,Submission ID", Tool::Jotform, [None, Some(0)]);
        check_tool("id,created_at,name,ip,user_agent,referrer", Tool::Netlify, [None, Some(1)]);
        check_tool("name,created_at,human_fields", Tool::Netlify, [None, Some(1)]);
        check_tool("name,_date", Tool::Formspree, [None, Some(1)]);
        check_tool("ID,Start time,Completion time,Email", Tool::Microsoft, [Some(1), Some(2)]);
        check_tool("Name,Created time", Tool::Airtable, [None, Some(1)]);
        check_tool(
            "submission_id, submitted_at ,a,device,browser,language",
            Tool::Sheaf,
            [None, Some(1)],
        );
        for plain in [
            "Name,Date,Id",
            ",StartDate,EndDate,q1",
            "#,Name",
            "submission_id,submitted_at",
            "Name,Timestamp",
            "Name,Form Name (ID),Submission ID,Created At,User ID,User Agent,User IP,Referrer",
            "name,email,created_at,ip",
            "name,submission_date",
        ] {
            check_tool(plain, Tool::Plain, [None, None]);
        }
    }

    #[test]
    fn metadata_columns_are_recognised() {
        assert_eq!(Tool::Sheaf.metadata_part("submission_id"), Some(MetadataPart::Id));
        assert_eq!(Tool::Sheaf.metadata_part(" device "), Some(MetadataPart::Device));
        assert_eq!(Tool::Sheaf.metadata_part("id"), None);
        assert_eq!(Tool::Google.metadata_part("device"), None);
        assert_eq!(Tool::Google.metadata_part("utm_source"), Some(MetadataPart::UtmSource));
    }

    #[test]
    fn every_tool_name_is_parsed() {
        for facts in TOOL_FACTS {
            assert_eq!(facts.name.parse(), Ok(facts.tool));
        }
        assert!("excel".parse::<Tool>().unwrap_err().contains("`excel`"));
    }
}
