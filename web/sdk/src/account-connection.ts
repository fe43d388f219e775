import { Connection, type ConnectionStatus, type SocketClass } from './connection.ts';
import { Store, type Readable } from './store.ts';
import type { FrameOf } from './frames.ts';

/** Connection of an account outside of matches: queues, and notifications when a match starts. */
export class AccountConnection {
  readonly #connection: Connection;
  readonly #listeners = new Set<(found: FrameOf<'match.found'>) => void>();
  readonly #status = new Store<ConnectionStatus>('connecting');

  constructor(url: string, socketClass: SocketClass, token: () => string | undefined) {
    this.#connection = new Connection(url, socketClass, {
      hello: () => {
        const current = token();
        return current === undefined ? { type: 'hello' } : { type: 'hello', token: current };
      },
      frame: (frame) => {
        if (frame.type === 'match.found') for (const listener of [...this.#listeners]) listener(frame);
      },
      status: (status) => this.#status.set(status),
    });
  }

  /** Status of the connection. Notifications sent while it is not `live` are lost: ask `GET /queue` afterwards. */
  get status(): Readable<ConnectionStatus> {
    return this.#status;
  }

  /** Calls `listener` when a match of the account starts, until the returned function is called. */
  onMatchFound(listener: (found: FrameOf<'match.found'>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async joinQueue(ruleset: string, stake = false): Promise<void> {
    await this.#connection.command({ type: 'queue.join', ruleset, stake });
  }

  async leaveQueue(ruleset: string): Promise<void> {
    await this.#connection.command({ type: 'queue.leave', ruleset });
  }

  close(): void {
    this.#connection.close();
  }
}
