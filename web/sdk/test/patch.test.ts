import { expect, test } from 'vitest';

import { applyPatch, PatchError } from '../src/patch.ts';

test('untouched parts keep their identity', () => {
  const view = { players: [{ hp: 3 }, { hp: 5 }], zones: { deck: { count: 4 } } };
  const next = applyPatch(view, [{ op: 'replace', path: '/players/1/hp', value: 2 }]);
  expect(next).toEqual({ players: [{ hp: 3 }, { hp: 2 }], zones: { deck: { count: 4 } } });
  expect(view.players[1]).toEqual({ hp: 5 });
  expect(next.players[0]).toBe(view.players[0]);
  expect(next.zones).toBe(view.zones);
  expect(next.players).not.toBe(view.players);
});

test('keys keep their order and new keys are appended', () => {
  const next = applyPatch<Record<string, unknown>>({ a: 1, b: 2, c: 3 }, [
    { op: 'replace', path: '/b', value: 9 },
    { op: 'remove', path: '/a' },
    { op: 'add', path: '/a', value: 7 },
  ]);
  expect(JSON.stringify(next)).toBe('{"b":9,"c":3,"a":7}');
});

test('array items are inserted and removed by index', () => {
  const list = applyPatch(
    ['a', 'b', 'c'],
    [
      { op: 'remove', path: '/0' },
      { op: 'add', path: '/1', value: 'x' },
      { op: 'add', path: '/-', value: 'z' },
      { op: 'move', from: '/0', path: '/3' },
      { op: 'copy', from: '/0', path: '/0' },
    ],
  );
  expect(list).toEqual(['x', 'x', 'c', 'z', 'b']);
});

test('the root can be replaced and path segments are unescaped', () => {
  expect(applyPatch<unknown>({ a: 1 }, [{ op: 'replace', path: '', value: [2] }])).toEqual([2]);
  expect(applyPatch({ 'a/b~c': 1 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }])).toEqual({ 'a/b~c': 2 });
});

test('a patch that does not fit throws', () => {
  for (const path of ['/nothing/there', '/list/9', '/list/01', '/list/-1', 'list']) {
    expect(() => applyPatch({ list: [1] }, [{ op: 'replace', path, value: 0 }]), path).toThrow(PatchError);
  }
  expect(() => applyPatch({ a: 1 }, [{ op: 'test', path: '/a', value: 2 }])).toThrow(PatchError);
});

test('__proto__ is an ordinary key', () => {
  const next = applyPatch<Record<string, unknown>>({}, [{ op: 'add', path: '/__proto__', value: { bad: true } }]);
  expect(JSON.stringify(next)).toBe('{"__proto__":{"bad":true}}');
  expect(({} as Record<string, unknown>)['bad']).toBeUndefined();
});
