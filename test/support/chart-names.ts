/** Labels for chart figures: typical, long, bidirectional, malformed or without spaces. */

export const LONG =
  'A name that goes on & on — Ünïcödé, <script>alert("x")</script>, and on again, to about two hundred letters, far more than any chart has room for, so that it has to be truncated in every place where it is used';
export const RIGHT_TO_LEFT = 'تاريخ العالم القديم والحديث مع كثير من الكلمات الطويلة في هذا العنوان';
export const MANY_COMBINING_MARKS = `Z${'\u0334\u0321\u031b'.repeat(30)}algo`;
export const BROKEN = 'a\u0000b\u001b[31mc\ud800d\udc00e\ufffef\u202eg\u2066h';
export const EMOJI = '👨‍👩‍👧‍👦'.repeat(60);
export const CHINESE = '汉字没有空格所以哪里都可以换行'.repeat(30);
export const WIDE = 'W'.repeat(10_000);
export const NAMES = [
  LONG,
  RIGHT_TO_LEFT,
  MANY_COMBINING_MARKS,
  BROKEN,
  EMOJI,
  CHINESE,
  WIDE,
  '',
  ' ',
  ']]>',
  '&amp;',
];

export const LEVELS = ['Basic', 'Intermediate', 'Advanced'];
export const many = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));
