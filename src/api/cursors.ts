/**
 * Encrypted paging cursors. A slot number in the clear would disclose how much was written between
 * two questions, changes of answers included. A cursor is one AES block under the bank's own key, or two:
 * the same position gives the same cursor, and a forged one fails the comparison with the list's
 * digest.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import type { EventPosition } from '../store/events.ts';
import type { ListArgs } from '../store/questions/pages.ts';
import type { RandomStart } from '../store/questions/random-list.ts';
import type { ResponsePosition } from '../store/responses/list.ts';

const SLOT_KIND = 1;
const OFFSET_KIND = 2;
const EVENT_KIND = 3;
const RESPONSE_KIND = 4;
const RANDOM_KIND = 5;
const RANDOM_END_KIND = 6;
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

  encodeRandom({ position, bound, sent }: RandomStart, list: number): string {
    const blocks = Buffer.alloc(2 * BLOCK_BYTES);
    blocks.writeUInt16BE(RANDOM_KIND << 8, 0);
    blocks.writeUIntBE(position, 2, 6);
    blocks.writeUInt32BE(list, 8);
    blocks.writeUInt16BE(RANDOM_END_KIND << 8, 16);
    blocks.writeUIntBE(bound, 18, 6);
    blocks.writeUInt32BE(list, 24);
    blocks.writeUInt32BE(sent, 28);
    return this.#encrypt(blocks);
  }

  /** Returns undefined if it is not a cursor of this list. */
  decodeRandom(cursor: string, list: number): RandomStart | undefined {
    const blocks = this.#decrypt(cursor, 2);
    if (!blocks || blocks.readUInt16BE(0) !== RANDOM_KIND << 8 || blocks.readUInt32BE(8) !== list)
      return undefined;
    if (blocks.readUInt32BE(12) !== 0 || blocks.readUInt16BE(16) !== RANDOM_END_KIND << 8) return undefined;
    if (blocks.readUInt32BE(24) !== list) return undefined;
    return {
      position: blocks.readUIntBE(2, 6),
      bound: blocks.readUIntBE(18, 6),
      sent: blocks.readUInt32BE(28),
    };
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

  #decrypt(text: string, blocks = 1): Buffer | undefined {
    if (!/^[\w-]+$/.test(text) || text.length !== Math.ceil((blocks * BLOCK_BYTES * 4) / 3)) return undefined;
    return this.#decipher.update(Buffer.from(text, 'base64url'));
  }
}
