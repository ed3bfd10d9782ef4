//! German.

use super::Language;

pub(super) const LANGUAGE: Language = Language {
    code: "de",
    share: 18,
    countries: &[("DE", 70), ("AT", 16), ("CH", 14)],
    cities: &["Hamburg", "Köln", "Görlitz", "Wien", "Zürich", "München", "Weißenfels"],
    given: &[
        ("Anna", "anna"), ("Jürgen", "juergen"), ("Lea", "lea"), ("Björn", "bjoern"),
        ("Käthe", "kaethe"), ("Felix", "felix"), ("Sophie", "sophie"), ("Emre", "emre"),
        ("Franziska", "franziska"), ("Matthias", "matthias"), ("Ülkü", "uelkue"), ("Jonas", "jonas"),
    ],
    family: &[
        ("Müller", "mueller"), ("Groß", "gross"), ("Schäfer", "schaefer"), ("Yılmaz", "yilmaz"),
        ("von der Heide", "vonderheide"), ("Weber", "weber"), ("Öztürk", "oeztuerk"),
        ("Kühn-Lange", "kuehn-lange"), ("Becker", "becker"), ("Strauß", "strauss"),
    ],
    companies: &[
        "Bäckerei Süßkind", "Müller & Töchter GmbH", "Fahrradwerk Elbe", "Praxis Dr. Groß",
        "Verein „Grüne Wiese“ e. V.", "Tischlerei Kühn",
    ],
    things: [
        "Lieferung", "Bezahlung", "Kundenbetreuung", "Preisgestaltung", "App", "Webseite",
        "Ware", "Rundmail", "Rechnung", "Anleitung",
    ],
    good: &[
        "Die {} war besser als erwartet.",
        "Mit der {} bin ich sehr zufrieden.",
        "Ich habe die {} schon weiterempfohlen.",
        "Die {} hat uns viel Zeit gespart.",
        "Großes Lob für die {}!",
        "Seit dem Frühjahr ist die {} spürbar besser.",
        "Die {} ist klar, schnell und freundlich.",
    ],
    plain: &[
        "Ich habe eine Frage zur {}.",
        "Die {} ist in Ordnung.",
        "Bitte schicken Sie mir mehr zur {}.",
        "Wir haben die {} mit zwei anderen verglichen.",
        "Ändert sich die {} im nächsten Jahr?",
        "Zur {} habe ich keine Meinung.",
    ],
    bad: &[
        "Die {} hat uns wieder enttäuscht.",
        "Nach elf Tagen war die {} immer noch falsch.",
        "Die {} versteht niemand, auch die Hotline nicht.",
        "Für dieses Geld hatte ich von der {} mehr erwartet.",
        "Dreimal habe ich wegen der {} geschrieben, keine Antwort.",
        "Wegen der {} denken wir über einen Wechsel nach.",
    ],
    closings: &[
        "Vielen Dank!", "Mit freundlichen Grüßen", "Weiter so.", "Ich bitte um Rückruf.",
        "Schöne Grüße aus dem Süden.",
    ],
    gap: " ",
    family_first: false,
    dialling: "+49 30 2318",
};
