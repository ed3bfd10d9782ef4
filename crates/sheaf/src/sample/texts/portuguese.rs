//! Portuguese.

use super::Language;

pub(super) const LANGUAGE: Language = Language {
    code: "pt",
    share: 8,
    countries: &[("BR", 68), ("PT", 26), ("AO", 6)],
    cities: &["São Paulo", "Belém", "Évora", "Luanda", "Porto Alegre", "Braga"],
    given: &[
        ("João", "joao"),
        ("Conceição", "conceicao"),
        ("Thiago", "thiago"),
        ("Inês", "ines"),
        ("Luísa", "luisa"),
        ("Vinícius", "vinicius"),
        ("Beatriz", "beatriz"),
        ("Zeferino", "zeferino"),
    ],
    family: &[
        ("Gonçalves", "goncalves"),
        ("da Silva", "dasilva"),
        ("Magalhães", "magalhaes"),
        ("Araújo", "araujo"),
        ("Simões", "simoes"),
        ("Teixeira", "teixeira"),
    ],
    companies: &["Padaria Pão Quente", "Irmãos Simões, Lda.", "Oficina do João", "Colégio Açaí"],
    things: [
        "entrega",
        "compra",
        "equipa de apoio",
        "tabela de preços",
        "aplicação",
        "página",
        "qualidade",
        "lista de correio",
        "fatura",
        "documentação",
    ],
    good: &[
        "A {} foi melhor do que eu esperava.",
        "Estou muito satisfeito com a {}.",
        "Parabéns pela {}!",
        "A {} poupou-nos horas de trabalho.",
        "Já recomendei a {} aos meus colegas.",
    ],
    plain: &[
        "Tenho uma pergunta sobre a {}.",
        "A {} está dentro do esperado.",
        "A {} vai mudar no próximo ano?",
        "Comparamos a {} com outras duas.",
    ],
    bad: &[
        "A {} falhou outra vez.",
        "Esperei onze dias e a {} continuava errada.",
        "Ninguém soube explicar a {}.",
        "Por este preço, esperava mais da {}.",
    ],
    closings: &["Obrigado!", "Com os melhores cumprimentos", "Continuem assim.", "Um abraço."],
    gap: " ",
    family_first: false,
    dialling: "+55 11 5550-",
};
