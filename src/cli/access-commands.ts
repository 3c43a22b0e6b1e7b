/** The entries of `client` and `token` in the table of commands. */
import { ROLES, SCOPES } from '../schemas/scopes.ts';
import { DATA_DIR, defineCommand } from './command.ts';

export const ACCESS_COMMANDS = [
  defineCommand({
    name: 'client list',
    summary: 'lists the clients',
    usage: '[--data-dir DIR]',
    examples: [{ command: 'client list --json', effect: 'prints JSON' }],
    options: { 'data-dir': DATA_DIR },
    load: async () => (await import('./client.ts')).listAllClients,
  }),
  defineCommand({
    name: 'client add',
    summary: 'adds a client, and prints its secret',
    usage: 'NAME --role ROLE',
    examples: [{ command: 'client add "Physics department" --role author', effect: 'adds an author' }],
    options: {
      role: { value: 'ROLE', choices: Object.keys(ROLES), description: 'what the client may do' },
      'data-dir': DATA_DIR,
    },
    load: async () => (await import('./client.ts')).addClient,
  }),
  defineCommand({
    name: 'client role',
    summary: 'changes the role of a client',
    usage: 'ID ROLE',
    examples: [{ command: 'client role ID editor', effect: 'makes the client an editor' }],
    options: { 'data-dir': DATA_DIR },
    load: async () => (await import('./client.ts')).changeRole,
  }),
  defineCommand({
    name: 'client secret',
    summary: 'rotates the secret of a client; tokens issued for the old one are revoked',
    usage: 'ID',
    examples: [{ command: 'client secret admin', effect: 'replaces a lost secret' }],
    options: { 'data-dir': DATA_DIR },
    load: async () => (await import('./client.ts')).rotateSecret,
  }),
  defineCommand({
    name: 'client remove',
    summary: 'removes a client, its tokens and its keys',
    usage: 'ID',
    examples: [{ command: 'client remove ID', effect: 'takes effect at the next request' }],
    options: { 'data-dir': DATA_DIR },
    load: async () => (await import('./client.ts')).removeClient,
  }),
  defineCommand({
    name: 'token list',
    summary: 'lists the keys of all clients, or of one',
    usage: '[--client ID]',
    examples: [{ command: 'token list --client admin', effect: 'lists those of admin' }],
    options: { client: { value: 'ID', description: 'default: all clients' }, 'data-dir': DATA_DIR },
    load: async () => (await import('./token.ts')).listAllKeys,
  }),
  defineCommand({
    name: 'token add',
    summary: 'creates a key, and prints it',
    usage: 'NAME [--client ID] [--scope SCOPE]... [--days N]',
    examples: [
      { command: 'token add laptop', effect: 'a key of admin, with all scopes, for 90 days' },
      {
        command: 'token add "Nightly import" --scope questions:read --scope questions:write --days 30',
        effect: 'a key with two scopes',
      },
    ],
    options: {
      client: { value: 'ID', description: 'the client of the key; default: admin' },
      scope: {
        ...{ value: 'SCOPE', choices: Object.keys(SCOPES), isRepeatable: true },
        description: 'what the key may do; default: all that its client may',
      },
      days: { value: 'N', description: 'until it expires, 1 to 365; default: 90' },
      'data-dir': DATA_DIR,
    },
    load: async () => (await import('./token.ts')).addKey,
  }),
  defineCommand({
    name: 'token revoke',
    summary: 'revokes a key; takes effect at the next request',
    usage: 'ID',
    examples: [{ command: 'token revoke ID', effect: '`quaestor token list` shows the id' }],
    options: { 'data-dir': DATA_DIR },
    load: async () => (await import('./token.ts')).revokeKey,
  }),
];
