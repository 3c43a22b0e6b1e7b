/** Normalises the name of a category, topic or tag for comparison: names are case-insensitive. */
export const toNameKey = (name: string) => name.normalize('NFC').toLowerCase();
