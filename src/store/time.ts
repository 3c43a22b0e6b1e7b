let last = { at: Number.NaN, text: '' };

/**
 * Formats a timestamp as RFC 3339 in UTC. Caches the last one: all questions of a batch have the
 * same.
 */
export function formatTime(at: number): string {
  if (last.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}
