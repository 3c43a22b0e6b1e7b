export function conforms(..._: unknown[]): void {}
