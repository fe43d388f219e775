/** Who belongs together, from a view. */
import type { Entity, View } from '@intermezzo/sdk';
import { expect, test } from 'vitest';

import { areTeammates, hasBareTeams, isTeam, teamNumber } from '../../src/match/teams.ts';

const team = (id: string, props: Entity['props'] = {}): Entity =>
  ({ id, kind: 'team', def: 'team_1', owner: null, props, zones: {} }) as unknown as Entity;

function view(teams: Entity[], of: string[]): View {
  const players = of.map((name, seat) => ({ id: `p${seat}`, seat, gone: false, props: { team: name }, zones: {} }));
  return {
    players,
    zones: teams.length > 0 ? { teams: { count: teams.length, items: teams } } : {},
  } as unknown as View;
}

const pairs = view([team('#1'), team('#2')], ['#1', '#2', '#1', '#2']);

test('the seats of a team are teammates, and teams have numbers', () => {
  expect(teamNumber(pairs, 'p2')).toBe(1);
  expect(teamNumber(pairs, 'p3')).toBe(2);
  expect(areTeammates(pairs, 'p0', 'p2')).toBe(true);
  expect(areTeammates(pairs, 'p0', 'p1')).toBe(false);
  expect(areTeammates(pairs, 'p0', 'p0')).toBe(false);
});

test('a team of all needs no number, and games without teams have none', () => {
  const together = view([team('#1')], ['#1', '#1']);
  expect(teamNumber(together, 'p0')).toBeUndefined();
  expect(areTeammates(together, 'p0', 'p1')).toBe(true);
  const without = view([], ['red', 'red']);
  expect(areTeammates(without, 'p0', 'p1')).toBe(false);
  expect(isTeam(without, 'red')).toBe(false);
});

test('teams without numbers or zones of their own are not laid out', () => {
  expect(hasBareTeams(pairs)).toBe(true);
  expect(hasBareTeams(view([team('#1', { points: 2 })], ['#1']))).toBe(false);
  expect(hasBareTeams(view([], []))).toBe(false);
});
