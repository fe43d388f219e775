import { httpClient, need, type Fetch, type Http, type Schemas } from './http.ts';
import type { SocketClass } from './line.ts';
import { Lounge } from './lounge.ts';
import { Match, type As } from './match.ts';
import { Store, type Readable } from './store.ts';

/** Who is signed in, and the token that says so. */
export interface Session {
  token: string;
  account: Schemas['AccountInfo'];
}

export interface Settings {
  /** Where the server is, e.g. `https://play.example.org`. */
  server: string;
  /** A token from before. */
  token?: string | undefined;
  /** Node has one from version 22 on; before, hand in that of the package `ws`. */
  WebSocket?: unknown;
  fetch?: Fetch;
}

/** One account's way to a server. Several may be used side by side. */
export class Client {
  readonly server: string;
  /** Every operation of the server, with its types. */
  readonly http: Http;
  readonly #Socket: SocketClass;
  readonly #session = new Store<Session | undefined>(undefined);
  #token: string | undefined;
  /** How often it has changed who is signed in. */
  #changes = 0;

  constructor(settings: Settings) {
    this.server = settings.server.replace(/\/$/, '');
    this.#token = settings.token;
    const socketClass = settings.WebSocket ?? globalThis.WebSocket;
    if (!socketClass) throw new Error('there is no WebSocket here: hand one in');
    this.#Socket = socketClass as SocketClass;
    const fetch = settings.fetch ?? ((request) => globalThis.fetch(request));
    this.http = httpClient(this.server, () => this.#token, fetch);
  }

  /** Who is signed in, as far as that is known. */
  get session(): Readable<Session | undefined> {
    return this.#session;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Makes a guest's account and signs it in. */
  async guest(name?: string): Promise<Session> {
    return this.#enter(await need(this.http.POST('/accounts', { body: name === undefined ? {} : { name } })));
  }

  /** Signs in with a password. */
  async signIn(name: string, password: string): Promise<Session> {
    return this.#enter(await need(this.http.POST('/sessions', { body: { name, password } })));
  }

  /**
   * Signs in with the token from before; throws `Refused` if it is good no more. An answer that comes when something newer
   * is known about who is signed in changes nothing.
   */
  async resume(): Promise<Session> {
    const token = this.#token ?? '';
    const changes = this.#changes;
    const account = await need(this.http.GET('/me'));
    if (changes === this.#changes) return this.#enter({ token, account });
    return this.#session.get() ?? { token, account };
  }

  /** Changes the name others see. */
  async rename(name: string): Promise<Session> {
    const account = await need(this.http.PATCH('/me', { body: { name } }));
    return this.#enter({ token: this.#token ?? '', account });
  }

  /** Sets a password, which makes an account of a guest's. All other tokens end. */
  async setPassword(password: string, current?: string): Promise<Session> {
    const body = current === undefined ? { password } : { password, current };
    return this.#enter(await need(this.http.PUT('/me/password', { body })));
  }

  /** Ends the token. */
  async signOut(): Promise<void> {
    await need(this.http.DELETE('/sessions/current'));
    this.forget();
  }

  /** Forgets the token without telling the server. */
  forget(): void {
    this.#changes += 1;
    this.#token = undefined;
    this.#session.set(undefined);
  }

  /** Follows a match from a seat, or looks on. Each call has a connection of its own. */
  follow(id: string, as?: As): Match {
    return new Match(this.#address, this.#Socket, () => this.#token, id, as);
  }

  /** Listens for what concerns the account. */
  listen(): Lounge {
    return new Lounge(this.#address, this.#Socket, () => this.#token);
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
