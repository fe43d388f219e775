import { blake3 } from '@noble/hashes/blake3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** The hash of a view as the server computes it: 16 hexadecimal digits. */
export function viewHash(view: unknown): string {
  return bytesToHex(blake3(utf8ToBytes(JSON.stringify(view)))).slice(0, 16);
}

/** What a server says of a seed before it tells the seed itself: nobody can have changed it if this comes out the same. */
export function commitmentOf(seed: string): string {
  return bytesToHex(blake3(hexToBytes(seed)));
}
