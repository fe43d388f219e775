// Both benchmark games for boardgame.io without a server, written to cost boardgame.io as little as possible.
//
// Turn order is part of the game's own state and both seats are active all the time, so that boardgame.io need not
// run its own turns and stages. Illegal moves are rejected; `enumerate` lists the legal ones, as for its bots.

import core from 'boardgame.io/dist/cjs/core.js';
import * as duels from '../duel.mjs';
import * as cards from '../minitcg.mjs';

const common = {
  minPlayers: 2,
  maxPlayers: 2,
  turn: { activePlayers: core.ActivePlayers.ALL },
  disableUndo: true,
};

export const duel = {
  ...common,
  name: 'duel',
  setup: () => ({ duel: duels.begin(), secret: null }),
  moves: {
    lay: ({ G, playerID }, layout) => {
      if (!duels.isLayout(layout) || Number(playerID) !== duelSeat(G)) return core.INVALID_MOVE;
      if (G.secret === null) {
        G.secret = layout;
      } else {
        duels.playRound(G.duel, G.secret, layout);
        G.secret = null;
      }
      return undefined;
    },
  },
  endIf: ({ G }) => (G.duel.winner === null ? undefined : { winner: G.duel.winner }),
  ai: { enumerate: () => duels.LAYOUTS.map((_, layout) => ({ move: 'lay', args: [layout] })) },
};

const duelSeat = (G) => (G.secret === null ? 0 : 1);

const cardMove = ([name, move]) => [
  name,
  ({ G, playerID }, ...args) => {
    if (Number(playerID) !== cards.decidingSeat(G) || !cards.isLegal(G, name, args)) return core.INVALID_MOVE;
    move(G, ...args);
    return undefined;
  },
];

export const minitcg = {
  ...common,
  name: 'minitcg',
  setup: (_, decks) => cards.begin(decks),
  moves: Object.fromEntries(Object.entries(cards.apply).map(cardMove)),
  endIf: ({ G }) => (G.winner === null ? undefined : { winner: G.winner }),
  ai: { enumerate: (G) => cards.legalMoves(G) },
};

/** The functions that a player of each game needs. */
export const games = {
  duel: {
    game: duel,
    twin: duels.play,
    setupData: () => undefined,
    decidingSeat: duelSeat,
    resultBytes: (G) => duels.resultBytes(G.duel),
  },
  minitcg: {
    game: minitcg,
    twin: cards.play,
    setupData: cards.shuffledDecks,
    decidingSeat: cards.decidingSeat,
    resultBytes: cards.resultBytes,
  },
};
