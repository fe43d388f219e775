/** Returns a pseudo-random number derived from a text (FNV-1a). Generated art is drawn from it. */
export function stringHash(text: string): number {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619) >>> 0;
  return hash;
}
