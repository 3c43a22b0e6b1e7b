/** Whether the right answer is the longest option more often than chance would have it. */
import { normalUpperTail } from '../../statistics/special.ts';
import { lengthOf } from './options.ts';

export class LongestOption {
  #questions = 0;
  #observed = 0;
  #expected = 0;
  #variance = 0;

  /**
   * Counts a question; where several options are equally long, none is the longest, and chance would not make
   * it right either.
   */
  add(choices: readonly string[], answer: string): void {
    const lengths = choices.map(lengthOf);
    const longest = Math.max(...lengths);
    const place = lengths.indexOf(longest);
    if (lengths.indexOf(longest, place + 1) !== -1) return;
    const chance = 1 / choices.length;
    this.#questions++;
    this.#expected += chance;
    this.#variance += chance * (1 - chance);
    if (choices[place] === answer) this.#observed++;
  }

  /** Null where no question has one longest option. */
  get figures() {
    if (this.#questions === 0) return null;
    const [questions, observed, expected] = [this.#questions, this.#observed, this.#expected];
    const z = (observed - expected) / Math.sqrt(this.#variance);
    const p_value = Math.min(1, 2 * normalUpperTail(Math.abs(z)));
    return {
      questions,
      observed,
      expected,
      observed_share: observed / questions,
      expected_share: expected / questions,
      z,
      p_value,
      message: messageOf(observed / questions, expected / questions, p_value),
    };
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function messageOf(observed: number, expected: number, p: number): string {
  const rates = `The right answer is the longest option in ${percent(observed)} of the questions; chance gives ${percent(expected)}.`;
  if (p >= 0.01) return `${rates} That may well be chance.`;
  return observed > expected
    ? `${rates} Readers who always pick the longest option gain by it: make wrong options as full as right ones.`
    : `${rates} Readers may learn to avoid the longest option: make wrong options as short as right ones.`;
}
