//! The sentences themselves. Those in English are word by word what refuses a form says.

/// A sentence, in English and in each other language.
pub(super) struct Reason {
    pub(super) en: &'static str,
    pub(super) de: &'static str,
    pub(super) fr: &'static str,
    pub(super) es: &'static str,
}

/// What whoever fills a plain form, or has just written one, can come to see.
pub(super) const ALL: [Reason; 25] = [
    Reason {
        en: "there is no such form; check the address that the page sends to",
        de: "Dieses Formular gibt es nicht; prüfen Sie die Adresse, an die die Seite sendet",
        fr: "ce formulaire n’existe pas ; vérifiez l’adresse à laquelle la page envoie",
        es: "este formulario no existe; compruebe la dirección a la que envía la página",
    },
    Reason {
        en: "there is no such form in this account; check its id",
        de: "Dieses Formular gibt es nicht; prüfen Sie seine Kennung",
        fr: "ce formulaire n’existe pas ; vérifiez son identifiant",
        es: "este formulario no existe; compruebe su identificador",
    },
    Reason {
        en: "there is nothing at this path; check its spelling",
        de: "Unter dieser Adresse ist nichts; prüfen Sie, wie sie geschrieben ist",
        fr: "il n’y a rien à cette adresse ; vérifiez comment elle est écrite",
        es: "no hay nada en esta dirección; compruebe cómo está escrita",
    },
    Reason {
        en: "this path does not take this method; the `Allow` header names those that it takes",
        de: "Diese Adresse nimmt Formulare entgegen und zeigt nichts an; öffnen Sie die Seite mit \
             dem Formular",
        fr: "cette adresse reçoit des formulaires et n’affiche rien ; ouvrez la page du formulaire",
        es: "esta dirección recibe formularios y no muestra nada; abra la página del formulario",
    },
    Reason {
        en: "the address must have at most {most} bytes, but has {count}",
        de: "Die Adresse darf höchstens {most} Bytes haben, hat aber {count}",
        fr: "l’adresse doit avoir au plus {most} octets, mais en a {count}",
        es: "la dirección debe tener como máximo {most} bytes, pero tiene {count}",
    },
    Reason {
        en: "pages of `{origin}` may not send to this form; its owner names those that may",
        de: "Seiten von `{origin}` dürfen an dieses Formular nicht senden; sein Inhaber nennt \
             die, die es dürfen",
        fr: "les pages de `{origin}` ne peuvent pas envoyer à ce formulaire ; son propriétaire \
             nomme celles qui le peuvent",
        es: "las páginas de `{origin}` no pueden enviar a este formulario; su propietario nombra \
             las que pueden",
    },
    Reason {
        en: "a submission must have at least one answer; send one by the key of a field",
        de: "Es muss wenigstens eine Antwort dabei sein; füllen Sie ein Feld aus",
        fr: "il faut au moins une réponse ; remplissez un champ",
        es: "debe haber al menos una respuesta; rellene un campo",
    },
    Reason {
        en: "a submission must have at most {most} answers, but has {count}",
        de: "Es dürfen höchstens {most} Antworten sein, es sind aber {count}",
        fr: "il doit y avoir au plus {most} réponses, mais il y en a {count}",
        es: "debe haber como máximo {most} respuestas, pero hay {count}",
    },
    Reason {
        en: "a submission must have at most {most} bytes, but has more; shorten it",
        de: "Alles zusammen darf höchstens {most} Bytes haben, hat aber mehr; kürzen Sie es",
        fr: "le tout doit avoir au plus {most} octets, mais en a davantage ; raccourcissez-le",
        es: "todo junto debe tener como máximo {most} bytes, pero tiene más; acórtelo",
    },
    Reason {
        en: "a submission must have at most {most} bytes, but has {count}; shorten it",
        de: "Alles zusammen darf höchstens {most} Bytes haben, hat aber {count}; kürzen Sie es",
        fr: "le tout doit avoir au plus {most} octets, mais en a {count} ; raccourcissez-le",
        es: "todo junto debe tener como máximo {most} bytes, pero tiene {count}; acórtelo",
    },
    Reason {
        en: "a body must have at most {most} members, but has {count}",
        de: "Es dürfen höchstens {most} Eingaben sein, es sind aber {count}",
        fr: "il doit y avoir au plus {most} entrées, mais il y en a {count}",
        es: "debe haber como máximo {most} entradas, pero hay {count}",
    },
    Reason {
        en: "`{key}` is no field of this form; its owner can add it, or let the form take other \
             keys",
        de: "`{key}` ist kein Feld dieses Formulars; sein Inhaber kann es hinzufügen oder andere \
             Namen zulassen",
        fr: "`{key}` n’est pas un champ de ce formulaire ; son propriétaire peut l’ajouter, ou \
             autoriser d’autres noms",
        es: "`{key}` no es un campo de este formulario; su propietario puede añadirlo, o permitir \
             otros nombres",
    },
    Reason {
        en: "an answer key must have at most {most} bytes, but `{key}` has {count}",
        de: "Der Name eines Feldes darf höchstens {most} Bytes haben, aber `{key}` hat {count}",
        fr: "le nom d’un champ doit avoir au plus {most} octets, mais `{key}` en a {count}",
        es: "el nombre de un campo debe tener como máximo {most} bytes, pero `{key}` tiene {count}",
    },
    Reason {
        en: "the list `{key}` must have at most {most} items, but has {count}",
        de: "`{key}` darf höchstens {most} Werte haben, hat aber {count}",
        fr: "`{key}` doit avoir au plus {most} valeurs, mais en a {count}",
        es: "`{key}` debe tener como máximo {most} valores, pero tiene {count}",
    },
    Reason {
        en: "`{key}` must have at most {most} bytes, but has {count}",
        de: "`{key}` darf höchstens {most} Bytes haben, hat aber {count}; kürzen Sie den Text",
        fr: "`{key}` doit avoir au plus {most} octets, mais en a {count} ; raccourcissez le texte",
        es: "`{key}` debe tener como máximo {most} bytes, pero tiene {count}; acorte el texto",
    },
    Reason {
        en: "the files of a submission must have at most {most} bytes, but have more; send \
             smaller files, or none",
        de: "Die Dateien dürfen zusammen höchstens {most} Bytes haben, haben aber mehr; senden \
             Sie kleinere Dateien oder keine",
        fr: "les fichiers doivent avoir au plus {most} octets en tout, mais en ont davantage ; \
             envoyez des fichiers plus petits, ou aucun",
        es: "los archivos deben tener como máximo {most} bytes en total, pero tienen más; envíe \
             archivos más pequeños, o ninguno",
    },
    Reason {
        en: "`Content-Type` must be {kinds}, but is `{kind}`",
        de: "Das Formular ist als `{kind}` gesendet; sein `enctype` muss eines von diesen sein: \
             `application/x-www-form-urlencoded`, `multipart/form-data`",
        fr: "le formulaire est envoyé comme `{kind}` ; son `enctype` doit être l’un de ceux-ci : \
             `application/x-www-form-urlencoded`, `multipart/form-data`",
        es: "el formulario se envió como `{kind}`; su `enctype` debe ser uno de estos: \
             `application/x-www-form-urlencoded`, `multipart/form-data`",
    },
    Reason {
        en: "the body is no whole form: {why}",
        de: "Das Formular kam nicht ganz an; senden Sie es noch einmal",
        fr: "le formulaire n’est pas arrivé en entier ; envoyez-le à nouveau",
        es: "el formulario no llegó entero; envíelo de nuevo",
    },
    Reason {
        en: "the body ended early; send it again",
        de: "Das Formular kam nicht ganz an; senden Sie es noch einmal",
        fr: "le formulaire n’est pas arrivé en entier ; envoyez-le à nouveau",
        es: "el formulario no llegó entero; envíelo de nuevo",
    },
    Reason {
        en: "each part of the form must have a name",
        de: "Jeder Teil des Formulars muss einen Namen haben",
        fr: "chaque partie du formulaire doit avoir un nom",
        es: "cada parte del formulario debe tener un nombre",
    },
    Reason {
        en: "too many requests; try again at {instant}",
        de: "Es kamen zu viele Anfragen; versuchen Sie es um {instant} wieder",
        fr: "il y a trop de demandes ; réessayez à {instant}",
        es: "hay demasiadas peticiones; inténtelo de nuevo a las {instant}",
    },
    Reason {
        en: "too much was sent to this {whose}; try again at {instant}",
        de: "An dieses Formular wurde zu viel gesendet; versuchen Sie es um {instant} wieder",
        fr: "trop de données ont été envoyées à ce formulaire ; réessayez à {instant}",
        es: "se envió demasiado a este formulario; inténtelo de nuevo a las {instant}",
    },
    Reason {
        en: "too much is being written at this moment; try again in a second",
        de: "Im Augenblick wird zu viel geschrieben; versuchen Sie es in einer Sekunde wieder",
        fr: "trop de choses sont écrites en ce moment ; réessayez dans une seconde",
        es: "en este momento se escribe demasiado; inténtelo de nuevo en un segundo",
    },
    Reason {
        en: "the disk of this server is full, so nothing new can be taken in; reading and \
             deleting go on; make room on it or delete submissions, then try again",
        de: "Die Festplatte dieses Servers ist voll, sodass nichts Neues angenommen werden kann; \
             versuchen Sie es später wieder oder sagen Sie es dem Inhaber des Formulars",
        fr: "le disque de ce serveur est plein, rien de nouveau ne peut être reçu ; réessayez \
             plus tard, ou dites-le au propriétaire du formulaire",
        es: "el disco de este servidor está lleno y no se puede recibir nada nuevo; inténtelo más \
             tarde, o dígaselo al propietario del formulario",
    },
    Reason {
        en: "something failed on our side; try again",
        de: "Auf unserer Seite ist etwas fehlgeschlagen; versuchen Sie es noch einmal",
        fr: "quelque chose a échoué de notre côté ; réessayez",
        es: "algo falló por nuestra parte; inténtelo de nuevo",
    },
];
