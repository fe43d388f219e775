/** The picture of an entity: what `ui.art` says, or a built-in print that fits its name. */
import type { Value } from '@intermezzo/sdk';

import { uiHint, type RulesetDisplay } from '../match/ruleset-display.ts';
import { printFor, type PrintChoice } from './prints.ts';

/** A picture with the colour and the words that belong to it. */
export interface Picture extends PrintChoice {
  hue: number | undefined;
  name: string | undefined;
  text: string | undefined;
}

type Hint = Record<string, Value>;
const hint = (value: Value | undefined): Hint | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Hint) : undefined;
const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** What a picture depends on. */
export interface Pictured {
  def: string | null;
  props: Record<string, Value>;
  /** Name that a built-in print is chosen for. */
  name: string;
}

export function pictureOf(display: RulesetDisplay, { def, props, name }: Pictured): Picture {
  const art = hint(uiHint(display, 'art'));
  const own = def === null ? undefined : hint(art?.['defs'])?.[def];
  const wanted = own ?? byValue(art, 'values', props);
  const found = wanted === undefined ? undefined : pictureFrom(display, wanted);
  const hue = byValue(art, 'hues', props);
  const scene = text(byValue(art, 'scenes', props));
  const picture = found ?? { ...printFor(name), hue: undefined, name: undefined, text: undefined };
  return {
    ...picture,
    scene: picture.scene === '' && scene !== undefined ? scene : picture.scene,
    hue: picture.hue ?? (typeof hue === 'number' ? hue : undefined),
  };
}

/** Returns what a part of `ui.art` says about the first property it knows. */
function byValue(art: Hint | undefined, part: string, props: Record<string, Value>): Value | undefined {
  for (const [prop, values] of Object.entries(hint(art?.[part]) ?? {})) {
    const found = hint(values)?.[String(props[prop])];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the picture that a hint names. */
export function pictureFrom(display: RulesetDisplay, value: Value): Picture {
  const given = hint(value) ?? {};
  const path = text(value);
  const isFile = path?.startsWith('assets/') ?? false;
  const print = isFile ? undefined : (path ?? text(given['print']));
  const [scene = '', figure] = print?.split('/') ?? [];
  const { hue } = given;
  return {
    scene: text(given['scene']) ?? scene,
    figure,
    ...fileParts(display, isFile ? path : text(given['file'])),
    hue: typeof hue === 'number' ? hue : undefined,
    name: text(given['name']),
    text: text(given['text']),
  };
}

function fileParts(display: RulesetDisplay, file: string | undefined): { symbol?: string; image?: string } {
  const [path, part = ''] = file?.split('#') ?? [];
  const address = path === undefined ? undefined : display.pictures[path];
  if (!address) return {};
  return address.url.endsWith('.svg') ? { symbol: `${address.prefix}${part}` } : { image: address.url };
}

/** Returns the addresses of the SVG files of a ruleset, except the cover, which only other pages show. */
export function spriteUrls(display: RulesetDisplay): string[] {
  const cover = text(hint(uiHint(display, 'theme'))?.['cover']);
  return Object.entries(display.pictures)
    .filter(([path, { url }]) => url.endsWith('.svg') && path !== (cover ?? 'assets/cover.svg'))
    .map(([, { url }]) => url);
}
