/** Fills the placeholders of a text, such as `{target}`, `{target.hp}` and `{amount / 2}`, from what the viewer sees. */
import type { Value } from '@intermezzo/sdk';

/** Returns the value of a name, or of a property of it; undefined if the viewer does not see it. */
export type Lookup = (name: string, prop: string | undefined) => Value | undefined;

/** Returns the text with its placeholders filled; undefined if one of them is unknown. */
export function fillPlaceholders(text: string, lookup: Lookup, words: (value: Value) => string): string | undefined {
  let isComplete = true;
  const filled = text.replaceAll(/\{([^}]*)\}/g, (_, inner: string) => {
    const value = evaluate(inner, lookup);
    if (value === undefined || value === null) isComplete = false;
    return value === undefined ? '' : words(value);
  });
  return isComplete ? filled : undefined;
}

/** Computes a name, `name.property`, a number, or a sum of these. Numbers are whole, as in the rules. */
export function evaluate(text: string, lookup: Lookup): Value | undefined {
  const tokens = text.match(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)?|\d+|[-+*/()]/gu) ?? [];
  let at = 0;

  const numbers = (left: Value | undefined, right: Value | undefined, compute: (a: number, b: number) => number) =>
    typeof left === 'number' && typeof right === 'number' ? Math.trunc(compute(left, right)) : undefined;

  function atom(): Value | undefined {
    const token = tokens[at++];
    if (token === undefined) return undefined;
    if (token === '-') return numbers(0, atom(), (a, b) => a - b);
    if (token === '(') {
      const value = sum();
      at += 1;
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    const [name = '', prop] = token.split('.');
    return lookup(name, prop);
  }

  function product(): Value | undefined {
    let value = atom();
    while (tokens[at] === '*' || tokens[at] === '/')
      value = tokens[at++] === '*' ? numbers(value, atom(), (a, b) => a * b) : numbers(value, atom(), (a, b) => a / b);
    return value;
  }

  function sum(): Value | undefined {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value =
        tokens[at++] === '+' ? numbers(value, product(), (a, b) => a + b) : numbers(value, product(), (a, b) => a - b);
    return value;
  }

  const value = sum();
  return at >= tokens.length ? value : undefined;
}
