// The duel on Colyseus: `node colyseus.mjs PORT`. Prints `ready` once it listens.
//
// A room is a match. The schema's state contains what both seats may know, and its patch is sent after each round
// instead of 20 times a second. A move is accepted when `ack` arrives; the round is over when the patch arrives.
// The first layout of a round is not part of the state. State is in memory, Colyseus's default.

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
    this.layouts = [null, null];
    this.confirmed = [0, 0];
    this.seats = [];
    this.onMessage('lay', (client, layout) => this.lay(client, layout));
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
  }

  lay(client, layout) {
    const seat = this.seats.indexOf(client.sessionId);
    if (!isLayout(layout) || this.layouts[seat] !== null) {
      client.send('no');
      return;
    }
    this.layouts[seat] = layout;
    this.confirmed[seat] += 1;
    client.send('ack', this.confirmed[seat]);
    if (this.layouts[1 - seat] !== null) this.reveal();
  }

  reveal() {
    playRound(this.duel, ...this.layouts);
    this.layouts = [null, null];
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

// The parent process holds the other end of standard input: stop when it ends.
process.stdin.on('end', () => process.exit()).resume();
