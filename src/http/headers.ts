/** What every answer says, whoever sends it: which version it is, and that a browser should do nothing clever with it. */
export const SAFE_HEADERS = {
  'api-version': '1',
  'cache-control': 'no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;
