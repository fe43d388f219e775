import { AccountConnection } from './account-connection.ts';
import type { SocketClass } from './connection.ts';
import { httpClient, unwrap, type Fetch, type Http, type Schemas } from './http.ts';
import { Match, type FollowOptions } from './match.ts';
import { Store, type Readable } from './store.ts';

/** A login session: the account that is signed in and its token. */
export interface Session {
  token: string;
  account: Schemas['AccountInfo'];
}

export interface ClientOptions {
  /** Base URL of the server, e.g. `https://play.example.org`. */
  server: string;
  /** Token of an earlier session, for `resume`. */
  token?: string | undefined;
  /** WebSocket class; defaults to the global one. Node before version 22 has none: pass the one of the package `ws`. */
  WebSocket?: unknown;
  fetch?: Fetch;
}

/** Connection of one account to a server. Several clients can be used side by side. */
export class Client {
  readonly server: string;
  /** Typed HTTP client for all operations of the server. */
  readonly http: Http;
  readonly #Socket: SocketClass;
  readonly #session = new Store<Session | undefined>(undefined);
  #token: string | undefined;
  /** Number of sign-ins and sign-outs, to detect answers that are out of date. */
  #changes = 0;

  constructor(options: ClientOptions) {
    this.server = options.server.replace(/\/$/, '');
    this.#token = options.token;
    const socketClass = options.WebSocket ?? globalThis.WebSocket;
    if (!socketClass) throw new Error('no global WebSocket: pass one as `WebSocket`');
    this.#Socket = socketClass as SocketClass;
    const fetch = options.fetch ?? ((request) => globalThis.fetch(request));
    this.http = httpClient(this.server, () => this.#token, fetch);
  }

  /** Current session; undefined while nobody is signed in. */
  get session(): Readable<Session | undefined> {
    return this.#session;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Creates a guest account and signs it in. */
  async guest(name?: string): Promise<Session> {
    return this.#enter(await unwrap(this.http.POST('/accounts', { body: name === undefined ? {} : { name } })));
  }

  async signIn(name: string, password: string): Promise<Session> {
    return this.#enter(await unwrap(this.http.POST('/sessions', { body: { name, password } })));
  }

  /**
   * Signs in with the stored token; throws `ProblemError` if it is no longer valid. The answer is ignored if somebody
   * signed in or out while it was on its way.
   */
  async resume(): Promise<Session> {
    const token = this.#token ?? '';
    const changes = this.#changes;
    const account = await unwrap(this.http.GET('/me'));
    if (changes === this.#changes) return this.#enter({ token, account });
    return this.#session.get() ?? { token, account };
  }

  /** Changes the name others see. */
  async rename(name: string): Promise<Session> {
    const account = await unwrap(this.http.PATCH('/me', { body: { name } }));
    return this.#enter({ token: this.#token ?? '', account });
  }

  /** Sets a password, which turns a guest into a permanent account. All other tokens become invalid. */
  async setPassword(password: string, current?: string): Promise<Session> {
    const body = current === undefined ? { password } : { password, current };
    return this.#enter(await unwrap(this.http.PUT('/me/password', { body })));
  }

  /** Signs out; the server invalidates the token. */
  async signOut(): Promise<void> {
    await unwrap(this.http.DELETE('/sessions/current'));
    this.forget();
  }

  /** Discards the token without telling the server. */
  forget(): void {
    this.#changes += 1;
    this.#token = undefined;
    this.#session.set(undefined);
  }

  /** Follows a match from a seat, or as a spectator. Each call opens its own connection. */
  follow(id: string, options?: FollowOptions): Match {
    return new Match(this.#address, this.#Socket, () => this.#token, id, options);
  }

  /** Opens a connection for matchmaking: queues, and notifications when a match starts. */
  listen(): AccountConnection {
    return new AccountConnection(this.#address, this.#Socket, () => this.#token);
  }

  get #address(): string {
    return `${this.server.replace(/^http/, 'ws')}/ws`;
  }

  #enter(session: Session): Session {
    this.#changes += 1;
    this.#token = session.token;
    this.#session.set({ token: session.token, account: session.account });
    return session;
  }
}
