//! Tools with known file formats: recognises them by their headers, and knows their columns.

use std::fmt;
use std::str::FromStr;

use super::languages::{is_timestamp, same};
use super::limesurvey;
use super::target::Part;
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
struct Facts {
    tool: Tool,
    /// Name for `--from`, and description in messages.
    name: &'static str,
    words: &'static str,
    /// Lists of headers. A file that has all headers of one list is from this tool.
    marks: &'static [&'static [&'static str]],
    /// Whether headers must match in case.
    is_exact: bool,
    /// Headers of the submission time and of the start time, the better ones first.
    submitted: &'static [&'static str],
    started: &'static [&'static str],
    /// Headers of other times that the tool writes.
    also_times: &'static [&'static str],
    /// Positions of the start time and the submission time, if no header is known.
    places: [Option<usize>; 2],
}

/// Tools, in the order of recognition.
const TOOLS: [Facts; 17] = [
    Facts {
        words: "an export of Sheaf",
        marks: &[&["submission_id", "submitted_at", "ip_country", "device", "browser"]],
        submitted: &["submitted_at"],
        ..facts(Tool::Sheaf, "sheaf")
    },
    Facts {
        words: "from Typeform",
        marks: &[&["#", "Submit Date (UTC)"], &["#", "Start Date (UTC)"]],
        submitted: &["Submit Date (UTC)"],
        started: &["Start Date (UTC)"],
        also_times: &["Stage Date (UTC)"],
        ..facts(Tool::Typeform, "typeform")
    },
    Facts {
        words: "from SurveyMonkey",
        marks: &[&["Respondent ID", "Collector ID"]],
        submitted: &["End Date", "date_modified"],
        started: &["Start Date", "date_created"],
        ..facts(Tool::Monkey, "surveymonkey")
    },
    Facts {
        words: "from Qualtrics",
        marks: &[
            &["StartDate", "EndDate", "ResponseId"],
            &["StartDate", "EndDate", "RecordedDate"],
        ],
        submitted: &["EndDate", "RecordedDate"],
        started: &["StartDate"],
        ..facts(Tool::Qualtrics, "qualtrics")
    },
    Facts {
        words: "from KoboToolbox",
        marks: &[&["_submission_time", "_uuid"], &["_submission_time", "_id"]],
        submitted: &["_submission_time"],
        ..facts(Tool::Kobo, "kobo")
    },
    Facts {
        words: "from ODK",
        marks: &[&["SubmissionDate", "KEY"], &["SubmissionDate", "meta-instanceID"]],
        submitted: &["SubmissionDate"],
        ..facts(Tool::Odk, "odk")
    },
    Facts {
        words: "from LimeSurvey",
        marks: &[
            &["submitdate", "startlanguage"],
            &["submitdate", "lastpage"],
            &["Date submitted", "Start language"],
            &["Date submitted", "Last page"],
            &["Datum Abgeschickt", "Letzte Seite"],
        ],
        submitted: &["submitdate", "Date submitted", "Datum Abgeschickt"],
        started: &["startdate", "Date started", "Datum gestartet", "datestamp"],
        ..facts(Tool::Lime, "limesurvey")
    },
    Facts {
        words: "from Formbricks",
        marks: &[&["Response ID", "Timestamp", "Survey ID"], &["No.", "Response ID", "Timestamp"]],
        submitted: &["Timestamp"],
        ..facts(Tool::Formbricks, "formbricks")
    },
    Facts {
        words: "from Nextcloud Forms",
        marks: &[&["User display name", "Timestamp"]],
        submitted: &["Timestamp"],
        places: [None, Some(2)],
        ..facts(Tool::Nextcloud, "nextcloud")
    },
    Facts {
        words: "from Tally",
        marks: &[&["Submission ID", "Respondent ID", "Submitted at"]],
        submitted: &["Submitted at"],
        ..facts(Tool::Tally, "tally")
    },
    Facts {
        words: "from Jotform",
        marks: &[&["Submission Date"]],
        is_exact: true,
        submitted: &["Submission Date"],
        places: [None, Some(0)],
        ..facts(Tool::Jotform, "jotform")
    },
    Facts {
        words: "from Netlify Forms",
        // Elementor has `Created At` and `User Agent`, and many programs have some of these
        // headers.
        marks: &[&["created_at", "ip", "user_agent", "referrer"], &["created_at", "human_fields"]],
        is_exact: true,
        submitted: &["created_at"],
        ..facts(Tool::Netlify, "netlify")
    },
    Facts {
        words: "from Formspree",
        marks: &[&["_date"]],
        submitted: &["_date"],
        ..facts(Tool::Formspree, "formspree")
    },
    Facts {
        words: "from Microsoft Forms",
        marks: &[&["ID", "Start time", "Completion time"]],
        submitted: &["Completion time"],
        started: &["Start time"],
        also_times: &["Last modified time"],
        places: [Some(1), Some(2)],
        ..facts(Tool::Microsoft, "microsoft")
    },
    Facts {
        words: "from Airtable or Notion",
        marks: &[&["Created time"]],
        submitted: &["Created time", "Created"],
        ..facts(Tool::Airtable, "airtable")
    },
    Facts { words: "from Google Forms", places: [None, Some(0)], ..facts(Tool::Google, "google") },
    facts(Tool::Plain, "plain"),
];

