// MiniTCG v1 on plain data: the same game as the Rust twin (`twins/minitcg.rs`), without a framework.
//
// Start with `legalMoves` and `apply`. Moves change a state in place, so that it may also be a draft of boardgame.io.
// `node minitcg.mjs` prints the digest over seeds 1 to 1000.

import { fileURLToPath } from 'node:url';
import { digest, mulberry } from './mulberry.mjs';

const [SCHOLAR, BOMBER, CAPTAIN, BOLT, QUAKE, NEGATE] = [1, 2, 4, 5, 6, 7];
const COSTS = [1, 2, 3, 4, 5, 2, 4, 2];
const POWERS = [2, 1, 2, 4, 3];
const HEALTHS = [1, 3, 2, 5, 3];
const COPIES = [5, 4, 4, 4, 2, 4, 3, 4];
const UNSHUFFLED = COPIES.flatMap((copies, card) => new Array(copies).fill(card));
const HAND_SIZE = 10;
const FIELD_SIZE = 7;
const MAX_MANA = 10;
const MAX_TURNS = 400;

// The target of a Bolt or an attack is one number: the seat, and a slot or the player.
const PLAYER = 7;
const at = (seat, slot) => seat * 8 + slot;
const seatOf = (target) => target >> 3;
const slotOf = (target) => target & 7;

/** Returns both decks, shuffled by the generator of the match. */
export function shuffledDecks(below) {
  return [0, 1].map(() => {
    const deck = [...UNSHUFFLED];
    for (let last = deck.length - 1; last > 0; last--) {
      const other = below(last + 1);
      [deck[last], deck[other]] = [deck[other], deck[last]];
    }
    return deck;
  });
}

/** Returns a match at its first decision. `winner` is 0, 1, or 2 for a draw once it has ended. */
export function begin(decks) {
  const players = decks.map((deck) => ({
    hp: 20,
    mana: 0,
    maxMana: 0,
    fatigue: 0,
    hand: [],
    field: [],
    deck: [...deck],
    graveyard: [],
  }));
  const match = { players, active: 0, stack: [], turns: 0, winner: null };
  for (const seat of [0, 1]) {
    for (let drawn = 0; drawn < 4 + seat; drawn++) draw(players[seat]);
  }
  beginTurn(match);
  return match;
}

/** Returns the seat that decides: the opponent of the last caster, or the active seat if the stack is empty. */
export function decidingSeat({ stack, active }) {
  return stack.length > 0 ? 1 - stack[stack.length - 1].controller : active;
}

/** Lists the legal moves of the deciding seat, in the order the rules define. */
export function legalMoves(match) {
  const moves = [];
  const own = decidingSeat(match);
  const { hand, field, mana } = match.players[own];
  if (match.stack.length > 0) {
    moves.push({ move: 'pass', args: [] });
    for (let position = 0; position < hand.length; position++) {
      if (hand[position] === NEGATE && mana >= COSTS[NEGATE]) moves.push({ move: 'castNegate', args: [position] });
    }
    return moves;
  }
  moves.push({ move: 'endTurn', args: [] });
  const enemy = 1 - own;
  const enemies = match.players[enemy].field.length;
  for (let position = 0; position < hand.length; position++) {
    const card = hand[position];
    if (card === NEGATE || COSTS[card] > mana) continue;
    if (card === QUAKE) {
      moves.push({ move: 'castQuake', args: [position] });
    } else if (card === BOLT) {
      const bolt = (target) => moves.push({ move: 'castBolt', args: [position, target] });
      bolt(at(enemy, PLAYER));
      bolt(at(own, PLAYER));
      for (let slot = 0; slot < enemies; slot++) bolt(at(enemy, slot));
      for (let slot = 0; slot < field.length; slot++) bolt(at(own, slot));
    } else if (field.length < FIELD_SIZE) {
      moves.push({ move: 'castCreature', args: [position] });
    }
  }
  for (let slot = 0; slot < field.length; slot++) {
    if (!field[slot].ready) continue;
    moves.push({ move: 'attack', args: [slot, at(enemy, PLAYER)] });
    for (let other = 0; other < enemies; other++) moves.push({ move: 'attack', args: [slot, at(enemy, other)] });
  }
  return moves;
}

/** Returns true if one move is legal, without listing the others. */
export function isLegal(match, move, [first, second]) {
  const { hand, field, mana } = match.players[decidingSeat(match)];
  if (match.stack.length > 0) {
    return move === 'pass' || (move === 'castNegate' && hand[first] === NEGATE && mana >= COSTS[NEGATE]);
  }
  const isPayable = COSTS[hand[first]] <= mana;
  switch (move) {
    case 'endTurn':
      return true;
    case 'castCreature':
      return isPayable && hand[first] <= CAPTAIN && field.length < FIELD_SIZE;
    case 'castQuake':
      return isPayable && hand[first] === QUAKE;
    case 'castBolt':
      return isPayable && hand[first] === BOLT && exists(match, second);
    case 'attack':
      return field[first]?.ready === true && seatOf(second) !== match.active && exists(match, second);
    default:
      return false;
  }
}

const exists = ({ players }, target) =>
  slotOf(target) === PLAYER || slotOf(target) < players[seatOf(target)].field.length;

