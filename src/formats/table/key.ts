/** Finds which options a key names: by their text, by letter or by number. */
import { RejectItem } from '../reject-item.ts';

/** What the keys of a table are, as far as its rows have shown. */
export interface KeyStyle {
  style: 'text' | 'reference' | undefined;
}

const REFERENCE = /^(?:(?:option|answer|choice|antwort|opcion|opción|réponse)\s*)?#?([a-z]|\d{1,2})[).:]?$/i;

/**
 * Returns the indices of the correct options. Numbers count from 1. A key that is both the text of
 * one option and the number or letter of another is read as the other keys of the table are.
 */
export function resolveKey(key: string, options: readonly string[], known: KeyStyle): number[] {
  const text = findTexts(key, options);
  const reference = findReferences(key, options);
  if (text && reference && String(text) !== String(reference)) {
    if (known.style) return known.style === 'text' ? text : reference;
    throw new RejectItem(
      'ambiguous_key',
      `The correct answer ${quote(key)} is the text of one option and the number or letter of another. Give the text of all ` +
        'correct answers, or letters.',
    );
  }
  if (text && !reference) known.style ??= 'text';
  if (reference && !text) known.style ??= 'reference';
  const found = text ?? reference;
  if (found) return found;
  throw new RejectItem(
    'key_not_among_options',
    `The correct answer ${quote(key)} is not one of the ${options.filter(Boolean).length} options, nor the number (from 1) or letter ` +
      'of one.',
  );
}

const quote = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

function findTexts(key: string, options: readonly string[]): number[] | undefined {
  const whole = findText(key, options);
  if (whole !== undefined) return [whole];
  for (const separator of ['|', '\n', ';', ',']) {
    if (!key.includes(separator)) continue;
    const parts = key.split(separator).map((part) => findText(part.trim(), options));
    if (parts.every((part) => part !== undefined)) return [...new Set(parts)];
  }
}

function findText(key: string, options: readonly string[]): number | undefined {
  if (key === '') return undefined;
  const exact = options.indexOf(key);
  if (exact !== -1) return exact;
  const folded = key.toLowerCase();
  const similar = options.findIndex((option) => option.toLowerCase() === folded);
  return similar === -1 ? undefined : similar;
}

function findReferences(key: string, options: readonly string[]): number[] | undefined {
  const parts = /^[A-J]{2,10}$/.test(key)
    ? [...key]
    : key.split(/[,;|/&+\n]|\s+(?:and|und|et|y|e)\s+/).map((part) => part.trim());
  const indices = parts.map((part) => {
    const match = REFERENCE.exec(part)?.[1];
    if (match === undefined) return -1;
    return /\d/.test(match) ? Number(match) - 1 : match.toLowerCase().charCodeAt(0) - 97;
  });
  const isFound = indices.every((index) => index >= 0 && (options[index] ?? '') !== '');
  return isFound ? [...new Set(indices)].sort((a, b) => a - b) : undefined;
}