const fn facts(tool: Tool, name: &'static str) -> Facts {
    let (words, places) = ("plain CSV", [None, None]);
    Facts {
        tool,
        name,
        words,
        marks: &[],
        is_exact: false,
        submitted: &[],
        started: &[],
        also_times: &[],
        places,
    }
}

/// Minimum number of metadata headers that identify an export.
const EXPORT_HEADS_MIN: usize = 3;

impl Tool {
    fn facts(self) -> &'static Facts {
        TOOLS.iter().find(|facts| facts.tool == self).unwrap_or(&TOOLS[TOOLS.len() - 1])
    }

    /// Recognises the tool by the headers.
    pub(super) fn recognise(heads: &[String]) -> Self {
        if is_export(heads) {
            return Self::Sheaf;
        }
        if limesurvey::has_codes_and_texts(heads) {
            return Self::Lime;
        }
        let by_heads = TOOLS.iter().find(|facts| {
            let is_head = |head: &str, name: &str| {
                if facts.is_exact { head.trim() == name } else { same(head, name) }
            };
            let has = |name: &&str| heads.iter().any(|head| is_head(head, name));
            facts.marks.iter().any(|mark| mark.iter().all(has))
        });
        let is_google = || heads.first().is_some_and(|head| is_timestamp(head));
        match by_heads {
            Some(facts) => facts.tool,
            None if is_google() => Self::Google,
            None => Self::Plain,
        }
    }

    /// Returns the columns of the start time and the submission time, if the tool determines them.
    pub(super) fn time_columns(self, heads: &[&str]) -> [Option<usize>; 2] {
        let facts = self.facts();
        let find = |names: &[&str], place: Option<usize>| {
            let mut found =
                names.iter().filter_map(|name| heads.iter().position(|head| same(head, name)));
            found.next().or(place.filter(|place| *place < heads.len()))
        };
        [find(facts.started, facts.places[0]), find(facts.submitted, facts.places[1])]
    }

    /// Returns the part that a header always means in files of this tool.
    pub(super) fn part(self, head: &str) -> Option<Part> {
        let part = Part::named(head.trim());
        match self {
            Self::Sheaf if head.trim() == "submission_id" => Some(Part::Id),
            Self::Sheaf => {
                part.filter(|part| !matches!(part, Part::Skip | Part::StartedAt | Part::Id))
            }
            _ => part.filter(|_| head.starts_with("utm_")),
        }
    }

    /// Whether the tool itself writes the times of the column with this header.
    pub(super) fn writes_time(self, head: &str) -> bool {
        let facts = self.facts();
        let names = [facts.submitted, facts.started, facts.also_times];
        names.into_iter().flatten().any(|name| same(head, name))
    }

    /// Returns the date order, if the tool has only one.
    pub(super) fn date_order(self) -> Option<DateOrder> {
        (self == Self::Monkey).then_some(DateOrder::Mdy)
    }
}

