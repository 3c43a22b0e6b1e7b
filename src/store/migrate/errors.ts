/** Why a bank cannot be migrated; the message is for the user. */
export class MigrationError extends Error {}
