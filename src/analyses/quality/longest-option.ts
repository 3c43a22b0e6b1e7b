/**
 * Tests whether the key is the longest option more often than by chance: a sum of Bernoulli
 * variables with probabilities of keys / options, by the normal approximation.
 */
import { normalUpperTail } from '../../statistics/special.ts';
import { describeLongestOption } from './messages.ts';
import { countCharacters } from './rules/option-form.ts';

export class LongestOptionTest {
  #questions = 0;
  #observed = 0;
  #expected = 0;
  #variance = 0;

  /** Adds a question. One without a single longest option is skipped. */
  add(choices: readonly string[], correct: readonly string[]): void {
    const lengths = choices.map(countCharacters);
    const maxLength = Math.max(...lengths);
    const index = lengths.indexOf(maxLength);
    if (lengths.indexOf(maxLength, index + 1) !== -1) return;
    const chance = correct.length / choices.length;
    this.#questions++;
    this.#expected += chance;
    this.#variance += chance * (1 - chance);
    if (correct.includes(choices[index]!)) this.#observed++;
  }

  /** Null if no question was added. */
  compute() {
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
      message: describeLongestOption(observed / questions, expected / questions, p_value),
    };
  }
}
