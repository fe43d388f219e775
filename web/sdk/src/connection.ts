/**
 * A WebSocket connection that reconnects automatically. Commands that were not acknowledged when the connection broke are
 * sent again with the same ids, so each takes effect once.
 */
import { Backoff } from './backoff.ts';
import { isProblem, ProblemError, retryAfter, type Problem } from './problem.ts';
import { SUBPROTOCOL, type ClientFrame, type Command, type FrameOf, type ServerFrame } from './frames.ts';

/** The part of the browser's `WebSocket` that the connection uses. */
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
 * `connecting` until the server's welcome, then `live`; `reconnecting` between two attempts; `rejected` when the server
 * rejects the hello for good; `closed` by the client.
 */
export type ConnectionStatus = 'connecting' | 'live' | 'reconnecting' | 'rejected' | 'closed';

export interface ConnectionHandlers {
  /** Returns the first frame of a connection; called for each attempt. */
  hello(): Extract<ClientFrame, { type: 'hello' }>;
  /** Receives every frame except `ack` and `error`, which belong to commands. */
  frame(frame: Exclude<ServerFrame, FrameOf<'ack'> | FrameOf<'error'>>): void;
  status(status: ConnectionStatus, problem?: Problem): void;
}

interface PendingCommand {
  frame: ClientFrame & { commandId: string };
  resolve(ack: FrameOf<'ack'>): void;
  reject(error: Error): void;
  timer?: ReturnType<typeof setTimeout>;
}

/** A command unanswered for this long means that the connection is dead. */
const ACK_TIMEOUT_MS = 15_000;

export class Connection {
  readonly #url: string;
  readonly #Socket: SocketClass;
  readonly #handlers: ConnectionHandlers;
  readonly #backoff = new Backoff();
  readonly #pending = new Map<string, PendingCommand>();
  #socket: Socket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #status: ConnectionStatus = 'connecting';

  constructor(url: string, socketClass: SocketClass, handlers: ConnectionHandlers) {
    this.#url = url;
    this.#Socket = socketClass;
    this.#handlers = handlers;
    this.#connect();
    globalThis.addEventListener?.('online', this.#reconnectNow);
    globalThis.document?.addEventListener('visibilitychange', this.#reconnectNow);
  }

  /** Sends a command, and resends it after reconnecting, until it is acknowledged or rejected. */
  command(command: Command): Promise<FrameOf<'ack'>> {
    if (this.#status === 'closed' || this.#status === 'rejected') {
      return Promise.reject(new Error('the connection is closed'));
    }
    const frame = { ...command, commandId: crypto.randomUUID() } as PendingCommand['frame'];
    return new Promise((resolve, reject) => {
      const pending = { frame, resolve, reject };
      this.#pending.set(frame.commandId, pending);
      if (this.#status === 'live') this.#send(pending);
    });
  }

  /** Sends the hello again on the same connection. */
  sendHello(): void {
    this.#socket?.send(JSON.stringify(this.#handlers.hello()));
  }

  /** Drops the connection as a network failure would; it reconnects. */
  drop(): void {
    this.#onLost(this.#socket);
  }

  close(): void {
    this.#end('closed', new Error('the connection was closed'));
  }

  /** Skips the backoff: the network is back, or the page is visible again. */
  readonly #reconnectNow = (): void => {
    if (this.#status !== 'reconnecting') return;
    clearTimeout(this.#retry);
    this.#connect();
  };

  #connect(): void {
    this.#setStatus('connecting');
    const socket = new this.#Socket(this.#url, SUBPROTOCOL);
    this.#socket = socket;
    socket.onopen = () => {
      if (socket === this.#socket) this.sendHello();
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (socket === this.#socket) this.#onFrame(JSON.parse(String(event.data)) as ServerFrame);
    };
    socket.onclose = () => this.#onLost(socket);
    socket.onerror = () => this.#onLost(socket);
  }

  #onLost(socket: Socket | undefined): void {
    if (!socket || socket !== this.#socket) return;
    this.#socket = undefined;
    closeSocket(socket);
    for (const pending of this.#pending.values()) clearTimeout(pending.timer);
    this.#setStatus('reconnecting');
    this.#retry = setTimeout(() => this.#connect(), this.#backoff.next());
  }

  #onFrame(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ack':
        return this.#removePending(frame.commandId)?.resolve(frame);
      case 'error':
        return this.#onProblem(frame);
      case 'welcome':
        this.#backoff.reset();
        this.#handlers.frame(frame);
        this.#setStatus('live');
        for (const pending of this.#pending.values()) this.#send(pending);
        return;
      default:
        this.#handlers.frame(frame);
    }
  }

  #onProblem(frame: FrameOf<'error'>): void {
    const problem = frame.problem;
    const wait = retryAfter(problem);
    if (frame.commandId) {
      const pending = this.#pending.get(frame.commandId);
      if (!pending) return;
      clearTimeout(pending.timer);
      if (wait === undefined) this.#removePending(frame.commandId)?.reject(new ProblemError(problem));
      else pending.timer = setTimeout(() => this.#send(pending), wait);
    } else if (this.#status === 'connecting') {
      if (wait === undefined) this.#end('rejected', new ProblemError(problem));
      else this.drop();
    }
  }

  #removePending(commandId: string): PendingCommand | undefined {
    const pending = this.#pending.get(commandId);
    this.#pending.delete(commandId);
    clearTimeout(pending?.timer);
    return pending;
  }

  #send(pending: PendingCommand): void {
    if (this.#status !== 'live') return;
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => this.drop(), ACK_TIMEOUT_MS);
    this.#socket?.send(JSON.stringify(pending.frame));
  }

  #end(status: 'closed' | 'rejected', error: Error): void {
    if (this.#status === 'closed') return;
    clearTimeout(this.#retry);
    globalThis.removeEventListener?.('online', this.#reconnectNow);
    globalThis.document?.removeEventListener('visibilitychange', this.#reconnectNow);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket) closeSocket(socket);
    for (const id of [...this.#pending.keys()]) this.#removePending(id)?.reject(error);
    this.#setStatus(status, error instanceof ProblemError && isProblem(error.problem) ? error.problem : undefined);
  }

  #setStatus(status: ConnectionStatus, problem?: Problem): void {
    if (this.#status === status && status !== 'connecting') return;
    this.#status = status;
    this.#handlers.status(status, problem);
  }
}

/** Browsers report closing a socket that is still connecting as an error, so that waits until it is open. */
function closeSocket(socket: Socket): void {
  if (socket.readyState === 0) socket.onopen = () => socket.close(1000);
  else socket.close(1000);
}
