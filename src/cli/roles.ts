/** The table of roles and scopes in the program's help. */
import { ROLE_PURPOSES, ROLES, type Role, SCOPES } from '../schemas/scopes.ts';
import { renderTable } from './table.ts';

export function renderRoles(): string {
  const roles = Object.keys(ROLES) as Role[];
  const purposes = roles.map((role) => [role, ROLE_PURPOSES[role]]);
  const scopes = Object.keys(SCOPES).map((scope) => [
    scope,
    ...roles.map((role) => ((ROLES[role] as readonly string[]).includes(scope) ? 'x' : '')),
  ]);
  return `${renderTable(['ROLE', 'FOR'], purposes)}\n${renderTable(['SCOPE', ...roles], scopes)}`;
}