/** The effect of each legal move. */
export const apply = {
  pass: resolveTop,
  endTurn: (match) => {
    match.turns += 1;
    if (match.turns === MAX_TURNS) {
      match.winner = 2;
      return;
    }
    match.active = 1 - match.active;
    beginTurn(match);
  },
  castNegate: cast,
  castCreature: cast,
  castBolt: cast,
  castQuake: cast,
  attack: (match, slot, target) => {
    const queue = [];
    const power = powerOf(match, match.active, slot);
    match.players[match.active].field[slot].ready = false;
    if (slotOf(target) === PLAYER) {
      match.players[seatOf(target)].hp -= power;
    } else {
      const back = powerOf(match, seatOf(target), slotOf(target));
      hurt(match, seatOf(target), slotOf(target), power, queue);
      hurt(match, match.active, slot, back, queue);
    }
    checkState(match, queue);
  },
};

function cast(match, position, target = null) {
  const controller = decidingSeat(match);
  const player = match.players[controller];
  const [card] = player.hand.splice(position, 1);
  player.mana -= COSTS[card];
  match.stack.push({ card, controller, target });
}

function resolveTop(match) {
  const { card, controller, target } = match.stack.pop();
  const player = match.players[controller];
  if (card <= CAPTAIN) {
    player.field.push({ card, health: HEALTHS[card], ready: false });
    return;
  }
  const queue = [];
  if (card === BOLT) {
    if (slotOf(target) === PLAYER) match.players[seatOf(target)].hp -= 3;
    else hurt(match, seatOf(target), slotOf(target), 3, queue);
  } else if (card === QUAKE) {
    hurtField(match, match.active, 2, queue);
    hurtField(match, 1 - match.active, 2, queue);
  } else {
    const countered = match.stack.pop();
    match.players[countered.controller].graveyard.push(countered.card);
  }
  player.graveyard.push(card);
  checkState(match, queue);
}

function beginTurn(match) {
  const player = match.players[match.active];
  player.maxMana = Math.min(MAX_MANA, player.maxMana + 1);
  player.mana = player.maxMana;
  for (const creature of player.field) creature.ready = true;
  draw(player);
  checkState(match, []);
}

function draw(player) {
  if (player.deck.length === 0) {
    player.fatigue += 1;
    player.hp -= player.fatigue;
    return;
  }
  const card = player.deck.pop();
  (player.hand.length < HAND_SIZE ? player.hand : player.graveyard).push(card);
}

function powerOf({ players }, seat, slot) {
  const { field } = players[seat];
  let power = POWERS[field[slot].card];
  for (let other = 0; other < field.length; other++) {
    if (other !== slot && field[other].card === CAPTAIN) power += 1;
  }
  return power;
}

function hurt({ players }, seat, slot, damage, queue) {
  const creature = players[seat].field[slot];
  creature.health -= damage;
  if (creature.card === SCHOLAR) queue.push({ card: SCHOLAR, seat });
}

function hurtField(match, seat, damage, queue) {
  for (let slot = 0; slot < match.players[seat].field.length; slot++) hurt(match, seat, slot, damage, queue);
}

/** Ends the match, buries dead creatures or applies the oldest trigger, until nothing is left to do. */
function checkState(match, queue) {
  for (;;) {
    const isAlive = match.players.map(({ hp }) => hp > 0);
    if (!isAlive[0] || !isAlive[1]) {
      match.winner = isAlive[0] ? 0 : isAlive[1] ? 1 : 2;
      return;
    }
    if (buryDead(match, queue)) continue;
    const trigger = queue.shift();
    if (trigger === undefined) return;
    if (trigger.card === SCHOLAR) draw(match.players[trigger.seat]);
    else hurtField(match, 1 - trigger.seat, 1, queue);
  }
}

function buryDead(match, queue) {
  let hasBuried = false;
  for (const seat of [match.active, 1 - match.active]) {
    const player = match.players[seat];
    if (player.field.every(({ health }) => health > 0)) continue;
    hasBuried = true;
    for (const { card, health } of player.field) {
      if (health > 0) continue;
      player.graveyard.push(card);
      if (card === BOMBER) queue.push({ card: BOMBER, seat });
    }
    player.field = player.field.filter(({ health }) => health > 0);
  }
  return hasBuried;
}

/** Plays the match with this seed. Both seats choose at random. */
export function play(seed) {
  const below = mulberry(seed);
  const match = begin(shuffledDecks(below));
  let actions = 0;
  for (; match.winner === null; actions++) {
    const moves = legalMoves(match);
    const { move, args } = moves[below(moves.length)];
    apply[move](match, ...args);
  }
  return { actions, bytes: resultBytes(match, actions) };
}

/** Returns the bytes that a match adds to a digest. */
export function resultBytes({ players: [first, second], winner, turns }, actions) {
  const lives = [Math.max(first.hp, 0), Math.max(second.hp, 0)];
  const counts = [first.hand, second.hand, first.field, second.field].map((cards) => cards.length);
  return [winner, actions & 255, (actions >> 8) & 255, turns & 255, ...lives, ...counts];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(digest(1000, (seed) => play(seed).bytes));
