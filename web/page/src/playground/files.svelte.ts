/** The files of the ruleset as they are being written: what is unsaved, what is wrong, what others changed on disk. */
import { Refused } from '@intermezzo/sdk';
import { SvelteMap } from 'svelte/reactivity';

import { errorWord } from '../lib/words.ts';
import { dev, type Checked, type Diagnostic, type FileInfo, type Reload, type Texts } from './api.ts';

/** A file that is open. */
export interface Buffer {
  path: string;
  text: string;
  /** What is on disk, as far as we know. */
  saved: string;
  hash: string;
  /** Somebody else has changed it on disk while there are changes here. */
  isContested: boolean;
  /** It is on disk no more. */
  isGone: boolean;
}

/** So long nobody types before the rules are checked. */
const QUIET_MS = 300;

export class Files {
  list = $state.raw<FileInfo[]>([]);
  readonly open = new SvelteMap<string, Buffer>();
  /** The file that is shown. */
  shown = $state('');
  diagnostics = $state.raw<Diagnostic[]>([]);
  playable = $state(true);
  isChecking = $state(false);
  isSaving = $state(false);
  trouble = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checks = 0;
  #last: Promise<void> = Promise.resolve();
  readonly #onReload: (reload: Reload) => void;

  constructor(onReload: (reload: Reload) => void) {
    this.#onReload = onReload;
  }

  /** Reads the list and shows the first file of rules. */
  async begin(): Promise<void> {
    await this.refresh();
    const first = this.list.find(({ path }) => /^ruleset\.ya?ml$/.test(path)) ?? this.list[0];
    if (first) await this.show(first.path);
    await this.check();
  }

  async refresh(): Promise<void> {
    this.list = (await dev.files()).files;
  }

  buffer(path = this.shown): Buffer | undefined {
    return this.open.get(path);
  }

  async show(path: string): Promise<void> {
    if (!this.open.has(path)) {
      const { text, hash } = await dev.read(path);
      this.open.set(path, { path, text, saved: text, hash, isContested: false, isGone: false });
    }
    this.shown = path;
  }

  close(path: string): void {
    this.open.delete(path);
    if (this.shown === path) this.shown = [...this.open.keys()].at(-1) ?? '';
    this.checkSoon();
  }

  typed(path: string, text: string): void {
    this.#change(path, { text });
    this.checkSoon();
  }

  isDirty(path: string): boolean {
    const buffer = this.open.get(path);
    return buffer !== undefined && (buffer.text !== buffer.saved || buffer.isGone);
  }

  get dirty(): string[] {
    return [...this.open.keys()].filter((path) => this.isDirty(path));
  }

  /** What is not on disk yet. */
  get unsaved(): Texts {
    return Object.fromEntries(this.dirty.map((path) => [path, this.open.get(path)?.text ?? '']));
  }

  checkSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), QUIET_MS);
  }

  async check(): Promise<void> {
    const number = (this.#checks += 1);
    this.isChecking = true;
    try {
      const checked = await dev.check(this.unsaved);
      // An answer about a text that has changed since points at the wrong places.
      if (number === this.#checks) this.#checked(checked);
    } catch (error) {
      if (number === this.#checks) this.trouble = errorWord(error);
    } finally {
      if (number === this.#checks) this.isChecking = false;
    }
  }

  #checked(checked: Checked): void {
    this.trouble = '';
    this.diagnostics = checked.diagnostics;
    this.playable = checked.playable;
  }

  /** Writes a file to disk, one after the other. `force` writes over what others have changed. */
  save(path = this.shown, force = false): Promise<void> {
    const saved = this.#last.then(() => this.#save(path, force));
    this.#last = saved.catch(() => undefined);
    return saved;
  }

  async #save(path: string, force: boolean): Promise<void> {
    const buffer = this.open.get(path);
    if (!buffer || (!this.isDirty(path) && !force)) return;
    const { text } = buffer;
    this.isSaving = true;
    try {
      const saved = await dev.write(path, text, force || buffer.isGone ? undefined : buffer.hash);
      this.#change(path, { saved: text, hash: saved.hash, isContested: false, isGone: false });
      if (this.dirty.length === 0) {
        this.#checks += 1;
        this.isChecking = false;
        this.#checked(saved.checked);
      } else {
        this.checkSoon();
      }
      if (saved.reload) this.#onReload(saved.reload);
      if (!this.list.some((file) => file.path === path)) await this.refresh();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'stale') throw error;
      this.#change(path, { isContested: true });
    } finally {
      this.isSaving = false;
    }
  }

  async saveAll(): Promise<void> {
    for (const path of this.dirty) await this.save(path);
  }

  /** Takes what is on disk in place of what was written here. */
  async takeTheirs(path: string): Promise<void> {
    const { text, hash } = await dev.read(path);
    this.#change(path, { text, saved: text, hash, isContested: false, isGone: false });
    this.checkSoon();
  }

  async create(path: string): Promise<void> {
    await dev.write(path, '');
    await this.refresh();
    await this.show(path);
  }

  async remove(path: string): Promise<void> {
    await dev.remove(path);
    this.close(path);
    await this.refresh();
  }

  /** Compares everything that is open with what is on disk. */
  async lookAgain(): Promise<void> {
    const { files } = await dev.files();
    const gone = [...this.open.keys()].filter((path) => !files.some((file) => file.path === path));
    await this.changedOnDisk(files, gone);
  }

  /** Files have changed on disk, perhaps by ourselves. */
  async changedOnDisk(changed: readonly { path: string; hash: string }[], removed: readonly string[]): Promise<void> {
    for (const path of removed) if (this.open.has(path)) this.#change(path, { isGone: true });
    for (const { path, hash } of changed) {
      const buffer = this.open.get(path);
      if (!buffer || buffer.hash === hash || this.isSaving) continue;
      if (this.isDirty(path)) this.#change(path, { isContested: true });
      else await this.takeTheirs(path);
    }
    await this.refresh();
    this.checkSoon();
  }

  #change(path: string, change: Partial<Buffer>): void {
    const buffer = this.open.get(path);
    if (buffer) this.open.set(path, { ...buffer, ...change });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
