/**
 * Client addresses: read from the connection or from trusted proxies, and grouped for rate
 * limiting.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Proxies whose X-Forwarded-For is trusted, as addresses or CIDR blocks. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #empty: boolean;

  /** Throws an error that names the first invalid block. */
  constructor(blocks: string[]) {
    this.#empty = blocks.length === 0;
    for (const block of blocks) {
      const [address = '', bits, ...more] = block.split('/');
      const family = isIP(address);
      const maxPrefix = family === 6 ? 128 : 32;
      const prefix = bits === undefined ? maxPrefix : Number(/^\d{1,3}$/.test(bits) ? bits : Number.NaN);
      if (family === 0 || more.length > 0 || !(prefix <= maxPrefix))
        throw new Error(
          `${JSON.stringify(block)} is neither an IP address nor a CIDR block such as 10.0.0.0/8`,
        );
      this.#list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
    }
  }

  trusts(address: string): boolean {
    return !this.#empty && this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /**
   * Finds the nearest address that is not a trusted proxy. Each proxy appends its peer to
   * X-Forwarded-For, so the list is read from its end, and entries written by an untrusted proxy
   * are ignored.
   */
  findClientAddress(peer: string, forwarded: string | undefined): string {
    let address = normalizeAddress(peer);
    if (this.#empty || forwarded === undefined) return address;
    const entries = forwarded.split(',');
    while (this.trusts(address)) {
      const entry = normalizeAddress(entries.pop()?.trim() ?? '');
      if (isIP(entry) === 0) break;
      address = entry;
    }
    return address;
  }
}

/** Removes brackets, port and zone, and converts an IPv4-mapped IPv6 address to IPv4. */
export function normalizeAddress(address: string): string {
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/%.*$/, '');
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare) ?? [];
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(bare) ?? [];
  if (high && low) {
    const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
  }
  return mapped ?? bare.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/**
 * Truncates an IPv6 address to its /64, which one subscriber controls. IPv4 addresses are
 * unchanged.
 */
export function truncateAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + tailGroups < 8) groups.push('0');
    groups.push(...tail.split(':'));
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
