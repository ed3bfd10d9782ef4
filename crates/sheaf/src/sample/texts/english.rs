//! English.

use super::Language;

pub(super) const LANGUAGE: Language = Language {
    code: "en",
    share: 38,
    countries: &[("US", 44), ("GB", 22), ("CA", 11), ("AU", 9), ("IE", 5), ("NG", 5), ("ZA", 4)],
    cities: &["Austin", "Leeds", "Toronto", "Melbourne", "Galway", "Lagos", "Cape Town", "Denver"],
    given: &[
        ("Olivia", "olivia"), ("James", "james"), ("Amara", "amara"), ("Noah", "noah"),
        ("Grace", "grace"), ("Liam", "liam"), ("Zoë", "zoe"), ("Ethan", "ethan"),
        ("Priya", "priya"), ("Samuel", "samuel"), ("Chloe", "chloe"), ("Marcus", "marcus"),
        ("Niamh", "niamh"), ("Theo", "theo"), ("Ruth", "ruth"), ("Dylan", "dylan"),
    ],
    family: &[
        ("Carter", "carter"), ("O'Brien", "obrien"), ("Okafor", "okafor"), ("Bennett", "bennett"),
        ("Hughes", "hughes"), ("Nguyen", "nguyen"), ("Whitfield", "whitfield"), ("Patel", "patel"),
        ("Sinclair", "sinclair"), ("Brooks", "brooks"), ("Macdonald", "macdonald"),
        ("Fairweather-Jones", "fairweather-jones"), ("Ellis", "ellis"), ("Ramsey", "ramsey"),
    ],
    companies: &[
        "Northwind Bakery", "Harbour & Sons, Ltd.", "Blue Kettle Studio", "Lantern Logistics",
        "The \"Quiet\" Bookshop", "Fernhill Primary School", "Acre Works", "Tidewater Clinic",
    ],
    things: [
        "delivery", "checkout", "support team", "price", "mobile app", "website", "product",
        "newsletter", "invoice", "manual",
    ],
    good: &[
        "The {} was better than I expected.",
        "I have recommended the {} to three colleagues already.",
        "Everything about the {} was quick, friendly and clear.",
        "Really happy with the {}.",
        "The {} saved me hours this week.",
        "Whoever looks after the {} deserves a raise!",
        "After two years I can say that the {} just works.",
        "The {} got noticeably better since spring.",
        "My team loves the {}.",
        "Five stars for the {}.",
    ],
    plain: &[
        "I used the {} twice this month.",
        "Could you tell me whether the {} will change next year?",
        "The {} is about what I would expect.",
        "We compared the {} with two others before we decided.",
        "I only needed the {} for one order.",
        "Please send me more about the {}.",
        "No strong opinion on the {}.",
        "My question is about the {}: who can I talk to?",
    ],
    bad: &[
        "The {} let us down again.",
        "I waited eleven days and the {} was still wrong.",
        "The {} is confusing, and nobody could explain it.",
        "Twice now the {} failed at the worst moment.",
        "I expected more of the {} for this money.",
        "The {} froze, I started over, and it froze again.",
        "Sorry, but the {} is a step back.",
        "I asked about the {} three times and got no answer.",
        "We are thinking of leaving because of the {}.",
    ],
    closings: &[
        "Thank you!", "Keep it up.", "Please get back to me.", "Best regards from the coast.",
        "That is all for now.", "Looking forward to your answer.",
    ],
    gap: " ",
    family_first: false,
    dialling: "+44 20 7946 0",
};
