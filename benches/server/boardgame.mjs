// The duel on boardgame.io: `node boardgame.mjs PORT`. Prints `ready` once it listens.
//
// Both seats are active all the time and lay out once a round. `confirmed` counts the layouts of each seat: a seat's move
// is accepted when its own count has grown, and the round is over when both counts are equal. Only the server sees a
// layout until the other one has arrived. State is in memory, boardgame.io's default.

import server from 'boardgame.io/dist/cjs/server.js';
import core from 'boardgame.io/dist/cjs/core.js';
import { begin, isLayout, playRound } from './duel.mjs';

const lay = {
  // Both seats lay out at the same time, so neither can know the other's state number.
  ignoreStaleStateID: true,
  client: false,
  undoable: false,
  // Hides the layout in the log that the other seat receives.
  redact: true,
  move: ({ G, playerID }, layout) => {
    const [me, other] = playerID === '0' ? [0, 1] : [1, 0];
    if (!isLayout(layout) || G.confirmed[me] > G.confirmed[other]) return core.INVALID_MOVE;
    G.confirmed[me] += 1;
    if (G.secret === null) {
      G.secret = layout;
      return undefined;
    }
    if (me === 0) playRound(G.duel, layout, G.secret);
    else playRound(G.duel, G.secret, layout);
    G.secret = null;
    if (G.duel.winner !== null) {
      G.ended += 1;
      G.duel = begin();
    }
    return undefined;
  },
};

const duel = {
  name: 'duel',
  setup: () => ({ duel: begin(), confirmed: [0, 0], ended: 0, secret: null }),
  moves: { lay },
  turn: { activePlayers: core.ActivePlayers.ALL },
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true,
  playerView: ({ G }) => ({ ...G, secret: null }),
};

const port = Number(process.argv[2]);
const { run } = server.Server({ games: [duel], origins: [] });
await run({ port: { port, host: '127.0.0.1' }, callback: () => console.log('ready') });

// The parent process holds the other end of standard input: stop when it ends.
process.stdin.on('end', () => process.exit()).resume();
