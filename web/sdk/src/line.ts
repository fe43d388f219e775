/**
 * A connection that comes back by itself. Commands that were not acknowledged when it broke are sent again with the
 * same ids, so each has one effect.
 */
import { Backoff } from './backoff.ts';
import { isProblem, Refused, retryAfter, type Problem } from './problem.ts';
import { SUBPROTOCOL, type ClientFrame, type From, type ServerFrame, type Wish } from './wire.ts';

/** The part of a browser's `WebSocket` that is used here. */
export interface Socket {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

export type SocketClass = new (url: string, protocol: string) => Socket;

/**
 * `connecting` until the server has said welcome, `live` then; `waiting` between two attempts; `refused` when the
 * server will not have it; `closed` by the client.
 */
export type LineStatus = 'connecting' | 'live' | 'waiting' | 'refused' | 'closed';

export interface LineEvents {
  /** What to say first; asked anew for every connection. */
  hello(): Extract<ClientFrame, { type: 'hello' }>;
  /** Every frame but `ack` and `error`, which belong to commands. */
  frame(frame: Exclude<ServerFrame, From<'ack'> | From<'error'>>): void;
  status(status: LineStatus, problem?: Problem): void;
}

interface Waiting {
  frame: ClientFrame & { commandId: string };
  done(ack: From<'ack'>): void;
  failed(error: Error): void;
  timer?: ReturnType<typeof setTimeout>;
}

/** A command without an answer for so long shows that the connection is dead. */
const ANSWER_WITHIN_MS = 15_000;

export class Line {
  readonly #url: string;
  readonly #Socket: SocketClass;
  readonly #events: LineEvents;
  readonly #backoff = new Backoff();
  readonly #waiting = new Map<string, Waiting>();
  #socket: Socket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #status: LineStatus = 'connecting';

  constructor(url: string, socketClass: SocketClass, events: LineEvents) {
    this.#url = url;
    this.#Socket = socketClass;
    this.#events = events;
    this.#connect();
    globalThis.addEventListener?.('online', this.#hurry);
    globalThis.document?.addEventListener('visibilitychange', this.#hurry);
  }

  /** Sends a command until it is acknowledged or refused. */
  command(wish: Wish): Promise<From<'ack'>> {
    if (this.#status === 'closed' || this.#status === 'refused') {
      return Promise.reject(new Error('the connection is closed'));
    }
    const frame = { ...wish, commandId: crypto.randomUUID() } as Waiting['frame'];
    return new Promise((done, failed) => {
      const waiting = { frame, done, failed };
      this.#waiting.set(frame.commandId, waiting);
      if (this.#status === 'live') this.#send(waiting);
    });
  }

  /** Says hello again on the same connection. */
  greet(): void {
    this.#socket?.send(JSON.stringify(this.#events.hello()));
  }

  /** Drops the connection as if the network had done it. A new one follows. */
  drop(): void {
    this.#lost(this.#socket);
  }

  close(): void {
    this.#end('closed', new Error('the connection was closed'));
  }

  /** The network is back, or somebody looks again: there is no reason to wait any longer. */
  readonly #hurry = (): void => {
    if (this.#status !== 'waiting') return;
    clearTimeout(this.#retry);
    this.#connect();
  };

  #connect(): void {
    this.#become('connecting');
    const socket = new this.#Socket(this.#url, SUBPROTOCOL);
    this.#socket = socket;
    socket.onopen = () => {
      if (socket === this.#socket) this.greet();
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (socket === this.#socket) this.#heard(JSON.parse(String(event.data)) as ServerFrame);
    };
    socket.onclose = () => this.#lost(socket);
    socket.onerror = () => this.#lost(socket);
  }

  #lost(socket: Socket | undefined): void {
    if (!socket || socket !== this.#socket) return;
    this.#socket = undefined;
    letGo(socket);
    for (const waiting of this.#waiting.values()) clearTimeout(waiting.timer);
    this.#become('waiting');
    this.#retry = setTimeout(() => this.#connect(), this.#backoff.next());
  }

  #heard(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ack':
        return this.#take(frame.commandId)?.done(frame);
      case 'error':
        return this.#refused(frame);
      case 'welcome':
        this.#backoff.reset();
        this.#events.frame(frame);
        this.#become('live');
        for (const waiting of this.#waiting.values()) this.#send(waiting);
        return;
      default:
        this.#events.frame(frame);
    }
  }

  #refused(frame: From<'error'>): void {
    const problem = frame.problem;
    const wait = retryAfter(problem);
    if (frame.commandId) {
      const waiting = this.#waiting.get(frame.commandId);
      if (!waiting) return;
      clearTimeout(waiting.timer);
      if (wait === undefined) this.#take(frame.commandId)?.failed(new Refused(problem));
      else waiting.timer = setTimeout(() => this.#send(waiting), wait);
    } else if (this.#status === 'connecting') {
      if (wait === undefined) this.#end('refused', new Refused(problem));
      else this.drop();
    }
  }

  #take(commandId: string): Waiting | undefined {
    const waiting = this.#waiting.get(commandId);
    this.#waiting.delete(commandId);
    clearTimeout(waiting?.timer);
    return waiting;
  }

  #send(waiting: Waiting): void {
    if (this.#status !== 'live') return;
    clearTimeout(waiting.timer);
    waiting.timer = setTimeout(() => this.drop(), ANSWER_WITHIN_MS);
    this.#socket?.send(JSON.stringify(waiting.frame));
  }

  #end(status: 'closed' | 'refused', error: Error): void {
    if (this.#status === 'closed') return;
    clearTimeout(this.#retry);
    globalThis.removeEventListener?.('online', this.#hurry);
    globalThis.document?.removeEventListener('visibilitychange', this.#hurry);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket) letGo(socket);
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.failed(error);
    this.#become(status, error instanceof Refused && isProblem(error.problem) ? error.problem : undefined);
  }

  #become(status: LineStatus, problem?: Problem): void {
    if (this.#status === status && status !== 'connecting') return;
    this.#status = status;
    this.#events.status(status, problem);
  }
}

/** Closing what is not open yet counts as a failure in browsers, so that is left until it is. */
function letGo(socket: Socket): void {
  if (socket.readyState === 0) socket.onopen = () => socket.close(1000);
  else socket.close(1000);
}
