/**
 * Cursors: where a list goes on, sealed. A slot would tell how much was written between two questions, what only those may
 * know who see the answers change. One block of AES with the bank's own key holds all of it, the same for the same
 * place, and whoever makes one up is found out by the list's digest in it.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import type { EventPosition } from '../store/events.ts';
import type { ListArgs } from '../store/questions/pages.ts';
import type { ResponsePosition } from '../store/responses/list.ts';

const OF_SLOT = 1;
const OF_OFFSET = 2;
const OF_EVENT = 3;
const OF_RESPONSE = 4;

/** Behind an event, or in the middle of one about many questions: how many of them were told. */
export interface EventPlace extends EventPosition {
  sent: number;
}

export class Cursors {
  /** One block stands for itself in this mode, so that a cipher can be used again and again: making one takes longest. */
  readonly #seal: Cipheriv;
  readonly #open: Decipheriv;

  constructor(hexKey: string) {
    const key = Buffer.from(hexKey, 'hex');
    this.#seal = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    this.#open = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  }

  write(place: ListArgs['start'], list: number): string {
    const block = Buffer.alloc(16);
    block.writeUInt8('slot' in place ? OF_SLOT : OF_OFFSET, 0);
    block.writeUIntBE('slot' in place ? place.slot : place.offset, 2, 6);
    block.writeUInt32BE(list, 8);
    return this.#seal.update(block).toString('base64url');
  }

  /** Nothing if it is no cursor of this list. */
  read(cursor: string, list: number): ListArgs['start'] | undefined {
    const block = this.#opened(cursor);
    if (!block || block.readUInt32BE(8) !== list || block.readUInt32BE(12) !== 0) return undefined;
    const number = block.readUIntBE(2, 6);
    const kind = block.readUInt16BE(0) >> 8;
    return kind === OF_SLOT ? { slot: number } : kind === OF_OFFSET ? { offset: number } : undefined;
  }

  writeResponse({ sitting, slot }: ResponsePosition, list: number): string {
    const block = Buffer.alloc(16);
    block.writeUInt8(OF_RESPONSE, 0);
    block.writeUIntBE(sitting, 1, 6);
    block.writeUInt32BE(list, 7);
    block.writeUIntBE(slot, 11, 5);
    return this.#seal.update(block).toString('base64url');
  }

  /** Nothing if it is no cursor of this list. */
  readResponse(cursor: string, list: number): ResponsePosition | undefined {
    const block = this.#opened(cursor);
    if (!block || block.readUInt8(0) !== OF_RESPONSE || block.readUInt32BE(7) !== list) return undefined;
    return { sitting: block.readUIntBE(1, 6), slot: block.readUIntBE(11, 5) };
  }

  writeEvent({ tx, id, sent }: EventPlace): string {
    const block = Buffer.alloc(16);
    block.writeUInt16BE(OF_EVENT << 8, 0);
    block.writeUIntBE(tx, 2, 6);
    block.writeUIntBE(id, 8, 6);
    block.writeUInt16BE(sent, 14);
    return this.#seal.update(block).toString('base64url');
  }

  /** Nothing if it is no id of an event. */
  readEvent(text: string): EventPlace | undefined {
    const block = this.#opened(text);
    if (!block || block.readUInt16BE(0) !== OF_EVENT << 8) return undefined;
    return { tx: block.readUIntBE(2, 6), id: block.readUIntBE(8, 6), sent: block.readUInt16BE(14) };
  }

  #opened(text: string): Buffer | undefined {
    return /^[\w-]{22}$/.test(text) ? this.#open.update(Buffer.from(text, 'base64url')) : undefined;
  }
}
