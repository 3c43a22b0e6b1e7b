/**
 * Recognises the columns of a table by their names: those of this program, of common quiz
 * templates, and usual names in several languages. Position never decides.
 */

/** Fields with one column each. */
const NAMES = {
  question_text:
    'question, questions, question text, question title, question stem, question body, stem, item, item text, item stem, prompt, ' +
    'frage, fragetext, fragestellung, pregunta, enunciado, pergunta, domanda, vraag, texte de la question, вопрос, 问题, 質問',
  correct_answer:
    'correct answer, correct answers, correct, correct option, correct options, correct choice, correct response, right answer, ' +
    'right answers, answer key, key, answer, solution, ' +
    'richtige antwort, richtige antworten, korrekte antwort, antwort, losung, respuesta correcta, respuesta, bonne reponse, ' +
    'reponse correcte, reponse, resposta correta, resposta certa, resposta, risposta corretta, risposta, juiste antwoord, ' +
    'correct antwoord, antwoord, правильный ответ, ответ, 答案, 正解',
  incorrect_answers:
    'incorrect answers, wrong answers, distractors, incorrect options, wrong options, more incorrect answers, falsche antworten, ' +
    'respuestas incorrectas, mauvaises reponses, respostas erradas, risposte errate, foute antwoorden',
  choices:
    'choices, options, answers, alternatives, answer options, answer choices, possible answers, antworten, antwortmoglichkeiten, ' +
    'opciones, respuestas, choix, reponses, opcoes, respostas, alternativas, risposte, opzioni, antwoorden',
  accepted_answers:
    'accepted answers, accepted answer, accepted, alternative answers, alternate answers, also accept, also accepted, variants, synonyms',
  kind: 'kind, type, question type, item type, qtype, fragetyp, typ, tipo, tipo de pregunta, type de question',
  category:
    'category, categories, subject, question category, kategorie, fach, categoria, categorie, materia, asignatura, matiere, категория',
  topic_focus:
    'topic focus, topic, subtopic, sub topic, subcategory, sub category, thema, unterkategorie, tema, sujet',
  difficulty:
    'difficulty, difficulty level, level, level of difficulty, schwierigkeit, schwierigkeitsgrad, dificultad, nivel, dificuldade, ' +
    'difficulte, niveau, difficolta, livello, moeilijkheid',
  tags: 'tags, tag, labels, label, keywords, keyword, schlagworte, schlagworter, etiquetas, mots cles, stichworte',
  explanation:
    'explanation, answer explanation, explanations, rationale, justification, general feedback, feedback, erklarung, begrundung, ' +
    'explicacion, retroalimentacion, explication, explicacao, spiegazione, uitleg',
  source: 'source, sources, reference, references, origin, quelle, fuente, fonte, bron',
  external_id:
    'external id, externalid, id, question id, item id, identifier, uid, uuid, guid, idnumber, id number, question code, item code',
  text_format: 'text format',
  choices_order: 'choices order',
  choose: 'choose',
  tolerance: 'tolerance, toleranz, tolerancia',
  relative_tolerance: 'relative tolerance',
  unit: 'unit, units, einheit, unidad, unite',
  answer_matching: 'answer matching',
  media:
    'image, images, image link, image url, picture, picture url, photo, media, media url, audio, video, bild, imagen, imagem',
} as const;

/** Fields with several columns, which are numbered or lettered. */
const SERIES = {
  incorrect_answer:
    'incorrect answer, incorrect, incorrect option, incorrect choice, wrong answer, wrong, wrong option, wrong choice, distractor, ' +
    'false answer, falsche antwort, respuesta incorrecta, opcion incorrecta, mauvaise reponse, reponse incorrecte, ' +
    'resposta errada, resposta incorreta, risposta errata, risposta sbagliata, fout antwoord',
  option:
    'option, answer, choice, alternative, answer option, answer choice, opt, ans, response, possible answer, antwort, ' +
    'antwortmoglichkeit, opcion, respuesta, choix, reponse, opcao, resposta, alternativa, risposta, opzione, antwoord',
} as const;

export type Field = keyof typeof NAMES;
type SeriesField = keyof typeof SERIES;

export interface Column {
  field: Field | SeriesField;
  /** The place in a series, from 1. */
  number?: number;
}

/** The header of the last column of a table that this program wrote. */
export const MARKER = 'quaestor_table_1';

const listNames = (names: string) => names.split(', ');
const FIELD_BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => listNames(names).map((name) => [name, field as Field])),
);
const SERIES_BY_NAME = new Map(
  Object.entries(SERIES).flatMap(([field, names]) =>
    listNames(names).map((name) => [name, field as SeriesField]),
  ),
);
export const FIELDS = Object.keys(NAMES) as Field[];

/** `Answer 1 - max 75 characters` → `answer 1`, `Correct Answer(s)\n(Only…)` → `correct answers`. */
function normaliseName(header: string): string {
  return header
    .slice(0, 300)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('(s)', 's')
    .replace(/\([^)]*\)|\[[^\]]*\]/g, ' ')
    .replace(/\s[-–—]\s+(max|choose|\d).*$/s, ' ')
    .replaceAll('#', ' number ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export function recogniseColumn(header: string): Column | undefined {
  const name = normaliseName(header);
  if (name === '') return undefined;
  const field = FIELD_BY_NAME.get(name);
  if (field) return { field };
  const match = /^(.+?) ?(\d{1,2}|(?<= )[a-z])$/.exec(name) ?? /^(opt|option)([a-h])$/.exec(name);
  if (match) {
    const series = SERIES_BY_NAME.get(match[1]!);
    const number = toNumber(match[2]!);
    if (series && number > 0) return { field: series, number };
  }
  const series = SERIES_BY_NAME.get(name);
  return series === 'incorrect_answer' ? { field: series } : undefined;
}

/** The number of a header that is only a letter: A to J. */
export function recogniseLetter(header: string): number | undefined {
  const name = header.trim().toLowerCase();
  return /^[a-j]$/.test(name) ? toNumber(name) : undefined;
}

const toNumber = (text: string) => (/^\d/.test(text) ? Number(text) : text.charCodeAt(0) - 96);
