// Drives the real program with the client library of Visual Studio Code, on the last step of the tutorial.
'use strict';

const assert = require('node:assert/strict');
const { cpSync, mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, before, test } = require('node:test');

const { Client } = require('./client.js');

const root = join(__dirname, '../../..');
const program = process.env.INTERMEZZO_BIN ?? join(root, 'target/debug/intermezzo');
const rules = 'ruleset.yaml';
const scenarios = 'scenarios/mutiny.yaml';

let folder;
let client;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'intermezzo-editor-'));
  cpSync(join(root, 'examples/tutorial/08-blocks'), folder, { recursive: true });
  client = await Client.start(program, folder);
  assert.deepEqual(await client.open(rules), []);
});

after(async () => {
  await client.stop();
  rmSync(folder, { recursive: true });
});

const text = (file) => readFileSync(join(folder, file), 'utf8');

test('mistakes are reported and fixed', async () => {
  const wrong = text(rules).replace('emit: Plundered', 'emit: Plundred');
  const [found] = (await client.open(rules, wrong)).filter(({ severity }) => severity === 1);
  assert.equal(found.code, 'E-NAME');
  const actions = await client.ask('textDocument/codeAction', {
    textDocument: { uri: client.uri(rules) },
    range: found.range,
    context: { diagnostics: [found] },
  });
  assert.equal(actions[0].edit.changes[client.uri(rules)][0].newText, 'Plundered');
  assert.deepEqual(await client.open(rules, text(rules)), []);
});

test('keys, names and members are completed', async () => {
  const at = (marked) => client.labels(rules, text(rules).replace('emit: Plundered, by: actor', marked));
  assert.ok((await at('emit: |')).includes('Plundered'));
  assert.equal((await at('emit: Plundered, |'))[0], 'by');
  const members = await at('emit: Plundered, by: actor.|');
  assert.ok(members.includes('silver') && members.includes('crew') && !members.includes('where'));
  assert.ok((await at('emit: Plundered, by: "actor.crew.|')).includes('where'));
});

test('half-written files keep their names', async () => {
  const broken = text(rules).replace('emit: Plundered, by: actor, ', 'emit: Plundered, by: [actor, ');
  const [found] = await client.open(rules, broken);
  assert.equal(found.code, 'E-YAML');
  const symbols = await client.ask('textDocument/documentSymbol', { textDocument: { uri: client.uri(rules) } });
  assert.ok(symbols.some(({ name }) => name === 'rivals'));
  const [place] = await client.at('textDocument/definition', rules, 'rivals(actor)', { offset: 2 });
  assert.equal(place.uri, client.uri(rules));
  await client.open(rules, text(rules));
});

test('names are renamed in rules and scenarios', async () => {
  const edit = await client.at('textDocument/rename', rules, 'id: mutiny', { offset: 5, newName: 'uprising' });
  const files = Object.keys(edit.changes).map((uri) => uri.split('/').at(-1));
  assert.ok(files.includes('ruleset.yaml') && files.includes('mutiny.yaml'), files.join(', '));
  const hover = await client.at('textDocument/hover', rules, 'abstract: true', { offset: 1 });
  assert.match(hover.contents.value, /template/);
});

test('scenario files are completed, checked and played', async () => {
  assert.deepEqual(await client.open(scenarios), []);
  const first = text(scenarios);
  const labels = await client.labels(scenarios, `${first}      - |\n`);
  assert.ok(labels.includes('p0') && labels.includes('expect'), labels.join(', '));
  const wrong = first.replace('expect: {p1.crew.count: 0', 'expect: {p1.crew.count: 1');
  assert.notEqual(wrong, first);
  const failed = await client.open(scenarios, wrong);
  assert.match(failed[0].message, /p1\.crew\.count/);
});
