// Duel v1 for both peers: the same game as the Rust twin (`twins/duel.rs`).
//
// `node duel.mjs` prints the digest over seeds 1 to 1000, which the benchmark compares with the twin's.

import { fileURLToPath } from 'node:url';
import { digest, mulberry } from './mulberry.mjs';

const [ATTACK, , HEAL, COUNTER] = [0, 1, 2, 3];
const MAX_HP = 10;
const ATTACK_DAMAGE = 2;
const FIRST_DECIDING_ROUND = 3;
const LAST_ROUND = 30;

/** Every layout of three of the four cards, in lexicographic order. */
export const LAYOUTS = [];
for (let code = 0; code < 64; code++) {
  const cards = [code >> 4, (code >> 2) & 3, code & 3];
  if (new Set(cards).size === 3) LAYOUTS.push(cards);
}

export const isLayout = (layout) => Number.isInteger(layout) && layout >= 0 && layout < LAYOUTS.length;

/** Returns a duel before its first round, as plain data. */
export const begin = () => ({ hp: [MAX_HP, MAX_HP], round: 1, winner: null });

/** Plays a round in place. `winner` is 0, 1, or 2 for a draw once the duel has ended. */
export function playRound(duel, first, second) {
  for (let step = 0; step < 3 && !hasFallen(duel.hp); step++) {
    clash(duel.hp, LAYOUTS[first][step], LAYOUTS[second][step]);
  }
  const [mine, theirs] = duel.hp;
  const isDecided = duel.round >= FIRST_DECIDING_ROUND && mine !== theirs;
  if (isDecided || hasFallen(duel.hp) || duel.round === LAST_ROUND) {
    duel.winner = mine > theirs ? 0 : mine < theirs ? 1 : 2;
  } else {
    duel.round += 1;
  }
}

const hasFallen = (hp) => hp[0] === 0 || hp[1] === 0;

function clash(hp, mine, theirs) {
  for (const [seat, card] of [mine, theirs].entries()) {
    if (card === HEAL) hp[seat] = Math.min(MAX_HP, hp[seat] + 1);
  }
  const lost = [lostBy(mine, theirs), lostBy(theirs, mine)];
  for (const seat of [0, 1]) hp[seat] = Math.max(0, hp[seat] - lost[seat]);
}

function lostBy(mine, theirs) {
  const isHit = theirs === ATTACK && (mine === ATTACK || mine === HEAL);
  const isTurnedBack = mine === ATTACK && theirs === COUNTER;
  return isHit || isTurnedBack ? ATTACK_DAMAGE : 0;
}

/** Plays the duel with this seed. Both seats choose at random. */
export function play(seed) {
  const below = mulberry(seed);
  const duel = begin();
  let actions = 0;
  for (; duel.winner === null; actions += 2) playRound(duel, below(LAYOUTS.length), below(LAYOUTS.length));
  return { actions, bytes: resultBytes(duel) };
}

/** Returns the bytes that a duel adds to a digest. */
export const resultBytes = (duel) => [duel.winner, duel.round, ...duel.hp];

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(digest(1000, (seed) => play(seed).bytes));
