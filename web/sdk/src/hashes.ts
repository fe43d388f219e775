import { blake3, bytesToHex, hexToBytes, utf8ToBytes } from './blake3.ts';

/** Returns the hash of the text of a view, which HTTP responses have: 16 hexadecimal digits. */
export function viewTextHash(view: unknown): string {
  return bytesToHex(blake3(utf8ToBytes(JSON.stringify(view)))).slice(0, 16);
}

/**
 * Returns the commitment to a seed. The server publishes it before the match and the seed afterwards; if both fit, the
 * seed was not replaced.
 */
export function commitmentOf(seed: string): string {
  return bytesToHex(blake3(hexToBytes(seed)));
}
