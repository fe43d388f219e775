/** A connection for what concerns the account: matches that begin, and waiting for others to play with. */
import { Line, type LineStatus, type SocketClass } from './line.ts';
import { Store, type Readable } from './store.ts';
import type { From } from './wire.ts';

export class Lounge {
  readonly #line: Line;
  readonly #listeners = new Set<(found: From<'match.found'>) => void>();
  readonly #status = new Store<LineStatus>('connecting');

  constructor(url: string, socketClass: SocketClass, token: () => string | undefined) {
    this.#line = new Line(url, socketClass, {
      hello: () => {
        const own = token();
        return own === undefined ? { type: 'hello' } : { type: 'hello', token: own };
      },
      frame: (frame) => {
        if (frame.type === 'match.found') for (const listener of [...this.#listeners]) listener(frame);
      },
      status: (status) => this.#status.set(status),
    });
  }

  /** How the connection is. What happened while it was not `live` has to be asked for. */
  get status(): Readable<LineStatus> {
    return this.#status;
  }

  /** Calls `listener` when a match of the account begins, until the returned function is called. */
  onFound(listener: (found: From<'match.found'>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Waits for others to play with. */
  async join(ruleset: string, stake = false): Promise<void> {
    await this.#line.command({ type: 'queue.join', ruleset, stake });
  }

  /** Waits no longer. */
  async leave(ruleset: string): Promise<void> {
    await this.#line.command({ type: 'queue.leave', ruleset });
  }

  close(): void {
    this.#line.close();
  }
}