fn is_export(heads: &[String]) -> bool {
    let heads: Vec<&str> = heads.iter().map(|head| head.trim()).collect();
    let is_metadata = |head: &&&str| {
        let part = Part::named(head);
        part.is_some_and(|part| !matches!(part, Part::Id | Part::Skip) && !part.is_instant())
    };
    let begins = heads.starts_with(&["submission_id", "submitted_at"]);
    let ends = heads.iter().rfind(|head| !head.is_empty()) == Some(&"language");
    let has_both = heads.contains(&"submission_id") && heads.contains(&"submitted_at");
    let count = heads.iter().filter(is_metadata).count();
    begins && ends || has_both && count >= EXPORT_HEADS_MIN
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().words)
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = TOOLS.iter().find(|facts| facts.name == text);
        named.map(|facts| facts.tool).ok_or_else(|| {
            let all = TOOLS.map(|facts| facts.name).join("`, `");
            format!("must be one of `{all}`, but is `{text}`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(heads: &str, tool: Tool, times: [Option<usize>; 2]) {
        let heads: Vec<String> = heads.split(',').map(str::to_owned).collect();
        assert_eq!(Tool::recognise(&heads), tool, "{heads:?}");
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        assert_eq!(tool.time_columns(&heads), times, "{heads:?}");
    }

    #[test]
    fn tool_is_recognised_by_headers() {
        check("Timestamp,Name,Score", Tool::Google, [None, Some(0)]);
        check("時間戳記,Name", Tool::Google, [None, Some(0)]);
        check("#,Name,Start Date (UTC),Submit Date (UTC)", Tool::Typeform, [Some(2), Some(3)]);
        check(
            "Respondent ID,Collector ID,Start Date,End Date,How?",
            Tool::Monkey,
            [Some(2), Some(3)],
        );
        check("respondent_id,collector_id,x", Tool::Monkey, [None, None]);
        check("StartDate,EndDate,RecordedDate,ResponseId,Q1", Tool::Qualtrics, [Some(0), Some(1)]);
        check("start,end,Q,_id,_uuid,_submission_time", Tool::Kobo, [None, Some(5)]);
        check("SubmissionDate,start,end,KEY", Tool::Odk, [None, Some(0)]);
        check("id,submitdate,lastpage,startdate", Tool::Lime, [Some(3), Some(1)]);
        check("User ID,User display name,Timestamp,Q", Tool::Nextcloud, [None, Some(2)]);
        check("No.,Response ID,Timestamp,Finished", Tool::Formbricks, [None, Some(2)]);
        check("Submission ID,Respondent ID,Submitted at", Tool::Tally, [None, Some(2)]);
        check("Submission Date,Name,Submission ID", Tool::Jotform, [None, Some(0)]);
        check("id,created_at,name,ip,user_agent,referrer", Tool::Netlify, [None, Some(1)]);
        check("name,created_at,human_fields", Tool::Netlify, [None, Some(1)]);
        check("name,_date", Tool::Formspree, [None, Some(1)]);
        check("ID,Start time,Completion time,Email", Tool::Microsoft, [Some(1), Some(2)]);
        check("Name,Created time", Tool::Airtable, [None, Some(1)]);
        check(
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
            check(plain, Tool::Plain, [None, None]);
        }
    }

    #[test]
    fn metadata_columns_are_recognised() {
        assert_eq!(Tool::Sheaf.part("submission_id"), Some(Part::Id));
        assert_eq!(Tool::Sheaf.part(" device "), Some(Part::Device));
        assert_eq!(Tool::Sheaf.part("id"), None);
        assert_eq!(Tool::Google.part("device"), None);
        assert_eq!(Tool::Google.part("utm_source"), Some(Part::UtmSource));
    }

    #[test]
    fn every_tool_name_is_parsed() {
        for facts in TOOLS {
            assert_eq!(facts.name.parse(), Ok(facts.tool));
        }
        assert!("excel".parse::<Tool>().unwrap_err().contains("`excel`"));
    }
}
