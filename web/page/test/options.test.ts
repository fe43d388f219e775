import { expect, test } from 'vitest';

import { changed, fieldsOf, shown } from '../src/lobby/options.ts';

const schema = {
  $defs: {
    'enum.Order': { enum: ['rolled', 'placed'] },
    options: {
      properties: {
        max_hp: { type: 'integer', minimum: 1, maximum: 99, default: 10, description: 'Hit points' },
        mulligan: { type: 'boolean', default: true },
        prep_ms: { type: 'integer', minimum: 1000, default: 20000, description: 'Milliseconds to lay out cards' },
        bank_ms: { type: ['integer', 'null'], default: null },
        order: { $ref: '#/$defs/enum.Order', default: 'rolled' },
        hand: { type: 'array', default: ['attack'] },
      },
    },
  },
};
const fields = fieldsOf(schema);
const usual = () => Object.fromEntries(fields.map((field) => [field.name, shown(field, field.usual)]));

test('every option is asked for in its own way', () => {
  expect(fields.map((field) => field.kind)).toEqual(['number', 'switch', 'seconds', 'seconds', 'choice', 'data']);
  expect(fields[2]).toMatchObject({ label: 'Prep', about: 'Seconds to lay out cards', min: 1 });
  expect(fields[4]?.choices).toEqual(['rolled', 'placed']);
});

test('only what differs from what is usual is sent', () => {
  expect(changed(fields, usual())).toEqual({});
  const texts = {
    ...usual(),
    max_hp: '12',
    mulligan: false,
    prep_ms: '2.5',
    bank_ms: '60',
    order: 'placed',
    hand: '["heal"]',
  };
  expect(changed(fields, texts)).toEqual({
    max_hp: 12,
    mulligan: false,
    prep_ms: 2500,
    bank_ms: 60_000,
    order: 'placed',
    hand: ['heal'],
  });
});

test('what cannot be read is named', () => {
  expect(() => changed(fields, { ...usual(), hand: '[oops' })).toThrow('Hand: this is no JSON');
  expect(() => changed(fields, { ...usual(), max_hp: '' })).toThrow('Max hp: a number is needed');
});
