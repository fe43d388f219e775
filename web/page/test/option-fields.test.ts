import { expect, test } from 'vitest';

import { changedOptions, fieldsOf, fieldText } from '../src/lobby/option-fields.ts';

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
const defaults = () => Object.fromEntries(fields.map((field) => [field.name, fieldText(field, field.default)]));

test('every option gets a field that fits its type', () => {
  expect(fields.map((field) => field.kind)).toEqual(['number', 'switch', 'seconds', 'seconds', 'choice', 'data']);
  expect(fields[2]).toMatchObject({ label: 'Prep', description: 'Seconds to lay out cards', min: 1 });
  expect(fields[4]?.choices).toEqual(['rolled', 'placed']);
});

test('only options that differ from their defaults are sent', () => {
  expect(changedOptions(fields, defaults())).toEqual({});
  const texts = {
    ...defaults(),
    max_hp: '12',
    mulligan: false,
    prep_ms: '2.5',
    bank_ms: '60',
    order: 'placed',
    hand: '["heal"]',
  };
  expect(changedOptions(fields, texts)).toEqual({
    max_hp: 12,
    mulligan: false,
    prep_ms: 2500,
    bank_ms: 60_000,
    order: 'placed',
    hand: ['heal'],
  });
});

test('errors name the invalid field', () => {
  expect(() => changedOptions(fields, { ...defaults(), hand: '[oops' })).toThrow('Hand: invalid JSON');
  expect(() => changedOptions(fields, { ...defaults(), max_hp: '' })).toThrow('Max hp: enter a number');
});
