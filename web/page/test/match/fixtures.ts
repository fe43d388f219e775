/** Small views, prompts and rulesets for tests. */
import type { Entity, Option, Prompt, Value, View, Zone } from '@intermezzo/sdk';

import type { RulesetDisplay, ZoneDisplay } from '../../src/match/ruleset-display.ts';

export function zoneDisplay(name: string, more: Partial<ZoneDisplay> = {}): ZoneDisplay {
  return { name, of: null, visible: 'all', ordered: false, active: false, ...more };
}

export function display(more: Partial<RulesetDisplay> = {}): RulesetDisplay {
  return {
    id: 'some',
    manual: null,
    targets: {},
    reactions: {},
    pictures: {},
    name: 'Some Game',
    hash: '00',
    ui: {},
    phases: [],
    zones: [],
    kinds: {},
    defs: {},
    events: {},
    rules: {},
    ...more,
  };
}

export function entity(id: string, more: Partial<Entity> = {}): Entity {
  return {
    id,
    kind: 'card',
    def: null,
    title: `Card ${id}`,
    text: null,
    owner: null,
    props: {},
    traits: [],
    zones: {},
    ...more,
  };
}

export const zone = (...items: Entity[]): Zone => ({ count: items.length, items });

export function view(more: Partial<View> = {}): View {
  return { you: 'p0', phases: [], options: {}, match: {}, players: [], zones: {}, ending: null, ...more };
}

export function player(seat: number, zones: Record<string, Zone> = {}): View['players'][number] {
  return { id: `p${seat}`, seat, gone: false, props: {}, zones };
}

export function option(n: number, value: Value, more: Partial<Option> = {}): Option {
  return { n, value, label: typeof value === 'string' ? value : null, ...more };
}

export function prompt(more: Partial<Prompt> = {}): Prompt {
  return {
    inputId: 1,
    actor: 'p0',
    name: 'q',
    kind: 'select',
    title: 'What?',
    options: [],
    branches: [],
    min: 1,
    max: 1,
    slots: null,
    pass: false,
    drafts: false,
    draft: null,
    deadlineMs: null,
    default: null,
    ...more,
  };
}
