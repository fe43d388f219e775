// The JSON Schema of rulesets, read by ajv: a second opinion beside those of the compiler's own tests and of jsonschema (Python).

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const ajv = new Ajv2020({ allowUnionTypes: true, allErrors: false });
const validate = ajv.compile(JSON.parse(read('docs/reference/ruleset.schema.json')));

it('accepts every shipped ruleset', () => {
  const folders = [
    ...readdirSync(join(ROOT, 'rulesets')).map((name) => `rulesets/${name}`),
    ...readdirSync(join(ROOT, 'examples/tutorial')).map((name) => `examples/tutorial/${name}`),
    'crates/compiler/preludes',
  ];
  let count = 0;
  for (const folder of folders) {
    if (folder.endsWith('.md')) continue;
    for (const name of readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.yaml'))) {
      const path = `${folder}/${name}`;
      expect(validate(parse(read(path))), `${path}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(25);
});

it('accepts every shipped scenario file', () => {
  const validate = ajv.compile(JSON.parse(read('docs/reference/scenario.schema.json')));
  let count = 0;
  for (const ruleset of readdirSync(join(ROOT, 'rulesets'))) {
    for (const name of readdirSync(join(ROOT, 'rulesets', ruleset, 'scenarios'))) {
      const path = `rulesets/${ruleset}/scenarios/${name}`;
      if (!name.endsWith('.yaml')) continue;
      expect(validate(parse(read(path))), `${path}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(10);
});

it('rejects planted mistakes', () => {
  for (const { right, wrong } of JSON.parse(read('crates/compiler/tests/schema-mistakes.json'))) {
    expect(validate(parse(right)), `${right}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    expect(validate(parse(wrong)), wrong).toBe(false);
  }
});
