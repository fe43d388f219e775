import type { components } from './generated/frames.ts';

/** Problem details as the server sends them (RFC 9457). */
export type Problem = components['schemas']['Problem'];
/** Stable name of a problem. */
export type Code = components['schemas']['Code'];

/** Thrown when the server rejects a request or a command. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  get code(): Code {
    return this.problem.code;
  }
}

/** Problems that go away: the same command may succeed a little later. */
const TEMPORARY: readonly Code[] = ['busy', 'draining', 'too_many'];

/** Returns the milliseconds to wait before a retry; undefined if retrying does not help. */
export function retryAfter(problem: Problem): number | undefined {
  if (!TEMPORARY.includes(problem.code)) return undefined;
  const wait = (problem as { retryAfterMs?: unknown }).retryAfterMs;
  return typeof wait === 'number' ? wait : 1000;
}

export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;
}
