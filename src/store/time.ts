const EMPTY = { at: Number.NaN, text: '' };
let last = EMPTY;
let beforeLast = EMPTY;

/**
 * Formats a timestamp as RFC 3339 in UTC. Caches the last two: questions of a batch have the same
 * time of creation and the same time of their last change.
 */
export function formatTime(at: number): string {
  if (last.at !== at) {
    const found = beforeLast.at === at ? beforeLast : { at, text: new Date(at).toISOString() };
    beforeLast = last;
    last = found;
  }
  return last.text;
}
