//! Spanish.

use super::Language;

pub(super) const LANGUAGE: Language = Language {
    code: "es",
    share: 12,
    countries: &[("ES", 42), ("MX", 28), ("AR", 12), ("CO", 10), ("CL", 8)],
    cities: &["Málaga", "Guadalajara", "Bogotá", "Rosario", "Valparaíso", "A Coruña"],
    given: &[
        ("Lucía", "lucia"), ("Mateo", "mateo"), ("Begoña", "begona"), ("Íñigo", "inigo"),
        ("Camila", "camila"), ("Andrés", "andres"), ("Valentina", "valentina"), ("José", "jose"),
        ("Ximena", "ximena"), ("Raúl", "raul"),
    ],
    family: &[
        ("García", "garcia"), ("Núñez", "nunez"), ("Fernández Ortiz", "fernandez"),
        ("Ibáñez", "ibanez"), ("Quiroga", "quiroga"), ("Peña", "pena"), ("Morales", "morales"),
        ("Del Río", "delrio"),
    ],
    companies: &[
        "Panadería La Espiga", "Hermanos Núñez, S. L.", "Taller «El Faro»", "Clínica San Telmo",
        "Librería Ñandú",
    ],
    things: [
        "entrega", "compra", "atención al cliente", "tarifa", "aplicación", "página", "calidad",
        "circular", "factura", "guía",
    ],
    good: &[
        "La {} fue mejor de lo que esperaba.",
        "Estoy muy contenta con la {}.",
        "¡Enhorabuena por la {}!",
        "La {} nos ahorró muchas horas.",
        "Ya he recomendado la {} a mis compañeros.",
        "Desde la primavera la {} ha mejorado mucho.",
    ],
    plain: &[
        "Tengo una pregunta sobre la {}.",
        "La {} está bien, sin más.",
        "¿Cambiará la {} el año que viene?",
        "Comparamos la {} con otras dos.",
        "Envíenme más información sobre la {}, por favor.",
    ],
    bad: &[
        "La {} nos falló otra vez.",
        "Esperé once días y la {} seguía mal.",
        "Nadie supo explicarme la {}.",
        "Por este precio esperaba más de la {}.",
        "Pregunté tres veces por la {} y nadie contestó.",
    ],
    closings: &["¡Gracias!", "Un saludo cordial.", "Sigan así.", "Espero su respuesta."],
    gap: " ",
    family_first: false,
    dialling: "+34 91 555 0",
};
