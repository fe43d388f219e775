/** Teams: the players in a view whose `team` is the same entity of the zone `teams`. */
import type { Entity, View } from '@intermezzo/sdk';

/** Returns the number of a player's team, from 1; nothing if the game has no teams, or one of all players. */
export function teamNumber(view: View | undefined, player: string): number | undefined {
  const teams = view?.zones.teams?.items ?? [];
  const team = view?.players.find((one) => one.id === player)?.props.team;
  const at = teams.findIndex((one) => one !== null && one.id === team);
  return teams.length > 1 && at >= 0 ? at + 1 : undefined;
}

/** Returns whether two players are in one team. */
export function areTeammates(view: View | undefined, one: string, other: string): boolean {
  const team = (player: string) => view?.players.find(({ id }) => id === player)?.props.team;
  const own = team(one);
  return one !== other && own !== undefined && own === team(other) && isTeam(view, own);
}

/** Returns whether a property of a player is the team, which the panel shows in words. */
export function isTeam(view: View | undefined, value: unknown): boolean {
  return view?.zones.teams?.items?.some((one) => one !== null && one.id === value) ?? false;
}

/** Returns whether the teams have nothing to show of their own: the panels of the players say who belongs together. */
export function hasBareTeams(view: View): boolean {
  const teams = view.zones.teams?.items ?? [];
  const isBare = (team: Entity) => Object.keys(team.props).length === 0 && Object.keys(team.zones).length === 0;
  return teams.length > 0 && teams.every((team) => team !== null && team.kind === 'team' && isBare(team));
}
