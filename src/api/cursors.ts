/**
 * Encrypted paging cursors. A slot number in the clear would disclose how much was written between
 * two questions, changes of answers included. A cursor is one AES block under the bank's own key:
 * the same position gives the same cursor, and a forged one fails the comparison with the list's
 * digest.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import type { EventPosition } from '../store/events.ts';
import type { ListArgs } from '../store/questions/pages.ts';
import type { ResponsePosition } from '../store/responses/list.ts';

const SLOT_KIND = 1;
const OFFSET_KIND = 2;
const EVENT_KIND = 3;
const RESPONSE_KIND = 4;
const BLOCK_BYTES = 16;

/**
 * An event, and how many of its subjects were sent: an event about many questions can be
 * interrupted.
 */
export interface EventCursor extends EventPosition {
  sent: number;
}

export class Cursors {
  /**
   * ECB keeps no state between blocks, so one cipher serves all cursors; creating it is the slow
   * part.
   */
  readonly #cipher: Cipheriv;
  readonly #decipher: Decipheriv;

  constructor(hexKey: string) {
    const key = Buffer.from(hexKey, 'hex');
    this.#cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    this.#decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  }

  /** `list` is a digest of the filters and the sort order. */
  encodeQuestion(start: ListArgs['start'], list: number): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUInt8('slot' in start ? SLOT_KIND : OFFSET_KIND, 0);
    block.writeUIntBE('slot' in start ? start.slot : start.offset, 2, 6);
    block.writeUInt32BE(list, 8);
    return this.#encrypt(block);
  }

  /** Returns undefined if it is not a cursor of this list. */
  decodeQuestion(cursor: string, list: number): ListArgs['start'] | undefined {
    const block = this.#decrypt(cursor);
    if (!block || block.readUInt32BE(8) !== list || block.readUInt32BE(12) !== 0) return undefined;
    const number = block.readUIntBE(2, 6);
    const kind = block.readUInt16BE(0) >> 8;
    return kind === SLOT_KIND ? { slot: number } : kind === OFFSET_KIND ? { offset: number } : undefined;
  }

  encodeResponse({ sitting, slot }: ResponsePosition, list: number): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUInt8(RESPONSE_KIND, 0);
    block.writeUIntBE(sitting, 1, 6);
    block.writeUInt32BE(list, 7);
    block.writeUIntBE(slot, 11, 5);
    return this.#encrypt(block);
  }

  /** Returns undefined if it is not a cursor of this list. */
  decodeResponse(cursor: string, list: number): ResponsePosition | undefined {
    const block = this.#decrypt(cursor);
    if (!block || block.readUInt8(0) !== RESPONSE_KIND || block.readUInt32BE(7) !== list) return undefined;
    return { sitting: block.readUIntBE(1, 6), slot: block.readUIntBE(11, 5) };
  }

  encodeEvent({ tx, id, sent }: EventCursor): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUInt16BE(EVENT_KIND << 8, 0);
    block.writeUIntBE(tx, 2, 6);
    block.writeUIntBE(id, 8, 6);
    block.writeUInt16BE(sent, 14);
    return this.#encrypt(block);
  }

  /** Returns undefined if it is not the id of an event. */
  decodeEvent(text: string): EventCursor | undefined {
    const block = this.#decrypt(text);
    if (!block || block.readUInt16BE(0) !== EVENT_KIND << 8) return undefined;
    return { tx: block.readUIntBE(2, 6), id: block.readUIntBE(8, 6), sent: block.readUInt16BE(14) };
  }

  #encrypt(block: Buffer): string {
    return this.#cipher.update(block).toString('base64url');
  }

  #decrypt(text: string): Buffer | undefined {
    return /^[\w-]{22}$/.test(text) ? this.#decipher.update(Buffer.from(text, 'base64url')) : undefined;
  }
}
