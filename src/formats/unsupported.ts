/** The kinds of items that cannot be scored as a question of the bank, each with its code. */
import { RejectItem } from './reject-item.ts';

const REASONS = {
  essay: 'An essay has no answer that can be scored. Add the expected answer to make it a short answer.',
  matching: 'A matching question has several answers. Write one question per pair.',
  ordering: 'An ordering question has no single answer. Ask for one position instead.',
  cloze: 'A text with several gaps has several answers. Write one question per gap.',
  description: 'This is a text without a question.',
  calculated: 'The values of a calculated question change at every attempt. Write it with fixed values.',
  hotspot: 'An answer on a picture cannot be given as text. Ask for it in words.',
  drag_and_drop: 'Dragging to places has several answers. Write one question per place.',
  drawing: 'A drawing has no answer that can be scored.',
  upload: 'A file has no answer that can be scored.',
  slider: 'A slider is not supported. Write a numeric question.',
  random: 'This picks other questions at random. Export those questions.',
  survey: 'A survey question has no correct answer.',
  adaptive: 'An adaptive item scores several attempts. Write it with one attempt.',
  template: 'The item has variables that change at every attempt. Write it with fixed values.',
  custom: 'The item needs a program of its own to be answered.',
  media: 'The item only plays a recording.',
  several_interactions: 'The item has several places to answer. Write one question per place.',
  program: 'The answer is a program, which has to be run to be scored.',
} as const;

export type UnsupportedKind = keyof typeof REASONS;

/** A reject of an item by its kind: `unsupported_matching`. */
export const unsupported = (kind: UnsupportedKind) => new RejectItem(`unsupported_${kind}`, REASONS[kind]);

/** A kind of item that is not known by its name. */
export const unknownKind = (name: string) =>
  new RejectItem('unsupported_kind', `Questions of the kind "${name.slice(0, 60)}" are not supported.`);
