/** How large cards are: as large as their row allows, and their text whole or absent. All lengths are in pixels. */

export const MIN_CARD = 72;
/** From this width on a card has text. */
export const TEXT_CARD = 112;
export const MAX_CARD = 196;
const RATIO = 1.4;
const SMALL_RATIO = 1.28;
/** Where the height is scarce and the width is not, cards up to this width become wider, so that their text needs fewer lines. */
const WIDE_RATIO = 1.14;
const WIDE_CARD = 156;
/** Numbers and marks reach over the edges of a card. */
const MARGIN = 28;
const GAP_SHARE = 0.1;
const MIN_GAP = 8;
const TIGHT_GAP = 3;
/** Cards that overlap keep at least this share of each other visible. */
const MIN_VISIBLE = 0.4;
/** A row that is too low for cards of the usual minimum gets smaller ones. */
const EMERGENCY_CARD = 48;
const MIN_FONT = 11.5;

export interface RowFit {
  /** Width of a card. */
  card: number;
  /** Height of a card. */
  high: number;
  /** Number of lines the cards are on. */
  lines: number;
  /** Distance between cards; negative if they overlap. */
  gap: number;
}

export interface RowSpace {
  width: number;
  height: number;
  count: number;
  maxLines?: number;
  max?: number;
  /** Space left free above and below the cards. */
  margin?: number;
}

/** Returns the largest cards that fit into a row. */
export function fitRow({ width, height, count, maxLines = 1, max = MAX_CARD, margin = MARGIN }: RowSpace): RowFit {
  const number = Math.max(1, count);
  const fits = Array.from({ length: Math.min(maxLines, number) }, (_, at) => fitLines(at + 1));
  return fits.reduce((best, fit) => (isBetter(fit, best) ? fit : best));

  function fitLines(lines: number): RowFit {
    const perLine = Math.ceil(number / lines);
    const lineHeight = (height - margin) / lines - (lines > 1 ? MIN_GAP : 0);
    const roomy = width / (perLine + GAP_SHARE * (perLine - 1));
    const tight = (width - TIGHT_GAP * (perLine - 1)) / perLine;
    // Gaps give way before the text does.
    const byWidth = roomy < TEXT_CARD && tight >= TEXT_CARD ? TEXT_CARD : roomy;
    const wide = Math.min(lineHeight / RATIO, byWidth, max);
    const ideal = wide >= TEXT_CARD ? wide : Math.min(lineHeight / SMALL_RATIO, byWidth, TEXT_CARD - 1, max);
    const usual = Math.floor(Math.max(ideal, Math.min(MIN_CARD, Math.max(EMERGENCY_CARD, lineHeight / SMALL_RATIO))));
    const widest = Math.min(lineHeight / WIDE_RATIO, roomy, max, WIDE_CARD);
    const card = isSmall(usual) ? usual : Math.max(usual, Math.floor(widest));
    const high = card > usual ? Math.min(cardHeight(card), Math.floor(lineHeight)) : cardHeight(card);
    if (perLine === 1) return { card, high, lines, gap: MIN_GAP };
    const free = (width - card * perLine) / (perLine - 1);
    const gap = Math.max(-card * (1 - MIN_VISIBLE), Math.min(free, Math.max(MIN_GAP, card * GAP_SHARE)));
    return { card, high, lines, gap: Math.floor(gap) };
  }
}

/** Cards of at least the minimum size come first, then such that do not overlap, then larger ones. */
function isBetter(fit: RowFit, than: RowFit): boolean {
  const score = ({ card, gap }: RowFit) => (card >= MIN_CARD ? 2000 : 0) + (gap >= 0 ? 1000 : 0) + card;
  return score(fit) > score(than) + 1;
}

/** Cards that show one line of their title at most. */
export const isTiny = (card: number): boolean => card < 76;
export const isSmall = (card: number): boolean => card < TEXT_CARD;
export const cardHeight = (card: number): number => Math.floor(card * (isSmall(card) ? SMALL_RATIO : RATIO));

export interface CardWords {
  title: string;
  text: string;
  hasCost: boolean;
  /** Numbers at the bottom corners. */
  hasStrength: boolean;
  hasFoot: boolean;
}

/** Returns the font size at which the whole text fits on a card, or undefined if it fits at none. */
export function textSize(card: number, words: CardWords, high = cardHeight(card)): number | undefined {
  if (isSmall(card) || words.text === '') return undefined;
  const largest = Math.max(MIN_FONT, card * 0.079);
  const sizes = [largest, (largest + MIN_FONT) / 2, MIN_FONT];
  return sizes.find((size) => textHeight(card, size, words) <= high);
}

/** Letters of the text font are about half as wide as high, those of the title font a little more. */
const LETTER = 0.53;
const TITLE_LETTER = 0.6;

function textHeight(card: number, size: number, words: CardWords): number {
  const titleWidth = card * 0.91 - (words.hasCost ? size * 1.75 + 4 : 0);
  const head = Math.max(
    card * 0.2,
    lineCount(words.title, titleWidth / (size * 1.1 * TITLE_LETTER)) * size * 1.1 * 1.08 + card * 0.06,
  );
  const body = lineCount(words.text, (card - size * 1.1) / (size * LETTER)) * size * 1.25 + size * 0.85;
  const strength = words.hasStrength ? size * 1.3 : 0;
  const foot = words.hasFoot ? size * 2.2 : 0;
  return head + body + strength + foot + 6;
}

/** Returns the number of lines that words take, each of at most that many letters. */
function lineCount(text: string, letters: number): number {
  let [lines, used] = [1, 0];
  for (const word of text.split(/\s+/)) {
    const needed = used === 0 ? word.length : used + 1 + word.length;
    if (needed <= letters || used === 0) used = needed;
    else [lines, used] = [lines + 1, word.length];
  }
  return lines;
}
