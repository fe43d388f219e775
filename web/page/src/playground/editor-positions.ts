/** Converts positions: the server counts lines and characters from 1, the editor counts UTF-16 units from 0. */
import type { Text } from '@codemirror/state';

import type { Position } from './api.ts';

/** Returns the offset of a position, limited to the document. */
export function offsetOf(text: Text, { line, column }: Position): number {
  if (line < 1) return 0;
  if (line > text.lines) return text.length;
  const found = text.line(line);
  const before = [...found.text].slice(0, Math.max(0, column - 1)).join('');
  return found.from + before.length;
}

export function positionOf(text: Text, offset: number): Position {
  const line = text.lineAt(offset);
  return { line: line.number, column: [...line.text.slice(0, offset - line.from)].length + 1 };
}

/** Returns a range to underline: never empty, unless the line is. */
export function rangeOf(text: Text, start: Position, end: Position): { from: number; to: number } {
  const from = offsetOf(text, start);
  const to = Math.max(from, offsetOf(text, end));
  if (to > from) return { from, to };
  const line = text.lineAt(from);
  if (from < line.to) return { from, to: from + 1 };
  return from > line.from ? { from: from - 1, to: from } : { from, to };
}
