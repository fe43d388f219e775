import { expect, test } from 'vitest';

import { fitRow, MAX_CARD, MIN_CARD, TEXT_CARD, textSize } from '../../src/match/card-fit.ts';

test('cards grow with the free space, up to a limit', () => {
  expect(fitRow({ width: 1000, height: 260, count: 3 })).toMatchObject({ card: 165, lines: 1 });
  expect(fitRow({ width: 2000, height: 900, count: 2 }).card).toBe(MAX_CARD);
});

test.each([
  { width: 1136, height: 270, counts: [1, 4, 7, 12, 20] },
  { width: 1018, height: 210, counts: [1, 4, 7, 12, 20] },
  { width: 360, height: 140, counts: [1, 4, 7] },
])('cards stay inside their row of $width by $height', ({ width, height, counts }) => {
  for (const count of counts) {
    const { card, high, gap, lines } = fitRow({ width, height, count, maxLines: 2 });
    const perLine = Math.ceil(count / lines);
    expect(card).toBeGreaterThanOrEqual(MIN_CARD);
    expect(card * perLine + gap * (perLine - 1)).toBeLessThanOrEqual(width);
    expect(high * lines).toBeLessThanOrEqual(height);
  }
});

test('gaps give way before the text does', () => {
  expect(fitRow({ width: 730, height: 192, count: 6 })).toMatchObject({ card: TEXT_CARD, gap: 11 });
  expect(fitRow({ width: 700, height: 192, count: 6 })).toMatchObject({ card: TEXT_CARD, gap: 5 });
});

test('many cards overlap, and 40 % of each stays visible', () => {
  const { card, gap } = fitRow({ width: 400, height: 200, count: 10 });
  expect(card).toBe(MIN_CARD);
  expect(gap).toBeLessThan(0);
  expect(card + gap).toBeGreaterThanOrEqual(card * 0.4);
});

test('several lines are used where they make the cards larger', () => {
  expect(fitRow({ width: 700, height: 420, count: 10, maxLines: 3 }).lines).toBe(2);
  expect(fitRow({ width: 700, height: 420, count: 3, maxLines: 3 }).lines).toBe(1);
});

test('a text is whole or absent', () => {
  const words = { title: 'Night Bat', hasCost: true, hasStrength: true, hasFoot: false };
  const short = { ...words, text: 'First over the wall.' };
  expect(textSize(160, short)).toBeCloseTo(12.64);
  expect(textSize(TEXT_CARD, short)).toBeGreaterThanOrEqual(11.5);
  expect(textSize(TEXT_CARD - 1, short)).toBeUndefined();
  expect(textSize(120, { ...words, text: 'A very long text. '.repeat(30) })).toBeUndefined();
});
