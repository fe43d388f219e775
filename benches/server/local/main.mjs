// Time per action without a server: `node local/main.mjs GAME SEEDS ROUNDS`.
//
// Prints a line for each version: its name, its digest over seeds 1 to 1000, nanoseconds per action. Matches are timed in
// laps of a few actions, and the fastest round of each lap counts, because other load interrupts long measurements.
// `plain` is the hand-written game, `reducer` boardgame.io's reducer, `client` its local client with log and subscribers.

import clients from 'boardgame.io/dist/cjs/client.js';
import internal from 'boardgame.io/dist/cjs/internal.js';
import { digest, mulberry } from '../mulberry.mjs';
import { games } from './games.mjs';

const [name, seeds, rounds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const { game, twin, setupData, decidingSeat, resultBytes } = games[name];
const processed = internal.ProcessGameConfig(game);
const reduce = internal.CreateGameReducer({ game: processed });

/** Actions per lap. */
const LAP = 8;

const versions = {
  plain: twin,
  reducer: (seed, lap) => {
    const below = mulberry(seed);
    let state = internal.InitializeGame({ game: processed, numPlayers: 2, setupData: setupData(below) });
    let actions = 0;
    for (; state.ctx.gameover === undefined; actions++) {
      const moves = game.ai.enumerate(state.G, state.ctx);
      const { move: type, args } = moves[below(moves.length)];
      const playerID = String(decidingSeat(state.G));
      state = reduce(state, { type: 'MAKE_MOVE', payload: { type, args, playerID } });
      if (actions % LAP === 0) lap();
    }
    return { actions, bytes: resultBytes(state.G, actions) };
  },
  client: (seed, lap) => {
    const below = mulberry(seed);
    // A local client accepts no setup data, so each match is a separate game.
    const decks = setupData(below);
    const client = clients.Client({
      game: { ...game, setup: (context) => game.setup(context, decks) },
      numPlayers: 2,
      playerID: '0',
      debug: false,
    });
    client.start();
    let [actions, state] = [0, client.getState()];
    for (; state.ctx.gameover === undefined; actions++) {
      const moves = game.ai.enumerate(state.G, state.ctx);
      const { move, args } = moves[below(moves.length)];
      const playerID = String(decidingSeat(state.G));
      if (client.playerID !== playerID) client.updatePlayerID(playerID);
      client.moves[move](...args);
      state = client.getState();
      if (actions % LAP === 0) lap();
    }
    client.stop();
    return { actions, bytes: resultBytes(state.G, actions) };
  },
};

function nsPerAction(play) {
  const fastest = [];
  let actions = 0;
  for (let round = 0; round < rounds; round++) {
    let [laps, start] = [0, performance.now()];
    const lap = () => {
      const now = performance.now();
      fastest[laps] = Math.min(fastest[laps] ?? Infinity, now - start);
      laps += 1;
      start = performance.now();
    };
    actions = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      actions += play(seed, lap).actions;
      lap();
    }
  }
  return (1e6 * fastest.reduce((sum, time) => sum + time)) / actions;
}

for (const [version, play] of Object.entries(versions)) {
  const found = digest(1000, (seed) => play(seed, () => {}).bytes);
  console.log(version, found, nsPerAction(play).toFixed(1));
}
