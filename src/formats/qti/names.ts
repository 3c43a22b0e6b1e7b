/** One vocabulary for QTI 2.x (`choiceInteraction`) and 3.0 (`qti-choice-interaction`): that of 2.x. */

const known = new Map<string, string>();
const KEPT = /^(?:data|aria)-|^annotation-xml$/;
const MAX_KNOWN = 2_000;

export function toCanonicalName(name: string): string {
  if (!name.includes('-')) return name;
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const canonical = KEPT.test(name)
    ? name
    : name.replace(/^qti-/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (known.size < MAX_KNOWN) known.set(name, canonical);
  return canonical;
}

/** The name of an element or attribute in 3.0. */
export const toKebabName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
