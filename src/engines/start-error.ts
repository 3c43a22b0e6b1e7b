/** The process cannot start. The message says why and what to do; it is shown without a stack. */
export class StartError extends Error {}
