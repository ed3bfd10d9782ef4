//! Parses a cleaned text: assigns its numbers to the date and the time of day, and its words to
//! their meanings.

use super::date_text::{DateText, TimeOfDay};
use super::words::{Meanings, Month};
use super::zone::{StatedZone, Zone, parse_offset_s};

/// Maximum number of words in a name such as `p. m.` or `de la tarde`.
const JOINED_WORDS_MAX: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Number(&'a str),
    /// A word, and its byte offset in the text.
    Word(&'a str, usize),
    Mark(char),
    Space,
}

fn tokenize(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_alphabetic() || !c.is_ascii();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let run = |is_part: &dyn Fn(char) -> bool| {
            let rest = &text[at..];
            &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
        };
        let (token, length) = if c.is_ascii_digit() {
            let number = run(&|c| c.is_ascii_digit());
            (Token::Number(number), number.len())
        } else if is_word(c) {
            let word = run(&is_word);
            (Token::Word(word, at), word.len())
        } else if c == ' ' {
            (Token::Space, run(&|c| c == ' ').len())
        } else {
            (Token::Mark(c), 1)
        };
        tokens.push(token);
        at += length;
    }
    tokens
}

/// Parses a cleaned text; `None` if any part of it belongs to no date.
pub(crate) fn parse_date_text(cleaned: &str) -> Option<DateText<'_>> {
    let tokens = tokenize(cleaned);
    let found = DateText::default();
    let mut parser =
        Parser { text: cleaned, tokens, at: 0, found, mark: None, half: None, may_be_day: false };
    while parser.at < parser.tokens.len() {
        parser.parse_next()?;
    }
    parser.finish()
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    found: DateText<'a>,
    /// Mark since the last number.
    mark: Option<char>,
    /// Half of the day that precedes its time.
    half: Option<Meanings>,
    /// Whether the word for the month can also be a weekday.
    may_be_day: bool,
}

impl<'a> Parser<'a> {
    fn parse_next(&mut self) -> Option<()> {
        match self.token_at(self.at)? {
            Token::Space | Token::Mark(',' | ')' | ']') => self.at += 1,
            Token::Mark(mark @ ('/' | '-' | '.')) => {
                self.mark = self.mark.or(Some(mark));
                self.at += 1;
            }
            Token::Mark(':') if self.number_at(self.at + 1).is_none() => self.at += 1,
            Token::Mark('(' | '[') => self.at = self.skip_bracket()?,
            Token::Mark(_) => return None,
            Token::Number(number) => self.parse_number(number)?,
            Token::Word(..) => self.parse_word()?,
        }
        Some(())
    }

