import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Returns the hash of a view as the server computes it: 16 hexadecimal digits. */
export function viewHash(view: unknown): string {
  return bytesToHex(blake3(utf8ToBytes(JSON.stringify(view)))).slice(0, 16);
}

/**
 * Returns the commitment to a seed. The server publishes it before the match and the seed afterwards; if both fit, the
 * seed was not replaced.
 */
export function commitmentOf(seed: string): string {
  return bytesToHex(blake3(hexToBytes(seed)));
}
