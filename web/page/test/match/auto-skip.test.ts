import { expect, test } from 'vitest';

import { skipDelay, skipReason, type SkipSettings } from '../../src/match/auto-skip.ts';
import { DisplayNames } from '../../src/match/display-names.ts';
import { passTitle } from '../../src/match/pass-title.ts';
import { whyNot } from '../../src/match/why-not.ts';
import { display, entity, option, player, prompt, view, zone } from './fixtures.ts';

const game = display({
  ui: { card: { cost: 'cost' }, phases: { main: {}, combat: {}, end: {} } },
  phases: [
    { name: 'turn', title: '' },
    { name: 'main', title: 'Main phase' },
    { name: 'combat', title: 'Combat' },
    { name: 'end', title: 'End of turn' },
  ],
});
const ON: SkipSettings = { isOn: true, asksAboutOwn: false, stops: {} };
const asked = prompt({ kind: 'action', pass: true, options: [option(0, 'bolt')] });
const during = (phase: string, turn: string, ...stack: ReturnType<typeof entity>[]) =>
  view({
    phases: ['turn', phase].map((name) => ({ phase: name, player: turn, subject: null })),
    players: [{ ...player(0), props: { mana: 3 } }, player(1)],
    zones: { stack: zone(...stack) },
  });
const bolt = (owner: string) => entity('#5', { title: 'Bolt', owner });

test('a question is skipped where nothing but passing is possible', () => {
  const own = during('main', 'p0');
  expect(skipReason({ ...asked, options: [] }, own, game, ON)).toBe('nothing');
  expect(skipReason({ ...asked, options: [] }, own, game, { ...ON, isOn: false })).toBeUndefined();
  expect(skipReason(asked, own, game, ON)).toBeUndefined();
  expect(skipReason(prompt({ options: [] }), own, game, ON)).toBeUndefined();
  const lesson = { id: 'one', say: 'Read this.', highlight: [] };
  expect(skipReason({ ...asked, options: [], lesson }, own, game, ON)).toBeUndefined();
});

test('one is not asked to answer oneself, unless wished', () => {
  expect(skipReason(asked, during('main', 'p0', bolt('p0')), game, ON)).toBe('own');
  expect(skipReason(asked, during('main', 'p0', bolt('p0')), game, { ...ON, asksAboutOwn: true })).toBeUndefined();
  expect(skipReason(asked, during('main', 'p0', bolt('p1')), game, ON)).toBeUndefined();
});

test('stops decide in which phases one is asked', () => {
  expect(skipReason(asked, during('combat', 'p1'), game, ON)).toBe('phase');
  expect(skipReason(asked, during('combat', 'p1', bolt('p1')), game, ON)).toBeUndefined();
  const stopped = { ...ON, stops: { 'combat theirs': true, 'end yours': false } };
  expect(skipReason(asked, during('combat', 'p1'), game, stopped)).toBeUndefined();
  expect(skipReason(asked, during('end', 'p0'), game, stopped)).toBe('phase');
});

test('the time before a question is skipped is random and tells nothing', () => {
  expect(skipDelay(() => 0)).toBe(400);
  expect(skipDelay(() => 1)).toBe(900);
});

test('the button says what it does', () => {
  const names = new DisplayNames(game, [], 'p0');
  const words = (shown: ReturnType<typeof view>, more = {}) => {
    names.rememberView(shown);
    return passTitle({ ...asked, ...more }, shown, names);
  };
  expect(words(during('main', 'p0'))).toBe('To combat');
  expect(words(during('combat', 'p0'))).toBe('To end of turn');
  expect(words(during('end', 'p0'))).toBe('End turn');
  expect(words(during('main', 'p1'))).toBe('Pass');
  expect(words(during('main', 'p1', bolt('p1')))).toBe('Let Bolt happen');
  expect(words(during('main', 'p0'), { passTitle: 'Go to battle' })).toBe('Go to battle');
});

test('reasons are sentences with their numbers', () => {
  const shown = view({
    players: [{ ...player(0, { hand: zone(entity('#1', { props: { cost: 5 } })) }), props: { mana: 3 } }],
  });
  const why = (reason: string) => whyNot({ action: 'play', title: null, host: '#1', reason }, shown, game);
  expect(why('Not enough mana')).toBe('Costs 5 mana, you have 3.');
  expect(why('No valid choice for target')).toBe('There is no target for it now.');
  expect(why('Only in combat')).toBe('Only in combat.');
});
