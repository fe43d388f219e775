/** The hash chain of a match log: each link covers the previous link, an input and the hash of the resulting state. */
import { blake3, bytesToHex, hexToBytes, utf8ToBytes } from './blake3.ts';

/** The part of a log (`GET /matches/{id}/log`) that the chain covers. */
export interface MatchLog {
  format: number;
  ruleset: { id: string; version: string; hash: string };
  seats: number;
  options: Record<string, unknown>;
  seed: string;
  script?: unknown[];
  start: { state: string; chain: string };
  inputs: LogEntry[];
  branches?: { parent?: number; from: number; inputs: LogEntry[] }[];
}

export interface LogEntry {
  number: number;
  input: LogInput;
  state: string;
  chain: string;
}

type LogAnswer = 'pass' | { picks: { indices: number[] } } | { branches: { branch: number; indices: number[] }[] };

export type LogInput =
  | { kind: 'answer' | 'draft'; question: number; seat: number; answer: LogAnswer }
  | { kind: 'timeout'; question: number }
  | { kind: 'leave'; seat: number; cause: string }
  | { kind: 'auto_pass'; seat: number; until: string; stops: boolean }
  | { kind: 'moderate'; winners: number[]; pot: string };

export interface ChainCheck {
  /** Number of valid links, including the first one. */
  links: number;
  /** Number of the input with the first invalid link, 0 for the start; undefined if all links are valid. */
  broken?: number;
  /** Last link: equal for equal matches. */
  last: string;
}

/**
 * Checks the links of a log. They cover the setup, the inputs and the state hashes: changing one of these changes all
 * later links and therefore `last`. They do not cover the events, and do not prove that the rules lead from each input to
 * the logged events and state. Only `intermezzo verify` checks that, because it replays the match.
 */
export function checkChain(log: MatchLog): ChainCheck {
  const result: ChainCheck = { links: 0, last: log.inputs.at(-1)?.chain ?? log.start.chain };
  if (firstLink(log) !== log.start.chain) return { ...result, broken: 0 };
  const lines = [
    { before: log.start.chain, inputs: log.inputs },
    ...(log.branches ?? []).map((branch) => branchLine(log, branch)),
  ];
  let links = 1;
  for (const { before, inputs } of lines) {
    let previous = before;
    for (const entry of inputs) {
      if (nextLink(previous, entry) !== entry.chain) return { ...result, links, broken: entry.number };
      previous = entry.chain;
      links += 1;
    }
  }
  return { ...result, links };
}

/** Returns the inputs of an undone branch and the link it continues from. */
function branchLine(log: MatchLog, { parent, from, inputs }: NonNullable<MatchLog['branches']>[number]) {
  return { before: linkAfter(log, from, parent), inputs };
}

function linkAfter(log: MatchLog, count: number, branch: number | undefined): string {
  if (count === 0) return log.start.chain;
  const undone = branch === undefined ? undefined : log.branches?.[branch];
  if (undone && count <= undone.from) return linkAfter(log, count, undone.parent);
  return (undone ? undone.inputs[count - undone.from - 1] : log.inputs[count - 1])?.chain ?? '';
}

function firstLink({ format, ruleset, seats, options, seed, script, start }: MatchLog): string {
  const { id, version, hash } = ruleset;
  const header = utf8ToBytes(JSON.stringify([format, [id, version, hash], seats, options, seed, script ?? null]));
  const parts = [utf8ToBytes('intermezzo match 1'), number(header.length, 8), header, hexToBytes(start.state)];
  return bytesToHex(blake3(concatBytes(...parts)));
}

function nextLink(previous: string, { input, state }: LogEntry): string {
  return bytesToHex(blake3(concatBytes(hexToBytes(previous), inputBytes(input), hexToBytes(state))));
}

const CAUSES: Record<string, number> = { disconnect: 0, concede: 1, kicked: 2, out_of_time: 22 };
const POTS: Record<string, number> = { winners: 9, split: 10, burn: 11, refund: 12 };
const UNTIL = ['off', 'turn', 'always'];

/** Encodes an input: a tag, then little-endian numbers; lists are prefixed with their length. */
function inputBytes(input: LogInput): Uint8Array {
  switch (input.kind) {
    case 'answer':
    case 'draft': {
      const tag = input.kind === 'answer' ? 0 : 1;
      return concatBytes(number(tag, 1), number(input.question, 4), number(input.seat, 1), answerBytes(input.answer));
    }
    case 'timeout':
      return concatBytes(number(2, 1), number(input.question, 4));
    case 'leave':
      return concatBytes(number(3, 1), number(input.seat, 1), number(CAUSES[input.cause] ?? -1, 4));
    case 'moderate': {
      const winners = input.winners.map((seat) => number(seat, 1));
      return concatBytes(number(4, 1), number(winners.length, 4), ...winners, number(POTS[input.pot] ?? -1, 4));
    }
    case 'auto_pass':
      return new Uint8Array([5, input.seat, UNTIL.indexOf(input.until), input.stops ? 1 : 0]);
  }
}

function answerBytes(answer: LogAnswer): Uint8Array {
  if (answer === 'pass') return number(0, 1);
  if ('picks' in answer) return concatBytes(number(1, 1), picksBytes(answer.picks.indices));
  const branches = answer.branches.map(({ branch, indices }) => concatBytes(number(branch, 2), picksBytes(indices)));
  return concatBytes(number(2, 1), number(branches.length, 4), ...branches);
}

function picksBytes(picks: number[]): Uint8Array {
  return concatBytes(number(picks.length, 4), ...picks.map((pick) => number(pick, 4)));
}

/** Encodes a number in little-endian order. */
function number(value: number, bytes: number): Uint8Array {
  const encoded = new Uint8Array(bytes);
  const view = new DataView(encoded.buffer);
  if (bytes === 8) view.setBigUint64(0, BigInt(value), true);
  else if (bytes === 4) view.setInt32(0, value, true);
  else if (bytes === 2) view.setUint16(0, value, true);
  else view.setUint8(0, value);
  return encoded;
}

function concatBytes(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
