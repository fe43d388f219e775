/**
 * The editor for ruleset files. It lives in a shadow root, because the content security policy blocks the style elements
 * that CodeMirror would add to the document.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

import type { Completion, Diagnostic, Position } from './api.ts';
import { offsetOf, positionOf, rangeOf } from './editor-positions.ts';

export interface EditorHandlers {
  change(path: string, text: string): void;
  save(path: string): void;
  complete(path: string, at: Position): Promise<{ from: Position; items: Completion[] }>;
}

/** Marks changes made by the page, which are not reported. */
const external = Annotation.define<boolean>();

export class Editor {
  readonly #view: EditorView;
  readonly #states = new Map<string, EditorState>();
  readonly #handlers: EditorHandlers;
  readonly #root: ShadowRoot;
  #path = '';

  constructor(host: HTMLElement, handlers: EditorHandlers) {
    this.#handlers = handlers;
    this.#root = host.attachShadow({ mode: 'open' });
    this.#view = new EditorView({ parent: this.#root, root: this.#root, state: EditorState.create() });
  }

  /** Shows a file and restores its cursor and undo history. */
  show(path: string, text: string): void {
    if (path === this.#path) return this.replace(path, text);
    if (this.#path !== '') this.#states.set(this.#path, this.#view.state);
    this.#path = path;
    const previous = this.#states.get(path);
    this.#view.setState(previous ?? this.#createState(path, text));
    this.replace(path, text);
  }

  /** Replaces the text of a file that changed on disk. */
  replace(path: string, text: string): void {
    if (path !== this.#path) {
      this.#states.delete(path);
      return;
    }
    const { state } = this.#view;
    if (state.doc.toString() === text) return;
    const head = Math.min(state.selection.main.head, text.length);
    this.#view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: head },
      annotations: external.of(true),
    });
  }

  forget(path: string): void {
    this.#states.delete(path);
  }

  /** Underlines the diagnostics of the current file. */
  showDiagnostics(diagnostics: readonly Diagnostic[]): void {
    const { state } = this.#view;
    const own = diagnostics.filter(({ file }) => file === this.#path);
    this.#view.dispatch(
      setDiagnostics(
        state,
        own.map((diagnostic) => markOf(state.doc, diagnostic)),
      ),
    );
  }

  /** Moves the cursor and scrolls it into the middle. */
  goTo(at: Position): void {
    const offset = offsetOf(this.#view.state.doc, at);
    this.#view.dispatch({ selection: { anchor: offset }, effects: EditorView.scrollIntoView(offset, { y: 'center' }) });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }

  #createState(path: string, text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.#extensions(path) });
  }

  #extensions(path: string): Extension[] {
    const language = /\.ya?ml$/.test(path) ? [yaml()] : path.endsWith('.json') ? [json()] : [];
    return [
      lineNumbers(),
      highlightActiveLineGutter(),
      lintGutter(),
      foldGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      EditorState.allowMultipleSelections.of(true),
      rectangularSelection(),
      indentOnInput(),
      indentUnit.of('  '),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      EditorView.lineWrapping,
      highlightSelectionMatches(),
      search({ top: true }),
      autocompletion({ override: [(context) => this.#complete(path, context)], icons: false }),
      syntaxHighlighting(colours),
      theme,
      language,
      keymap.of([
        { key: 'Mod-s', preventDefault: true, run: () => (this.#handlers.save(path), true) },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...completionKeymap,
        ...lintKeymap,
        // Pressing Escape first lets Tab leave the editor.
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({ 'aria-label': `Text of ${path}`, tabindex: '0' }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || update.transactions.some((change) => change.annotation(external))) return;
        this.#handlers.change(path, update.state.doc.toString());
      }),
    ];
  }

  async #complete(path: string, context: CompletionContext): Promise<CompletionResult | null> {
    const word = context.matchBefore(/[\w$.@-]+/);
    if (!context.explicit && !word) return null;
    const found = await this.#handlers
      .complete(path, positionOf(context.state.doc, context.pos))
      .catch(() => undefined);
    if (!found || found.items.length === 0 || context.aborted) return null;
    return {
      from: offsetOf(context.state.doc, found.from),
      options: found.items.map((item, at) => ({
        label: item.label,
        apply: item.insert,
        detail: item.detail ?? item.kind,
        // The server sorts by relevance.
        boost: Math.max(-99, 99 - at),
      })),
      validFor: /^[\w-]*$/,
    };
  }
}

function markOf(text: Text, diagnostic: Diagnostic): Mark {
  const range = rangeOf(text, diagnostic.start, diagnostic.end);
  const lines = [diagnostic.message, diagnostic.label ?? '', ...diagnostic.help];
  const severity = diagnostic.severity === 'note' ? 'info' : diagnostic.severity;
  return { ...range, severity, source: diagnostic.code, message: lines.filter((line) => line !== '').join('\n') };
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--brand)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.keyword], color: 'var(--gold)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--ink-faint)', fontStyle: 'italic' },
  { tag: [tags.labelName, tags.typeName, tags.tagName, tags.meta], color: 'var(--seat-3)' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--ink-soft)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-figures)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-faint)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--brand-wash) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--brand-wash)', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--focus) 28%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--gold) 22%, transparent)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--brand)', color: 'var(--on-brand)' },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.8', fontStyle: 'normal', marginLeft: '1em' },
  '.cm-diagnostic': { fontFamily: 'var(--font)', whiteSpace: 'pre-wrap', padding: '0.3rem 0.6rem' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--gold)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--danger)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--gold)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', color: 'var(--ink-soft)', border: '0' },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'inherit',
    border: '1px solid var(--line-strong)',
  },
  '.cm-textfield': { backgroundColor: 'var(--surface)', color: 'inherit', border: '1px solid var(--line-strong)' },
});
