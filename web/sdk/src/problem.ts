import type { components } from './generated/frames.ts';

/** What went wrong, as the server says it (RFC 9457). */
export type Problem = components['schemas']['Problem'];
/** The stable name of a problem. */
export type Code = components['schemas']['Code'];

/** A refusal of the server, as an error. */
export class Refused extends Error {
  override name = 'Refused';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  get code(): Code {
    return this.problem.code;
  }
}

/** Codes after which the same command may well be taken a little later. */
const PASSING: readonly Code[] = ['busy', 'draining', 'too_many'];

/** After how many milliseconds to try again; nothing if that would be of no use. */
export function retryAfter(problem: Problem): number | undefined {
  if (!PASSING.includes(problem.code)) return undefined;
  const wait = (problem as { retryAfterMs?: unknown }).retryAfterMs;
  return typeof wait === 'number' ? wait : 1000;
}

/** Whether a value is a problem. */
export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}
