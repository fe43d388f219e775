import { expect, test } from 'vitest';

import { parseInline, parseMarkdown } from '../src/lib/markdown.ts';

test('blocks are told apart', () => {
  const text =
    '## Play\nTwo *players*\nduel.\n\n1. Draw\n2. Play\n   a card\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n> Said\n\n```\ncode\n```';
  const kinds = parseMarkdown(text).map((block) => block.kind);
  expect(kinds).toEqual(['heading', 'paragraph', 'list', 'table', 'quote', 'code']);
  const [, , list, table] = parseMarkdown(text);
  expect(list).toMatchObject({ isOrdered: true, items: [[{ text: 'Draw' }], [{ text: 'Play a card' }]] });
  expect(table).toMatchObject({ head: [[{ text: 'A' }], [{ text: 'B' }]], rows: [[[{ text: '1' }], [{ text: '2' }]]] });
});

test('HTML is text, and links that run something are none', () => {
  expect(parseMarkdown('<script>alert(1)</script>')).toEqual([
    { kind: 'paragraph', inner: [{ kind: 'text', text: '<script>alert(1)</script>' }] },
  ]);
  expect(parseInline('[press](javascript:alert)')).toEqual([{ kind: 'text', text: 'press' }]);
  expect(parseInline('[rules](https://example.org)')).toMatchObject([{ kind: 'link', href: 'https://example.org' }]);
});

test('emphasis nests', () => {
  expect(parseInline('**a *b* c** `d`')).toMatchObject([
    { kind: 'strong', inner: [{ text: 'a ' }, { kind: 'em' }, { text: ' c' }] },
    { text: ' ' },
    { kind: 'code', text: 'd' },
  ]);
});

test('text that never ends is read in time', () => {
  const start = performance.now();
  parseMarkdown('*'.repeat(5000));
  parseMarkdown('[a]('.repeat(3000));
  parseMarkdown('> '.repeat(200));
  expect(performance.now() - start).toBeLessThan(2000);
});
