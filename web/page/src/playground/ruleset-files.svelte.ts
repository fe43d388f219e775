/** The files of the ruleset: unsaved changes, diagnostics, and changes on disk by other programs. */
import { ProblemError } from '@intermezzo/sdk';
import { SvelteMap } from 'svelte/reactivity';

import { errorText } from '../lib/text.ts';
import { dev, type CheckResult, type Diagnostic, type FileInfo, type Reload, type UnsavedTexts } from './api.ts';

/** An open file. */
export interface OpenFile {
  path: string;
  text: string;
  /** Text on disk, when it was last read or written. */
  saved: string;
  hash: string;
  /** Changed on disk while it has unsaved changes. */
  hasConflict: boolean;
  /** Deleted on disk. */
  isDeleted: boolean;
}

/** The rules are checked after a pause in typing of this length. */
const CHECK_DELAY_MS = 300;

export class RulesetFiles {
  list = $state.raw<FileInfo[]>([]);
  readonly open = new SvelteMap<string, OpenFile>();
  /** Path of the file in the editor. */
  current = $state('');
  diagnostics = $state.raw<Diagnostic[]>([]);
  playable = $state(true);
  isChecking = $state(false);
  isSaving = $state(false);
  checkError = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checks = 0;
  #pendingSave: Promise<void> = Promise.resolve();
  readonly #onReload: (reload: Reload) => void;

  constructor(onReload: (reload: Reload) => void) {
    this.#onReload = onReload;
  }

  /** Loads the list of files and opens the main file. */
  async load(): Promise<void> {
    await this.refresh();
    const first = this.list.find(({ path }) => /^ruleset\.ya?ml$/.test(path)) ?? this.list[0];
    if (first) await this.show(first.path);
    await this.check();
  }

  async refresh(): Promise<void> {
    this.list = (await dev.files()).files;
  }

  file(path = this.current): OpenFile | undefined {
    return this.open.get(path);
  }

  async show(path: string): Promise<void> {
    if (!this.open.has(path)) {
      const { text, hash } = await dev.read(path);
      this.open.set(path, { path, text, saved: text, hash, hasConflict: false, isDeleted: false });
    }
    this.current = path;
  }

  close(path: string): void {
    this.open.delete(path);
    if (this.current === path) this.current = [...this.open.keys()].at(-1) ?? '';
    this.checkSoon();
  }

  edit(path: string, text: string): void {
    this.#update(path, { text });
    this.checkSoon();
  }

  isDirty(path: string): boolean {
    const file = this.open.get(path);
    return file !== undefined && (file.text !== file.saved || file.isDeleted);
  }

  get dirty(): string[] {
    return [...this.open.keys()].filter((path) => this.isDirty(path));
  }

  /** Texts of the files with unsaved changes. */
  get unsaved(): UnsavedTexts {
    return Object.fromEntries(this.dirty.map((path) => [path, this.open.get(path)?.text ?? '']));
  }

  checkSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), CHECK_DELAY_MS);
  }

  async check(): Promise<void> {
    const number = (this.#checks += 1);
    this.isChecking = true;
    try {
      const checked = await dev.check(this.unsaved);
      // Diagnostics of an outdated text would have wrong positions.
      if (number === this.#checks) this.#applyCheck(checked);
    } catch (error) {
      if (number === this.#checks) this.checkError = errorText(error);
    } finally {
      if (number === this.#checks) this.isChecking = false;
    }
  }

  #applyCheck(checked: CheckResult): void {
    this.checkError = '';
    this.diagnostics = checked.diagnostics;
    this.playable = checked.playable;
  }

  /** Saves a file; saves run one after another. `force` overwrites changes on disk. */
  save(path = this.current, force = false): Promise<void> {
    const saved = this.#pendingSave.then(() => this.#save(path, force));
    this.#pendingSave = saved.catch(() => undefined);
    return saved;
  }

  async #save(path: string, force: boolean): Promise<void> {
    const file = this.open.get(path);
    if (!file || (!this.isDirty(path) && !force)) return;
    const { text } = file;
    this.isSaving = true;
    try {
      const saved = await dev.write(path, text, force || file.isDeleted ? undefined : file.hash);
      this.#update(path, { saved: text, hash: saved.hash, hasConflict: false, isDeleted: false });
      if (this.dirty.length === 0) {
        this.#checks += 1;
        this.isChecking = false;
        this.#applyCheck(saved.checked);
      } else {
        this.checkSoon();
      }
      if (saved.reload) this.#onReload(saved.reload);
      if (!this.list.some((file) => file.path === path)) await this.refresh();
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'stale') throw error;
      this.#update(path, { hasConflict: true });
    } finally {
      this.isSaving = false;
    }
  }

  async saveAll(): Promise<void> {
    for (const path of this.dirty) await this.save(path);
  }

  /** Discards unsaved changes and loads the file from disk. */
  async reloadFromDisk(path: string): Promise<void> {
    const { text, hash } = await dev.read(path);
    this.#update(path, { text, saved: text, hash, hasConflict: false, isDeleted: false });
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

  /** Compares all open files with those on disk. */
  async compareWithDisk(): Promise<void> {
    const { files } = await dev.files();
    const deleted = [...this.open.keys()].filter((path) => !files.some((file) => file.path === path));
    await this.onDiskChange(files, deleted);
  }

  /** Handles changes on disk, which may also come from saving here. */
  async onDiskChange(changed: readonly { path: string; hash: string }[], removed: readonly string[]): Promise<void> {
    for (const path of removed) if (this.open.has(path)) this.#update(path, { isDeleted: true });
    for (const { path, hash } of changed) {
      const file = this.open.get(path);
      if (!file || file.hash === hash || this.isSaving) continue;
      if (this.isDirty(path)) this.#update(path, { hasConflict: true });
      else await this.reloadFromDisk(path);
    }
    await this.refresh();
    this.checkSoon();
  }

  #update(path: string, change: Partial<OpenFile>): void {
    const file = this.open.get(path);
    if (file) this.open.set(path, { ...file, ...change });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
