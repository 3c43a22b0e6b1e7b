/** Generates questions of every kind with texts that are hostile to file formats. */
import type { PortableQuestion } from '../../src/formats/format.ts';
import { createRandom, type Random } from './random.ts';

const PIECES = [
  ...[
    'plain words',
    'Größe',
    'naïve café',
    '日本語',
    'العربية',
    '👩🏽‍🚀',
    'e\u0301',
    '\u00a0',
    '\u2028',
    'x²',
    '½',
  ],
  ...[
    '"',
    '""',
    "'",
    "''",
    ',',
    ';',
    '\t',
    '|',
    '\\',
    '\\n',
    '\\\\',
    '\n',
    '\n\n',
    ' ',
    '  ',
    '#',
    '####',
    '%50%',
  ],
  ...['=', '~', '{', '}', ':', '::', '->', '//', '$CATEGORY: x', '[html]', '[id:x]', '$x^2$', '\\frac{1}{2}'],
  ...[
    '<b>',
    '</p>',
    '<!--',
    ']]>',
    '<![CDATA[',
    '&',
    '&amp;',
    '&lt;',
    '&#39;',
    '&nbsp;',
    '<img src="x">',
    '1 < 2 > 0',
  ],
  ...[
    '=1+1',
    '+49',
    '-5',
    '@SUM(A1)',
    "=cmd|' /C calc'!A0",
    'A) ',
    'B. ',
    'ANSWER: A',
    '{{c1::x}}',
    '*',
    '_____',
  ],
  ...[
    'null',
    'true',
    '0',
    '1-2',
    'sep=;',
    '%20',
    '[1]',
    '["a"]',
    '{"a":1}',
    '#separator:tab',
    '\u200b',
    '\ufeff',
    '- x',
  ],
];

interface Options {
  kinds?: Kind[];
  /** Leaves these pieces out of all texts. */
  without?: RegExp;
}

type Kind = 'multiple_choice' | 'true_false' | 'multiple_response' | 'short_answer' | 'numeric';
const KINDS: Kind[] = ['multiple_choice', 'true_false', 'multiple_response', 'short_answer', 'numeric'];

export function generateQuestions(seed: number, count: number, options: Options = {}): PortableQuestion[] {
  const random = createRandom(seed);
  const pieces = PIECES.filter((piece) => !options.without?.test(piece));
  return Array.from({ length: count }, (_, i) => {
    const generator = new Generator(random, pieces);
    return generator.generate(random.pick(options.kinds ?? KINDS), i);
  });
}

class Generator {
  readonly #random: Random;
  readonly #pieces: string[];

  constructor(random: Random, pieces: string[]) {
    this.#random = random;
    this.#pieces = pieces;
  }

  /** Contains something visible. */
  #text(max = 6): string {
    const length = 1 + this.#random.below(max);
    const text = Array.from({ length }, () => this.#random.pick(this.#pieces)).join(
      this.#random.pick(['', ' ', ' ']),
    );
    return /[\p{L}\p{N}\p{S}]/u.test(text) ? text : `${text}w`;
  }

  #distinct(count: number): string[] {
    const texts = new Map<string, string>();
    for (let i = 0; texts.size < count; i++) {
      const text = i > 20 ? `${this.#text(3)}${i}` : this.#text(3);
      const key = text.replace(/\s+/g, ' ').trim().toLowerCase();
      if (!texts.has(key)) texts.set(key, text);
    }
    return [...texts.values()];
  }

  generate(kind: Kind, index: number): PortableQuestion {
    const random = this.#random;
    const question: PortableQuestion = { question_text: this.#text(), ...this.#answers(kind) };
    if (random.maybe(0.5)) question.external_id = `${index}-${this.#text(2)}`;
    if (random.maybe(0.8)) question.category = this.#text(2);
    if (random.maybe(0.8)) question.difficulty = random.below(3) as 0 | 1 | 2;
    if (random.maybe(0.4)) question.topic_focus = this.#text(2);
    if (random.maybe(0.4)) question.tags = this.#distinct(1 + random.below(3));
    if (random.maybe(0.5)) question.explanation = this.#text(8);
    if (random.maybe(0.3)) question.source = this.#text(3);
    if (random.maybe(0.3)) question.text_format = random.pick(['plain', 'markdown']);
    return question;
  }

  #answers(kind: Kind): Pick<PortableQuestion, 'correct_answer'> & Partial<PortableQuestion> {
    const random = this.#random;
    if (kind === 'true_false') {
      const [right, wrong] = random.maybe(0.5) ? ['True', 'False'] : ['False', 'True'];
      return { correct_answer: right!, incorrect_answers: [wrong!] };
    }
    if (kind === 'numeric') {
      const numeric: NonNullable<PortableQuestion['numeric']> = random.pick([
        {},
        { tolerance: 0.5 },
        { tolerance: 0 },
        { relative_tolerance: 0.05 },
        { tolerance: 1e-7, unit: 'm/s' },
      ]);
      return { correct_answer: random.pick(['3', '-5', '3.14159', '0', '6.02e23', '-0.001']), numeric };
    }
    if (kind === 'short_answer') {
      const [correct, ...accepted] = this.#distinct(1 + random.below(4));
      return { correct_answer: correct!, ...(accepted.length > 0 && { accepted_answers: accepted }) };
    }
    const isSingle = kind === 'multiple_choice';
    const rightCount = isSingle ? 1 : 2 + random.below(3);
    const texts = this.#distinct(rightCount + 1 + random.below(random.maybe(0.1) ? 19 : 4));
    const right = texts.slice(0, rightCount);
    const answers: ReturnType<Generator['generate']> = {
      question_text: '',
      correct_answer: isSingle ? right[0]! : right,
      incorrect_answers: texts.slice(rightCount),
    };
    const { question_text: _, ...rest } = answers;
    if (random.maybe(0.2)) return { ...rest, choices_order: 'as_given', choices: texts.toReversed() };
    if (random.maybe(0.1)) return { ...rest, choices_order: 'sorted' };
    if (!isSingle && random.maybe(0.3)) return { ...rest, choose: rightCount };
    return rest;
  }
}
