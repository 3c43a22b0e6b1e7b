/** Where a request comes from, as far as that can be believed, and what counts as one place. */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Proxies whose word on where a request came from is taken, as addresses or CIDR blocks. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #none: boolean;

  /** Throws a sentence that names what is no address. */
  constructor(blocks: string[]) {
    this.#none = blocks.length === 0;
    for (const block of blocks) {
      const [address = '', bits, ...more] = block.split('/');
      const family = isIP(address);
      const widest = family === 6 ? 128 : 32;
      const prefix = bits === undefined ? widest : Number(/^\d{1,3}$/.test(bits) ? bits : Number.NaN);
      if (family === 0 || more.length > 0 || !(prefix <= widest))
        throw new Error(`${JSON.stringify(block)} is no address and no CIDR block such as 10.0.0.0/8`);
      this.#list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
    }
  }

  #trusts(address: string): boolean {
    return this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /**
   * The nearest address that is no trusted proxy. Each proxy appends whom it heard from, so the list is read from its
   * end, and what an untrusted one claims is not read at all.
   */
  clientOf(peer: string, forwarded: string | undefined): string {
    let address = plain(peer);
    if (this.#none || forwarded === undefined) return address;
    const claims = forwarded.split(',');
    while (this.#trusts(address)) {
      const claim = plain(claims.pop()?.trim() ?? '');
      if (isIP(claim) === 0) break;
      address = claim;
    }
    return address;
  }
}

/** Without brackets, port or zone; an IPv4 address in IPv6 clothes is an IPv4 address. */
function plain(address: string): string {
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/%.*$/, '');
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare) ?? [];
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(bare) ?? [];
  if (high && low) {
    const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
  }
  return mapped ?? bare.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** One household has one IPv4 address, or all of a /64. */
export function placeOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + behind < 8) groups.push('0');
    groups.push(...tail.split(':'));
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
