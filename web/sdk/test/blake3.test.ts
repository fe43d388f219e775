/** The own hash function against an independent implementation. */
import { blake3 as reference } from '@noble/hashes/blake3.js';
import { expect, test } from 'vitest';

import { blake3, bytesToHex, hexToBytes } from '../src/blake3.ts';

/** Around the ends of blocks and chunks, and trees of several shapes. */
const LENGTHS = [
  0, 1, 3, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2048, 2049, 3072, 3073, 4097, 7168, 8193, 31_744, 100_001,
];

test.each(LENGTHS)('hashes %i bytes as the reference does', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 251);
  expect(bytesToHex(blake3(bytes))).toBe(bytesToHex(reference(bytes)));
});

test('hexadecimal digits and bytes are converted both ways', () => {
  expect(bytesToHex(hexToBytes('00ff10aB'))).toBe('00ff10ab');
  expect(hexToBytes('')).toEqual(new Uint8Array());
  expect(() => hexToBytes('0g')).toThrow('`0g` is not hexadecimal');
});
