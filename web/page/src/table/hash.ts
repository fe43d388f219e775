/** A number that follows from a text and looks random: pictures are drawn from it. */
export function numberOf(text: string): number {
  let number = 2166136261;
  for (const letter of text) number = Math.imul(number ^ letter.codePointAt(0)!, 16777619) >>> 0;
  return number;
}
