//! French.

use super::Language;

pub(super) const LANGUAGE: Language = Language {
    code: "fr",
    share: 10,
    countries: &[("FR", 62), ("BE", 14), ("CA", 12), ("CH", 7), ("SN", 5)],
    cities: &["Nîmes", "Orléans", "Liège", "Montréal", "Genève", "Dakar"],
    given: &[
        ("Élodie", "elodie"), ("Benoît", "benoit"), ("Aïssatou", "aissatou"), ("Hugo", "hugo"),
        ("Maëlle", "maelle"), ("François", "francois"), ("Noémie", "noemie"), ("Loïc", "loic"),
        ("Camille", "camille"), ("Gaël", "gael"),
    ],
    family: &[
        ("Lefèvre", "lefevre"), ("D'Angelo", "dangelo"), ("Diallo", "diallo"), ("Cœur", "coeur"),
        ("Béranger", "beranger"), ("Saint-Exupère", "saint-exupere"), ("Moreau", "moreau"),
        ("Gauthier", "gauthier"),
    ],
    companies: &[
        "L’Atelier du Cœur", "Boulangerie Béranger & Fils", "École des Tilleuls",
        "Transports « Mistral »", "Pharmacie de l'Île",
    ],
    things: [
        "livraison", "commande", "assistance", "tarification", "application", "page d’accueil",
        "qualité", "lettre d’information", "facture", "notice",
    ],
    good: &[
        "La {} était au-delà de mes attentes.",
        "Je suis ravie : la {} est impeccable.",
        "Bravo pour la {} !",
        "La {} nous a fait gagner des heures.",
        "J’ai déjà recommandé votre maison pour la {}.",
        "Depuis le printemps, la {} s’est nettement améliorée.",
    ],
    plain: &[
        "J’ai une question sur la {}.",
        "La {} est correcte, sans plus.",
        "La {} va-t-elle changer l’an prochain ?",
        "Nous avons comparé la {} avec deux autres.",
        "Pourriez-vous m’en dire plus sur la {} ?",
    ],
    bad: &[
        "La {} nous a encore déçus.",
        "Onze jours d’attente, et la {} était toujours fausse.",
        "Personne n’a su m’expliquer la {}.",
        "À ce prix, j’attendais mieux de la {}.",
        "Trois courriels au sujet de la {}, aucune réponse.",
    ],
    closings: &["Merci !", "Bien cordialement", "Continuez ainsi.", "Dans l’attente de vous lire."],
    gap: " ",
    family_first: false,
    dialling: "+33 1 99 00 ",
};
