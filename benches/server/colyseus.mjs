// The duel on Colyseus: `node colyseus.mjs PORT`. Prints `ready` once it listens.
//
// A room is a match. What both may know is the schema's state, and its patch is sent as soon as a round has been
// played instead of 20 times a second. A move is accepted when `ack` arrives; the round is over when the patch does.
// The first layout of a round is no part of the state. State is kept in memory, as is usual there.

import { Room, Server } from '@colyseus/core';
import { ArraySchema, defineTypes, Schema } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { begin, isLayout, playRound } from './duel.mjs';

class DuelState extends Schema {
  constructor() {
    super();
    this.hp = new ArraySchema(...begin().hp);
    this.round = 1;
    this.roundsPlayed = 0;
    this.ended = 0;
  }
}
defineTypes(DuelState, { hp: ['uint8'], round: 'uint8', roundsPlayed: 'uint32', ended: 'uint32' });

class DuelRoom extends Room {
  onCreate() {
    this.maxClients = 2;
    this.patchRate = null;
    this.state = new DuelState();
    this.duel = begin();
    this.secret = [null, null];
    this.laid = [0, 0];
    this.seats = [];
    this.onMessage('lay', (client, layout) => this.lay(client, layout));
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
  }

  lay(client, layout) {
    const seat = this.seats.indexOf(client.sessionId);
    if (!isLayout(layout) || this.secret[seat] !== null) {
      client.send('no');
      return;
    }
    this.secret[seat] = layout;
    this.laid[seat] += 1;
    client.send('ack', this.laid[seat]);
    if (this.secret[1 - seat] !== null) this.reveal();
  }

  reveal() {
    playRound(this.duel, ...this.secret);
    this.secret = [null, null];
    if (this.duel.winner !== null) {
      this.state.ended += 1;
      this.duel = begin();
    }
    for (const seat of [0, 1]) this.state.hp[seat] = this.duel.hp[seat];
    this.state.round = this.duel.round;
    this.state.roundsPlayed += 1;
    this.broadcastPatch();
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define('duel', DuelRoom);
await server.listen(Number(process.argv[2]), '127.0.0.1');
console.log('ready');

// Whoever started this holds the other end of its input: gone with them.
process.stdin.on('end', () => process.exit()).resume();