    fn token_at(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).copied()
    }

    fn skip_space(&self, at: usize) -> usize {
        at + usize::from(self.token_at(at) == Some(Token::Space))
    }

    fn skip_dot(&self, at: usize) -> usize {
        at + usize::from(self.token_at(at) == Some(Token::Mark('.')))
    }

    fn number_at(&self, at: usize) -> Option<&'a str> {
        if let Some(Token::Number(number)) = self.token_at(at) { Some(number) } else { None }
    }

    fn is_word(&self, at: usize, names: &[&str]) -> bool {
        let Some(Token::Word(word, _)) = self.token_at(at) else { return false };
        names.iter().any(|name| word.eq_ignore_ascii_case(name))
    }

    /// Returns the position after an opening bracket, or after the whole group if it has no
    /// numbers.
    fn skip_bracket(&self) -> Option<usize> {
        let rest = &self.tokens[self.at..];
        let end = rest.iter().position(|token| matches!(token, Token::Mark(')' | ']')))?;
        let has_number = rest[..end].iter().any(|token| matches!(token, Token::Number(_)));
        Some(self.at + if has_number { 1 } else { end + 1 })
    }

    fn parse_number(&mut self, number: &'a str) -> Option<()> {
        if self.found.clock.is_none()
            && let Some((clock, next)) = self.clock_at(self.at)
        {
            self.found.clock = Some(TimeOfDay { half: self.half.take(), ..clock });
            self.at = next;
            self.parse_after_clock();
            return Some(());
        }
        self.found.numbers.push(number);
        self.found.marks.push(self.mark.take());
        self.at += 1;
        (self.found.numbers.len() <= 3).then_some(())
    }

    fn parse_word(&mut self) -> Option<()> {
        if self.is_word(self.at, &["tháng", "thg"])
            && let Some(number) = self.number_at(self.skip_space(self.at + 1))
        {
            self.found.month = Some(number.parse().ok()?);
            self.at = self.skip_space(self.at + 1) + 1;
            return Some(());
        }
        let (meanings, next) = self.meanings_at(self.at)?;
        self.at = next;
        if meanings.is_half()
            && self.found.clock.is_none()
            && self.clock_at(self.skip_space(self.skip_dot(next))).is_some()
        {
            self.half = Some(meanings);
            return Some(());
        }
        if let Some(clock) = &mut self.found.clock
            && clock.half.is_none()
            && meanings.is_only_half()
        {
            clock.half = Some(meanings);
        }
        match (meanings.month(), self.found.month) {
            (None, _) => {}
            (Some(month), day) if day.is_none() || self.may_be_day => {
                let (month, is_ambiguous) = match month {
                    Month::Number(month) => (month, false),
                    Month::Ambiguous(month) => (month, true),
                };
                self.found.month = Some(month);
                self.found.is_ambiguous = is_ambiguous;
                self.may_be_day = meanings.is_not_only_month();
            }
            (Some(_), _) if meanings.is_not_only_month() => {}
            (Some(_), _) => return None,
        }
        Some(())
    }

    /// Looks up the longest name of several words, such as `p. m.`.
    fn meanings_at(&self, at: usize) -> Option<(Meanings, usize)> {
        let mut name = String::new();
        let mut best = None;
        let mut at = at;
        let mut words = 0;
        while words < JOINED_WORDS_MAX {
            match self.token_at(at) {
                Some(Token::Word(word, _)) => {
                    name.push_str(word);
                    words += 1;
                    best = Meanings::look_up(&name).map(|found| (found, at + 1)).or(best);
                }
                Some(Token::Space | Token::Mark('.' | '-')) if words > 0 => {}
                _ => break,
            }
            at += 1;
        }
        best
    }

    fn clock_at(&self, at: usize) -> Option<(TimeOfDay<'a>, usize)> {
        let hour = self.number_at(at).filter(|hour| hour.len() <= 2)?;
        let clock = TimeOfDay { hour, minute: "0", second: "0", fraction: "0", half: None };
        match self.token_at(at + 1) {
            Some(Token::Mark(':')) => self.colon_clock(clock, at + 2),
            Some(Token::Mark('.')) if self.has_date() => self.dotted_clock(clock, at + 2),
            _ if self.is_word(self.skip_space(at + 1), &["h"]) => {
                Some(self.lettered_clock(clock, self.skip_space(at + 1) + 1))
            }
            _ => {
                let (half, next) = self.meanings_at(self.skip_space(at + 1))?;
                // In `1 오전 9:30` the half of the day belongs to the number after it.
                let is_hour =
                    half.is_only_half() && self.number_at(self.skip_space(next)).is_none();
                is_hour.then_some((clock, at + 1))
            }
        }
    }

    fn has_date(&self) -> bool {
        self.found.numbers.len() + usize::from(self.found.month.is_some()) >= 3
    }

    /// Parses `9:30`, `9:30:15.25`.
    fn colon_clock(&self, mut clock: TimeOfDay<'a>, at: usize) -> Option<(TimeOfDay<'a>, usize)> {
        clock.minute = self.number_at(at)?;
        if self.token_at(at + 1) != Some(Token::Mark(':')) {
            return Some((clock, at + 1));
        }
        let Some(second) = self.number_at(at + 2) else { return Some((clock, at + 2)) };
        clock.second = second;
        match (self.token_at(at + 3), self.number_at(at + 4)) {
            (Some(Token::Mark('.' | ',')), Some(fraction)) => {
                clock.fraction = fraction;
                Some((clock, at + 5))
            }
            _ => Some((clock, at + 3)),
        }
    }

    /// Parses `9.30`, `9.30.15`.
    fn dotted_clock(&self, mut clock: TimeOfDay<'a>, at: usize) -> Option<(TimeOfDay<'a>, usize)> {
        clock.minute = self.number_at(at)?;
        match (self.token_at(at + 1), self.number_at(at + 2)) {
            (Some(Token::Mark('.')), Some(second)) => {
                clock.second = second;
                Some((clock, at + 3))
            }
            _ => Some((clock, at + 1)),
        }
    }

    /// Parses `9 h`, `9h30`, `9 h 30 min 15 s`.
    fn lettered_clock(&self, mut clock: TimeOfDay<'a>, at: usize) -> (TimeOfDay<'a>, usize) {
        let minute_at = self.skip_space(at);
        let Some(minute) = self.number_at(minute_at).filter(|minute| minute.len() == 2) else {
            return (clock, at);
        };
        clock.minute = minute;
        let unit_at = self.skip_space(minute_at + 1);
        if !self.is_word(unit_at, &["min", "mn", "m"]) {
            return (clock, minute_at + 1);
        }
        let second_at = self.skip_space(unit_at + 1);
        let unit_of_second_at = self.skip_space(second_at + 1);
        match self.number_at(second_at) {
            Some(second) if self.is_word(unit_of_second_at, &["s", "sec"]) => {
                clock.second = second;
                (clock, unit_of_second_at + 1)
            }
            _ => (clock, unit_at + 1),
        }
    }

    /// Parses the half of the day and the time zone after a time of day.
    fn parse_after_clock(&mut self) {
        let mut at = self.skip_space(self.at);
        while let Some((_, next)) = self.meanings_at(at).filter(|(word, _)| word.is_filler()) {
            at = self.skip_space(self.skip_dot(next));
            self.at = at;
        }
        if let Some((half, next)) = self.meanings_at(at).filter(|(half, _)| half.is_half())
            && let Some(clock) = &mut self.found.clock
        {
            clock.half = Some(half);
            // The dot belongs to an abbreviation.
            self.at = self.skip_dot(next);
        }
        if let Some((zone, next)) = self.zone_at(self.skip_space(self.at)) {
            self.found.zone = Some(zone);
            self.at = next;
        }
    }

    fn zone_at(&self, at: usize) -> Option<(StatedZone, usize)> {
        match self.token_at(at)? {
            Token::Mark('+' | '-') => self.offset_at(at),
            Token::Mark('(' | '[') => {
                let (zone, next) = self.zone_at(at + 1)?;
                let is_closed = matches!(self.token_at(next), Some(Token::Mark(')' | ']')));
                is_closed.then_some((zone, next + 1))
            }
            Token::Word(word, start) => {
                let rest = &self.text[start..];
                let name = &rest[..rest.find([' ', ',', ')', ']']).unwrap_or(rest.len())];
                if let Some(zone) = name.contains('/').then(|| name.parse().ok()).flatten() {
                    let after = |token: &Token<'_>| {
                        matches!(token, Token::Space | Token::Mark(',' | ')' | ']'))
                    };
                    let length = self.tokens[at..].iter().position(after);
                    let next = at + length.unwrap_or(self.tokens.len() - at);
                    return Some((StatedZone::Zone(Zone::Named(zone)), next));
                }
                let utc = self.meanings_at(at).filter(|(meanings, _)| meanings.is_utc());
                if let Some((_, next)) = utc {
                    let utc = (StatedZone::Zone(Zone::UTC), next);
                    return self.offset_at(self.skip_space(next)).or(Some(utc));
                }
                Some((StatedZone::from_abbreviation(word)?, at + 1))
            }
            _ => None,
        }
    }

    /// Parses `+02:00`, `-5`.
    fn offset_at(&self, at: usize) -> Option<(StatedZone, usize)> {
        let Token::Mark(sign @ ('+' | '-')) = self.token_at(at)? else { return None };
        let hours = self.number_at(at + 1)?;
        let minutes = match self.token_at(at + 2) {
            Some(Token::Mark(':' | '.')) if hours.len() <= 2 => self.number_at(at + 3),
            _ => None,
        };
        let (text, next) = match minutes.filter(|minutes| minutes.len() == 2) {
            Some(minutes) => (format!("{sign}{hours}:{minutes}"), at + 4),
            None => (format!("{sign}{hours}"), at + 2),
        };
        Some((StatedZone::Zone(Zone::Offset(parse_offset_s(&text)?)), next))
    }

    fn finish(self) -> Option<DateText<'a>> {
        let mut found = self.found;
        found.is_closed_by_dot = self.mark == Some('.');
        if found.numbers.len() == 3 && self.may_be_day {
            (found.month, found.is_ambiguous) = (None, false);
        }
        let wants = if found.month.is_some() { 2 } else { 3 };
        (found.numbers.len() == wants).then_some(found)
    }
}
