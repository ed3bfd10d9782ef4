//! What the pages of ingestion say, in the languages that they speak.

/// The words of one language.
#[derive(Debug)]
pub(super) struct Words {
    /// As HTML names it.
    pub(super) language: &'static str,
    pub(super) thanks: &'static str,
    pub(super) received: &'static str,
    /// Followed by the name of a host.
    pub(super) back_to: &'static str,
    pub(super) not_sent: &'static str,
    pub(super) reason: &'static str,
    /// Where the reason is known in English alone.
    pub(super) reason_in_english: &'static str,
    pub(super) go_back: &'static str,
    /// Before and behind a number of seconds.
    pub(super) wait: [&'static str; 2],
    pub(super) closed: &'static str,
    pub(super) closed_text: &'static str,
}

/// English first, which is what everybody else gets.
const ALL: [Words; 4] = [
    Words {
        language: "en",
        thanks: "Thank you",
        received: "Your answers have arrived.",
        back_to: "Back to",
        not_sent: "Your answers were not sent",
        reason: "The reason:",
        reason_in_english: "The reason:",
        go_back: "Go back in your browser: what you wrote should still be there. Then send it \
                  again.",
        wait: ["Please wait ", " seconds before you send it again."],
        closed: "This form is closed",
        closed_text: "It takes no more answers.",
    },
    Words {
        language: "de",
        thanks: "Vielen Dank",
        received: "Ihre Antworten sind angekommen.",
        back_to: "Zurück zu",
        not_sent: "Ihre Antworten wurden nicht gesendet",
        reason: "Der Grund:",
        reason_in_english: "Der Grund (auf Englisch):",
        go_back: "Gehen Sie im Browser zurück: Was Sie geschrieben haben, sollte noch da sein. \
                  Senden Sie es dann noch einmal.",
        wait: ["Bitte warten Sie ", " Sekunden, bevor Sie es noch einmal senden."],
        closed: "Dieses Formular ist geschlossen",
        closed_text: "Es nimmt keine Antworten mehr an.",
    },
    Words {
        language: "fr",
        thanks: "Merci",
        received: "Vos réponses sont bien arrivées.",
        back_to: "Retour à",
        not_sent: "Vos réponses n’ont pas été envoyées",
        reason: "La raison :",
        reason_in_english: "La raison (en anglais) :",
        go_back: "Revenez en arrière dans votre navigateur : ce que vous avez écrit devrait encore \
                  s’y trouver. Envoyez-le ensuite à nouveau.",
        wait: ["Veuillez attendre ", " secondes avant de l’envoyer à nouveau."],
        closed: "Ce formulaire est fermé",
        closed_text: "Il n’accepte plus de réponses.",
    },
    Words {
        language: "es",
        thanks: "Gracias",
        received: "Sus respuestas han llegado.",
        back_to: "Volver a",
        not_sent: "Sus respuestas no se han enviado",
        reason: "El motivo:",
        reason_in_english: "El motivo (en inglés):",
        go_back: "Vuelva atrás en el navegador: lo que escribió debería seguir ahí. Después, \
                  envíelo de nuevo.",
        wait: ["Espere ", " segundos antes de enviarlo de nuevo."],
        closed: "Este formulario está cerrado",
        closed_text: "Ya no acepta respuestas.",
    },
];

/// Returns the words of the language that an `Accept-Language` header wants most.
pub(super) fn of(accept: &str) -> &'static Words {
    let mut best: (&Words, u16) = (&ALL[0], 0);
    for (name, weight) in weighted(accept) {
        let language = name.split('-').next().unwrap_or_default();
        let spoken = ALL.iter().find(|words| words.language.eq_ignore_ascii_case(language));
        if let Some(words) = spoken
            && weight > best.1
        {
            best = (words, weight);
        }
    }
    best.0
}

/// Returns what an `Accept…` header names, each with its weight in thousandths.
pub(super) fn weighted(header: &str) -> impl Iterator<Item = (&str, u16)> {
    header.split(',').map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        (name, weight.map_or(1000, thousandths))
    })
}

/// Reads `0.8`; what cannot be read is 0.
fn thousandths(text: &str) -> u16 {
    let weight = text.parse::<f32>().ok().filter(|weight| (0.0..=1.0).contains(weight));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    weight.map_or(0, |weight| (weight * 1000.0) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_wanted_most_of_those_spoken_is_used() {
        for (accept, language) in [
            ("", "en"),
            ("de", "de"),
            ("de-AT,de;q=0.9,en;q=0.8", "de"),
            ("ja,fr;q=0.5,es;q=0.7", "es"),
            ("ja", "en"),
            ("en,de", "en"),
            ("DE;q=0.1", "de"),
            ("de;q=0", "en"),
            ("de;q=x,fr;q=0.2", "fr"),
            (";;;,,,q=1", "en"),
        ] {
            assert_eq!(of(accept).language, language, "{accept}");
        }
    }
}
